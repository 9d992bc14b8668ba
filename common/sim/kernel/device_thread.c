/* SPDX-License-Identifier: MIT */
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/crash/crash.h"
#include "sim/kernel/block.h"
#include "sim/kernel/kernel.h"
#include "sim/kernel/warp.h"
#include "sim/sim.h"
#include "trace/record/memory.h"

static struct block host_block;
__thread struct block *block = &host_block;
static bool runs;

void block_apart(void)
{
    block = memory_resize(NULL, sizeof *block);
    memory_zero(block, sizeof *block);
}

void block_make_room(void)
{
    if (block->count <= block->room)
        return;
    const size_t bytes = (block->count + AHEAD) * sizeof *block->threads;
    free(block->threads);
    block->threads = aligned_alloc(alignof(struct device_thread), bytes);
    if (!block->threads)
        sim_trouble("no memory for another block's threads");
    memory_zero(block->threads, bytes);
    block->room = block->count;
}

void block_free(struct block *b)
{
    free(b->threads);
    memory_resize(b->lanes, 0);
    memory_resize(b->spins, 0);
    memory_resize(b->reached, 0);
    memory_resize(b->on_stacks, 0);
    memory_resize(b->children.list, 0);
    memory_resize(b, 0);
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

/* The threads from that one on, of a warp. */
static uint32_t lanes_from(unsigned warp, unsigned number)
{
    unsigned begin = warp * WARP;
    return number <= begin         ? UINT32_MAX
           : number - begin < WARP ? UINT32_MAX << (number - begin)
                                   : 0;
}

static void begin_states(void)
{
    memory_zero(block->in, sizeof block->in);
    for (unsigned w = 0; w < BLOCK_WARPS; w++) {
        uint32_t new = lanes_from(w, block->running) & ~lanes_from(w, block->count);
        block->in[DEVICE_THREAD_NEW][w] = new;
        block->in[DEVICE_THREAD_ENDED][w] = ~new;
    }
    device_thread_moves(block->running, DEVICE_THREAD_NEW, DEVICE_THREAD_READY);
    block_forget_arrivals();
}

/* The thread that runs is the first to stop: those before it have ended. */
static void promote(void)
{
    struct uint3 at = { 0, 0, 0 };
    if (block->whole)
        sim_trouble("a thread of kernel %s waits where simcc had taken it that no thread can. Run the program with SIM_FIBERS=1",
                    block->effect->kernel.name);
    block->running = block_thread();
    block->live = block->count - block->running;
    begin_states();
    for (unsigned i = 0; i < block->count; i++) {
        struct device_thread *s = &block->threads[i];
        s->fiber = NULL;
        s->at = at;
        begin_steps(s);
        if (++at.x == blockDim.x) {
            at.x = 0;
            at.y = at.y + 1 == blockDim.y ? 0 : at.y + 1;
            at.z += at.y == 0;
        }
    }
    block->threads[block->running].fiber = fiber_current();
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

/* ---- threads that stop ---- */

__thread int sim_depth;

/* Which goes on after this one, were the scheduler of the block asked (run_warp of block.c)? One of
 * its warp, or, when none there can, of the next one. This one: let it be asked. */
static unsigned next_thread(unsigned number)
{
    const unsigned w = number / WARP, lane = number % WARP;
    const uint32_t ready = block->in[DEVICE_THREAD_READY][w],
                   all = ready | block->in[DEVICE_THREAD_NEW][w],
                   left = ready >> lane & 1 ? UINT32_MAX : UINT32_MAX << lane << 1;
    if ((all & left) != 0)
        return w * WARP + (unsigned)__builtin_ctz(all & left);
    if (all != 0 || block->in[DEVICE_THREAD_STEPS][w] != 0
        || block->in[DEVICE_THREAD_IN_WARP][w] != 0 || (w + 1) * WARP >= block->count)
        return number;
    const uint32_t after =
        block->in[DEVICE_THREAD_READY][w + 1] | block->in[DEVICE_THREAD_NEW][w + 1];
    return after != 0 ? (w + 1) * WARP + (unsigned)__builtin_ctz(after) : number;
}

/* The next one goes on in its place. The scheduler alone can start a thread, and see whether one
 * merely waits (step.h). */
void device_thread_stop(struct device_thread *s)
{
    const unsigned number = block->running, i = next_thread(number);
    struct device_thread *then = &block->threads[i];
    if (i == number || !then->fiber || s->idle > 0 || __sanitizer_start_switch_fiber) {
        fiber_stop();
        return;
    }
    device_thread_passes(s, then, i);
    fiber_context_switch(&s->context, &then->context);
}

/* ---- stacks that blocks share ---- */

/* Threads of dependent launches stop by the thousand, with a few hundred bytes on their stacks. On
 * stacks of their own that would be a page for each, and Linux takes longer to map a page than
 * the thread takes to run. Such blocks run one at a time: all use the same stacks, and what one has
 * there is copied away when it stops, and back to its place before it goes on. */

static size_t bytes_on_stack(const struct device_thread *s)
{
    return s->fiber ? (size_t)(s->fiber->stack + s->fiber->size - (char *)s->context.stack) : 0;
}

void stacks_leave(void)
{
    size_t bytes = 0;
    for (unsigned i = 0; block->shares_stacks && i < block->count; i++)
        bytes += bytes_on_stack(&block->threads[i]);
    if (bytes == 0)
        return;
    char *to = block->on_stacks = memory_resize(block->on_stacks, bytes);
    for (unsigned i = 0; i < block->count; i++) {
        const struct device_thread *s = &block->threads[i];
        memory_copy(to, s->context.stack, bytes_on_stack(s));
        to += bytes_on_stack(s);
    }
}

void stacks_return(void)
{
    const char *from = block->on_stacks;
    for (unsigned i = 0; block->shares_stacks && i < block->count; i++) {
        struct device_thread *s = &block->threads[i];
        if (!s->fiber)
            continue;
        memcpy(s->context.stack, from, bytes_on_stack(s));
        s->fiber->ended = false;
        from += bytes_on_stack(s);
    }
}

/* ---- what is left of a block ---- */

void block_drop_threads(void)
{
    block_forget_arrivals();
    for (unsigned i = 0; i < block->count; i++)
        if (!device_thread_is(block, i, DEVICE_THREAD_ENDED))
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

/* ---- one after the other ---- */

void sim_block_rows(const void *closure, unsigned first,
                    void (*row)(const void *closure, unsigned x))
{
    const struct dim3 size = blockDim;
    unsigned x = first % size.x, y = first / size.x % size.y;
    for (unsigned z = first / size.x / size.y; z < size.z; z++, y = 0)
        for (; y < size.y; y++, x = 0) {
            threadIdx.y = y;
            threadIdx.z = z;
            row(closure, x);
            if (sim_block_row == 0)
                return;
        }
}

/* ---- kernels whose threads are a call each ---- */

/* Lies before the closure's bits. */
struct calls {
    void (*call)(void *own);
    size_t bytes, alignment;
    void *all; /* the memory of both */
};

static const struct calls *calls_of(const void *closure)
{
    return (const struct calls *)closure - 1;
}

static void call_row(const void *closure, unsigned x)
{
    const struct calls *c = calls_of(closure);
    char *room = __builtin_alloca(c->bytes + c->alignment);
    void *own = room + (-(uintptr_t)room & (c->alignment - 1));
    threadIdx.x = x;
    do {
        memcpy(own, closure, c->bytes);
        c->call(own);
        threadIdx.x = x + 1;
    } while (++x < sim_block_row);
}

static void call_block(void *closure, unsigned first)
{
    sim_block_rows(closure, first, call_row);
}

static void drop_calls(void *closure)
{
    memory_resize(calls_of(closure)->all, 0);
}

void kernel_calls(struct sim_kernel *kernel, size_t alignment, void (*call)(void *own))
{
    alignment = alignment < _Alignof(struct calls) ? _Alignof(struct calls) : alignment;
    char *all = memory_resize(NULL, sizeof(struct calls) + alignment + kernel->bytes),
         *bits = all + sizeof(struct calls);
    bits += -(uintptr_t)bits & (alignment - 1);
    ((struct calls *)(void *)bits)[-1] = (struct calls){ call, kernel->bytes, alignment, all };
    memcpy(bits, kernel->closure, kernel->bytes);
    kernel->closure = bits;
    kernel->block = call_block;
    kernel->drop = drop_calls;
    kernel->which = (void (*)(void))call;
}
