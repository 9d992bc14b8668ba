/* SPDX-License-Identifier: MIT */
/* Graphs made node by node: making, copying, adding, taking away. */
#include "graph_parts.h"

/* ---- graphs ---- */

cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned int flags)
{
    struct entry e;
    cudaError_t status = entry_open(&e, CALL_OTHER, "cudaGraphCreate");
    if (status == cudaSuccess && (!graph || flags != 0))
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess)
        e.call.dst = (uintptr_t)(*graph = handle_give(&graphs, graph_new(false)));
    return entry_finish(&e, status);
}

cudaError_t graph_open(struct entry *e, const char *name, cudaGraph_t graph, struct graph **g)
{
    cudaError_t status = entry_open(e, CALL_OTHER, name);
    *g = handle_find(&graphs, graph);
    return status == cudaSuccess && !*g ? cudaErrorInvalidValue : status;
}

cudaError_t cudaGraphClone(cudaGraph_t *clone, cudaGraph_t graph)
{
    struct entry e;
    struct graph *g;
    cudaError_t status = graph_open(&e, "cudaGraphClone", graph, &g);
    if (status == cudaSuccess && !clone)
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess)
        e.call.dst = (uintptr_t)(*clone = handle_give(&graphs, graph_copy(g, false)));
    return entry_finish(&e, status);
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    struct entry e;
    struct graph *g;
    cudaError_t status = graph_open(&e, "cudaGraphDestroy", graph, &g);
    if (status == cudaSuccess) {
        e.call.dst = (uintptr_t)graph;
        handle_take_back(&graphs, graph);
        graph_free(g);
    }
    return entry_finish(&e, status);
}

/* ---- adding nodes ---- */

/* The node of this graph behind a handle; NULL: it is none of its nodes. */
static struct graph_node *node_in(const struct graph *g, cudaGraphNode_t handle)
{
    struct graph_node *node = handle_find(&graph_nodes, handle);
    return node && node->graph == g ? node : NULL;
}

static bool are_in(const struct graph *g, const cudaGraphNode_t *nodes, size_t count)
{
    bool all = count == 0 || nodes;
    for (size_t i = 0; all && i < count; i++)
        all = node_in(g, nodes[i]) != NULL;
    return all;
}

static cudaError_t open_node(struct entry *e, const char *name, const cudaGraphNode_t *node, cudaGraph_t graph,
                             const cudaGraphNode_t *after, size_t count, struct graph **g)
{
    cudaError_t status = graph_open(e, name, graph, g);
    return status == cudaSuccess && (!node || !are_in(*g, after, count)) ? cudaErrorInvalidValue : status;
}

/* Ends a call that adds a node. */
static cudaError_t add_node(struct entry *e, cudaError_t status, cudaGraphNode_t *node, struct graph *g,
                            const cudaGraphNode_t *after, size_t count, const struct parts *p)
{
    if (status == cudaSuccess) {
        uint32_t number = graph_add(g, p->type, &p->call, p->effect);
        for (size_t i = 0; i < count; i++)
            graph_depend(g, graph_number(node_in(g, after[i])), number);
        *node = g->nodes[number]->handle;
    }
    return entry_finish(e, status);
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                                   size_t count, const struct cudaKernelNodeParams *params)
{
    struct entry e;
    struct graph *g;
    struct parts p;
    cudaError_t status = open_node(&e, "cudaGraphAddKernelNode", node, graph, after, count, &g);
    if (status == cudaSuccess)
        status = parts_of_kernel(&e, params, &p);
    return add_node(&e, status, node, g, after, count, &p);
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                                   size_t count, const struct cudaMemcpy3DParms *params)
{
    struct entry e;
    struct graph *g;
    struct parts p;
    cudaError_t status = open_node(&e, "cudaGraphAddMemcpyNode", node, graph, after, count, &g);
    if (status == cudaSuccess)
        status = parts_of_copy(&e, params, &p);
    return add_node(&e, status, node, g, after, count, &p);
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                                     size_t count, void *dst, const void *src, size_t bytes,
                                     enum cudaMemcpyKind kind)
{
    struct entry e;
    struct graph *g;
    struct parts p;
    cudaError_t status = open_node(&e, "cudaGraphAddMemcpyNode1D", node, graph, after, count, &g);
    if (status == cudaSuccess)
        status = parts_of_bytes(&e, dst, src, bytes, kind, &p);
    return add_node(&e, status, node, g, after, count, &p);
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                                   size_t count, const struct cudaMemsetParams *params)
{
    struct entry e;
    struct graph *g;
    struct parts p;
    cudaError_t status = open_node(&e, "cudaGraphAddMemsetNode", node, graph, after, count, &g);
    if (status == cudaSuccess)
        status = parts_of_set(&e, params, &p);
    return add_node(&e, status, node, g, after, count, &p);
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                                 size_t count, const struct cudaHostNodeParams *params)
{
    struct entry e;
    struct graph *g;
    struct parts p;
    cudaError_t status = open_node(&e, "cudaGraphAddHostNode", node, graph, after, count, &g);
    if (status == cudaSuccess)
        status = parts_of_function(&e, params, &p);
    return add_node(&e, status, node, g, after, count, &p);
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                                  size_t count)
{
    struct entry e;
    struct graph *g;
    cudaError_t status = open_node(&e, "cudaGraphAddEmptyNode", node, graph, after, count, &g);
    struct parts p = { .type = cudaGraphNodeTypeEmpty, .call = e.call };
    p.call.kind = CALL_GRAPH_EMPTY;
    return add_node(&e, status, node, g, after, count, &p);
}

/* The child is cloned by this call [H]. */
cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                                       size_t count, cudaGraph_t child)
{
    struct entry e;
    struct graph *g;
    cudaError_t status = open_node(&e, "cudaGraphAddChildGraphNode", node, graph, after, count, &g);
    const struct graph *original = handle_find(&graphs, child);
    struct parts p = { .type = cudaGraphNodeTypeGraph, .call = e.call };
    p.call.kind = CALL_GRAPH_EMPTY;
    if (status == cudaSuccess && !original)
        status = cudaErrorInvalidValue;
    struct graph *copy = status == cudaSuccess ? graph_copy(original, false) : NULL;
    status = add_node(&e, status, node, g, after, count, &p);
    if (copy)
        node_in(g, *node)->child = copy;
    return status;
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                     const cudaGraphEdgeData *edges, size_t count)
{
    struct entry e;
    struct graph *g;
    (void)edges;
    cudaError_t status = graph_open(&e, "cudaGraphAddDependencies", graph, &g);
    if (status == cudaSuccess && !(are_in(g, from, count) && are_in(g, to, count)))
        status = cudaErrorInvalidValue;
    for (size_t i = 0; i < count && status == cudaSuccess; i++) {
        uint32_t first = graph_number(node_in(g, from[i])), then = graph_number(node_in(g, to[i]));
        if (first == then || !graph_depend(g, first, then))
            status = cudaErrorInvalidValue;
    }
    return entry_finish(&e, status);
}

/* Each must be there [H]. */
cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                        const cudaGraphEdgeData *edges, size_t count)
{
    struct entry e;
    struct graph *g;
    (void)edges;
    cudaError_t status = graph_open(&e, "cudaGraphRemoveDependencies", graph, &g);
    if (status == cudaSuccess && !(are_in(g, from, count) && are_in(g, to, count)))
        status = cudaErrorInvalidValue;
    for (size_t i = 0; i < count && status == cudaSuccess; i++)
        if (!graph_part(g, graph_number(node_in(g, from[i])), graph_number(node_in(g, to[i]))))
            status = cudaErrorInvalidValue;
    return entry_finish(&e, status);
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t handle)
{
    struct entry e;
    cudaError_t status = entry_open(&e, CALL_OTHER, "cudaGraphDestroyNode");
    struct graph_node *node = handle_find(&graph_nodes, handle);
    if (status == cudaSuccess && !node)
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess)
        graph_remove(node->graph, graph_number(node));
    return entry_finish(&e, status);
}
