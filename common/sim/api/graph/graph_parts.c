/* SPDX-License-Identifier: MIT */
#include "sim/api/graph/graph_parts.h"

#include <string.h>

#include "sim/api/event.h"
#include "sim/api/kernel_table.h"
#include "sim/api/memory/volume.h"
#include "sim/call_log.h"
#include "sim/graph/condition.h"
#include "sim/graph/graph_memory.h"
#include "sim/memory/allocation.h"
#include "sim/memory/symbol.h"
#include "trace/record/memory.h"

cudaError_t graph_open(struct api_call *e, const char *name, cudaGraph_t graph, struct graph **g)
{
    cudaError_t status = api_open(e, CALL_OTHER, name);
    *g = handle_find(&graphs, graph);
    return REFUSE(e, status, !*g, cudaErrorInvalidValue, "the graph is not valid: %s",
                  words_of_handle(&graphs, graph, "cudaGraphDestroy").text);
}

cudaError_t graph_refuse_no_node(struct api_call *e, cudaError_t status,
                                 const struct graph_node *node, cudaGraphNode_t handle)
{
    return REFUSE(e, status, !node, cudaErrorInvalidValue, "the node is not valid: %s",
                  words_of_handle(&graph_nodes, handle, "cudaGraphDestroyNode").text);
}

cudaError_t graph_open_copy(struct api_call *e, const char *name, cudaGraphExec_t exec,
                            cudaGraphNode_t origin, struct graph_node **node)
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
    return REFUSE(e, status, !*node, cudaErrorInvalidValue,
                  "the executable graph was not made from a graph with this node");
}

bool graph_same_kinds(const struct call *a, const struct call *b)
{
    return a->dst_kind == b->dst_kind && a->src_kind == b->src_kind;
}

cudaError_t graph_refuse_memory(struct api_call *e, cudaError_t status, const struct graph *g,
                                const char *what)
{
    return REFUSE(e, status, graph_has_memory(g), cudaErrorNotSupported,
                  "a graph that allocates or frees memory %s", what);
}

cudaError_t graph_refuse_condition(struct api_call *e, cudaError_t status, const struct graph *g,
                                   const char *what)
{
    return REFUSE(e, status, graph_has_condition(g), cudaErrorNotSupported,
                  "a graph with conditional nodes %s", what);
}

static const char parameters[] = "pointer to the node's parameters, pNodeParams";

void parts_begin(struct parts *p, const struct api_call *e, enum cudaGraphNodeType type,
                 enum call_kind kind)
{
    p->type = type;
    p->call = e->call;
    p->call.kind = kind;
}

static struct node_params *keep_kernel(const struct cudaKernelNodeParams *params)
{
    void **kept;
    struct node_params *given =
        kernel_keep(params->func, params->kernelParams, sizeof *given, &kept);
    *given =
        (struct node_params){ .shares = 1, .type = cudaGraphNodeTypeKernel, .kernel = *params };
    given->kernel.kernelParams = kept;
    return given;
}

cudaError_t parts_of_kernel(struct api_call *e, const void *given, struct parts *p)
{
    const struct cudaKernelNodeParams *params = given;
    struct sim_kernel kernel;
    cudaError_t status = refuse_null(e, cudaSuccess, params, parameters);
    status = REFUSE(e, status, params->extra, cudaErrorInvalidValue,
                    "the parameters have `extra`; only kernelParams are known here");
    status = REFUSE(e, status, !kernel_entry_at(params->func), cudaErrorInvalidDeviceFunction,
                    "the parameters' func is not a kernel");
    struct kernel_entry *entry = status == cudaSuccess ? kernel_entry_at(params->func) : NULL;
    if (status == cudaSuccess)
        status = launch_check(&e->call, params->gridDim, params->blockDim, params->sharedMemBytes,
                              entry);
    unsigned cluster[3] = { 0, 0, 0 };
    if (status == cudaSuccess)
        status = launch_check_cluster(&e->call, params->gridDim, entry, cluster);
    status = REFUSE(e, status, !kernel_bind(params->func, params->kernelParams, &kernel),
                    cudaErrorInvalidValue,
                    "the parameters' kernelParams is NULL, and the kernel has parameters");
    if (status != cudaSuccess)
        return status;
    parts_begin(p, e, cudaGraphNodeTypeKernel, CALL_LAUNCH);
    p->call.name = call_string(kernel.name);
    memcpy(p->call.grid, &params->gridDim, sizeof p->call.grid);
    memcpy(p->call.block, &params->blockDim, sizeof p->call.block);
    p->call.shared = params->sharedMemBytes;
    p->call.cluster = cluster[0] * cluster[1] * cluster[2];
    memcpy(kernel.cluster, cluster, sizeof kernel.cluster);
    p->effect = effect_new(&(struct effect){ .kind = EFFECT_KERNEL, .kernel = kernel,
                                             .grid = params->gridDim, .block = params->blockDim,
                                             .shared = params->sharedMemBytes });
    p->given = keep_kernel(params);
    if (kernel_loads_now(entry, e->thread->device))
        e->call.flags |= LAUNCH_LOADS;
    return cudaSuccess;
}

/* From the first to the last byte of `rows` rows; 0: more than there can be. */
static size_t extent_of_rows(size_t pitch, size_t bytes, size_t rows)
{
    size_t before, all;
    bool fits = !__builtin_mul_overflow(rows - 1, pitch, &before)
                && !__builtin_add_overflow(before, bytes, &all);
    return fits ? all : 0;
}

static enum memory_kind kind_of(const void *at, size_t pitch, size_t bytes, size_t rows)
{
    size_t all = extent_of_rows(pitch, bytes, rows);
    return all > 0 && (rows == 1 || pitch >= bytes) ? memory_kind_of(at, all) : MEM_NONE;
}

static cudaError_t parts_of_copied(struct api_call *e, const struct copied *c, struct parts *p)
{
    cudaError_t status =
        REFUSE(e, cudaSuccess, c->box.bytes == 0 || c->box.rows == 0 || c->box.slices == 0,
               cudaErrorInvalidValue, "a node that copies 0 bytes cannot be");
    if (status != cudaSuccess)
        return status;
    struct api_call node = *e;
    parts_begin(p, e, cudaGraphNodeTypeMemcpy, CALL_COPY);
    node.call = p->call;
    status = copy_box(&node, cudaSuccess, c, &p->effect);
    if (status != cudaSuccess) {
        e->call.message = node.call.message;
        return status == cudaErrorInvalidPitchValue ? cudaErrorInvalidValue : status;
    }
    p->call = node.call;
    p->call.flags |= CALL_ASYNC;
    p->effect->stage = false;
    return cudaSuccess;
}

cudaError_t parts_of_bytes(struct api_call *e, const void *given, struct parts *p)
{
    const struct copied_bytes *b = given;
    static const struct copy_names names = { "node's dst", "node's src", "", "" };
    const struct copied c = { .dst = { b->dst, b->bytes, 1 },
                              .src = { (void *)(uintptr_t)b->src, b->bytes, 1 },
                              .box = { b->bytes, 1, 1 }, .direction = b->direction,
                              .names = &names };
    return parts_of_copied(e, &c, p);
}

cudaError_t parts_of_symbol(struct api_call *e, const void *given, struct parts *p)
{
    const struct copied_symbol *c = given;
    const struct symbol *s = symbol_known(c->symbol);
    cudaError_t status = REFUSE(
        e, cudaSuccess, !s, cudaErrorInvalidSymbol,
        "the argument symbol is not a __device__, __constant__ or __managed__ variable that is known here");
    status = REFUSE(e, status, c->offset > s->bytes || c->bytes > s->bytes - c->offset,
                    cudaErrorInvalidValue,
                    "%zu bytes from byte %zu on are more than the variable %s has: %zu", c->bytes,
                    c->offset, s->name, s->bytes);
    status = REFUSE(e, status,
                    c->direction != cudaMemcpyDeviceToDevice && c->direction != cudaMemcpyDefault
                        && c->direction
                               != (c->to ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost),
                    cudaErrorInvalidMemcpyDirection,
                    "the direction, kind, is one that does not go %s the device",
                    c->to ? "to" : "from");
    if (status != cudaSuccess)
        return status;
    char *at = s->at + c->offset;
    return parts_of_bytes(e,
                          &(struct copied_bytes){ c->to ? at : c->other, c->to ? c->other : at,
                                                  c->bytes, c->direction },
                          p);
}

cudaError_t parts_of_copy(struct api_call *e, const void *params, struct parts *p)
{
    struct copied c;
    cudaError_t status = volume_of(e, refuse_null(e, cudaSuccess, params, parameters), params, &c);
    if (status == cudaSuccess)
        status = parts_of_copied(e, &c, p);
    if (status != cudaSuccess)
        return status;
    p->given = memory_resize(NULL, sizeof *p->given);
    *p->given = (struct node_params){ .shares = 1,
                                      .type = cudaGraphNodeTypeMemcpy,
                                      .copy = *(const struct cudaMemcpy3DParms *)params };
    return status;
}

cudaError_t parts_of_set(struct api_call *e, const void *given, struct parts *p)
{
    const struct cudaMemsetParams *params = given;
    cudaError_t status = refuse_null(e, cudaSuccess, params, parameters);
    status = REFUSE(
        e, status, params->elementSize != 1 && params->elementSize != 2 && params->elementSize != 4,
        cudaErrorInvalidValue, "the parameters' elementSize is %u; it may be 1, 2 or 4",
        params->elementSize);
    size_t bytes = 0, rows = status == cudaSuccess ? params->height : 0;
    status = REFUSE(e, status, __builtin_mul_overflow(params->width, params->elementSize, &bytes),
                    cudaErrorInvalidValue, "the parameters' width is more than there can be");
    status = REFUSE(e, status, bytes == 0 || rows == 0, cudaErrorInvalidValue,
                    "a node that sets 0 bytes cannot be");
    status = REFUSE(e, status, rows > 1 && params->pitch < bytes, cudaErrorInvalidValue,
                    "the parameters' pitch is %zu bytes from row to row, and a row has %zu",
                    params->pitch, bytes);
    if (status != cudaSuccess)
        return status;
    parts_begin(p, e, cudaGraphNodeTypeMemset, CALL_SET);
    p->call.flags = CALL_ASYNC;
    p->call.dst = (uint64_t)(uintptr_t)params->dst;
    p->call.bytes = bytes * rows;
    call_set_rows(&p->call, rows, params->pitch, 0);
    p->call.dst_kind = kind_of(params->dst, params->pitch, bytes, rows);
    if (p->call.dst_kind == MEM_NONE || p->call.dst_kind == MEM_PAGEABLE) {
        const struct words missing =
            words_of_missing(params->dst, extent_of_rows(params->pitch, bytes, rows));
        return because(&e->call, cudaErrorInvalidValue, "the parameters' dst is %s",
                       missing.text[0] ? missing.text : words_of_memory(params->dst).text);
    }
    p->effect = effect_new(&(struct effect){ .kind = EFFECT_SET,
                                             .dst = params->dst,
                                             .dst_pitch = params->pitch,
                                             .value = (int)params->value,
                                             .element = params->elementSize,
                                             .bytes = bytes,
                                             .rows = rows });
    return cudaSuccess;
}

cudaError_t parts_of_function(struct api_call *e, const void *given, struct parts *p)
{
    const struct cudaHostNodeParams *params = given;
    cudaError_t status = refuse_null(e, cudaSuccess, params, parameters);
    status = REFUSE(e, status, !params->fn, cudaErrorInvalidValue, "the parameters' fn is NULL");
    if (status != cudaSuccess)
        return status;
    parts_begin(p, e, cudaGraphNodeTypeHost, CALL_HOST_FUNC);
    p->effect = effect_new(
        &(struct effect){ .kind = EFFECT_FUNCTION,
                          .function = { .function = params->fn, .data = params->userData } });
    return cudaSuccess;
}

static cudaError_t parts_of_event(struct api_call *e, const void *event, struct parts *p,
                                  enum cudaGraphNodeType type, enum call_kind kind)
{
    uint32_t number, flags;
    cudaError_t status = event_of(e, (cudaEvent_t)(uintptr_t)event, &number, &flags);
    if (status != cudaSuccess)
        return status;
    parts_begin(p, e, type, kind);
    p->call.event = number;
    p->call.flags = kind == CALL_EVENT_RECORD ? flags : 0;
    return status;
}

cudaError_t parts_of_record(struct api_call *e, const void *event, struct parts *p)
{
    return parts_of_event(e, event, p, cudaGraphNodeTypeEventRecord, CALL_EVENT_RECORD);
}

cudaError_t parts_of_wait(struct api_call *e, const void *event, struct parts *p)
{
    return parts_of_event(e, event, p, cudaGraphNodeTypeWaitEvent, CALL_STREAM_WAIT);
}

cudaError_t parts_of_child(struct api_call *e, const void *child, struct parts *p)
{
    const struct graph *original = handle_find(&graphs, child);
    cudaError_t status = REFUSE(e, cudaSuccess, !original, cudaErrorInvalidValue,
                                "the child graph is not valid: %s",
                                words_of_handle(&graphs, child, "cudaGraphDestroy").text);
    status = graph_refuse_memory(e, status, original, "cannot be the child of another");
    status = graph_refuse_condition(e, status, original, "cannot be the child of another");
    if (status != cudaSuccess)
        return status;
    parts_begin(p, e, cudaGraphNodeTypeGraph, CALL_GRAPH_EMPTY);
    p->child = graph_copy(original, false);
    return status;
}

cudaError_t parts_of_empty(struct api_call *e, const void *none, struct parts *p)
{
    (void)none;
    parts_begin(p, e, cudaGraphNodeTypeEmpty, CALL_GRAPH_EMPTY);
    return cudaSuccess;
}
