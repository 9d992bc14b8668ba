/* SPDX-License-Identifier: MIT */
#include "pool_state.h"

#include "allocation.h"
#include "trace/memory.h"

enum { GRANULE = 2 << 20 };      /* what pools take from an H200 is a multiple of this */

static struct pool_block *blocks;
static void (*forget)(uint64_t at, uint64_t bytes);
struct pools pools;

cudaMemPool_t pool_new(int device, uint64_t most)
{
    cudaMemPool_t pool = memory_resize(NULL, sizeof *pool);
    *pool = (struct CUmemPoolHandle_st){ .device = device, .follows_events = true, .other_reuse = { 1, 1 },
                                         .most = most, .next = pools.first };
    pool->reach[device] = cudaMemAccessFlagsProtReadWrite;
    return pools.first = pool;
}

void pools_begin(void (*dropped)(uint64_t at, uint64_t bytes))
{
    forget = dropped;
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

struct pool_block *pool_block_find(const void *pointer)
{
    struct pool_block *b = blocks;
    while (b && b->at != (const char *)pointer)
        b = b->next;
    return b;
}

void pool_raise(uint64_t *high, uint64_t value)
{
    if (*high < value)
        *high = value;
}

uint64_t pool_granules(uint64_t bytes)
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
    forget((uint64_t)(uintptr_t)b->at, b->bytes);
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
    if (pool_granules(pool->reserved) < pool->taken && pool->taken > keep)
        pool->taken = pool_granules(pool->reserved > keep ? pool->reserved : keep);
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

struct pool_block *pool_block_reuse(const struct call *c, cudaMemPool_t pool, size_t bytes)
{
    struct pool_block *best = NULL;
    for (struct pool_block *b = blocks; b; b = b->next)
        if (b->pool == pool && !b->used && b->bytes >= bytes && (!best || b->bytes < best->bytes) &&
            comes_after(c, b))
            best = b;
    return best;
}

struct pool_block *pool_block_make(cudaMemPool_t pool, size_t bytes)
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
    pool_raise(&pool->reserved_high, pool->reserved);
    return b;
}

bool pool_owns(const void *pointer)
{
    return pool_block_find(pointer) != NULL;
}
