/* SPDX-License-Identifier: MIT */
/* Asking graphs what is in them. */
#include <stdlib.h>
#include <string.h>

#include "sim/api/graph/graph_edges.h"
#include "sim/api/graph/graph_parts.h"

/* Lists of handles: *count says how much room there is, and then how many there are [H]. */
struct list { cudaGraphNode_t *nodes; size_t room, count; };

static void put_node(struct list *l, const struct graph_node *node)
{
    if (l->nodes && l->count < l->room)
        l->nodes[l->count] = node->handle;
    l->count++;
}

/* Fills up what is left of the list. */
static void end_list(struct list *l, size_t *count)
{
    for (size_t i = l->count; l->nodes && i < l->room; i++)
        l->nodes[i] = NULL;
    *count = l->nodes && l->room < l->count ? l->room : l->count;
}

static cudaError_t refuse_no_count(struct api_call *e, cudaError_t status, const size_t *count)
{
    return refuse_null(e, status, count, "place for the number of entries");
}

/* SIM_LISTS=turned: a graph's nodes are listed from the last to the first, and the next graph's
 * that is asked begin one further on: no place in the list is that of the same node in both. CUDA
 * promises no order; drivers list them as they were made. */
static bool lists_are_turned(void)
{
    const char *text = getenv("SIM_LISTS");
    return text && strcmp(text, "turned") == 0;
}

static cudaError_t list_nodes(const char *name, cudaGraph_t graph, cudaGraphNode_t *nodes,
                              size_t *count, bool roots)
{
    struct api_call e;
    struct graph *g;
    cudaError_t status = refuse_no_count(&e, graph_open(&e, name, graph, &g), count);
    if (status != cudaSuccess)
        return api_finish(&e, status);
    struct list l = { nodes, *count, 0 };
    bool turned = lists_are_turned();
    static uint32_t asked;
    if (g->asked == 0)
        g->asked = ++asked;
    for (size_t i = 0; i < g->count; i++) {
        const struct graph_node *node =
            g->nodes[turned ? (g->count - 1 - i + g->asked - 1) % g->count : i];
        if (!roots || node->after_count == 0)
            put_node(&l, node);
    }
    end_list(&l, count);
    return api_finish(&e, status);
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count)
{
    return list_nodes("cudaGraphGetNodes", graph, nodes, count, false);
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count)
{
    return list_nodes("cudaGraphGetRootNodes", graph, nodes, count, true);
}

/* One more edge of a list with data (NULL: without). False: something is lost by that. */
static bool put_data(const struct list *l, cudaGraphEdgeData *data, struct graph_edge edge)
{
    if (data && l->count < l->room)
        data[l->count] = edge_data(edge.port);
    return data || !l->nodes || !edge.port;
}

cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                              cudaGraphEdgeData *edges, size_t *count)
{
    struct api_call e;
    struct graph *g;
    cudaError_t status = graph_open(&e, "cudaGraphGetEdges", graph, &g);
    status = refuse_no_count(&e, status, count);
    status = REFUSE(&e, status, !from != !to, cudaErrorInvalidValue,
                    "one of the arguments from and to is NULL, and the other is not");
    if (status != cudaSuccess)
        return api_finish(&e, status);
    bool whole = true;
    struct list first = { from, *count, 0 }, then = { to, *count, 0 };
    for (size_t i = 0; i < g->count; i++)
        for (size_t k = 0; k < g->nodes[i]->after_count; k++) {
            const struct graph_edge edge = g->nodes[i]->after[k];
            whole &= put_data(&first, edges, edge);
            put_node(&first, g->nodes[edge.node]);
            put_node(&then, g->nodes[i]);
        }
    status = edge_refuse_lossy(&e, status, !whole);
    end_list(&first, count);
    end_list(&then, count);
    return api_finish(&e, status);
}

static cudaError_t list_neighbours(const char *name, cudaGraphNode_t handle, cudaGraphNode_t *nodes,
                                   cudaGraphEdgeData *edges, size_t *count, bool later)
{
    struct api_call e;
    cudaError_t status = api_open(&e, CALL_OTHER, name);
    const struct graph_node *node = handle_find(&graph_nodes, handle);
    status = refuse_no_count(&e, graph_refuse_no_node(&e, status, node, handle), count);
    if (status != cudaSuccess)
        return api_finish(&e, status);
    const struct graph *g = node->graph;
    uint32_t number = graph_number(node);
    bool whole = true;
    struct list l = { nodes, *count, 0 };
    for (size_t i = 0; !later && i < node->after_count; i++) {
        whole &= put_data(&l, edges, node->after[i]);
        put_node(&l, g->nodes[node->after[i].node]);
    }
    for (size_t i = 0; later && i < g->count; i++)
        for (size_t k = 0; k < g->nodes[i]->after_count; k++)
            if (g->nodes[i]->after[k].node == number) {
                whole &= put_data(&l, edges, g->nodes[i]->after[k]);
                put_node(&l, g->nodes[i]);
            }
    end_list(&l, count);
    return api_finish(&e, edge_refuse_lossy(&e, status, !whole));
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *nodes,
                                         cudaGraphEdgeData *edges, size_t *count)
{
    return list_neighbours("cudaGraphNodeGetDependencies", node, nodes, edges, count, false);
}

cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *nodes,
                                           cudaGraphEdgeData *edges, size_t *count)
{
    return list_neighbours("cudaGraphNodeGetDependentNodes", node, nodes, edges, count, true);
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t handle, enum cudaGraphNodeType *type)
{
    struct api_call e;
    cudaError_t status = api_open(&e, CALL_OTHER, "cudaGraphNodeGetType");
    const struct graph_node *node = handle_find(&graph_nodes, handle);
    status = refuse_null(&e, graph_refuse_no_node(&e, status, node, handle), type,
                         "second argument, pType");
    if (status == cudaSuccess)
        *type = node->type;
    return api_finish(&e, status);
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *node, cudaGraphNode_t original,
                                     cudaGraph_t clone)
{
    struct api_call e;
    struct graph *g;
    cudaError_t status = graph_open(&e, "cudaGraphNodeFindInClone", clone, &g);
    size_t i = 0;
    while (status == cudaSuccess && i < g->count && g->nodes[i]->origin != original)
        i++;
    status = refuse_null(&e, status, node, "first argument, pNode");
    status = REFUSE(&e, status, !original || i == g->count, cudaErrorInvalidValue,
                    "the third argument, clonedGraph, has no copy of the second, originalNode");
    if (status == cudaSuccess)
        *node = g->nodes[i]->handle;
    return api_finish(&e, status);
}
