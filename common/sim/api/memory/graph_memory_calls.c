/* SPDX-License-Identifier: MIT */
#include "sim/api/memory/graph_memory_calls.h"

#include "sim/memory/allocation.h"
#include "sim/race/access.h"

enum { GRAPH_ROUND = 512 };       /* so are the pools' blocks */

cudaError_t graph_memory_refuse_room(struct api_call *e, cudaError_t status, size_t bytes,
                                     int device, struct graph_memory **m)
{
    *m = status == cudaSuccess && bytes < SIZE_MAX - GRAPH_ROUND
             ? graph_memory_make((bytes + GRAPH_ROUND - 1) / GRAPH_ROUND * GRAPH_ROUND, device)
             : NULL;
    status = REFUSE(e, status, !*m, cudaErrorMemoryAllocation,
                    "%zu bytes are asked for; device %d has %zu in all, and %zu of them are in use",
                    bytes, device, (size_t)sim.card->memory_mib << 20,
                    allocation_total(MEM_DEVICE, device));
    if (*m)
        allocation_set_asked((*m)->at, bytes);
    return status;
}

void graph_memory_call(struct call *c, enum call_kind kind, const struct graph_memory *m,
                       size_t bytes)
{
    c->kind = kind;
    c->flags = CALL_ASYNC;
    c->dst = (uint64_t)(uintptr_t)m->at;
    c->bytes = bytes;
    c->dst_kind = MEM_DEVICE;
    c->dst_device = (uint32_t)m->device;
}

cudaError_t graph_memory_refuse_free(struct api_call *e, cudaError_t status, const struct graph *g,
                                     const struct graph_memory *m, const void *at)
{
    status =
        REFUSE(e, status, !m, cudaErrorInvalidValue,
               "the memory is %s, and no node of a graph allocates it", words_of_memory(at).text);
    return REFUSE(e, status, m->freer, cudaErrorInvalidValue,
                  m->freer == g ? "the graph frees the memory already"
                                : "another graph frees the memory already");
}

/* ---- cudaFreeAsync, cudaFree ---- */

const struct capture *capture_of(const struct api_call *e, cudaError_t status)
{
    const struct capture *c =
        status == cudaSuccess ? captured_stream(e->call.stream)->capture : NULL;
    return c && !c->invalid ? c : NULL;
}

static cudaError_t refuse_free_memory(struct api_call *e, cudaError_t status,
                                      const struct graph_memory *m)
{
    return REFUSE(e, status, !m->live, cudaErrorInvalidValue,
                  "the memory is a graph's, and no launch has allocated it, or it was freed since");
}

/* Where the stream captures, a node does it. */
cudaError_t graph_memory_free(struct api_call *e, cudaError_t status, struct graph_memory *m)
{
    const struct capture *capture = capture_of(e, status);
    status = capture ? graph_memory_refuse_free(e, status, capture->graph, m, m->at)
                     : refuse_free_memory(e, status, m);
    if (status == cudaSuccess)
        graph_memory_call(&e->call, CALL_FREE, m, allocation_find(m->at)->asked);
    status = api_make(e, status, NULL);
    if (status == cudaSuccess && !capture)
        graph_memory_freed(m, sim.timeline.calls[e->index].node);
    return api_close(e, status);
}

cudaError_t graph_memory_free_now(struct api_call *e, struct graph_memory *m)
{
    cudaError_t status = refuse_free_memory(e, cudaSuccess, m);
    if (status != cudaSuccess) {
        e->call.kind = CALL_OTHER;
        return api_finish(e, status);
    }
    graph_memory_call(&e->call, CALL_FREE, m, allocation_find(m->at)->asked);
    e->call.stream = NO_STREAM;
    status = api_make(e, status, NULL);
    access_given_back(e->index);
    graph_memory_freed(m, NO_NODE);
    return api_close(e, status);
}
