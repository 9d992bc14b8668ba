/* SPDX-License-Identifier: MIT */
/* cudaMallocAsync, cudaFreeAsync. */
#include "sim/api/memory/graph_memory_calls.h"
#include "sim/api/memory/pool_calls.h"
#include "sim/api/stream.h"
#include "sim/graph/capture_state.h"
#include "sim/graph/graph_memory.h"
#include "sim/memory/allocation.h"
#include "sim/memory/because.h"
#include "sim/memory/pool_state.h"
#include "sim/race/access.h"

enum { ROUND = 512 };               /* blocks are multiples of this */

/* Opens; the caller checks what is its own, and then the stream (find_free_stream). */
static cudaError_t open_pools(struct api_call *e, enum call_kind kind, const char *name)
{
    cudaError_t status = api_open(e, kind, name);
    return REFUSE(e, status, sim.card->major < 6, cudaErrorNotSupported,
                  "this device has no memory pools");
}

static cudaError_t find_free_stream(struct api_call *e, cudaError_t status, cudaStream_t stream)
{
    if (status == cudaSuccess)
        status = stream_find(e, stream);
    e->call.flags = CALL_ASYNC;
    e->call.dst_kind = MEM_DEVICE;
    return status;
}

/* A node of the graph that is captured allocates it. */
static cudaError_t allocate_captured(struct api_call *e, void **pointer, size_t bytes, int device)
{
    struct graph_memory *m;
    cudaError_t status = graph_memory_refuse_room(e, cudaSuccess, bytes, device, &m);
    if (m) {
        graph_memory_call(&e->call, CALL_MALLOC, m, bytes);
        *pointer = m->at;
    }
    status = api_make(e, status, NULL);
    graph_memory_sweep();               /* where no capture has taken it */
    return api_close(e, status);
}

/* `own`: from the pool of the stream's device [H], not from `pool`. */
static cudaError_t allocate(const char *name, void **pointer, size_t bytes, bool own,
                            cudaMemPool_t pool, cudaStream_t stream)
{
    struct api_call e;
    cudaError_t status = refuse_null(&e, open_pools(&e, CALL_MALLOC, name), pointer,
                                     "first argument, where the address goes");
    status =
        REFUSE(&e, status, bytes == 0, cudaErrorInvalidValue, "the second argument, size, is 0");
    status = REFUSE(
        &e, status, !own && !is_pool(pool), cudaErrorInvalidValue,
        "the third argument, memPool, is not valid: the pool was destroyed, or never created");
    if (!own && status == cudaSuccess)
        status = pool_refuse_imported(&e, status, pool);
    status = find_free_stream(&e, status, stream);
    struct pool_block *b = NULL;
    if (status == cudaSuccess && own)
        pool = *pool_current(stream_device(e.call.stream));
    if (capture_of(&e, status))
        return allocate_captured(&e, pointer, bytes, pool->device);
    if (status == cudaSuccess && bytes < SIZE_MAX - ROUND) {
        size_t rounded = (bytes + ROUND - 1) / ROUND * ROUND;
        b = pool_block_reuse(&e.call, pool, rounded);
        if (!b)
            b = pool_block_make(pool, rounded);
        if (pool_grows(pool, rounded))
            e.call.flags |= POOL_GROWS;
    }
    status =
        REFUSE(&e, status, !b, cudaErrorMemoryAllocation,
               "%s are asked for; device %d has %zu in all, and %zu of them are in use, "
               "%llu by this pool",
               words_of_size(bytes).text, pool->device, (size_t)sim.card->memory_mib << 20,
               allocation_total(MEM_DEVICE, pool->device), (unsigned long long)pool->held);
    if (b) {
        allocation_set_asked(b->at, b->asked > 0 ? pool_block_bounds(b, bytes) : bytes);
        b->used = true;
        b->asked = bytes;
        pool->used += b->bytes;
        pool_raise(&pool->used_high, pool->used);
        *pointer = b->at;
        e.call.dst = (uint64_t)(uintptr_t)b->at;
        e.call.dst_device = (uint32_t)pool->device;
        e.call.bytes = bytes;
    }
    return api_finish(&e, status);
}

cudaError_t cudaMallocAsync(void **pointer, size_t bytes, cudaStream_t stream)
{
    return allocate("cudaMallocAsync", pointer, bytes, true, NULL, stream);
}

cudaError_t cudaMallocFromPoolAsync(void **pointer, size_t bytes, cudaMemPool_t pool,
                                    cudaStream_t stream)
{
    return allocate("cudaMallocFromPoolAsync", pointer, bytes, false, pool, stream);
}

/* ---- freeing ---- */

static void put_back(struct api_call *e, struct pool_block *b)
{
    e->call.dst = (uint64_t)(uintptr_t)b->at;
    e->call.bytes = b->asked;
    e->call.dst_kind = MEM_DEVICE;
    e->call.dst_device = (uint32_t)b->pool->device;
    e->call.flags = CALL_ASYNC;
    b->used = false;
    b->stream = e->call.stream;
    b->freed = NO_NODE;
    b->pool->used -= b->bytes;
}

static bool is_of_other(const struct api_call *e, const struct pool_block *b)
{
    return b->pool->process != e->thread->process;
}

/* The owner's block stays; this process reaches it no longer. */
static cudaError_t free_import(struct api_call *e, cudaError_t status, const struct pool_block *b)
{
    e->call.kind = CALL_OTHER;
    e->call.flags &= ~(uint32_t)CALL_ASYNC;
    status = REFUSE(e, status, !pool_import_has(b), cudaErrorInvalidValue,
                    "the first argument, devPtr, is %s, which this process has not imported, or has freed",
                    words_of_memory(b->at).text);
    if (status == cudaSuccess)
        pool_import_free(b);
    return api_finish(e, status);
}

cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream)
{
    struct api_call e;
    struct pool_block *b = pool_block_find(pointer);
    struct graph_memory *m = graph_memory_find(pointer);
    cudaError_t status = open_pools(&e, CALL_FREE, "cudaFreeAsync");
    if (b && is_of_other(&e, b))
        return free_import(&e, find_free_stream(&e, status, stream), b);
    if (m)
        return graph_memory_free(&e, status == cudaSuccess ? stream_find(&e, stream) : status, m);
    status = REFUSE(&e, status, !b || !b->used, cudaErrorInvalidValue,
                    "the first argument, devPtr, is %s; the beginning of what "
                    "cudaMallocAsync gave is needed",
                    words_of_memory(pointer).text);
    status = find_free_stream(&e, status, stream);
    const struct capture *capture = capture_of(&e, status);
    if (capture)
        status = graph_memory_refuse_free(&e, status, capture->graph, NULL, pointer);
    bool freed = status == cudaSuccess;
    if (freed)
        put_back(&e, b);
    status = api_make(&e, status, NULL);
    if (freed)
        b->freed = sim.timeline.calls[e.index].node;
    return api_close(&e, status);
}

cudaError_t pool_free_now(struct api_call *e, void *pointer)
{
    struct pool_block *b = pool_block_find(pointer);
    if (is_of_other(e, b))
        return free_import(e, cudaSuccess, b);
    if (!b->used) {
        e->call.kind = CALL_OTHER;
        return api_finish(e, because(&e->call, cudaErrorInvalidValue, "the argument is %s",
                                     words_of_memory(pointer).text));
    }
    e->call.stream = NO_STREAM;
    put_back(e, b);
    cudaError_t status = api_make(e, cudaSuccess, NULL);
    access_given_back(e->index);
    return api_close(e, status);
}
