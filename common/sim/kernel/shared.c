/* SPDX-License-Identifier: MIT */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "sim/fiber/fiber.h"
#include "sim/include/detail/sim_block.h"
#include "sim/kernel/block.h"
#include "sim/kernel/kernel.h"
#include "sim/kernel/print.h"
#include "sim/memory/symbol.h"
#include "sim/race/seen/exchange_seen.h"
#include "sim/race/seen/shared_seen.h"
#include "trace/record/memory.h"

/* That many bytes of this host thread's dynamic shared memory have been filled. They still are
 * until a kernel asks where it is: launches that ask for it only to have few blocks run at once
 * need not fill it for each. */
static __thread size_t untouched;

void shared_apart(void)
{
    sim_shared_dynamic = aligned_alloc(SHARED_ALIGNMENT, SHARED_MOST);
    if (!sim_shared_dynamic)
        sim_trouble("no memory for another block");
}

/* ---- the block's window, in which addresses have 32 bits ---- */

/* As on a card 0 is no address. Variables come in the order in which they were reached, each with
 * its low bits, which programs that permute rows rely on; then dynamic memory. */
enum { WINDOW_BEGIN = 1024, WINDOW_DYNAMIC = 1 << 18, WINDOW_RANK = 24, WINDOW_NOWHERE = 1 << 30 };

static unsigned next_window(const char *at)
{
    const struct reached *last =
        block->reached_count > 0 ? &block->reached[block->reached_count - 1] : NULL;
    unsigned from = last ? last->window + (unsigned)last->bytes : WINDOW_BEGIN;
    return from + (((unsigned)(uintptr_t)at - from) & (SHARED_ALIGNMENT - 1));
}

static const struct reached *reached_at(const char *at)
{
    for (size_t i = 0; i < block->reached_count; i++)
        if ((uintptr_t)at - (uintptr_t)block->reached[i].at < block->reached[i].bytes)
            return &block->reached[i];
    return NULL;
}

static bool is_dynamic(const char *at)
{
    return (uintptr_t)at - (uintptr_t)sim_shared_dynamic < SHARED_MOST;
}

static bool is_in_slot(const void *at)
{
    return (uintptr_t)at - SHARED_SLOTS_LOW < SHARED_SLOTS_SPAN;
}

static unsigned offset_in_slot(const void *at)
{
    return (unsigned)((uintptr_t)at & (SHARED_SLOT - 1));
}

/* An address in another block of the cluster has that block's rank in the bits above those of a
 * window, counted from 1. */
static unsigned cluster_window(const void *at)
{
    return (sim_cluster_rank_of(at) + 1) << WINDOW_RANK | offset_in_slot(at);
}

static char *slot_of_rank(unsigned rank)
{
    return rank < block->cluster_size ? block->cluster[rank]->slot : NULL;
}

unsigned sim_shared_window(const void *at)
{
    const char *byte = at;
    if (is_in_slot(at))
        return cluster_window(at);
    if (is_dynamic(byte))
        return WINDOW_DYNAMIC + (unsigned)(byte - sim_shared_dynamic);
    const struct reached *r = reached_at(byte);
    return r ? r->window + (unsigned)(byte - r->at)
             : WINDOW_NOWHERE + ((unsigned)(uintptr_t)at & (WINDOW_NOWHERE - 1));
}

void *sim_shared_at(unsigned long long window)
{
    if (window >> WINDOW_RANK > 0 && window < WINDOW_NOWHERE)
        return slot_of_rank((unsigned)(window >> WINDOW_RANK) - 1) + (window & (SHARED_SLOT - 1));
    if (window - WINDOW_DYNAMIC < SHARED_MOST)
        return sim_shared_dynamic + (window - WINDOW_DYNAMIC);
    for (size_t i = 0; i < block->reached_count; i++)
        if (window - block->reached[i].window < block->reached[i].bytes)
            return block->reached[i].at + (window - block->reached[i].window);
    return (void *)(uintptr_t)(window & UINT32_MAX);    /* nothing is mapped there */
}

enum sim_space sim_space(const void *at)
{
    const struct symbol *s = symbol_find(at);
    if (s && s->constant)
        return SIM_SPACE_CONSTANT;
    if (is_dynamic(at) || reached_at(at))
        return SIM_SPACE_SHARED;
    if (is_in_slot(at))
        return SIM_SPACE_CLUSTER;
    return (uintptr_t)at - STACKS_LOW < STACKS_SPAN ? SIM_SPACE_LOCAL : SIM_SPACE_GLOBAL;
}

/* ---- block after block ---- */

static struct reached *add_reached(struct block *b, struct reached r)
{
    MEMORY_GROW(b->reached, b->reached_count, b->reached_capacity);
    b->reached[b->reached_count] = r;
    return &b->reached[b->reached_count++];
}

void sim_shared_reach(struct sim_shared *variable, void *at, size_t bytes)
{
    variable->reached = 1;
    add_reached(block, (struct reached){ variable, at, bytes, next_window(at) });
    shared_seen_variable(at, bytes);
    memset(at, 0xff, bytes);
}

/* Those outside of all functions, as they were made known before main. */
static struct {
    void (**reach)(void);
    size_t count, capacity;
} outer;

int sim_shared_outer(void (*reach)(void))
{
    MEMORY_GROW(outer.reach, outer.count, outer.capacity);
    outer.reach[outer.count++] = reach;
    return 0;
}

static void reach_outer(void)
{
    for (size_t i = 0; i < outer.count; i++)
        outer.reach[i]();
}

/* What shared_seen.h knows its grid by. */
static const void *first_of_grid(void)
{
    return block->number == 0 ? block->effect : NULL;
}

void shared_end(void)
{
    for (size_t i = 0; i < block->reached_count; i++)
        block->reached[i].variable->reached = 0;
    block->reached_count = 0;
    shared_seen_begin(NULL, 0);
}

void shared_begin(size_t dynamic)
{
    if (block->slot_used) {
        shared_return();
        shared_seen_begin(NULL, 0);
        reach_outer();
        return;
    }
    shared_end();
    shared_seen_begin(first_of_grid(), dynamic);
    reach_outer();
    if (dynamic > 0) {
        if (sim_shared_is_used || dynamic > untouched)
            memset(sim_shared_dynamic, 0xff, untouched = dynamic);
        shared_seen_variable(sim_shared_dynamic, dynamic);
    }
}

/* ---- while another block runs ---- */

static size_t bytes_of_block(void)
{
    size_t bytes = block->effect->shared;
    for (size_t i = 0; i < block->reached_count; i++)
        bytes += block->reached[i].bytes;
    return bytes;
}

/* Blocks that wait for each other have places of their own, where all that a block has lies as in
 * its window; others have what they need. */
static void exchange(bool leaves)
{
    const size_t dynamic = block->effect->shared;
    char *packed = block->slot ? NULL : block->put_by;
    for (size_t i = 0; i <= block->reached_count; i++) {
        const struct reached *r = i > 0 ? &block->reached[i - 1] : NULL;
        size_t bytes = r ? r->bytes : dynamic;
        char *here = r ? r->at : sim_shared_dynamic,
             *there = packed ? packed : block->slot + (r ? r->window : (unsigned)WINDOW_DYNAMIC);
        memory_copy(leaves ? there : here, leaves ? here : there, bytes);
        packed = packed ? packed + bytes : NULL;
        if (r)
            r->variable->reached = !leaves;
    }
}

void shared_leave(void)
{
    exchange_seen_leaves();
    if (!block->slot)
        block->put_by = memory_resize(block->put_by, bytes_of_block());
    exchange(true);
}

void shared_return(void)
{
    exchange(false);
    shared_seen_returns(first_of_grid());
}

/* ---- other blocks of a cluster ---- */

/* Shared, since a sandbox counts private address space as memory, used or not. */
char *shared_slot(uint64_t number)
{
    static bool mapped;
    if (!mapped
        && mmap((void *)SHARED_SLOTS_LOW, SHARED_SLOTS_SPAN, PROT_READ | PROT_WRITE,
                MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0)
               == MAP_FAILED)
        sim_trouble("no memory for the shared memory of blocks that wait for each other");
    mapped = true;
    return (char *)SHARED_SLOTS_LOW + number % (SHARED_SLOTS_SPAN / SHARED_SLOT) * SHARED_SLOT;
}

/* What a block has not reached yet is there for the others, as it will find it. */
static void use_slot(struct block *b)
{
    if (b->begun || b->slot_used)
        return;
    b->slot_used = true;
    b->reached_count = 0;
    memset(b->slot + WINDOW_DYNAMIC, 0xff, block->effect->shared);
}

static const struct reached *same_variable(struct block *b, const struct reached *own)
{
    for (size_t i = 0; i < b->reached_count; i++)
        if (b->reached[i].variable == own->variable && b->reached[i].at == own->at)
            return &b->reached[i];
    memset(b->slot + own->window, 0xff, own->bytes);
    return add_reached(b, *own);
}

/* Where `b`, which does not run, has what is at this address of the block that runs. */
static char *shared_of(struct block *b, const void *at)
{
    const struct reached *own = reached_at(at);
    size_t dynamic = block->effect->shared;
    bool variable = own && !is_dynamic(at);
    use_slot(b);
    if (b->number == 0 && (own || is_dynamic(at)))
        shared_seen_written(own ? own->at : sim_shared_dynamic, own ? own->bytes : dynamic);
    if (is_in_slot(at))
        return b->slot + offset_in_slot(at);
    if (!variable)
        return b->slot
               + (is_dynamic(at) ? WINDOW_DYNAMIC + ((const char *)at - sim_shared_dynamic)
                                 : (long)SHARED_SLOT - 1);
    const struct reached *its = same_variable(b, own);
    return b->slot + its->window + ((const char *)at - own->at);
}

unsigned sim_cluster_rank_of(const void *at)
{
    unsigned rank = 0;
    while (rank + 1 < block->cluster_size
           && (is_in_slot(at) ? (uintptr_t)at - (uintptr_t)block->cluster[rank]->slot >= SHARED_SLOT
                              : block->cluster[rank] != block))
        rank++;
    return rank;
}

void *sim_cluster_map(const void *at, unsigned rank)
{
    struct block *b = rank < block->cluster_size ? block->cluster[rank] : block;
    if (rank > 0 && rank >= block->cluster_size) {
        print_wrong("map_shared_rank: block %u of a cluster that has %u\n", rank,
                    block->cluster_size > 0 ? block->cluster_size : 1);
        kernel_fail(cudaErrorIllegalAddress);
    }
    if (b != block)
        return shared_of(b, at);
    return is_in_slot(at) ? sim_shared_at(offset_in_slot(at)) : (void *)(uintptr_t)at;
}
