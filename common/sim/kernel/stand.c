/* SPDX-License-Identifier: MIT */
/*
 * Blocks that wait for other blocks.
 *
 * DESIGN
 * A block whose threads all poll stops where it is, with its threads' fibers and what it has in
 * shared memory, and the core takes another struct for the next one. When all blocks have been
 * begun, or as many stand as the card holds at once, they go on in turn. Nothing else runs in that
 * time, so if a whole round changes nothing, no later one will, but for threads that may come to an
 * end by themselves (step_may_end).
 */
#include "sim/kernel/block.h"

#include <string.h>

#include "sim/fiber/fiber.h"
#include "sim/host/core.h"
#include "sim/include/detail/sim_block.h"
#include "sim/kernel/kernel.h"
#include "sim/kernel/print.h"
#include "sim/kernel/spin.h"
#include "sim/kernel/step.h"
#include "sim/kernel/warp.h"
#include "sim/real.h"
#include "sim/source_line.h"
#include "trace/record/memory.h"

enum { ROUNDS_IN_VAIN = 1000, ROUNDS_OF_MANY = 1 << 22 };

static __thread struct standing {
    struct block **list;
    size_t count, capacity;
    struct block **spare;       /* structs that have none now */
    size_t spare_count, spare_capacity;
    struct block *core;         /* the core's own, while they go on */
} standing;

_Noreturn void stand_for_ever(const void *pc)
{
    uint32_t file, line;
    bool known = pc && source_line(pc, &file, &line);
    print_wrong(
        "%s%s%.0d%skernel %s: thread (%u,%u,%u) of block (%u,%u,%u) waits for a variable to change, and nothing changes it: all other "
        "threads wait, too, or have ended, and a kernel here runs from its start to its end before the host or another kernel goes on\n",
        known ? timeline_string(&sim.timeline, file) : "", known ? ":" : "", known ? (int)line : 0,
        known ? ": " : "", block->effect->kernel.name, threadIdx.x, threadIdx.y, threadIdx.z,
        blockIdx.x, blockIdx.y, blockIdx.z);
    kernel_fail(cudaErrorLaunchTimeout);
}

/* The first thread of the block that polls. */
static const struct device_thread *poller(void)
{
    for (unsigned i = 0; i < block->count; i++)
        if (block->threads[i].waits && !device_thread_is(block, i, DEVICE_THREAD_ENDED))
            return &block->threads[i];
    return &block->threads[0];
}

void stand_in_vain(void)
{
    const struct device_thread *s = poller();
    blockIdx = block->at;
    threadIdx = s->at;
    stand_for_ever(s->pc);
}

/* ---- threads of a block that wait for each other ---- */

bool device_threads_meet(const struct device_thread *a, const struct device_thread *b)
{
    return a->line == b->line && a->kind == b->kind
           && (a->file == b->file || strcmp(a->file, b->file) == 0);
}

static enum device_thread_state state_of(unsigned number)
{
    int state = 0;
    while (!device_thread_is(block, number, (enum device_thread_state)state))
        state++;
    return (enum device_thread_state)state;
}

static const char *operation_name(const struct device_thread *s, enum device_thread_state state)
{
    static const char *const barriers[] = { "__syncthreads",
                                            "__syncthreads_count",
                                            "__syncthreads_and",
                                            "__syncthreads_or",
                                            "cluster_group::sync",
                                            "grid_group::sync",
                                            "cudaGridDependencySynchronize",
                                            "kernel_cost" };
    if (state == DEVICE_THREAD_WAITS)
        return "wait for a cuda::barrier, a cuda::pipeline or a barrier by its number";
    return state == DEVICE_THREAD_AT_BARRIER ? barriers[s->kind] : warp_operation_name(s->kind);
}

static bool same_wait(unsigned a, unsigned b)
{
    return state_of(a) == state_of(b)
           && device_threads_meet(&block->threads[a], &block->threads[b]);
}

static unsigned count_there(unsigned like)
{
    unsigned there = 0;
    for (unsigned i = 0; i < block->count; i++)
        there += same_wait(i, like);
    return there;
}

bool block_waits(void)
{
    for (unsigned w = 0; w * WARP < block->count; w++)
        if (block->in[DEVICE_THREAD_WAITS][w] != 0)
            return true;
    return false;
}

/* One place a line: where it is, how many threads wait there. */
_Noreturn void stand_stuck(void)
{
    bool words = block_waits();
    print_wrong("%s: block (%u,%u,%u) cannot go on: its threads wait %s\n",
                block->effect->kernel.name, blockIdx.x, blockIdx.y, blockIdx.z,
                words ? "for what none of them does" : "for each other at different places");
    for (unsigned i = 0; i < block->count; i++) {
        const struct device_thread *s = &block->threads[i];
        bool known = device_thread_is(block, i, DEVICE_THREAD_ENDED);
        for (unsigned k = 0; k < i && !known; k++)
            known = same_wait(i, k);
        if (!known)
            print_wrong("  %s:%d: %s: %u of %u threads, first (%u,%u,%u)\n", s->file, s->line,
                        operation_name(s, state_of(i)), count_there(i), block->count, s->at.x,
                        s->at.y, s->at.z);
    }
    if (block->live < block->count)
        print_wrong("  %u threads have ended\n", block->count - block->live);
    kernel_fail(cudaErrorLaunchFailure);
}

/* ---- structs of blocks ---- */

struct block *block_spare(void)
{
    if (standing.spare_count > 0)
        return standing.spare[--standing.spare_count];
    struct block *b = memory_resize(NULL, sizeof *b);
    memory_zero(b, sizeof *b);
    return b;
}

void block_keep(struct block *b)
{
    b->shares_stacks = false;
    MEMORY_GROW(standing.spare, standing.spare_count, standing.spare_capacity);
    standing.spare[standing.spare_count++] = b;
}

/* One round. True: a thread has got on. */
static bool go_round(struct block *core)
{
    bool any = false;
    size_t left = 0;
    for (size_t i = 0; i < standing.count; i++) {
        block = standing.list[i];
        shared_return();
        any |= block_try_again();
        if (block->live > 0) {
            shared_leave();
            standing.list[left++] = block;
            continue;
        }
        any = true;
        shared_end();
        block_gather(core, block);
        block_keep(block);
    }
    standing.count = left;
    return any;
}

static bool any_may_end(void)
{
    for (size_t i = 0; i < standing.count; i++)
        if (step_may_end(standing.list[i]))
            return true;
    return false;
}

/* Until no more than `most` stand. */
static void go_on(size_t most)
{
    struct block *core = standing.core = block;
    unsigned in_vain = 0;
    while (standing.count > most) {
        in_vain = go_round(core) ? 0 : in_vain + 1;
        if (in_vain <= (cores() > 1 ? ROUNDS_OF_MANY : ROUNDS_IN_VAIN))
            continue;
        if (any_may_end()) {
            in_vain = 0;
        } else {
            block = standing.list[0];
            shared_return();
            stand_in_vain();
        }
    }
    block = core;
    standing.core = NULL;
}

void stand_go_on(void)
{
    go_on(0);
}

/* As many as the card holds at once, of blocks as large. */
static size_t most_at_once(void)
{
    int64_t each = card_blocks_per_sm(sim.card, block->count, (int64_t)block->effect->shared);
    return (size_t)sim.card->sms * (size_t)(each > 0 ? each : 1) - 1;
}

void stand_by(void)
{
    struct block *b = block, *fresh = block_spare();
    shared_leave();
    MEMORY_GROW(standing.list, standing.count, standing.capacity);
    standing.list[standing.count++] = b;
    fresh->effect = b->effect;
    fresh->number = b->number;
    fresh->end = b->end;
    fresh->at = b->at;
    fresh->take = b->take;
    fresh->count = b->count;
    fresh->round = b->round;
    fresh->error = b->error;
    fresh->spent = b->spent;
    fresh->print = b->print;
    fresh->reached_count = 0;
    fresh->live = 0;
    block = fresh;
    spin_block_begins();
    go_on(most_at_once());
}

void stand_drop(void)
{
    struct block *failed = block;
    for (size_t i = 0; i < standing.count; i++) {
        block = standing.list[i];
        if (block == failed)
            continue;
        block_drop_threads();
        block_gather(failed, block);
        block_keep(block);
    }
    standing.count = 0;
    if (standing.core && standing.core != failed) {
        block_gather(failed, standing.core);
        block_keep(standing.core);
    }
    standing.core = NULL;
    block = failed;
}
