/* SPDX-License-Identifier: MIT */
#include "sim/kernel/step.h"

#include "sim/fiber/fiber.h"
#include "sim/kernel/block.h"
#include "sim/kernel/kernel.h"
#include "sim/kernel/spin.h"

/* IDLE: fewer stops without a store are no wait. MANY: with that many it may be one, if it counts
 * them, and others have their turn. */
enum { IDLE = 64, MANY = 1 << 20, PATIENCE = 1000 };

__thread unsigned sim_patience = PATIENCE;

void step_stops(struct device_thread *s, const uintptr_t *state, uint32_t polls, const void *pc)
{
    s->pc = pc;
    s->idle += polls;
    if (s->idle < IDLE)
        return;
    s->state_now = (uint64_t)s->depth + (s->polled ? (uint64_t)s->elapsed : 0);
    for (const uintptr_t *end = fiber_end(); state < end; state++)
        s->state_now = (s->state_now ^ *state) * 1099511628211u;
    s->polled = false;
}

/* A block of one thread has no other lanes to keep in step with. */
void sim_step(int before)
{
    static __thread unsigned alone;
    static __thread bool stored;
    stored |= before;
    if (!kernel_runs() || (block->count == 1 && (before || ++alone % IDLE != 0)))
        return;
    struct device_thread *s = block_stop("a volatile access");
    device_thread_moves(block->running, DEVICE_THREAD_READY, DEVICE_THREAD_STEPS);
    s->before = before;
    if (block->count == 1 && stored)
        s->idle_then = s->period = 0;       /* memory is not as it was */
    stored = false;
    if (before)
        s->idle = 0;
    else
        step_stops(s, SPIN_STATE, block->count == 1 ? IDLE : 1, __builtin_return_address(0));
    fiber_stop();
}

/* Others go on; then it polls again. */
static void stop_to_poll(struct device_thread *s, const uintptr_t *state, const void *pc)
{
    device_thread_moves(block->running, DEVICE_THREAD_READY, DEVICE_THREAD_STEPS);
    s->before = false;
    step_stops(s, state, IDLE, pc);
    fiber_stop();
}

void sim_poll(void)
{
    if (kernel_runs())
        stop_to_poll(block_stop("a volatile access"), SPIN_STATE, __builtin_return_address(0));
}

void sim_impatient(void)
{
    sim_patience = PATIENCE;
    if (!kernel_runs())
        return;
    struct device_thread *s = block_stop("an atomic function");
    sim_patience = s->waits ? 1 : IDLE;
    stop_to_poll(s, SPIN_STATE, __builtin_return_address(0));
}

/* ---- does it only wait? ---- */

/* Cycles are found as by R. P. Brent: a state is kept that many stops as there were before it. */
void step_stopped(struct device_thread *s)
{
    bool may = device_thread_is(block, block->running, DEVICE_THREAD_STEPS)
               || device_thread_is(block, block->running, DEVICE_THREAD_RESTS);
    if (!may || s->idle < IDLE) {
        s->waits = false;
        s->period = s->idle_then = 0;
        return;
    }
    if (s->period > 0 && (s->idle - s->idle_then) % s->period != 0)
        return;                 /* inside its cycle */
    bool same = s->idle_then > 0 && s->state_now == s->state_then;
    s->period = !same ? 0 : s->period > 0 ? s->period : s->idle - s->idle_then;
    s->waits = same || s->idle >= MANY;
    if (!same && s->idle >= 2 * s->idle_then) {
        s->idle_then = s->idle;
        s->state_then = s->state_now;
    }
}

uint32_t step_poll_again(void)
{
    uint32_t polls = 0;
    for (unsigned i = 0; i < block->count; i++) {
        struct device_thread *s = &block->threads[i];
        if (!s->waits
            || (!device_thread_is(block, i, DEVICE_THREAD_STEPS)
                && !device_thread_is(block, i, DEVICE_THREAD_READY)))
            continue;
        device_thread_moves(i, DEVICE_THREAD_STEPS, DEVICE_THREAD_READY);
        uint32_t own = s->period > 0 ? s->period + 1 : IDLE;
        polls = own > polls ? own : polls;
    }
    return polls;
}

bool step_may_end(const struct block *b)
{
    for (unsigned i = 0; i < b->count; i++) {
        const struct device_thread *s = &b->threads[i];
        if (!device_thread_is(b, i, DEVICE_THREAD_ENDED) && s->waits && s->period == 0
            && s->idle < POLLS_WITHOUT_HOPE)
            return true;
    }
    return false;
}

/* ---- in step ---- */

static unsigned lowest(uint32_t lanes)
{
    return (unsigned)__builtin_ctz(lanes);
}

/* Which goes first? Those that only wait come last. */
static bool goes_before(const struct device_thread *a, const struct device_thread *b)
{
    return a->depth != b->depth ? a->depth > b->depth : a->before && !b->before;
}

bool step_release(unsigned warp)
{
    const uint32_t those = block->in[DEVICE_THREAD_STEPS][warp];
    const struct device_thread *best = NULL;
    for (uint32_t left = those; left != 0; left &= left - 1) {
        const struct device_thread *s = &block->threads[warp * WARP + lowest(left)];
        if (!s->waits && (!best || goes_before(s, best)))
            best = s;
    }
    for (uint32_t left = best ? those : 0; left != 0; left &= left - 1) {
        unsigned i = warp * WARP + lowest(left);
        const struct device_thread *s = &block->threads[i];
        if (!s->waits && !goes_before(best, s))
            device_thread_moves(i, DEVICE_THREAD_STEPS, DEVICE_THREAD_READY);
    }
    return best;
}
