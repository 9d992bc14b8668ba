/* SPDX-License-Identifier: MIT */
/* Asking graphs what is in them. */
#include "sim/api/event.h"
#include "sim/api/graph/graph_parts.h"
#include "sim/graph/graph_memory.h"

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

static cudaError_t list_nodes(const char *name, cudaGraph_t graph, cudaGraphNode_t *nodes,
                              size_t *count, bool roots)
{
    struct api_call e;
    struct graph *g;
    cudaError_t status = refuse_no_count(&e, graph_open(&e, name, graph, &g), count);
    if (status != cudaSuccess)
        return api_finish(&e, status);
    struct list l = { nodes, *count, 0 };
    for (size_t i = 0; i < g->count; i++)
        if (!roots || g->nodes[i]->after_count == 0)
            put_node(&l, g->nodes[i]);
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
    struct list first = { from, *count, 0 }, then = { to, *count, 0 };
    for (size_t i = 0; i < g->count; i++)
        for (size_t k = 0; k < g->nodes[i]->after_count; k++) {
            if (edges && first.count < first.room)
                edges[first.count] = (cudaGraphEdgeData){ 0 };
            put_node(&first, g->nodes[g->nodes[i]->after[k]]);
            put_node(&then, g->nodes[i]);
        }
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
    struct list l = { nodes, *count, 0 };
    for (size_t i = 0; !later && i < node->after_count; i++)
        put_node(&l, g->nodes[node->after[i]]);
    for (size_t i = 0; later && i < g->count; i++)
        for (size_t k = 0; k < g->nodes[i]->after_count; k++)
            if (g->nodes[i]->after[k] == number)
                put_node(&l, g->nodes[i]);
    for (size_t i = 0; edges && i < l.count && i < l.room; i++)
        edges[i] = (cudaGraphEdgeData){ 0 };
    end_list(&l, count);
    return api_finish(&e, status);
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

/* ---- what a node calls, sets, allocates, frees, records or waits for ---- */

static cudaError_t open_node_of(struct api_call *e, const char *name, cudaGraphNode_t handle,
                                enum cudaGraphNodeType type, const void *out,
                                struct graph_node **node)
{
    cudaError_t status = api_open(e, CALL_OTHER, name);
    *node = handle_find(&graph_nodes, handle);
    status = refuse_null(e, graph_refuse_no_node(e, status, *node, handle), out,
                         "second argument, where the answer goes");
    return REFUSE(e, status, (*node)->type != type, cudaErrorInvalidValue,
                  "the node is of another type than the call is for");
}

cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t handle, struct cudaHostNodeParams *params)
{
    struct api_call e;
    struct graph_node *node;
    cudaError_t status = open_node_of(&e, "cudaGraphHostNodeGetParams", handle,
                                      cudaGraphNodeTypeHost, params, &node);
    if (status == cudaSuccess)
        *params = (struct cudaHostNodeParams){ .fn = node->effect->function.function,
                                               .userData = node->effect->function.data };
    return api_finish(&e, status);
}

cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t handle, struct cudaMemsetParams *params)
{
    struct api_call e;
    struct graph_node *node;
    cudaError_t status = open_node_of(&e, "cudaGraphMemsetNodeGetParams", handle,
                                      cudaGraphNodeTypeMemset, params, &node);
    if (status == cudaSuccess) {
        const struct effect *set = node->effect;
        unsigned element = set->element > 0 ? set->element : 1;
        *params = (struct cudaMemsetParams){ .dst = set->dst, .pitch = set->dst_pitch,
                                             .value = (unsigned)set->value, .elementSize = element,
                                             .width = set->bytes / element,
                                             .height = set->rows > 0 ? set->rows : 1 };
    }
    return api_finish(&e, status);
}

cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t handle,
                                           struct cudaMemAllocNodeParams *params)
{
    struct api_call e;
    struct graph_node *node;
    cudaError_t status = open_node_of(&e, "cudaGraphMemAllocNodeGetParams", handle,
                                      cudaGraphNodeTypeMemAlloc, params, &node);
    if (status == cudaSuccess)
        *params = (struct cudaMemAllocNodeParams){
            .poolProps = { .allocType = cudaMemAllocationTypePinned,
                           .location = { cudaMemLocationTypeDevice, node->memory->device } },
            .bytesize = node->call.bytes, .dptr = node->memory->at,
        };
    return api_finish(&e, status);
}

cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t handle, void *pointer)
{
    struct api_call e;
    struct graph_node *node;
    cudaError_t status = open_node_of(&e, "cudaGraphMemFreeNodeGetParams", handle,
                                      cudaGraphNodeTypeMemFree, pointer, &node);
    if (status == cudaSuccess)
        *(void **)pointer = node->memory->at;
    return api_finish(&e, status);
}

/* A captured kernel's arguments are kept as the bytes of a closure: where each of them is, is not
 * known. */
cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t handle,
                                         struct cudaKernelNodeParams *params)
{
    struct api_call e;
    struct graph_node *node;
    cudaError_t status = open_node_of(&e, "cudaGraphKernelNodeGetParams", handle,
                                      cudaGraphNodeTypeKernel, params, &node);
    if (status == cudaSuccess && !node->given)
        api_absent(&e, "parameters of kernels that were captured");
    status = REFUSE(&e, status, !node->given, cudaErrorNotSupported,
                    "the node was captured: this simulator cannot say what its parameters are");
    if (status == cudaSuccess)
        *params = node->given->kernel;
    return api_finish(&e, status);
}

static enum cudaMemcpyKind direction_of(const struct call *c)
{
    bool from = !memory_is_of_host(c->src_kind), to = !memory_is_of_host(c->dst_kind);
    return from ? to ? cudaMemcpyDeviceToDevice : cudaMemcpyDeviceToHost
           : to ? cudaMemcpyHostToDevice
                : cudaMemcpyHostToHost;
}

cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t handle, struct cudaMemcpy3DParms *params)
{
    struct api_call e;
    struct graph_node *node;
    cudaError_t status = open_node_of(&e, "cudaGraphMemcpyNodeGetParams", handle,
                                      cudaGraphNodeTypeMemcpy, params, &node);
    if (status == cudaSuccess && node->given) {
        *params = node->given->copy;
    } else if (status == cudaSuccess) {
        const struct effect *copy = node->effect;
        size_t all = copy->rows > 0 ? copy->rows : 1, rows = copy->slice > 0 ? copy->slice : all;
        *params = (struct cudaMemcpy3DParms){
            .dstPtr = make_cudaPitchedPtr(copy->dst, all > 1 ? copy->dst_pitch : copy->bytes,
                                          copy->bytes, copy->slice > 0 ? copy->dst_height : rows),
            .srcPtr = make_cudaPitchedPtr((void *)(uintptr_t)copy->src,
                                          all > 1 ? copy->src_pitch : copy->bytes, copy->bytes,
                                          copy->slice > 0 ? copy->src_height : rows),
            .extent = make_cudaExtent(copy->bytes, rows, all / rows),
            .kind = direction_of(&node->call),
        };
    }
    return api_finish(&e, status);
}

static cudaError_t event_of_node(const char *name, cudaGraphNode_t handle,
                                 enum cudaGraphNodeType type, cudaEvent_t *event)
{
    struct api_call e;
    struct graph_node *node;
    cudaError_t status = open_node_of(&e, name, handle, type, event, &node);
    if (status == cudaSuccess)
        *event = event_handle(node->call.event);
    return api_finish(&e, status);
}

cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *event)
{
    return event_of_node("cudaGraphEventRecordNodeGetEvent", node, cudaGraphNodeTypeEventRecord,
                         event);
}

cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *event)
{
    return event_of_node("cudaGraphEventWaitNodeGetEvent", node, cudaGraphNodeTypeWaitEvent, event);
}
