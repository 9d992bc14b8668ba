/* SPDX-License-Identifier: MIT */
#include "sim/kernel/block.h"

#include <string.h>

#include "sim/include/detail/sim_block.h"
#include "sim/kernel/device_clock.h"
#include "sim/kernel/kernel.h"
#include "sim/kernel/print.h"
#include "sim/kernel/spin.h"
#include "sim/kernel/step.h"
#include "sim/kernel/warp.h"
#include "sim/race/seen/exchange_seen.h"
#include "trace/record/memory.h"

/* ---- block after block ---- */

static void begin_block(void)
{
    blockIdx = block->at;
    block->whole = false;
    block->round++;
    block_make_room();
    block_forget_arrivals();
    sim_block_row = blockDim.x;
    exchange_seen_block(block->number);
    shared_begin(block->effect->shared);
    device_clock_block();
    spin_block_begins();
    marks_begin(block);
    memory_zero(block->named, sizeof block->named);
}

static void locate_block(void)
{
    block->at.x = (unsigned)(block->number % gridDim.x);
    block->at.y = (unsigned)(block->number / gridDim.x % gridDim.y);
    block->at.z = (unsigned)(block->number / gridDim.x / gridDim.y);
}

/* x goes round first. False: that was the last one. */
static bool next_block(void)
{
    spin_block_ends();
    if (++block->number == block->end) {
        if (!block->take(block))
            return false;
        locate_block();
    } else if (++block->at.x == gridDim.x) {
        block->at.x = 0;
        block->at.y = block->at.y + 1 == gridDim.y ? 0 : block->at.y + 1;
        block->at.z += block->at.y == 0;
    }
    return true;
}

/* May the threads of a block run in a loop from barrier to barrier? All that they keep lies on
 * one stack, and a small stack has no room for it. SIM_FIBERS=1 is for tests: none may. */
static bool runs_whole(void)
{
    return block->effect->kernel.whole && environment_number("SIM_FIBERS", 1) != 1
           && !fiber_current()->small;
}

/* Block after block, up to one that is promoted. */
static void run_plainly(void)
{
    const bool whole = runs_whole();
    for (;;) {
        block->whole = whole;
        if (whole)
            block->effect->kernel.whole(block->effect->kernel.closure);
        else
            block->effect->kernel.block(block->effect->kernel.closure, 0);
        if (block_promoted() || !next_block())
            return;
        begin_block();
    }
}

static void run_one(void)
{
    block->threads[block->running].fiber = fiber_current();
    block->effect->kernel.block(block->effect->kernel.closure, block->running);
}

/* ---- barriers ---- */

static inline void arrive(const struct device_thread *s, bool says)
{
    struct arrivals *there = &block->arrivals;
    if (there->count++ == 0) {
        there->kind = s->kind;
        there->passes =
            s->kind != SIM_BARRIER || exchange_seen_wanted || __sanitizer_start_switch_fiber
                ? NOWHERE
                : s->line;
        there->file = s->file;
        there->line = s->line;
        there->apart = false;
        there->said = 0;
    }
    there->apart |=
        there->line != s->line || there->kind != s->kind || there->file != s->file;
    there->said += says;
}

int block_stop_at(const char *name, enum sim_barrier kind, bool says, const char *file, int line)
{
    exchange_seen_meets(true);
    if (kind >= SIM_BARRIER_CLUSTER)
        exchange_seen_orders();
    struct device_thread *s = block_stop(name);
    s->kind = kind;
    s->file = file;
    s->line = line;
    arrive(s, says);
    device_thread_moves(block->running, DEVICE_THREAD_READY, DEVICE_THREAD_AT_BARRIER);
    device_thread_stop(s);
    return block->arrivals.answer;
}

/* Most threads come where another one of the block has just come, and the next of their warp has
 * only to go on from its last stop. */
int sim_barrier(enum sim_barrier kind, int predicate, const char *file, int line)
{
    struct block *b = block;
    const unsigned number = b->running, w = number / WARP, bit = 1u << number % WARP;
    struct device_thread *s = &b->threads[number];
    if (kind == SIM_BARRIER && b->arrivals.passes == line && b->arrivals.file == file
        && (b->in[DEVICE_THREAD_READY][w] & bit << 1) != 0 && s->idle == 0) {
        b->arrivals.count++;
        b->in[DEVICE_THREAD_READY][w] -= bit;
        b->in[DEVICE_THREAD_AT_BARRIER][w] |= bit;
        s->kind = SIM_BARRIER;
        s->file = file;
        s->line = line;
        s->stopped = true;
        device_thread_passes(s, s + 1, number + 1);
        return fiber_context_pass(&s->context, &s[1].context);
    }
    return block_stop_at("__syncthreads", kind, predicate != 0, file, line);
}

/* Those that are at one go on, all of them. */
static void leave_barrier(void)
{
    for (unsigned w = 0; w * WARP < block->count; w++)
        device_threads_move(w, DEVICE_THREAD_AT_BARRIER, DEVICE_THREAD_READY);
    block_forget_arrivals();
}

/* ---- words that others of the block change ---- */

static bool goes_on(const struct wanted *a)
{
    return (*a->word & a->mask) != a->value;
}

void sim_wait(const volatile unsigned long long *word, unsigned long long mask,
              unsigned long long value, const char *file, int line)
{
    exchange_seen_orders();
    if ((*word & mask) != value)
        return;
    const struct wanted wanted = { word, mask, value };
    struct device_thread *s = block_stop("cuda::barrier::wait");
    s->kind = 0;
    s->wanted = &wanted;
    s->file = file;
    s->line = line;
    device_thread_moves(block->running, DEVICE_THREAD_READY, DEVICE_THREAD_WAITS);
    fiber_stop();
    device_clock_catch_up();
}

void sim_named_barrier(unsigned int number, unsigned int threads, int waits, const char *file,
                       int line)
{
    exchange_seen_orders();
    block_stop("bar.sync");
    struct named *barrier = &block->named[number % BARRIERS];
    unsigned long long now = barrier->met;
    if (++barrier->here >= (threads > 0 ? threads : block->count)) {
        barrier->here = 0;
        barrier->met++;
    } else if (waits) {
        sim_wait(&barrier->met, ~0ull, now, file, line);
    }
}

/* ---- threads that wait, and barriers ---- */

static bool wake_waiting(void)
{
    bool any = false;
    for (unsigned w = 0; w * WARP < block->count; w++)
        for (uint32_t left = block->in[DEVICE_THREAD_WAITS][w]; left != 0; left &= left - 1) {
            unsigned i = w * WARP + (unsigned)__builtin_ctz(left);
            if (!goes_on(block->threads[i].wanted))
                continue;
            device_thread_moves(i, DEVICE_THREAD_WAITS, DEVICE_THREAD_READY);
            any = true;
        }
    return any;
}

static void note_apart(const struct device_thread *a, const struct device_thread *b)
{
    if (block->apart.line == 0)
        block->apart = (struct apart){ block->number, a->file, b->file, a->line, b->line };
}

static bool all_arrived(void)
{
    return block->arrivals.count == block->live && block->live > 0;
}

/* All threads left are at barriers: may they go on, though some are elsewhere? */
static bool may_be_apart(void)
{
    const struct device_thread *first = NULL, *other = NULL;
    for (unsigned i = 0; i < block->count; i++) {
        const struct device_thread *s = &block->threads[i];
        if (device_thread_is(block, i, DEVICE_THREAD_ENDED))
            continue;
        bool same = !first || device_threads_meet(first, s);
        if (!same && (first->kind != SIM_BARRIER || s->kind != SIM_BARRIER))
            return false;
        first = first ? first : s;
        other = same || other ? other : s;
    }
    if (other)
        note_apart(first, other);
    return true;
}

/* If all threads left are at one barrier: lets them go. A card counts the threads that have come to
 * __syncthreads(), not where: CUDA promises that for one place alone, and note_apart says so. */
static bool release_barrier(void)
{
    struct arrivals *there = &block->arrivals;
    if (!all_arrived() || there->kind >= SIM_BARRIER_CLUSTER || (there->apart && !may_be_apart()))
        return false;
    there->answer = there->kind == SIM_BARRIER_COUNT ? there->said
                  : there->kind == SIM_BARRIER_AND   ? there->said == (int)block->live
                                                     : there->said > 0;
    leave_barrier();
    device_clock_meet();
    return true;
}

/* ---- nobody can go on ---- */

bool block_meets(enum sim_barrier kind)
{
    if (!block_promoted() || !all_arrived() || block->arrivals.kind != kind)
        return false;
    for (unsigned i = 0; block->arrivals.apart && i < block->count; i++)
        if (!device_thread_is(block, i, DEVICE_THREAD_ENDED) && block->threads[i].kind != kind)
            return false;
    return true;
}

static bool meets_part(unsigned number)
{
    return device_thread_is(block, number, DEVICE_THREAD_AT_BARRIER)
           && block->threads[number].kind > SIM_BARRIER_GRID;
}

/* The threads have stopped: does one of them wait in cudaGridDependencySynchronize, or in
 * kernel_cost? */
static bool block_meets_part(void)
{
    if (block->arrivals.count == 0
        || (!block->arrivals.apart && block->arrivals.kind <= SIM_BARRIER_GRID))
        return false;
    for (unsigned i = 0; i < block->count; i++)
        if (meets_part(i))
            return true;
    return false;
}

void block_leaves_part(void)
{
    int said = block->arrivals.said;
    block_forget_arrivals();
    for (unsigned i = 0; i < block->count; i++)
        if (meets_part(i))
            device_thread_moves(i, DEVICE_THREAD_AT_BARRIER, DEVICE_THREAD_READY);
        else if (device_thread_is(block, i, DEVICE_THREAD_AT_BARRIER))
            arrive(&block->threads[i], false);
    block->arrivals.said = said;
}

void block_begins_part(void)
{
    if (!block_meets_part())
        return;
    block_leaves_part();
    device_clock_part();
}

/* ---- going on, warp by warp ---- */

/* The thread that runs has stopped, or ended: NULL. */
static inline void has_stopped(struct device_thread *s, struct fiber *fiber)
{
    s->fiber = fiber;
    s->depth = sim_depth;
    if (fiber) {
        s->context = fiber->context;
    } else {
        device_thread_moves(block->running, DEVICE_THREAD_READY, DEVICE_THREAD_ENDED);
        block->live--;
        warp_ended(block->running);
        return;
    }
    if (s->idle > 0 || s->idle_then > 0 || s->waits)
        step_stopped(s);
}

/* For fiber_start: of a thread, or of those before the first that stops. */
static unsigned stack_of(unsigned number)
{
    return block->shares_stacks ? number + 1 : 0;
}

/* It, and those that it passes on to: block->running is the last of them. */
static void run_device_thread(unsigned number)
{
    struct device_thread *s = &block->threads[number];
    struct fiber *fiber = s->fiber;
    device_thread_begins(s, number);
    if (!fiber) {
        device_thread_moves(number, DEVICE_THREAD_NEW, DEVICE_THREAD_READY);
        fiber = fiber_start(run_one, stack_of(number));
    } else {
        fiber->context = s->context;
        fiber = fiber_resume(fiber);
    }
    has_stopped(&block->threads[block->running], fiber);
}

/* Until each of its threads waits or has ended, or others are to have their turn. That is the one
 * of thread *first, or a later one that its threads have passed on to. True: one has got on. */
static bool run_warp(unsigned *first)
{
    unsigned w = *first / WARP;
    const uint32_t *fresh = block->in[DEVICE_THREAD_NEW], *ready = block->in[DEVICE_THREAD_READY];
    unsigned steps = 0;
    bool any = false;
    while (steps < STEPS_OF_A_TURN) {
        bool met = false; /* one has completed what others waited for: the first of them goes on */
        for (uint32_t left = UINT32_MAX; !met && ((fresh[w] | ready[w]) & left) != 0;) {
            unsigned lane = (unsigned)__builtin_ctz((fresh[w] | ready[w]) & left),
                     i = w * WARP + lane;
            device_thread_expects(&block->threads[i]);
            run_device_thread(i);
            any |= block->running != i || !block->threads[i].waits;
            steps = block->running / WARP == w ? steps : 0;
            w = block->running / WARP;
            lane = block->running % WARP;
            left = UINT32_MAX << lane << 1;
            met = ready[w] >> lane & 1;
        }
        if ((fresh[w] | ready[w]) != 0)
            continue;
        if (step_release(w))
            steps++;
        else if (!warp_release_active(w))
            break;
    }
    *first = w * WARP;
    return any;
}

/* True: one of them does not only wait for others. */
static bool wake_resting(void)
{
    bool any = false;
    for (unsigned w = 0; w * WARP < block->count; w++) {
        for (uint32_t left = block->in[DEVICE_THREAD_RESTS][w]; left != 0; left &= left - 1)
            any |= !block->threads[w * WARP + (unsigned)__builtin_ctz(left)].waits;
        device_threads_move(w, DEVICE_THREAD_RESTS, DEVICE_THREAD_READY);
    }
    return any;
}

/* To its end, to a barrier of several blocks, or until nothing more happens but that threads look
 * what others have done. True: one has got on. */
static bool run_device_threads(void)
{
    bool any = true, some = false;
    uint32_t quiet = 0;
    block->stands = false;
    while (block->live > 0) {
        any = false;
        for (unsigned first = 0; first < block->count; first += WARP)
            any |= run_warp(&first);
        any |= wake_resting();
        any |= wake_waiting();
        any |= release_barrier();
        some |= any;
        if (!any
            && (block_meets(SIM_BARRIER_GRID) || block_meets(SIM_BARRIER_CLUSTER)
                || block_meets_part()))
            return some;
        quiet = any || block->live == 0 ? 0 : quiet + 1;
        uint32_t polls = quiet > 0 ? step_poll_again() : 0;
        if (quiet > 0 && polls == 0 && !(block->cluster_size > 1 && block_waits()))
            stand_stuck();
        block->stands = quiet > polls;
        if (block->stands)
            return some;
    }
    return some;
}

/* From where the plain calls came to a stop: `fiber`, NULL if that thread has ended since. */
static void run_promoted(struct fiber *fiber)
{
    has_stopped(&block->threads[block->running], fiber);
    run_device_threads();
}

static struct fiber *run_block(struct fiber *fiber)
{
    begin_block();
    sim_depth = 0;
    fiber = fiber ? fiber_resume(fiber) : fiber_start(run_plainly, stack_of(0));
    if (!block_promoted())
        return fiber;
    run_promoted(fiber);
    return NULL;
}

struct fiber *blocks_run(const struct effect *effect, struct fiber *fiber)
{
    block->effect = effect;
    block->count = blockDim.x * blockDim.y * blockDim.z;
    locate_block();
    fiber = run_block(fiber);
    while (block_promoted()) {
        if (block->stands)
            stand_by();
        if (!next_block()) {
            fiber = NULL;
            break;
        }
        fiber = run_block(NULL);
    }
    stand_go_on();
    return fiber;
}

static bool no_more(struct block *taker)
{
    (void)taker;
    return false;
}

struct fiber *block_run(uint64_t number, struct fiber *fiber)
{
    block->count = blockDim.x * blockDim.y * blockDim.z;
    block->number = number;
    block->end = number + 1;
    block->take = no_more;
    locate_block();
    return run_block(fiber);
}

bool block_try_again(void)
{
    blockIdx = block->at;
    sim_block_row = 0;
    return run_device_threads();
}

void block_go_on(void)
{
    leave_barrier();
    device_clock_meet();
    block_try_again();
}

void block_drop(void)
{
    if (block_promoted() && fiber_current())
        block->threads[block->running].fiber = NULL;
    fiber_drop(fiber_current());
    if (block_promoted())
        block_drop_threads();
    sim_block_row = blockDim.x;
}
