/* SPDX-License-Identifier: MIT */
/*
 * Grids of cudaLaunchCooperativeKernel.
 *
 * DESIGN
 * Each block has a struct of its own, and `block` leads to the one that runs. It runs to its end or to a barrier of the grid,
 * where the fibers of its threads stay stopped and its shared memory is put by; then the next one does. When all have come to
 * the barrier, they go on, again one after the other in the order of their numbers.
 */
#include "sim/fiber/fiber.h"
#include "sim/kernel/block.h"
#include "sim/kernel/kernel.h"
#include "sim/kernel/print.h"
#include "sim/kernel/step.h"
#include "trace/record/memory.h"

static struct {
    struct block *core;         /* the core's own; NULL: no such grid runs */
    struct block **blocks;
    uint64_t count, begun;      /* blocks; those that have a struct */
    uint64_t waiting, standing; /* at a barrier of the grid; for what others do */
} meeting;

static void free_blocks(void)
{
    for (uint64_t i = 0; i < meeting.begun; i++) {
        struct block *b = meeting.blocks[i];
        memory_resize(b->warps, 0);
        memory_resize(b->spins, 0);
        memory_resize(b->reached, 0);
        memory_resize(b->put_by, 0);
        memory_resize(b->children.list, 0);
        memory_resize(b, 0);
    }
    memory_resize(meeting.blocks, 0);
    block = meeting.core;
    meeting.core = NULL;
}

static void begin(const struct effect *effect, uint64_t number)
{
    struct block *b = meeting.blocks[number] = memory_resize(NULL, sizeof *b);
    memory_zero(b, sizeof *b);
    b->effect = effect;
    b->error = meeting.core->error;
    b->print = meeting.core->print;
    meeting.begun = number + 1;
    block = b;
}

/* The block has come to its end, to a barrier of the grid, or waits for what others do. */
static void leave(void)
{
    if (block_promoted() && block->live > 0)
        shared_leave();
    else
        block->live = 0, shared_end();
    meeting.waiting += block->live > 0 && !block->stands;
    meeting.standing += block->live > 0 && block->stands;
}

/* On a card the blocks that wait would wait for ever. */
static _Noreturn void some_have_ended(uint64_t waiting)
{
    print_wrong("%s: %llu of %llu blocks wait for the whole grid, and the others have ended\n", block->effect->kernel.name,
                (unsigned long long)waiting, (unsigned long long)meeting.count);
    kernel_fail(cudaErrorLaunchFailure);
}

static void gather(void)
{
    for (uint64_t i = 0; i < meeting.begun; i++)
        block_gather(meeting.core, meeting.blocks[i]);
}

/* Those that wait for what others do poll again. */
static void poll_again(void)
{
    bool any = false;
    uint64_t standing = meeting.standing;
    meeting.standing = 0;
    for (uint64_t i = 0; i < meeting.count; i++) {
        block = meeting.blocks[i];
        if (block->live == 0 || !block->stands)
            continue;
        shared_return();
        any |= block_try_again() || step_may_end(block);
        leave();
    }
    if (!any && meeting.standing == standing) {
        block = meeting.blocks[0];
        while (!block->stands)
            block = meeting.blocks[block->number + 1];
        shared_return();
        stand_in_vain();
    }
}

struct fiber *cooperative_run(const struct effect *effect, struct fiber *fiber)
{
    meeting.waiting = meeting.standing = 0;
    meeting.count = (uint64_t)effect->grid.x * effect->grid.y * effect->grid.z;
    meeting.begun = 0;
    meeting.core = block;
    meeting.blocks = memory_resize(NULL, meeting.count * sizeof *meeting.blocks);
    for (uint64_t i = 0; i < meeting.count; i++) {
        begin(effect, i);
        fiber = block_run(i, fiber);
        if (fiber) {            /* the first thread, in kernel_cost */
            free_blocks();
            return fiber;
        }
        leave();
    }
    while (meeting.waiting + meeting.standing > 0) {
        if (meeting.standing > 0) {
            poll_again();
            continue;
        }
        if (meeting.waiting < meeting.count)
            some_have_ended(meeting.waiting);
        meeting.waiting = 0;
        for (uint64_t i = 0; i < meeting.count; i++) {
            block = meeting.blocks[i];
            shared_return();
            block_go_on();
            leave();
        }
    }
    gather();
    free_blocks();
    return NULL;
}

void cooperative_drop(void)
{
    if (!meeting.core)
        return;
    struct block *failed = block;
    meeting.core->error = failed->error;
    meeting.core->number = failed->number;
    for (uint64_t i = 0; i < meeting.begun; i++) {
        block = meeting.blocks[i];
        if (block != failed)
            block_drop_threads();
    }
    block = failed;
    block_drop();
    gather();
    free_blocks();
}

/* ---- in kernels ---- */

int sim_grid_is_valid(void)
{
    return kernel_runs() && block->effect->cooperative;
}

/* Without a cooperative launch a card has no word for it. */
void sim_grid_barrier(const char *file, int line)
{
    if (!kernel_runs())
        kernel_misused("grid_group::sync");
    if (block->effect->cooperative) {
        sim_barrier(SIM_BARRIER_GRID, 0, file, line);
        return;
    }
    print_wrong("%s:%d: grid_group::sync: the kernel was launched without cudaLaunchCooperativeKernel, and its blocks cannot wait for each other\n",
                file, line);
    kernel_fail(cudaErrorLaunchFailure);
}
