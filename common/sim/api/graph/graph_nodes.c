/* SPDX-License-Identifier: MIT */
/* Graphs made node by node: making, copying, adding, taking away. */
#include "sim/api/graph/graph_edges.h"
#include "sim/api/graph/node_params.h"
#include "sim/api/kernel_table.h"
#include "sim/graph/capture_state.h"
#include "sim/graph/condition.h"
#include "sim/graph/graph_memory.h"

/* ---- graphs ---- */

cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned int flags)
{
    struct api_call e;
    cudaError_t status = api_open(&e, CALL_OTHER, "cudaGraphCreate");
    status = refuse_null(&e, status, graph, "first argument, pGraph");
    status = REFUSE(&e, status, flags != 0, cudaErrorInvalidValue,
                    "the second argument, flags, is %#x and must be 0", flags);
    if (status == cudaSuccess)
        e.call.dst = (uintptr_t)(*graph = handle_give(&graphs, graph_new(false)));
    return api_finish(&e, status);
}

cudaError_t cudaGraphClone(cudaGraph_t *clone, cudaGraph_t graph)
{
    struct api_call e;
    struct graph *g;
    cudaError_t status = graph_open(&e, "cudaGraphClone", graph, &g);
    status = refuse_null(&e, status, clone, "first argument, pGraphClone");
    status = graph_refuse_condition(&e, graph_refuse_memory(&e, status, g, "cannot be cloned"), g,
                                   "cannot be cloned");
    if (status == cudaSuccess)
        e.call.dst = (uintptr_t)(*clone = handle_give(&graphs, graph_copy(g, false)));
    return api_finish(&e, status);
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    struct api_call e;
    struct graph *g;
    cudaError_t status = graph_open(&e, "cudaGraphDestroy", graph, &g);
    status = REFUSE(&e, status, graph_is_captured(g), cudaErrorIllegalState,
                    "a stream captures into the graph");
    status = REFUSE(&e, status, graph_is_body(g), cudaErrorInvalidValue,
                    "the graph is a conditional node's, and goes with that");
    status = REFUSE(&e, status, g->is_child, cudaErrorInvalidValue,
                    "the graph is a child graph node's, and goes with that");
    if (status == cudaSuccess) {
        e.call.dst = (uintptr_t)graph;
        handle_take_back(&graphs, graph);
        graph_free(g);
    }
    return api_finish(&e, status);
}

/* ---- adding nodes ---- */

/* The node of this graph behind a handle; NULL: it is none of its nodes. */
static struct graph_node *node_in(const struct graph *g, cudaGraphNode_t handle)
{
    struct graph_node *node = handle_find(&graph_nodes, handle);
    return node && node->graph == g ? node : NULL;
}

/* `list`: what the argument is called. */
static cudaError_t refuse_strangers(struct api_call *e, cudaError_t status, const struct graph *g,
                                    const cudaGraphNode_t *nodes, size_t count, const char *list)
{
    status = REFUSE(e, status, !nodes && count > 0, cudaErrorInvalidValue,
                    "the argument %s is NULL, and %zu nodes are said to be there", list, count);
    for (size_t i = 0; i < count && status == cudaSuccess; i++) {
        bool other = handle_find(&graph_nodes, nodes[i]);
        status =
            REFUSE(e, status, !node_in(g, nodes[i]), cudaErrorInvalidValue,
                   "%s[%zu] is not a node of this graph: %s", list, i,
                   other ? "it is one of another"
                         : words_of_handle(&graph_nodes, nodes[i], "cudaGraphDestroyNode").text);
    }
    return status;
}

/* A node with what `read` makes of the parameters (graph_parts.h). */
static cudaError_t add_node(const char *name, cudaGraphNode_t *node, cudaGraph_t graph,
                            const cudaGraphNode_t *after, const cudaGraphEdgeData *data,
                            size_t count, parts_reader *read, const void *params)
{
    struct api_call e;
    struct graph *g;
    cudaError_t status =
        refuse_null(&e, graph_open(&e, name, graph, &g), node, "first argument, pGraphNode");
    status = refuse_strangers(&e, status, g, after, count, "pDependencies");
    struct parts p = { .graph = g };
    if (status == cudaSuccess)
        status = read(&e, params, &p);
    for (size_t i = 0; i < count && status == cudaSuccess && data; i++)
        status = edge_refuse_data(&e, status, &data[i], node_in(g, after[i])->type, p.type);
    if (status != cudaSuccess)
        return api_finish(&e, status);
    uint32_t number = graph_add(g, p.type, &p.call, p.effect);
    for (size_t i = 0; i < count; i++)
        graph_depend(
            g, edge_with_data(graph_number(node_in(g, after[i])), data ? &data[i] : NULL), number);
    struct graph_node *added = g->nodes[number];
    *node = added->handle;
    if (p.memory)
        graph_memory_hold(g, number, p.memory);
    added->bodies = p.bodies;
    added->given = p.given;
    added->attributes = attributes_of_new();
    added->child = p.child;
    return api_finish(&e, status);
}

#define ADD(call, read, type) \
    cudaError_t call(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, \
                     size_t count, type params) \
    { return add_node(#call, node, graph, after, NULL, count, read, params); }
ADD(cudaGraphAddKernelNode, parts_of_kernel, const struct cudaKernelNodeParams *)
ADD(cudaGraphAddMemcpyNode, parts_of_copy, const struct cudaMemcpy3DParms *)
ADD(cudaGraphAddMemsetNode, parts_of_set, const struct cudaMemsetParams *)
ADD(cudaGraphAddHostNode, parts_of_function, const struct cudaHostNodeParams *)
ADD(cudaGraphAddEventRecordNode, parts_of_record, cudaEvent_t)
ADD(cudaGraphAddEventWaitNode, parts_of_wait, cudaEvent_t)
ADD(cudaGraphAddMemAllocNode, parts_of_allocation, struct cudaMemAllocNodeParams *)
ADD(cudaGraphAddMemFreeNode, parts_of_free, void *)
ADD(cudaGraphAddChildGraphNode, parts_of_child, cudaGraph_t)

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                  const cudaGraphNode_t *after, size_t count)
{
    return add_node("cudaGraphAddEmptyNode", node, graph, after, NULL, count, parts_of_empty, NULL);
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *node, cudaGraph_t graph,
                                     const cudaGraphNode_t *after, size_t count, void *dst,
                                     const void *src, size_t bytes, enum cudaMemcpyKind kind)
{
    return add_node("cudaGraphAddMemcpyNode1D", node, graph, after, NULL, count, parts_of_bytes,
                    &(struct copied_bytes){ dst, src, bytes, kind });
}

cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *node, cudaGraph_t graph,
                                           const cudaGraphNode_t *after, size_t count,
                                           const void *symbol, const void *src, size_t bytes,
                                           size_t offset, enum cudaMemcpyKind kind)
{
    return add_node("cudaGraphAddMemcpyNodeToSymbol", node, graph, after, NULL, count,
                    parts_of_symbol,
                    &(struct copied_symbol){ true, symbol, (void *)(uintptr_t)src, bytes, offset,
                                             kind });
}

cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *node, cudaGraph_t graph,
                                             const cudaGraphNode_t *after, size_t count, void *dst,
                                             const void *symbol, size_t bytes, size_t offset,
                                             enum cudaMemcpyKind kind)
{
    return add_node("cudaGraphAddMemcpyNodeFromSymbol", node, graph, after, NULL, count,
                    parts_of_symbol,
                    &(struct copied_symbol){ false, symbol, dst, bytes, offset, kind });
}

/* CUDA 12's call for nodes of all kinds. The kinds' own parameters begin as those of the calls
 * above do. */
cudaError_t cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                             const cudaGraphEdgeData *edges, size_t count,
                             cudaGraphNodeParams *params)
{
    const void *own;
    parts_reader *read = reader_of(params, &own);
    return add_node("cudaGraphAddNode", node, graph, after, edges, count, read, own);
}

/* The node's own graph: what is changed in it is changed in the node [H]. */
cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t handle, cudaGraph_t *child)
{
    struct api_call e;
    cudaError_t status = api_open(&e, CALL_OTHER, "cudaGraphChildGraphNodeGetGraph");
    struct graph_node *node = handle_find(&graph_nodes, handle);
    status = refuse_null(&e, graph_refuse_no_node(&e, status, node, handle), child,
                         "second argument, pGraph");
    status = REFUSE(&e, status, !node->child, cudaErrorInvalidValue,
                    "the node is not a child graph node");
    if (status == cudaSuccess) {
        node->child->is_child = true;
        node->child_handle =
            node->child_handle ? node->child_handle : handle_give(&graphs, node->child);
        *child = node->child_handle;
    }
    return api_finish(&e, status);
}

/* The first edge's data is that of all [M: facts/h200-edges.txt; the guide gives each its own]. */
cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                     const cudaGraphNode_t *to, const cudaGraphEdgeData *edges,
                                     size_t count)
{
    struct api_call e;
    struct graph *g;
    cudaError_t status = graph_open(&e, "cudaGraphAddDependencies", graph, &g);
    status = refuse_strangers(&e, refuse_strangers(&e, status, g, from, count, "from"), g, to,
                              count, "to");
    for (size_t i = 0; i < count && status == cudaSuccess; i++) {
        const struct graph_node *first = node_in(g, from[i]), *then = node_in(g, to[i]);
        status = REFUSE(&e, status, first == then, cudaErrorInvalidValue,
                        "from[%zu] and to[%zu] are the same node", i, i);
        if (edges)
            status = edge_refuse_data(&e, status, edges, first->type, then->type);
        if (status != cudaSuccess)
            break;
        struct graph_edge edge = edge_with_data(graph_number(first), edges);
        status = REFUSE(&e, status, !graph_depend(g, edge, graph_number(then)),
                        cudaErrorInvalidValue,
                        "to[%zu] waits for from[%zu] already", i, i);
    }
    return api_finish(&e, status);
}

/* Each must be there [H], whatever its data are [M: facts/h200-edges.txt]. */
cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                        const cudaGraphNode_t *to, const cudaGraphEdgeData *edges,
                                        size_t count)
{
    struct api_call e;
    struct graph *g;
    (void)edges;
    cudaError_t status = graph_open(&e, "cudaGraphRemoveDependencies", graph, &g);
    status = refuse_strangers(&e, refuse_strangers(&e, status, g, from, count, "from"), g, to,
                              count, "to");
    status = graph_refuse_memory(&e, status, g, "keeps all its dependencies");
    for (size_t i = 0; i < count && status == cudaSuccess; i++)
        status = REFUSE(
            &e, status,
            !graph_part(g, graph_number(node_in(g, from[i])), graph_number(node_in(g, to[i]))),
            cudaErrorInvalidValue, "to[%zu] does not wait for from[%zu]", i, i);
    return api_finish(&e, status);
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t handle)
{
    struct api_call e;
    cudaError_t status = api_open(&e, CALL_OTHER, "cudaGraphDestroyNode");
    struct graph_node *node = handle_find(&graph_nodes, handle);
    status = graph_refuse_no_node(&e, status, node, handle);
    status = graph_refuse_memory(&e, status, node->graph, "keeps all its nodes");
    if (status == cudaSuccess)
        graph_remove(node->graph, graph_number(node));
    return api_finish(&e, status);
}
