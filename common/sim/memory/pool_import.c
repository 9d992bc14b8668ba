/* SPDX-License-Identifier: MIT */
/*
 * Blocks of a pool that another process has imported. However often it has, it frees one once, and
 * neither that nor the owner's free waits for anything: both were measured
 * (facts/h200-processes.txt).
 */
#include "sim/memory/pool_state.h"

#include "sim/memory/allocation.h"
#include "sim/memory/peer.h"
#include "trace/record/memory.h"

/* An imported block: since when, and until what. */
struct import {
    const char *at;
    cudaMemPool_t pool;         /* the one that it was imported through */
    uint32_t process;
    bool freed;
    uint32_t seen, until;       /* nodes: those before `seen` are over; it goes with those before
                                   `until` */
    struct import *next;
};
static struct import *imports;

static struct import *import_of(const void *at, uint32_t process)
{
    struct import *i = imports;
    while (i && (i->at != at || i->process != process))
        i = i->next;
    return i;
}

bool pool_import_has(const struct pool_block *b)
{
    const struct import *i = import_of(b->at, thread_self()->process);
    return i && !i->freed;
}

void pool_import_open(cudaMemPool_t pool, const struct pool_block *b)
{
    struct import *i = import_of(b->at, thread_self()->process);
    if (i && !i->freed)
        return;
    if (!i) {
        i = memory_resize(NULL, sizeof *i);
        *i = (struct import){ .at = b->at, .process = thread_self()->process, .next = imports };
        imports = i;
        allocation_open(b->at, i->process, 1);
    }
    i->freed = false;
    i->pool = pool;
    pool->used++;
}

void pool_import_free(const struct pool_block *b)
{
    struct import *i = import_of(b->at, thread_self()->process);
    i->freed = true;
    i->pool->used--;
    i->seen = 0;
    i->until = (uint32_t)sim.timeline.span_count;
}

static bool import_is_over(struct import *i)
{
    const struct span *spans = sim.timeline.spans;
    while (i->seen < i->until
           && (spans[i->seen].end != TIME_NEVER || peer_process(i->seen) != i->process))
        i->seen++;
    return i->seen == i->until;
}

static void close_import(const struct import *i)
{
    const struct allocation *a = allocation_find(i->at);
    allocation_open(i->at, i->process, -1);
    if (a->freed && allocation_openings(a) == 0)
        pool_give_back(i->at, a->bytes);
}

void pool_import_sweep(void)
{
    for (struct import **link = &imports; *link;) {
        struct import *i = *link;
        if (!i->freed || !import_is_over(i)) {
            link = &i->next;
            continue;
        }
        *link = i->next;
        close_import(i);
        memory_resize(i, 0);
    }
}
