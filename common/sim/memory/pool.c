/* SPDX-License-Identifier: MIT */
#include "sim/memory/pool_state.h"

#include "sim/memory/allocation.h"
#include "trace/record/memory.h"

/* Pools take so much from an H200 at once, or what a larger block needs, in steps of GRANULE; so
 * they give it back. */
enum { CHUNK = 32 << 20, GRANULE = 2 << 20 };

static struct pool_block *blocks;
static void (*clear)(uint64_t at, uint64_t bytes);
struct pools pools;

cudaMemPool_t pool_new(int device, uint64_t most)
{
    static uint64_t made;
    cudaMemPool_t pool = memory_resize(NULL, sizeof *pool);
    *pool = (struct CUmemPoolHandle_st){ .number = ++made, .device = device,
                                         .process = thread_self()->process, .follows_events = true,
                                         .other_reuse = { 1, 1 }, .most = most,
                                         .next = pools.first };
    pool->reach[device] = cudaMemAccessFlagsProtReadWrite;
    return pools.first = pool;
}

void pools_begin(void (*dropped)(uint64_t at, uint64_t bytes))
{
    clear = dropped;
    for (int device = 0; is_device(device); device++)
        pool_default(device);
}

cudaMemPool_t pool_default(int device)
{
    uint32_t process = thread_self()->process;
    cudaMemPool_t *ordinary = &pools.ordinary[process][device];
    if (!*ordinary)
        *ordinary = pools.current[process][device] = pool_new(device, 0);
    return *ordinary;
}

cudaMemPool_t *pool_current(int device)
{
    pool_default(device);
    return &pools.current[thread_self()->process][device];
}

bool is_pool(cudaMemPool_t pool)
{
    cudaMemPool_t p = pools.first;
    while (p && p != pool)
        p = p->next;
    return p && !p->destroyed && p->process == thread_self()->process;
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

static uint64_t round_up(uint64_t bytes, uint64_t step)
{
    return (bytes + step - 1) / step * step;
}

bool pool_grows(cudaMemPool_t pool, uint64_t bytes)
{
    if (pool->held <= pool->reserved)
        return false;
    uint64_t more = round_up(bytes, GRANULE);
    pool->reserved += more > CHUNK ? more : CHUNK;
    pool_raise(&pool->reserved_high, pool->reserved);
    return true;
}

/* ---- giving memory back to the device ---- */

static bool is_over(const struct pool_block *b)
{
    return !b->used && (b->freed == NO_NODE || sim.timeline.spans[b->freed].end != TIME_NEVER);
}

void pool_give_back(const char *at, size_t bytes)
{
    clear((uint64_t)(uintptr_t)at, bytes);
    allocation_drop(at);
}

static void drop(struct pool_block **link)
{
    struct pool_block *b = *link;
    *link = b->next;
    b->pool->held -= b->bytes;
    if (allocation_openings(allocation_find(b->at)) > 0) /* another process has imported it [M] */
        allocation_set_freed(b->at);
    else
        pool_give_back(b->at, b->bytes);
    memory_resize(b, 0);
}

void pool_trim(cudaMemPool_t pool, uint64_t keep)
{
    uint64_t needed = 0, left = keep / CHUNK * CHUNK;
    if (pool->reserved <= keep)
        return;
    for (const struct pool_block *b = blocks; b; b = b->next)
        needed += b->pool == pool && !is_over(b) ? b->bytes : 0;
    if (left < round_up(needed, CHUNK))
        left = round_up(needed, CHUNK);
    for (struct pool_block **link = &blocks; *link && pool->held > left;)
        if ((*link)->pool == pool && is_over(*link))
            drop(link);
        else
            link = &(*link)->next;
    if (pool->held == 0)
        pool->reserved = 0;
    else if (left < pool->reserved)
        pool->reserved = left;
}

void pools_bury(void)
{
    for (cudaMemPool_t *link = &pools.first; *link;) {
        cudaMemPool_t pool = *link;
        if (!pool->destroyed || pool->held > 0) {
            link = &pool->next;
            continue;
        }
        *link = pool->next;
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

void pools_reset(int device)
{
    for (struct pool_block **link = &blocks; *link;) {
        struct pool_block *b = *link;
        if (b->pool->device != device) {
            link = &b->next;
            continue;
        }
        *link = b->next;
        if (!b->used)
            allocation_drop(b->at);
        b->pool->reserved = b->pool->used = b->pool->held = 0;
        memory_resize(b, 0);
    }
    for (cudaMemPool_t pool = pools.first; pool; pool = pool->next)
        pool->destroyed |=
            pool->device == device && pool != pools.ordinary[pool->process][device];
    for (int process = 0; process < PROCESSES; process++)
        pools.current[process][device] = pools.ordinary[process][device];
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
    const struct edge *edges = hb_peek_work(&sim.order, c, &count);
    for (size_t i = 0; i < count; i++)
        if (edges[i].strength == GUARANTEED
            && (edges[i].from == b->freed
                || hb_before(&sim.order, b->freed, edges[i].from, GUARANTEED)))
            return true;
    return false;
}

struct pool_block *pool_block_reuse(const struct call *c, cudaMemPool_t pool, size_t bytes)
{
    struct pool_block *best = NULL;
    for (struct pool_block *b = blocks; b; b = b->next)
        if (b->pool == pool && !b->used && b->bytes >= bytes && (!best || b->bytes < best->bytes)
            && comes_after(c, b))
            best = b;
    if (best && best->freed == NO_NODE) /* cudaFree freed it, in no stream: what comes next is not
                                           compared with that */
        clear((uint64_t)(uintptr_t)best->at, best->bytes);
    return best;
}

struct pool_block *pool_block_make(cudaMemPool_t pool, size_t bytes)
{
    size_t total = (size_t)sim.card->memory_mib << 20;
    bool room = bytes <= total && allocation_total(MEM_DEVICE, pool->device) <= total - bytes
                && (pool->most == 0 || pool->held + bytes <= pool->most);
    char *at = room ? allocation_make(MEM_DEVICE, bytes, pool->device) : NULL;
    if (!at)
        return NULL;
    allocation_set_reach(at, pool->reach);
    struct pool_block *b = memory_resize(NULL, sizeof *b);
    *b = (struct pool_block){ .at = at, .bytes = bytes, .pool = pool, .next = blocks };
    blocks = b;
    pool->held += bytes;
    return b;
}

size_t pool_block_bounds(const struct pool_block *b, size_t asked)
{
    const struct allocation *a = is_over(b) ? NULL : allocation_find(b->at);
    return a && a->asked > asked ? a->asked : asked;
}

bool pool_owns(const void *pointer)
{
    return pool_block_find(pointer);
}
