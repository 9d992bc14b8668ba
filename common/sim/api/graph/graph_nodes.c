/* SPDX-License-Identifier: MIT */
/* Graphs made node by node: making, copying, adding, taking away. */
#include "sim/api/graph/graph_parts.h"
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

/* [M] */
static cudaError_t refuse_with_memory(struct api_call *e, cudaError_t status, const struct graph *g,
                                      const char *what)
{
    return REFUSE(e, status, graph_has_memory(g), cudaErrorNotSupported,
                  "a graph that allocates or frees memory %s", what);
}

/* [H] */
static cudaError_t refuse_with_condition(struct api_call *e, cudaError_t status,
                                         const struct graph *g, const char *what)
{
    return REFUSE(e, status, graph_has_condition(g), cudaErrorNotSupported,
                  "a graph with conditional nodes %s", what);
}

cudaError_t cudaGraphClone(cudaGraph_t *clone, cudaGraph_t graph)
{
    struct api_call e;
    struct graph *g;
    cudaError_t status = graph_open(&e, "cudaGraphClone", graph, &g);
    status = refuse_null(&e, status, clone, "first argument, pGraphClone");
    status = refuse_with_condition(&e, refuse_with_memory(&e, status, g, "cannot be cloned"), g,
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

static cudaError_t open_node(struct api_call *e, const char *name, const cudaGraphNode_t *node,
                             cudaGraph_t graph, const cudaGraphNode_t *after, size_t count,
                             struct graph **g)
{
    cudaError_t status =
        refuse_null(e, graph_open(e, name, graph, g), node, "first argument, pGraphNode");
    return refuse_strangers(e, status, *g, after, count, "pDependencies");
}

/* Ends a call that adds a node. */
static cudaError_t add_node(struct api_call *e, cudaError_t status, cudaGraphNode_t *node,
                            struct graph *g, const cudaGraphNode_t *after, size_t count,
                            const struct parts *p)
{
    if (status == cudaSuccess) {
        uint32_t number = graph_add(g, p->type, &p->call, p->effect);
        for (size_t i = 0; i < count; i++)
            graph_depend(g, graph_number(node_in(g, after[i])), number);
        *node = g->nodes[number]->handle;
        if (p->memory)
            graph_memory_hold(g, number, p->memory);
        g->nodes[number]->bodies = p->bodies;
        g->nodes[number]->given = p->given;
    }
    return api_finish(e, status);
}

/* A node with what `read` makes of the parameters (graph_parts.h). */
static cudaError_t add_given(const char *name, cudaGraphNode_t *node, cudaGraph_t graph,
                             const cudaGraphNode_t *after, size_t count, parts_reader *read,
                             const void *params)
{
    struct api_call e;
    struct graph *g;
    cudaError_t status = open_node(&e, name, node, graph, after, count, &g);
    struct parts p = { .graph = g };
    if (status == cudaSuccess)
        status = read(&e, params, &p);
    return add_node(&e, status, node, g, after, count, &p);
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                   const cudaGraphNode_t *after, size_t count,
                                   const struct cudaKernelNodeParams *params)
{
    return add_given("cudaGraphAddKernelNode", node, graph, after, count, parts_of_kernel, params);
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                   const cudaGraphNode_t *after, size_t count,
                                   const struct cudaMemcpy3DParms *params)
{
    return add_given("cudaGraphAddMemcpyNode", node, graph, after, count, parts_of_copy, params);
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *node, cudaGraph_t graph,
                                     const cudaGraphNode_t *after, size_t count, void *dst,
                                     const void *src, size_t bytes, enum cudaMemcpyKind kind)
{
    const struct copied_bytes copied = { dst, src, bytes, kind };
    return add_given("cudaGraphAddMemcpyNode1D", node, graph, after, count, parts_of_bytes,
                     &copied);
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                   const cudaGraphNode_t *after, size_t count,
                                   const struct cudaMemsetParams *params)
{
    return add_given("cudaGraphAddMemsetNode", node, graph, after, count, parts_of_set, params);
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                 const cudaGraphNode_t *after, size_t count,
                                 const struct cudaHostNodeParams *params)
{
    return add_given("cudaGraphAddHostNode", node, graph, after, count, parts_of_function, params);
}

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                        const cudaGraphNode_t *after, size_t count,
                                        cudaEvent_t event)
{
    return add_given("cudaGraphAddEventRecordNode", node, graph, after, count, parts_of_record,
                     event);
}

cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                      const cudaGraphNode_t *after, size_t count, cudaEvent_t event)
{
    return add_given("cudaGraphAddEventWaitNode", node, graph, after, count, parts_of_wait, event);
}

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                     const cudaGraphNode_t *after, size_t count,
                                     struct cudaMemAllocNodeParams *params)
{
    return add_given("cudaGraphAddMemAllocNode", node, graph, after, count, parts_of_allocation,
                     params);
}

cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                    const cudaGraphNode_t *after, size_t count, void *pointer)
{
    return add_given("cudaGraphAddMemFreeNode", node, graph, after, count, parts_of_free, pointer);
}

/* A kind that graphs do not have here. */
static cudaError_t parts_of_none(struct api_call *e, const void *given, struct parts *p)
{
    const cudaGraphNodeParams *params = given;
    (void)p;
    cudaError_t status =
        refuse_null(e, cudaSuccess, params, "pointer to the node's parameters, nodeParams");
    if (status == cudaSuccess)
        api_absent(e, "graph nodes for semaphores");
    return REFUSE(e, status, true, cudaErrorNotSupported,
                  "the parameters' type is %d: this simulator has no such nodes",
                  (int)params->type);
}

static cudaError_t add_empty(const char *name, cudaGraphNode_t *node, cudaGraph_t graph,
                             const cudaGraphNode_t *after, size_t count)
{
    struct api_call e;
    struct graph *g;
    cudaError_t status = open_node(&e, name, node, graph, after, count, &g);
    struct parts p = { .type = cudaGraphNodeTypeEmpty, .call = e.call };
    p.call.kind = CALL_GRAPH_EMPTY;
    return add_node(&e, status, node, g, after, count, &p);
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                  const cudaGraphNode_t *after, size_t count)
{
    return add_empty("cudaGraphAddEmptyNode", node, graph, after, count);
}

/* The child is cloned by this call [H]. */
static cudaError_t add_child(const char *name, cudaGraphNode_t *node, cudaGraph_t graph,
                             const cudaGraphNode_t *after, size_t count, cudaGraph_t child)
{
    struct api_call e;
    struct graph *g;
    cudaError_t status = open_node(&e, name, node, graph, after, count, &g);
    const struct graph *original = handle_find(&graphs, child);
    struct parts p = { .type = cudaGraphNodeTypeGraph, .call = e.call };
    p.call.kind = CALL_GRAPH_EMPTY;
    status =
        REFUSE(&e, status, !original, cudaErrorInvalidValue, "the child graph is not valid: %s",
               words_of_handle(&graphs, child, "cudaGraphDestroy").text);
    status = refuse_with_memory(&e, status, original, "cannot be the child of another");
    status = refuse_with_condition(&e, status, original, "cannot be the child of another");
    struct graph *copy = status == cudaSuccess ? graph_copy(original, false) : NULL;
    status = add_node(&e, status, node, g, after, count, &p);
    if (copy)
        node_in(g, *node)->child = copy;
    return status;
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                       const cudaGraphNode_t *after, size_t count,
                                       cudaGraph_t child)
{
    return add_child("cudaGraphAddChildGraphNode", node, graph, after, count, child);
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

/* CUDA 12's call for nodes of all kinds. The kinds' own parameters begin as those of the calls
 * above do. */
cudaError_t cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                             const cudaGraphEdgeData *edges, size_t count,
                             cudaGraphNodeParams *params)
{
    static const char name[] = "cudaGraphAddNode";
    (void)edges;
    switch (params ? params->type : cudaGraphNodeTypeCount) {
    case cudaGraphNodeTypeKernel:
        return add_given(name, node, graph, after, count, parts_of_kernel, &params->kernel);
    case cudaGraphNodeTypeMemcpy:
        return add_given(name, node, graph, after, count, parts_of_copy,
                         &params->memcpy.copyParams);
    case cudaGraphNodeTypeMemset:
        return add_given(name, node, graph, after, count, parts_of_set, &params->memset);
    case cudaGraphNodeTypeHost:
        return add_given(name, node, graph, after, count, parts_of_function, &params->host);
    case cudaGraphNodeTypeEventRecord:
        return add_given(name, node, graph, after, count, parts_of_record,
                         params->eventRecord.event);
    case cudaGraphNodeTypeWaitEvent:
        return add_given(name, node, graph, after, count, parts_of_wait, params->eventWait.event);
    case cudaGraphNodeTypeMemAlloc:
        return add_given(name, node, graph, after, count, parts_of_allocation, &params->alloc);
    case cudaGraphNodeTypeMemFree:
        return add_given(name, node, graph, after, count, parts_of_free, params->free.dptr);
    case cudaGraphNodeTypeGraph:
        return add_child(name, node, graph, after, count, params->graph.graph);
    case cudaGraphNodeTypeConditional:
        return add_given(name, node, graph, after, count, parts_of_condition, &params->conditional);
    case cudaGraphNodeTypeEmpty: return add_empty(name, node, graph, after, count);
    default: return add_given(name, node, graph, after, count, parts_of_none, params);
    }
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                     const cudaGraphNode_t *to, const cudaGraphEdgeData *edges,
                                     size_t count)
{
    struct api_call e;
    struct graph *g;
    (void)edges;
    cudaError_t status = graph_open(&e, "cudaGraphAddDependencies", graph, &g);
    status = refuse_strangers(&e, refuse_strangers(&e, status, g, from, count, "from"), g, to,
                              count, "to");
    for (size_t i = 0; i < count && status == cudaSuccess; i++) {
        uint32_t first = graph_number(node_in(g, from[i])), then = graph_number(node_in(g, to[i]));
        status = REFUSE(&e, status, first == then, cudaErrorInvalidValue,
                        "from[%zu] and to[%zu] are the same node", i, i);
        status = REFUSE(&e, status, !graph_depend(g, first, then), cudaErrorInvalidValue,
                        "to[%zu] waits for from[%zu] already", i, i);
    }
    return api_finish(&e, status);
}

/* Each must be there [H]. */
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
    status = refuse_with_memory(&e, status, g, "keeps all its dependencies");
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
    status = refuse_with_memory(&e, status, node->graph, "keeps all its nodes");
    if (status == cudaSuccess)
        graph_remove(node->graph, graph_number(node));
    return api_finish(&e, status);
}
