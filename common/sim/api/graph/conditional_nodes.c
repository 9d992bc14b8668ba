/* SPDX-License-Identifier: MIT */
/* What conditional nodes are made of: a handle, and graphs that run as its value says. */
#include "sim/api/graph/graph_parts.h"
#include "sim/call_log.h"
#include "sim/graph/condition.h"

cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle *handle, cudaGraph_t graph,
                                             unsigned int value, unsigned int flags)
{
    struct api_call e;
    struct graph *g;
    cudaError_t status =
        refuse_null(&e, graph_open(&e, "cudaGraphConditionalHandleCreate", graph, &g), handle,
                    "first argument, pHandle_out");
    status =
        REFUSE(&e, status, flags & ~(unsigned)cudaGraphCondAssignDefault, cudaErrorInvalidValue,
               "the fourth argument, flags, is %#x, which has a bit that is not known", flags);
    if (status == cudaSuccess)
        *handle = condition_new(g, value, flags & cudaGraphCondAssignDefault);
    return api_finish(&e, status);
}

static cudaError_t refuse_sizes(struct api_call *e, cudaError_t status,
                                const struct cudaConditionalNodeParams *params)
{
    static const struct { const char *name; unsigned most; } types[] = {
        [cudaGraphCondTypeIf] = { "an If has one or two", 2 },
        [cudaGraphCondTypeWhile] = { "a While has one", 1 },
        [cudaGraphCondTypeSwitch] = { "a Switch has at most 65536 here", 65536 },
    };
    status = REFUSE(e, status, (unsigned)params->type >= sizeof types / sizeof *types,
                    cudaErrorInvalidValue,
                    "the parameters' conditional.type is %d, which is not a type of conditional node",
                    (int)params->type);
    return REFUSE(e, status, params->size == 0 || params->size > types[params->type].most,
                  cudaErrorInvalidValue, "the parameters' conditional.size is %u graphs: %s",
                  params->size, types[params->type].name);
}

cudaError_t parts_of_condition(struct api_call *e, const void *given, struct parts *p)
{
    struct cudaConditionalNodeParams *params = (struct cudaConditionalNodeParams *)(uintptr_t)given;
    struct condition *c = condition_find(params->handle);
    cudaError_t status = REFUSE(
        e, cudaSuccess, !c, cudaErrorInvalidValue,
        "the parameters' conditional.handle is not one that cudaGraphConditionalHandleCreate gave");
    status = REFUSE(
        e, status, c->graph != p->graph, cudaErrorInvalidValue,
        "the parameters' conditional.handle was made for another graph than the node's"); /* [H] */
    status = REFUSE(e, status, c->used, cudaErrorInvalidValue,
                    "the parameters' conditional.handle belongs to another conditional node");
    status = status == cudaSuccess ? refuse_sizes(e, status, params) : status;
    if (status != cudaSuccess)
        return status;
    c->used = true;
    parts_begin(p, e, cudaGraphNodeTypeConditional, CALL_LAUNCH);
    p->call.name =
        call_string(params->type == cudaGraphCondTypeIf       ? "conditional node (If)"
                    : params->type == cudaGraphCondTypeSwitch ? "conditional node (Switch)"
                                                              : "conditional node");
    for (int i = 0; i < 3; i++)
        p->call.grid[i] = p->call.block[i] = 1;
    p->bodies = bodies_new(c, params->type, params->size);
    params->phGraph_out = p->bodies->handles;
    return status;
}

/* Pageable memory is the host's alone [G]. */
static bool copies_pageable(const struct call *c)
{
    return c->kind == CALL_COPY && (c->dst_kind == MEM_PAGEABLE || c->src_kind == MEM_PAGEABLE);
}

static cudaError_t refuse_in_body(struct api_call *e, cudaError_t status, const struct graph *g)
{
    for (size_t i = 0; status == cudaSuccess && i < g->count; i++) {
        const struct graph_node *node = g->nodes[i];
        bool runs = node->type == cudaGraphNodeTypeKernel || node->type == cudaGraphNodeTypeMemcpy
                    || node->type == cudaGraphNodeTypeMemset || node->type == cudaGraphNodeTypeGraph
                    || node->type == cudaGraphNodeTypeEmpty || node->bodies;
        status = REFUSE(
            e, status, !runs, cudaErrorNotSupported,
            "the body of a conditional node has a node (%s) that is not a kernel, copy, memset, child graph, conditional or empty node",
            words_of_location(&node->call).text);
        status = REFUSE(
            e, status, copies_pageable(&node->call), cudaErrorNotSupported,
            "the body of a conditional node has a copy (%s) of pageable memory, which the device cannot reach",
            words_of_location(&node->call).text);
        if (node->child)
            status = refuse_in_body(e, status, node->child);
    }
    return status;
}

cudaError_t conditional_refuse_others(struct api_call *e, cudaError_t status, const struct graph *g)
{
    for (size_t i = 0; status == cudaSuccess && i < g->count; i++) {
        const struct bodies *b = g->nodes[i]->bodies;
        for (size_t k = 0; b && k < b->count && status == cudaSuccess; k++) {
            status = refuse_in_body(e, status, b->graphs[k]);
            status = conditional_refuse_others(e, status, b->graphs[k]);
        }
    }
    return status;
}
