/* SPDX-License-Identifier: MIT */
/* Parameters of nodes: what the types of nodes have, and the calls that ask for them and change
 * them. */
#include "sim/api/graph/node_params.h"

#include <stddef.h>

#include "sim/api/event.h"
#include "sim/api/graph/kernel_attributes.h"
#include "sim/api/kernel_table.h"
#include "sim/graph/graph_memory.h"

/* ---- what a node's parameters are ---- */

/* Of a kernel that was captured, from what a launch keeps of it. NULL: that does not say it. */
static struct node_params *captured_kernel(const struct effect *launched)
{
    void *function, **kept;
    struct node_params *given = kernel_tell(&launched->kernel, sizeof *given, &function, &kept);
    if (given)
        *given = (struct node_params){
            .shares = 1,
            .type = cudaGraphNodeTypeKernel,
            .kernel = { .func = function,
                        .gridDim = launched->grid,
                        .blockDim = launched->block,
                        .sharedMemBytes = (unsigned)launched->shared,
                        .kernelParams = kept },
        };
    return given;
}

static cudaError_t tell_kernel(struct api_call *e, struct graph_node *node, void *params)
{
    if (!node->given)
        node->given = captured_kernel(node->effect);
    if (!node->given)
        api_absent(e, "parameters of captured kernels that are not plain values");
    cudaError_t status =
        REFUSE(e, cudaSuccess, !node->given, cudaErrorNotSupported,
               "the node was captured: this simulator cannot say what its parameters are");
    if (status == cudaSuccess)
        *(struct cudaKernelNodeParams *)params = node->given->kernel;
    return status;
}

static enum cudaMemcpyKind direction_of(const struct call *c)
{
    bool from = !memory_is_of_host(c->src_kind), to = !memory_is_of_host(c->dst_kind);
    return from ? to ? cudaMemcpyDeviceToDevice : cudaMemcpyDeviceToHost
           : to ? cudaMemcpyHostToDevice
                : cudaMemcpyHostToHost;
}

static cudaError_t tell_copy(struct api_call *e, struct graph_node *node, void *params)
{
    (void)e;
    struct cudaMemcpy3DParms *told = params;
    if (node->given) {
        *told = node->given->copy;
        return cudaSuccess;
    }
    const struct effect *copy = node->effect;
    size_t all = copy->rows > 0 ? copy->rows : 1, rows = copy->slice > 0 ? copy->slice : all;
    *told = (struct cudaMemcpy3DParms){
        .dstPtr = make_cudaPitchedPtr(copy->dst, all > 1 ? copy->dst_pitch : copy->bytes,
                                      copy->bytes, copy->slice > 0 ? copy->dst_height : rows),
        .srcPtr = make_cudaPitchedPtr((void *)(uintptr_t)copy->src,
                                      all > 1 ? copy->src_pitch : copy->bytes, copy->bytes,
                                      copy->slice > 0 ? copy->src_height : rows),
        .extent = make_cudaExtent(copy->bytes, rows, all / rows),
        .kind = direction_of(&node->call),
    };
    return cudaSuccess;
}

static cudaError_t tell_set(struct api_call *e, struct graph_node *node, void *params)
{
    (void)e;
    const struct effect *set = node->effect;
    unsigned element = set->element > 0 ? set->element : 1;
    *(struct cudaMemsetParams *)params = (struct cudaMemsetParams){
        .dst = set->dst, .pitch = set->dst_pitch,
        .value = (unsigned)set->value, .elementSize = element,
        .width = set->bytes / element, .height = set->rows > 0 ? set->rows : 1,
    };
    return cudaSuccess;
}

static cudaError_t tell_function(struct api_call *e, struct graph_node *node, void *params)
{
    (void)e;
    *(struct cudaHostNodeParams *)params =
        (struct cudaHostNodeParams){ .fn = node->effect->function.function,
                                     .userData = node->effect->function.data };
    return cudaSuccess;
}

static cudaError_t tell_event(struct api_call *e, struct graph_node *node, void *event)
{
    (void)e;
    *(cudaEvent_t *)event = event_handle(node->call.event);
    return cudaSuccess;
}

static cudaError_t tell_allocation(struct api_call *e, struct graph_node *node, void *params)
{
    (void)e;
    *(struct cudaMemAllocNodeParams *)params = (struct cudaMemAllocNodeParams){
        .poolProps = { .allocType = cudaMemAllocationTypePinned,
                       .location = { cudaMemLocationTypeDevice, node->memory->device } },
        .bytesize = node->call.bytes, .dptr = node->memory->at,
    };
    return cudaSuccess;
}

static cudaError_t tell_free(struct api_call *e, struct graph_node *node, void *pointer)
{
    (void)e;
    *(void **)pointer = node->memory->at;
    return cudaSuccess;
}

/* ---- the types of nodes ---- */

/* What a type's parameters make of a node, and what a node's parameters are. */
static const struct node_type {
    parts_reader *read;     /* NULL: there are no such nodes */
    cudaError_t (*tell)(struct api_call *e, struct graph_node *node, void *params);
    size_t at;              /* where a cudaGraphNodeParams has them */
    bool is_pointer;        /* they are the pointer that is there: an event, a graph, an address */
    bool fixed;             /* no call changes them */
} types[cudaGraphNodeTypeCount] = {
#define AT(member) .at = offsetof(cudaGraphNodeParams, member)
    [cudaGraphNodeTypeKernel] = { .read = parts_of_kernel, .tell = tell_kernel, AT(kernel) },
    [cudaGraphNodeTypeMemcpy] = { .read = parts_of_copy, .tell = tell_copy, AT(memcpy.copyParams) },
    [cudaGraphNodeTypeMemset] = { .read = parts_of_set, .tell = tell_set, AT(memset) },
    [cudaGraphNodeTypeHost] = { .read = parts_of_function, .tell = tell_function, AT(host) },
    [cudaGraphNodeTypeEventRecord] = { .read = parts_of_record, .tell = tell_event, AT(eventRecord.event), .is_pointer = true },
    [cudaGraphNodeTypeWaitEvent] = { .read = parts_of_wait, .tell = tell_event, AT(eventWait.event), .is_pointer = true },
    [cudaGraphNodeTypeMemAlloc] = { .read = parts_of_allocation, .tell = tell_allocation, AT(alloc), .fixed = true },
    [cudaGraphNodeTypeMemFree] = { .read = parts_of_free, .tell = tell_free, AT(free.dptr), .is_pointer = true, .fixed = true },
    [cudaGraphNodeTypeGraph] = { .read = parts_of_child, AT(graph.graph), .is_pointer = true },
    [cudaGraphNodeTypeConditional] = { .read = parts_of_condition, AT(conditional), .fixed = true },
    [cudaGraphNodeTypeEmpty] = { .read = parts_of_empty },
#undef AT
};

static const struct node_type *type_of(const cudaGraphNodeParams *params)
{
    size_t type = params ? (size_t)params->type : cudaGraphNodeTypeCount;
    return type < cudaGraphNodeTypeCount && types[type].read ? &types[type] : NULL;
}

static const void *own_params(const struct node_type *t, const cudaGraphNodeParams *params)
{
    const char *at = (const char *)params + t->at;
    return t->is_pointer ? *(void *const *)at : at;
}

/* A type that graphs do not have here. */
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

parts_reader *reader_of(const cudaGraphNodeParams *params, const void **own)
{
    const struct node_type *t = type_of(params);
    *own = t ? own_params(t, params) : params;
    return t ? t->read : parts_of_none;
}

/* ---- asking ---- */

static cudaError_t refuse_other_type(struct api_call *e, cudaError_t status,
                                     const struct graph_node *node, enum cudaGraphNodeType type)
{
    return REFUSE(e, status, node->type != type, cudaErrorInvalidValue,
                  "the node is of another type than the call is for");
}

static cudaError_t get_params(const char *name, cudaGraphNode_t handle, enum cudaGraphNodeType type,
                              void *params)
{
    struct api_call e;
    cudaError_t status = api_open(&e, CALL_OTHER, name);
    struct graph_node *node = handle_find(&graph_nodes, handle);
    status = refuse_null(&e, graph_refuse_no_node(&e, status, node, handle), params,
                         "second argument, where the answer goes");
    status = refuse_other_type(&e, status, node, type);
    return api_finish(&e, status == cudaSuccess ? types[type].tell(&e, node, params) : status);
}

#define GET(call, type, pointer) \
    cudaError_t call(cudaGraphNode_t node, pointer params) { return get_params(#call, node, type, params); }
GET(cudaGraphKernelNodeGetParams, cudaGraphNodeTypeKernel, struct cudaKernelNodeParams *)
GET(cudaGraphMemcpyNodeGetParams, cudaGraphNodeTypeMemcpy, struct cudaMemcpy3DParms *)
GET(cudaGraphMemsetNodeGetParams, cudaGraphNodeTypeMemset, struct cudaMemsetParams *)
GET(cudaGraphHostNodeGetParams, cudaGraphNodeTypeHost, struct cudaHostNodeParams *)
GET(cudaGraphEventRecordNodeGetEvent, cudaGraphNodeTypeEventRecord, cudaEvent_t *)
GET(cudaGraphEventWaitNodeGetEvent, cudaGraphNodeTypeWaitEvent, cudaEvent_t *)
GET(cudaGraphMemAllocNodeGetParams, cudaGraphNodeTypeMemAlloc, struct cudaMemAllocNodeParams *)
GET(cudaGraphMemFreeNodeGetParams, cudaGraphNodeTypeMemFree, void *)

/* ---- changing ---- */

/* A node that a call changes: of a graph, or its copy in an executable one. */
struct changed { bool in_copy; cudaGraphExec_t exec; cudaGraphNode_t node; };

static cudaError_t open_changed(struct api_call *e, const char *name, const struct changed *c,
                                struct graph_node **node)
{
    if (c->in_copy)
        return graph_open_copy(e, name, c->exec, c->node, node);
    cudaError_t status = api_open(e, CALL_OTHER, name);
    *node = handle_find(&graph_nodes, c->node);
    return graph_refuse_no_node(e, status, *node, c->node);
}

/* Drops the effect of what it refuses. */
static cudaError_t refuse_other_kinds(struct api_call *e, const struct graph_node *node,
                                      const struct parts *p)
{
    if (graph_same_kinds(&p->call, &node->call))
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

/* Likewise, where the node's attributes do not go with them. */
static cudaError_t refuse_attributes(struct api_call *e, const struct graph_node *node,
                                     struct parts *p)
{
    cudaError_t status = attributes_apply(&e->call, &node->attributes, &p->call, p->effect);
    if (status == cudaSuccess)
        return status;
    effect_drop(p->effect);
    given_drop(p->given);
    return status;
}

/* The child, which is a copy, becomes the node's or is taken over. */
static cudaError_t set_child(struct api_call *e, struct graph_node *node, struct graph *child,
                             bool in_copy)
{
    if (!in_copy) {
        graph_child_set(node, child);
        return cudaSuccess;
    }
    cudaError_t status = child_update(e, node, child);
    graph_free(child);
    return status;
}

/* The node gets what `read` makes of the parameters (graph_parts.h). */
static cudaError_t set_params(const char *name, struct changed c, enum cudaGraphNodeType type,
                              parts_reader *read, const void *params)
{
    struct api_call e;
    struct parts p = { 0 };
    struct graph_node *node;
    cudaError_t status = open_changed(&e, name, &c, &node);
    status = refuse_other_type(&e, status, node, type);
    if (status == cudaSuccess)
        status = read(&e, params, &p);
    if (status == cudaSuccess && c.in_copy && type == cudaGraphNodeTypeMemcpy)
        status = refuse_other_kinds(&e, node, &p);
    if (status == cudaSuccess && c.in_copy && type == cudaGraphNodeTypeKernel)
        status = refuse_attributes(&e, node, &p);
    if (status == cudaSuccess && p.child)
        status = set_child(&e, node, p.child, c.in_copy);
    if (status == cudaSuccess)
        graph_node_set(node, &p.call, p.effect, p.given);
    return api_finish(&e, status);
}

/* Two calls: for nodes of graphs, and for those of executable ones. */
#define SET(type, pointer, in_graph, in_executable) \
    cudaError_t in_graph(cudaGraphNode_t node, pointer params) \
    { return set_params(#in_graph, (struct changed){ .node = node }, type, types[type].read, params); } \
    cudaError_t in_executable(cudaGraphExec_t exec, cudaGraphNode_t node, pointer params) \
    { return set_params(#in_executable, (struct changed){ true, exec, node }, type, types[type].read, params); }
SET(cudaGraphNodeTypeKernel, const struct cudaKernelNodeParams *, cudaGraphKernelNodeSetParams,
    cudaGraphExecKernelNodeSetParams)
SET(cudaGraphNodeTypeMemcpy, const struct cudaMemcpy3DParms *, cudaGraphMemcpyNodeSetParams,
    cudaGraphExecMemcpyNodeSetParams)
SET(cudaGraphNodeTypeMemset, const struct cudaMemsetParams *, cudaGraphMemsetNodeSetParams,
    cudaGraphExecMemsetNodeSetParams)
SET(cudaGraphNodeTypeHost, const struct cudaHostNodeParams *, cudaGraphHostNodeSetParams,
    cudaGraphExecHostNodeSetParams)
SET(cudaGraphNodeTypeEventRecord, cudaEvent_t, cudaGraphEventRecordNodeSetEvent,
    cudaGraphExecEventRecordNodeSetEvent)
SET(cudaGraphNodeTypeWaitEvent, cudaEvent_t, cudaGraphEventWaitNodeSetEvent,
    cudaGraphExecEventWaitNodeSetEvent)

cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void *dst, const void *src,
                                           size_t bytes, enum cudaMemcpyKind kind)
{
    return set_params("cudaGraphMemcpyNodeSetParams1D", (struct changed){ .node = node },
                      cudaGraphNodeTypeMemcpy, parts_of_bytes,
                      &(struct copied_bytes){ dst, src, bytes, kind });
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node,
                                               void *dst, const void *src, size_t bytes,
                                               enum cudaMemcpyKind kind)
{
    return set_params("cudaGraphExecMemcpyNodeSetParams1D", (struct changed){ true, exec, node },
                      cudaGraphNodeTypeMemcpy, parts_of_bytes,
                      &(struct copied_bytes){ dst, src, bytes, kind });
}

cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const void *symbol,
                                                 const void *src, size_t bytes, size_t offset,
                                                 enum cudaMemcpyKind kind)
{
    return set_params("cudaGraphMemcpyNodeSetParamsToSymbol", (struct changed){ .node = node },
                      cudaGraphNodeTypeMemcpy, parts_of_symbol,
                      &(struct copied_symbol){ true, symbol, (void *)(uintptr_t)src, bytes, offset,
                                               kind });
}

cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void *dst,
                                                   const void *symbol, size_t bytes, size_t offset,
                                                   enum cudaMemcpyKind kind)
{
    return set_params("cudaGraphMemcpyNodeSetParamsFromSymbol", (struct changed){ .node = node },
                      cudaGraphNodeTypeMemcpy, parts_of_symbol,
                      &(struct copied_symbol){ false, symbol, dst, bytes, offset, kind });
}

cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                     const void *symbol, const void *src,
                                                     size_t bytes, size_t offset,
                                                     enum cudaMemcpyKind kind)
{
    return set_params("cudaGraphExecMemcpyNodeSetParamsToSymbol",
                      (struct changed){ true, exec, node }, cudaGraphNodeTypeMemcpy,
                      parts_of_symbol,
                      &(struct copied_symbol){ true, symbol, (void *)(uintptr_t)src, bytes, offset,
                                               kind });
}

cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                       void *dst, const void *symbol, size_t bytes,
                                                       size_t offset, enum cudaMemcpyKind kind)
{
    return set_params("cudaGraphExecMemcpyNodeSetParamsFromSymbol",
                      (struct changed){ true, exec, node }, cudaGraphNodeTypeMemcpy,
                      parts_of_symbol,
                      &(struct copied_symbol){ false, symbol, dst, bytes, offset, kind });
}

cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                 cudaGraph_t child)
{
    return set_params("cudaGraphExecChildGraphNodeSetParams", (struct changed){ true, exec, node },
                      cudaGraphNodeTypeGraph, parts_of_child, child);
}

/* CUDA 12's calls for nodes of all types. */
static cudaError_t set_any(const char *name, struct changed c, const cudaGraphNodeParams *params)
{
    const struct node_type *t = type_of(params);
    if (t && !t->fixed)
        return set_params(name, c, params->type, t->read, own_params(t, params));
    struct api_call e;
    cudaError_t status = api_open(&e, CALL_OTHER, name);
    status = refuse_null(&e, status, params, "pointer to the node's parameters, nodeParams");
    if (status == cudaSuccess && !t)
        api_absent(&e, "graph nodes for semaphores");
    return api_finish(&e, REFUSE(&e, status, true, cudaErrorNotSupported,
                                 "the parameters' type is %d: such nodes keep theirs",
                                 (int)params->type));
}

cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, cudaGraphNodeParams *params)
{
    return set_any("cudaGraphNodeSetParams", (struct changed){ .node = node }, params);
}

cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                       cudaGraphNodeParams *params)
{
    return set_any("cudaGraphExecNodeSetParams", (struct changed){ true, exec, node }, params);
}
