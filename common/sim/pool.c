/* SPDX-License-Identifier: MIT */
#include "pool_state.h"

#include "access.h"
#include "allocation.h"
#include "because.h"
#include "capture_state.h"
#include "stream.h"
#include "trace/memory.h"

enum {
    ROUND = 512,                /* blocks are multiples of this */
    GRANULE = 2 << 20,          /* what pools take from an H200 is */
};

struct pool_block {
    char *at;
    size_t bytes, asked;
    struct CUmemPoolHandle_st *pool;
    bool used;
    uint32_t stream, freed;     /* where and by which node it was freed; NO_NODE: nothing uses it any more */
    struct pool_block *next;
};

static struct pool_block *blocks;
struct pools pools;

cudaMemPool_t pool_new(int device, uint64_t most)
{
    cudaMemPool_t pool = memory_resize(NULL, sizeof *pool);
    *pool = (struct CUmemPoolHandle_st){ .device = device, .follows_events = true, .other_reuse = { 1, 1 },
                                         .most = most, .next = pools.first };
    pool->reach[device] = cudaMemAccessFlagsProtReadWrite;
    return pools.first = pool;
}

void pools_begin(void)
{
    for (int device = 0; is_device(device); device++)
        pools.ordinary[device] = pools.current[device] = pool_new(device, 0);
}

bool is_pool(cudaMemPool_t pool)
{
    cudaMemPool_t p = pools.first;
    while (p && p != pool)
        p = p->next;
    return p && !p->destroyed;
}

static struct pool_block *find_block(const void *pointer)
{
    struct pool_block *b = blocks;
    while (b && b->at != (const char *)pointer)
        b = b->next;
    return b;
}

static void raise_to(uint64_t *high, uint64_t value)
{
    if (*high < value)
        *high = value;
}

static uint64_t granules(uint64_t bytes)
{
    return (bytes + GRANULE - 1) / GRANULE * GRANULE;
}

/* ---- giving memory back to the device ---- */

static bool is_over(const struct pool_block *b)
{
    return !b->used && (b->freed == NO_NODE || sim.timeline.spans[b->freed].end != TIME_NEVER);
}

static void drop(struct pool_block **place)
{
    struct pool_block *b = *place;
    *place = b->next;
    b->pool->reserved -= b->bytes;
    access_forget((uint64_t)(uintptr_t)b->at, b->bytes);
    allocation_drop(b->at);
    memory_resize(b, 0);
}

void pool_trim(cudaMemPool_t pool, uint64_t keep)
{
    for (struct pool_block **place = &blocks; *place && pool->reserved > keep;) {
        struct pool_block *b = *place;
        if (b->pool == pool && is_over(b) && pool->reserved - b->bytes >= keep)
            drop(place);
        else
            place = &b->next;
    }
    if (granules(pool->reserved) < pool->taken && pool->taken > keep)
        pool->taken = granules(pool->reserved > keep ? pool->reserved : keep);
}

void pools_bury(void)
{
    for (cudaMemPool_t *place = &pools.first; *place;) {
        cudaMemPool_t pool = *place;
        if (!pool->destroyed || pool->reserved > 0) {
            place = &pool->next;
            continue;
        }
        *place = pool->next;
        memory_resize(pool, 0);
    }
}

void pools_synchronized(void)
{
    if (!blocks)
        return;
    for (cudaMemPool_t pool = pools.first; pool; pool = pool->next)
        pool_trim(pool, pool->destroyed ? 0 : pool->threshold);
    pools_bury();
}

void pools_forget(int device)
{
    for (struct pool_block **place = &blocks; *place;) {
        struct pool_block *b = *place;
        if (b->pool->device != device) {
            place = &b->next;
            continue;
        }
        *place = b->next;
        if (!b->used)
            allocation_drop(b->at);
        b->pool->reserved = b->pool->used = b->pool->taken = 0;
        memory_resize(b, 0);
    }
    for (cudaMemPool_t pool = pools.first; pool; pool = pool->next)
        pool->destroyed |= pool->device == device && pool != pools.ordinary[device];
    pools.current[device] = pools.ordinary[device];
    pools_bury();
}

/* ---- allocation ---- */

/* Is the work that the call would queue guaranteed to come after the block's free? */
static bool comes_after(const struct call *c, const struct pool_block *b)
{
    if (b->freed == NO_NODE || b->stream == c->stream)
        return true;
    if (!b->pool->follows_events)
        return false;
    size_t count;
    const struct edge *edges = order_peek_work(&sim.order, c, &count);
    for (size_t i = 0; i < count; i++)
        if (edges[i].strength == GUARANTEED &&
            (edges[i].from == b->freed || order_before(&sim.order, b->freed, edges[i].from, GUARANTEED)))
            return true;
    return false;
}

static struct pool_block *reuse(const struct call *c, cudaMemPool_t pool, size_t bytes)
{
    struct pool_block *best = NULL;
    for (struct pool_block *b = blocks; b; b = b->next)
        if (b->pool == pool && !b->used && b->bytes >= bytes && (!best || b->bytes < best->bytes) &&
            comes_after(c, b))
            best = b;
    return best;
}

static struct pool_block *make_block(cudaMemPool_t pool, size_t bytes)
{
    size_t total = (size_t)sim.card->memory_mib << 20;
    bool room = bytes <= total && allocation_total(MEM_DEVICE, pool->device) <= total - bytes &&
                (pool->most == 0 || pool->reserved + bytes <= pool->most);
    char *at = room ? allocation_make(MEM_DEVICE, bytes, pool->device) : NULL;
    if (!at)
        return NULL;
    allocation_set_reach(at, pool->reach);
    struct pool_block *b = memory_resize(NULL, sizeof *b);
    *b = (struct pool_block){ .at = at, .bytes = bytes, .pool = pool, .next = blocks };
    blocks = b;
    pool->reserved += bytes;
    raise_to(&pool->reserved_high, pool->reserved);
    return b;
}

/* Opens; the caller checks what is its own, and then the stream (find_free_stream). */
static cudaError_t open_pools(struct entry *e, enum call_kind kind, const char *name)
{
    cudaError_t status = entry_open(e, kind, name);
    return REFUSE(e, status, sim.card->major < 6, cudaErrorNotSupported, "this device has no memory pools");
}

static cudaError_t find_free_stream(struct entry *e, cudaError_t status, cudaStream_t stream)
{
    if (status == cudaSuccess)
        status = stream_find(e, stream);
    status = REFUSE(e, status, captured_stream(e->call.stream)->capture, cudaErrorStreamCaptureUnsupported,
                    "the stream captures, and graphs have no nodes for memory in this simulator: allocate before the capture");
    e->call.flags = CALL_ASYNC;
    e->call.dst_kind = MEM_DEVICE;
    return status;
}

/* `own`: from the pool of the stream's device [H], not from `pool`. */
static cudaError_t allocate(const char *name, void **pointer, size_t bytes, bool own, cudaMemPool_t pool,
                            cudaStream_t stream)
{
    struct entry e;
    cudaError_t status = refuse_null(&e, open_pools(&e, CALL_MALLOC, name), pointer, "first argument, where the address goes");
    status = REFUSE(&e, status, bytes == 0, cudaErrorInvalidValue, "the second argument, size, is 0");
    status = REFUSE(&e, status, !own && !is_pool(pool), cudaErrorInvalidValue, "the third argument, memPool, is not valid: the pool was destroyed, or never created");
    status = find_free_stream(&e, status, stream);
    struct pool_block *b = NULL;
    if (status == cudaSuccess && own)
        pool = pools.current[stream_device(e.call.stream)];
    if (status == cudaSuccess && bytes < SIZE_MAX - ROUND) {
        size_t rounded = (bytes + ROUND - 1) / ROUND * ROUND;
        b = reuse(&e.call, pool, rounded);
        if (!b)
            b = make_block(pool, rounded);
        if (pool->reserved > pool->taken) {
            pool->taken = granules(pool->reserved);
            e.call.flags |= POOL_GROWS;
        }
    }
    status = REFUSE(&e, status, !b, cudaErrorMemoryAllocation, "%zu bytes are asked for; device %d has %zu in all, and %zu of them are in use, "
                    "%llu by this pool", bytes, pool->device, (size_t)sim.card->memory_mib << 20, allocation_total(MEM_DEVICE, pool->device),
                    (unsigned long long)pool->reserved);
    if (b) {
        b->used = true;
        b->asked = bytes;
        allocation_set_asked(b->at, bytes);
        pool->used += b->bytes;
        raise_to(&pool->used_high, pool->used);
        *pointer = b->at;
        e.call.dst = (uint64_t)(uintptr_t)b->at;
        e.call.dst_device = (uint32_t)pool->device;
        e.call.bytes = bytes;
    }
    return entry_finish(&e, status);
}

cudaError_t cudaMallocAsync(void **pointer, size_t bytes, cudaStream_t stream)
{
    return allocate("cudaMallocAsync", pointer, bytes, true, NULL, stream);
}

cudaError_t cudaMallocFromPoolAsync(void **pointer, size_t bytes, cudaMemPool_t pool, cudaStream_t stream)
{
    return allocate("cudaMallocFromPoolAsync", pointer, bytes, false, pool, stream);
}

/* ---- freeing ---- */

static void put_back(struct entry *e, struct pool_block *b)
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

cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream)
{
    struct entry e;
    struct pool_block *b = find_block(pointer);
    cudaError_t status = open_pools(&e, CALL_FREE, "cudaFreeAsync");
    status = REFUSE(&e, status, !b || !b->used, cudaErrorInvalidValue, "the first argument, devPtr, is %s; the beginning of what "
                    "cudaMallocAsync gave is needed", words_of_memory(pointer).text);
    status = find_free_stream(&e, status, stream);
    bool freed = status == cudaSuccess;
    if (freed)
        put_back(&e, b);
    status = entry_make(&e, status, NULL);
    if (freed)
        b->freed = sim.timeline.calls[e.index].node;
    return entry_close(&e, status);
}

bool pool_owns(const void *pointer)
{
    return find_block(pointer) != NULL;
}

cudaError_t pool_free_now(struct entry *e, void *pointer)
{
    struct pool_block *b = find_block(pointer);
    if (!b->used) {
        e->call.kind = CALL_OTHER;
        return entry_finish(e, because(&e->call, cudaErrorInvalidValue, "the argument is %s", words_of_memory(pointer).text));
    }
    e->call.stream = NO_STREAM;
    put_back(e, b);
    cudaError_t status = entry_make(e, cudaSuccess, NULL);
    access_given_back(e->index);
    return entry_close(e, status);
}
