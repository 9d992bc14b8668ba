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

#include "sim/fiber/fiber.h"
#include "sim/host/core.h"
#include "sim/kernel/kernel.h"
#include "sim/kernel/print.h"
#include "sim/kernel/spin.h"
#include "sim/kernel/step.h"
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
        if (block->threads[i].waits && block->threads[i].state != DEVICE_THREAD_ENDED)
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
