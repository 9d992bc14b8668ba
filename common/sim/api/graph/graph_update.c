/* SPDX-License-Identifier: MIT */
/* Executable graphs that change: nodes that are left out, and what another graph's nodes do. */
#include "sim/api/graph/graph_parts.h"
#include "sim/api/graph/kernel_attributes.h"
#include "sim/graph/graph_memory.h"

/* ---- nodes that are left out ---- */

static cudaError_t open_enabled(struct api_call *e, const char *name, cudaGraphExec_t exec,
                                cudaGraphNode_t origin, struct graph_node **node)
{
    cudaError_t status = graph_open_copy(e, name, exec, origin, node);
    status = graph_refuse_no_node(e, status, handle_find(&graph_nodes, origin), origin);
    return REFUSE(
        e, status,
        (*node)->type != cudaGraphNodeTypeKernel && (*node)->type != cudaGraphNodeTypeMemcpy
            && (*node)->type != cudaGraphNodeTypeMemset,
        cudaErrorInvalidValue, "only nodes of kernels, copies and memsets can be left out");
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t origin,
                                    unsigned int enabled)
{
    struct api_call e;
    struct graph_node *node;
    cudaError_t status = open_enabled(&e, "cudaGraphNodeSetEnabled", exec, origin, &node);
    if (status == cudaSuccess)
        node->disabled = enabled == 0;
    return api_finish(&e, status);
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t origin,
                                    unsigned int *enabled)
{
    struct api_call e;
    struct graph_node *node;
    cudaError_t status = open_enabled(&e, "cudaGraphNodeGetEnabled", exec, origin, &node);
    status = refuse_null(&e, status, enabled, "third argument, isEnabled");
    if (status == cudaSuccess)
        *enabled = !node->disabled;
    return api_finish(&e, status);
}

/* ---- a whole graph ---- */

/* Nodes of an executable graph from number `first` on, which have the place of a graph's. */
struct part { const struct graph *exec; size_t first, count; };

/* Edges from nodes before the part are not looked at. */
static bool has_edges(const struct part *part, const struct graph_node *node,
                      const struct graph_node *from)
{
    size_t own = 0, same = 0;
    for (size_t i = 0; i < node->after_count; i++) {
        const struct graph_edge edge = node->after[i];
        own += edge.node >= part->first;
        for (size_t k = 0; k < from->after_count; k++)
            same += edge.node == from->after[k].node + part->first
                    && edge.port == from->after[k].port;
    }
    return own == from->after_count && same == own;
}

/* A node stays cooperative or not, and in a graph that goes by them its priority stays as well:
 * that which was asked for [H]. */
static bool same_attributes(const struct graph_node *node, const struct graph_node *from)
{
    const struct kernel_attributes *a = &node->attributes, *b = &from->attributes;
    return a->cooperative == b->cooperative
           && (!node->graph->own_priorities || a->priority == b->priority);
}

/* May `node` take over what `from`, the node of the same number, does? */
static enum cudaGraphExecUpdateResult compare(const struct part *part,
                                              const struct graph_node *node,
                                              const struct graph_node *from)
{
    if (!has_edges(part, node, from))
        return cudaGraphExecUpdateErrorTopologyChanged;
    if (node->type != from->type)
        return cudaGraphExecUpdateErrorNodeTypeChanged;
    if (node->memory != from->memory)
        return cudaGraphExecUpdateErrorParametersChanged;
    if (node->type == cudaGraphNodeTypeConditional)
        return cudaGraphExecUpdateErrorNotSupported;
    if (node->type == cudaGraphNodeTypeMemcpy && !graph_same_kinds(&node->call, &from->call))
        return cudaGraphExecUpdateErrorParametersChanged;
    if (node->type == cudaGraphNodeTypeKernel && !same_attributes(node, from))
        return cudaGraphExecUpdateErrorAttributesChanged;
    return cudaGraphExecUpdateSuccess;
}

/* `sorted` is NULL where its nodes wait for one another in a circle. */
static cudaGraphExecUpdateResultInfo update(struct part part, const struct graph *sorted)
{
    struct graph_node **nodes = part.exec->nodes + part.first;
    cudaGraphExecUpdateResultInfo info = { .result = cudaGraphExecUpdateSuccess };
    if (!sorted || sorted->count != part.count) {
        info.result = cudaGraphExecUpdateErrorTopologyChanged;
        return info;
    }
    for (size_t i = 0; i < part.count; i++) {
        info.result = compare(&part, nodes[i], sorted->nodes[i]);
        if (info.result == cudaGraphExecUpdateSuccess)
            continue;
        info.errorNode = (cudaGraphNode_t)(uintptr_t)sorted->nodes[i]->origin;
        return info;
    }
    for (size_t i = 0; i < part.count; i++) {
        struct graph_node *from = sorted->nodes[i];
        graph_node_set(nodes[i], &from->call,
                       from->effect ? effect_share(from->effect) : NULL, NULL);
        nodes[i]->attributes = from->attributes;
    }
    return info;
}

/* What a graph has that the executable one has not. */
static const char *other_of(enum cudaGraphExecUpdateResult result, bool memory)
{
    switch (result) {
    case cudaGraphExecUpdateErrorTopologyChanged: return "other nodes or other dependencies";
    case cudaGraphExecUpdateErrorNodeTypeChanged: return "a node of another type";
    case cudaGraphExecUpdateErrorAttributesChanged:
        return "a kernel with other attributes (cooperative, priority)";
    default:
        return memory ? "other memory to allocate or free" : "a copy between other kinds of memory";
    }
}

cudaError_t child_update(struct api_call *e, struct graph_node *node, const struct graph *child)
{
    cudaError_t status = attributes_apply_all(e, cudaSuccess, child);
    if (status != cudaSuccess)
        return status;
    struct graph *sorted = graph_copy(child, true);
    const struct part part = { node->graph, graph_number(node) - node->inner, node->inner };
    enum cudaGraphExecUpdateResult result = update(part, sorted).result;
    if (sorted)
        graph_free(sorted);
    return REFUSE(e, status, result != cudaGraphExecUpdateSuccess, cudaErrorGraphExecUpdateFailure,
                  "the child graph has %s than that of the executable graph's node",
                  other_of(result, false));
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo *result)
{
    struct api_call e;
    cudaError_t status = api_open(&e, CALL_OTHER, "cudaGraphExecUpdate");
    struct graph *g = handle_find(&graph_execs, exec), *from = handle_find(&graphs, graph);
    status = REFUSE(&e, status, !g, cudaErrorInvalidValue,
                    "the first argument, hGraphExec, is not valid: %s",
                    words_of_handle(&graph_execs, exec, "cudaGraphExecDestroy").text);
    status = REFUSE(&e, status, !from, cudaErrorInvalidValue,
                    "the second argument, hGraph, is not valid: %s",
                    words_of_handle(&graphs, graph, "cudaGraphDestroy").text);
    status = refuse_null(&e, status, result, "third argument, resultInfo");
    if (status == cudaSuccess)
        status = attributes_apply_all(&e, status, from);
    if (status != cudaSuccess)
        return api_finish(&e, status);
    struct graph *sorted = graph_copy(from, true);
    *result = update((struct part){ g, 0, g->count }, sorted);
    if (sorted)
        graph_free(sorted);
    status = REFUSE(&e, status, result->result == cudaGraphExecUpdateErrorNotSupported,
                    cudaErrorGraphExecUpdateFailure,
                    "the graph has a conditional node, and this simulator does not update those");
    status =
        REFUSE(&e, status, result->result != cudaGraphExecUpdateSuccess,
               cudaErrorGraphExecUpdateFailure, "the graph has %s than the executable one",
               other_of(result->result, graph_has_memory(g)));
    return api_finish(&e, status);
}
