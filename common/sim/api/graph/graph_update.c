/* SPDX-License-Identifier: MIT */
/* Nodes that get other parameters: one by one, or all of an executable graph from another graph. */
#include "sim/api/graph/graph_parts.h"
#include "sim/graph/graph_memory.h"

/* Ends a call that changes a node. */
static cudaError_t set_node(struct api_call *e, cudaError_t status, struct graph_node *node,
                            const struct parts *p)
{
    if (status == cudaSuccess)
        graph_node_set(node, &p->call, p->effect, p->given);
    return api_finish(e, status);
}

/* The copy that the executable graph has of a node, of this type. */
static cudaError_t open_copy(struct api_call *e, const char *name, cudaGraphExec_t exec,
                             cudaGraphNode_t origin, enum cudaGraphNodeType type,
                             struct graph_node **node)
{
    cudaError_t status = api_open(e, CALL_OTHER, name);
    const struct graph *g = handle_find(&graph_execs, exec);
    *node = NULL;
    for (size_t i = 0; g && origin && i < g->count; i++)
        if (g->nodes[i]->origin == origin)
            *node = g->nodes[i];
    status = REFUSE(e, status, !g, cudaErrorInvalidValue,
                    "the first argument, hGraphExec, is not valid: %s",
                    words_of_handle(&graph_execs, exec, "cudaGraphExecDestroy").text);
    status = REFUSE(e, status, !*node, cudaErrorInvalidValue,
                    "the executable graph was not made from a graph with this node");
    return REFUSE(e, status, (*node)->type != type, cudaErrorInvalidValue,
                  "the node is of another type than the call is for");
}

/* Do two copies go between the same kinds of memory? Others need another graph [H]. */
static bool same_kinds(const struct call *a, const struct call *b)
{
    return a->dst_kind == b->dst_kind && a->src_kind == b->src_kind;
}

/* Drops the effect of what it refuses. */
static cudaError_t refuse_other_kinds(struct api_call *e, const struct graph_node *node,
                                      const struct parts *p)
{
    if (same_kinds(&p->call, &node->call))
        return cudaSuccess;
    effect_drop(p->effect);
    given_drop(p->given);
    return because(
        &e->call, cudaErrorInvalidValue,
        "the node copies from %s to %s memory, and the new parameters say from %s to %s: "
        "that takes another graph",
        memory_kind_name(node->call.src_kind), memory_kind_name(node->call.dst_kind),
        memory_kind_name(p->call.src_kind), memory_kind_name(p->call.dst_kind));
}

/* The executable graph's node gets what `read` makes of the parameters (graph_parts.h). */
static cudaError_t set_exec_node(const char *name, cudaGraphExec_t exec, cudaGraphNode_t origin,
                                 enum cudaGraphNodeType type, parts_reader *read,
                                 const void *params)
{
    struct api_call e;
    struct parts p;
    struct graph_node *node;
    cudaError_t status = open_copy(&e, name, exec, origin, type, &node);
    if (status == cudaSuccess)
        status = read(&e, params, &p);
    if (status == cudaSuccess && type == cudaGraphNodeTypeMemcpy)
        status = refuse_other_kinds(&e, node, &p);
    return set_node(&e, status, node, &p);
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const struct cudaKernelNodeParams *params)
{
    return set_exec_node("cudaGraphExecKernelNodeSetParams", exec, node, cudaGraphNodeTypeKernel,
                         parts_of_kernel, params);
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node,
                                               void *dst, const void *src, size_t bytes,
                                               enum cudaMemcpyKind kind)
{
    const struct copied_bytes copied = { dst, src, bytes, kind };
    return set_exec_node("cudaGraphExecMemcpyNodeSetParams1D", exec, node, cudaGraphNodeTypeMemcpy,
                         parts_of_bytes, &copied);
}

cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const struct cudaMemsetParams *params)
{
    return set_exec_node("cudaGraphExecMemsetNodeSetParams", exec, node, cudaGraphNodeTypeMemset,
                         parts_of_set, params);
}

cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                           const struct cudaHostNodeParams *params)
{
    return set_exec_node("cudaGraphExecHostNodeSetParams", exec, node, cudaGraphNodeTypeHost,
                         parts_of_function, params);
}

cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                 cudaEvent_t event)
{
    return set_exec_node("cudaGraphExecEventRecordNodeSetEvent", exec, node,
                         cudaGraphNodeTypeEventRecord, parts_of_record, event);
}

cudaError_t cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node,
                                               cudaEvent_t event)
{
    return set_exec_node("cudaGraphExecEventWaitNodeSetEvent", exec, node,
                         cudaGraphNodeTypeWaitEvent, parts_of_wait, event);
}

cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const struct cudaMemcpy3DParms *params)
{
    return set_exec_node("cudaGraphExecMemcpyNodeSetParams", exec, node, cudaGraphNodeTypeMemcpy,
                         parts_of_copy, params);
}

/* ---- nodes of graphs that are no executable ones ---- */

static cudaError_t set_given(const char *name, cudaGraphNode_t handle, enum cudaGraphNodeType type,
                             parts_reader *read, const void *params)
{
    struct api_call e;
    struct parts p;
    cudaError_t status = api_open(&e, CALL_OTHER, name);
    struct graph_node *node = handle_find(&graph_nodes, handle);
    status = graph_refuse_no_node(&e, status, node, handle);
    status = REFUSE(&e, status, node->type != type, cudaErrorInvalidValue,
                    "the node is of another type than the call is for");
    if (status == cudaSuccess)
        status = read(&e, params, &p);
    return set_node(&e, status, node, &p);
}

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node,
                                         const struct cudaKernelNodeParams *params)
{
    return set_given("cudaGraphKernelNodeSetParams", node, cudaGraphNodeTypeKernel, parts_of_kernel,
                     params);
}

cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node,
                                         const struct cudaMemcpy3DParms *params)
{
    return set_given("cudaGraphMemcpyNodeSetParams", node, cudaGraphNodeTypeMemcpy, parts_of_copy,
                     params);
}

cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void *dst, const void *src,
                                           size_t bytes, enum cudaMemcpyKind kind)
{
    const struct copied_bytes copied = { dst, src, bytes, kind };
    return set_given("cudaGraphMemcpyNodeSetParams1D", node, cudaGraphNodeTypeMemcpy,
                     parts_of_bytes, &copied);
}

cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node,
                                         const struct cudaMemsetParams *params)
{
    return set_given("cudaGraphMemsetNodeSetParams", node, cudaGraphNodeTypeMemset, parts_of_set,
                     params);
}

cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node,
                                       const struct cudaHostNodeParams *params)
{
    return set_given("cudaGraphHostNodeSetParams", node, cudaGraphNodeTypeHost, parts_of_function,
                     params);
}

cudaError_t cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event)
{
    return set_given("cudaGraphEventRecordNodeSetEvent", node, cudaGraphNodeTypeEventRecord,
                     parts_of_record, event);
}

cudaError_t cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event)
{
    return set_given("cudaGraphEventWaitNodeSetEvent", node, cudaGraphNodeTypeWaitEvent,
                     parts_of_wait, event);
}

/* CUDA 12's calls for nodes of all kinds: in the graph that the node is in, or in an executable
 * one. */
static cudaError_t set_any(const char *name, bool executable, cudaGraphExec_t exec,
                           cudaGraphNode_t node, const cudaGraphNodeParams *params)
{
    static const struct { enum cudaGraphNodeType type; parts_reader *read; } readers[] = {
        { cudaGraphNodeTypeKernel, parts_of_kernel }, { cudaGraphNodeTypeMemcpy, parts_of_copy },
        { cudaGraphNodeTypeMemset, parts_of_set },
        { cudaGraphNodeTypeHost, parts_of_function },
        { cudaGraphNodeTypeEventRecord, parts_of_record },
        { cudaGraphNodeTypeWaitEvent, parts_of_wait },
    };
    for (size_t i = 0; params && i < sizeof readers / sizeof *readers; i++) {
        if (readers[i].type != params->type)
            continue;
        bool event = params->type == cudaGraphNodeTypeEventRecord
                     || params->type == cudaGraphNodeTypeWaitEvent;
        const void *given = event ? (const void *)params->eventRecord.event
                            : params->type == cudaGraphNodeTypeMemcpy
                                ? (const void *)&params->memcpy.copyParams
                                : &params->kernel;
        return executable ? set_exec_node(name, exec, node, params->type, readers[i].read, given)
                  : set_given(name, node, params->type, readers[i].read, given);
    }
    struct api_call e;
    cudaError_t status = api_open(&e, CALL_OTHER, name);
    status = refuse_null(&e, status, params, "pointer to the node's parameters, nodeParams");
    if (status == cudaSuccess)
        api_absent(&e, "other parameters for nodes of this type");
    return api_finish(&e, REFUSE(&e, status, true, cudaErrorNotSupported,
                                 "the parameters' type is %d: such nodes keep theirs here",
                                 (int)params->type));
}

cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, cudaGraphNodeParams *params)
{
    return set_any("cudaGraphNodeSetParams", false, NULL, node, params);
}

cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                       cudaGraphNodeParams *params)
{
    return set_any("cudaGraphExecNodeSetParams", true, exec, node, params);
}

/* ---- nodes that are left out ---- */

static cudaError_t open_enabled(struct api_call *e, const char *name, cudaGraphExec_t exec,
                                cudaGraphNode_t origin, struct graph_node **node)
{
    const struct graph_node *original = handle_find(&graph_nodes, origin);
    cudaError_t status =
        open_copy(e, name, exec, origin, original ? original->type : cudaGraphNodeTypeCount, node);
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

static bool waits_for(const struct graph_node *node, uint32_t number)
{
    size_t i = 0;
    while (i < node->after_count && node->after[i] != number)
        i++;
    return i < node->after_count;
}

/* May `node` take over what `from`, the node of the same number, does? */
static enum cudaGraphExecUpdateResult compare(const struct graph_node *node,
                                              const struct graph_node *from)
{
    bool same = node->after_count == from->after_count;
    for (size_t i = 0; same && i < from->after_count; i++)
        same = waits_for(node, from->after[i]);
    if (!same)
        return cudaGraphExecUpdateErrorTopologyChanged;
    if (node->type != from->type)
        return cudaGraphExecUpdateErrorNodeTypeChanged;
    if (node->memory != from->memory)
        return cudaGraphExecUpdateErrorParametersChanged;
    if (node->type == cudaGraphNodeTypeConditional)
        return cudaGraphExecUpdateErrorNotSupported;
    if (node->type == cudaGraphNodeTypeMemcpy && !same_kinds(&node->call, &from->call))
        return cudaGraphExecUpdateErrorParametersChanged;
    return cudaGraphExecUpdateSuccess;
}

static cudaGraphExecUpdateResultInfo update(struct graph *exec, const struct graph *sorted)
{
    cudaGraphExecUpdateResultInfo info = { .result = cudaGraphExecUpdateSuccess };
    if (!sorted || sorted->count != exec->count) {
        info.result = cudaGraphExecUpdateErrorTopologyChanged;
        return info;
    }
    for (size_t i = 0; i < exec->count; i++) {
        info.result = compare(exec->nodes[i], sorted->nodes[i]);
        if (info.result == cudaGraphExecUpdateSuccess)
            continue;
        info.errorNode = (cudaGraphNode_t)(uintptr_t)sorted->nodes[i]->origin;
        return info;
    }
    for (size_t i = 0; i < exec->count; i++) {
        struct graph_node *from = sorted->nodes[i];
        graph_node_set(exec->nodes[i], &from->call,
                       from->effect ? effect_share(from->effect) : NULL, NULL);
    }
    return info;
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
    if (status != cudaSuccess)
        return api_finish(&e, status);
    struct graph *sorted = graph_copy(from, true);
    *result = update(g, sorted);
    if (sorted)
        graph_free(sorted);
    const char *other = result->result == cudaGraphExecUpdateErrorTopologyChanged
                            ? "other nodes or other dependencies"
                        : result->result == cudaGraphExecUpdateErrorNodeTypeChanged
                            ? "a node of another type"
                        : graph_has_memory(g) ? "other memory to allocate or free"
                                              : "a copy between other kinds of memory";
    status = REFUSE(&e, status, result->result == cudaGraphExecUpdateErrorNotSupported,
                    cudaErrorGraphExecUpdateFailure,
                    "the graph has a conditional node, and this simulator does not update those");
    status =
        REFUSE(&e, status, result->result != cudaGraphExecUpdateSuccess,
               cudaErrorGraphExecUpdateFailure, "the graph has %s than the executable one", other);
    return api_finish(&e, status);
}
