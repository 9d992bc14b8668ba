/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>

#include "sim/host/crash.h"
#include "sim/kernel/block.h"
#include "sim/fiber/fiber.h"
#include "sim/kernel/kernel.h"
#include "sim/kernel/warp.h"
#include "trace/record/memory.h"

static struct block host_block;
__thread struct block *block = &host_block;
static bool runs;

void block_apart(void)
{
    block = memory_resize(NULL, sizeof *block);
    memory_zero(block, sizeof *block);
}

unsigned block_thread(void)
{
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

bool block_promoted(void)
{
    return sim_block_row == 0;
}

bool kernel_runs(void)
{
    return runs;
}

VISIBLE int sim_on_device(void)
{
    return runs;
}

void kernel_running(bool it_does)
{
    runs = it_does;
}

void kernel_fail(cudaError_t error)
{
    block->error = error;
    guard_leave(0);
}

void kernel_misused(const char *name)
{
    fprintf(stderr, "%s is for kernels: it was called by the host\n", name);
    exit(1);
}

/* ---- from plain calls to device threads ---- */

static void begin_steps(struct device_thread *s)
{
    s->depth = 0;
    s->idle = s->idle_then = s->period = 0;
    s->waits = s->polled = false;
    s->state_then = 0;
}

/* The thread that runs is the first to stop: those before it have ended. */
static void promote(void)
{
    struct uint3 at = { 0, 0, 0 };
    block->running = block_thread();
    block->live = block->count - block->running;
    for (unsigned i = 0; i < block->count; i++) {
        struct device_thread *s = &block->threads[i];
        s->state = i < block->running ? DEVICE_THREAD_ENDED : DEVICE_THREAD_NEW;
        s->fiber = NULL;
        s->at = at;
        begin_steps(s);
        if (++at.x == blockDim.x) {
            at.x = 0;
            at.y = at.y + 1 == blockDim.y ? 0 : at.y + 1;
            at.z += at.y == 0;
        }
    }
    block->threads[block->running].state = DEVICE_THREAD_READY;
    sim_block_row = 0;
    warps_begin();
}

struct device_thread *block_stop(const char *name)
{
    if (!kernel_runs())
        kernel_misused(name);
    if (!block_promoted())
        promote();
    struct device_thread *s = &block->threads[block->running];
    s->stopped = true;
    return s;
}

/* ---- what is left of a block ---- */

void block_drop_threads(void)
{
    for (unsigned i = 0; i < block->count; i++)
        if (block->threads[i].state != DEVICE_THREAD_ENDED)
            fiber_drop(block->threads[i].fiber);
}

void block_gather(struct block *core, struct block *b)
{
    if (b->spent > core->spent)
        core->spent = b->spent;
    if (core->gap.line == 0)
        core->gap = b->gap;
    b->gap.line = 0;
    if (core->apart.line == 0)
        core->apart = b->apart;
    b->apart.line = 0;
    marks_gather(core, b);
    for (size_t i = 0; i < b->children.count; i++) {
        MEMORY_GROW(core->children.list, core->children.count, core->children.capacity);
        core->children.list[core->children.count++] = b->children.list[i];
    }
    b->children.count = 0;
}

/* ---- how a kernel ends itself ---- */

/* Ends the kernel and says no word, as on a card. */
void __trap(void)
{
    if (!kernel_runs())
        kernel_misused("__trap");
    kernel_fail(cudaErrorLaunchFailure);
}
