/* SPDX-License-Identifier: MIT */
#include "sim/kernel/block.h"

#include <string.h>

#include "sim/include/detail/sim_block.h"
#include "sim/kernel/device_clock.h"
#include "sim/fiber/fiber_resume.h"
#include "sim/kernel/kernel.h"
#include "sim/kernel/print.h"
#include "sim/kernel/spin.h"
#include "sim/kernel/step.h"
#include "sim/kernel/warp.h"
#include "trace/record/memory.h"

/* ---- block after block ---- */

static void begin_block(void)
{
    blockIdx = block->at;
    block->round++;
    sim_block_row = blockDim.x;
    shared_begin(block->effect->shared);
    device_clock_block();
    spin_block_begins();
    marks_begin(block);
    memory_zero(block->named, sizeof block->named);
}

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

/* Block after block, up to one that is promoted. */
static void run_plainly(void *argument)
{
    (void)argument;
    for (;;) {
        block->effect->kernel.block(block->effect->kernel.closure, 0);
        if (block_promoted() || !next_block())
            return;
        begin_block();
    }
}

static void run_one(void *argument)
{
    (void)argument;
    block->effect->kernel.block(block->effect->kernel.closure, block->running);
}

/* ---- barriers ---- */

int sim_barrier(enum sim_barrier kind, int predicate, const char *file, int line)
{
    struct device_thread *s = block_stop("__syncthreads");
    s->state = DEVICE_THREAD_AT_BARRIER;
    s->kind = kind;
    s->said = predicate != 0;
    s->file = file;
    s->line = line;
    fiber_stop();
    return s->said;
}

/* ---- words that others of the block change ---- */

static bool goes_on(const struct device_thread *s)
{
    return (*s->word & s->mask) != s->value;
}

void sim_wait(const volatile unsigned long long *word, unsigned long long mask,
              unsigned long long value, const char *file, int line)
{
    if ((*word & mask) != value)
        return;
    struct device_thread *s = block_stop("cuda::barrier::wait");
    s->state = DEVICE_THREAD_WAITS;
    s->kind = 0;
    s->word = word;
    s->mask = mask;
    s->value = value;
    s->file = file;
    s->line = line;
    fiber_stop();
    device_clock_catch_up();
}

void sim_named_barrier(unsigned int number, unsigned int threads, int waits, const char *file,
                       int line)
{
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
    for (unsigned i = 0; i < block->count; i++)
        if (block->threads[i].state == DEVICE_THREAD_WAITS && goes_on(&block->threads[i])) {
            block->threads[i].state = DEVICE_THREAD_READY;
            any = true;
        }
    return any;
}

static bool same_location(const struct device_thread *a, const struct device_thread *b)
{
    return a->line == b->line && a->kind == b->kind
           && (a->file == b->file || strcmp(a->file, b->file) == 0);
}

static void note_apart(const struct device_thread *a, const struct device_thread *b)
{
    if (block->apart.line == 0)
        block->apart = (struct apart){ block->number, a->file, b->file, a->line, b->line };
}

/* If all threads left are at one barrier: lets them go. A card counts the threads that have come to
 * __syncthreads(), not where: CUDA promises that for one place alone, and note_apart says so. */
static bool release_barrier(void)
{
    const struct device_thread *first = NULL, *other = NULL;
    int said = 0;
    for (unsigned i = 0; i < block->count; i++) {
        const struct device_thread *s = &block->threads[i];
        if (s->state == DEVICE_THREAD_ENDED)
            continue;
        bool same = !first || same_location(first, s);
        if (s->state != DEVICE_THREAD_AT_BARRIER
            || (!same && (first->kind != SIM_BARRIER || s->kind != SIM_BARRIER)))
            return false;
        first = first ? first : s;
        other = same || other ? other : s;
        said += s->said;
    }
    if (!first || first->kind >= SIM_BARRIER_CLUSTER)
        return false;
    if (other)
        note_apart(first, other);
    int answer = first->kind == SIM_BARRIER_COUNT ? said
               : first->kind == SIM_BARRIER_AND ? said == (int)block->live : said > 0;
    for (unsigned i = 0; i < block->count; i++)
        if (block->threads[i].state == DEVICE_THREAD_AT_BARRIER) {
            block->threads[i].state = DEVICE_THREAD_READY;
            block->threads[i].said = answer;
        }
    device_clock_meet();
    return true;
}

/* ---- nobody can go on ---- */

bool block_meets(enum sim_barrier kind)
{
    for (unsigned i = 0; i < block->count; i++) {
        const struct device_thread *s = &block->threads[i];
        if (s->state != DEVICE_THREAD_ENDED
            && (s->state != DEVICE_THREAD_AT_BARRIER || s->kind != kind))
            return false;
    }
    return block_promoted() && block->live > 0;
}

static bool meets_part(const struct device_thread *s)
{
    return s->state == DEVICE_THREAD_AT_BARRIER && s->kind > SIM_BARRIER_GRID;
}

bool block_meets_part(void)
{
    for (unsigned i = 0; i < block->count; i++)
        if (meets_part(&block->threads[i]))
            return true;
    return false;
}

void block_leaves_part(void)
{
    for (unsigned i = 0; i < block->count; i++)
        if (meets_part(&block->threads[i]))
            block->threads[i].state = DEVICE_THREAD_READY;
}

void block_begins_part(void)
{
    if (!block_meets_part())
        return;
    block_leaves_part();
    device_clock_part();
}

static const char *operation_name(const struct device_thread *s)
{
    static const char *const barriers[] = { "__syncthreads",
                                            "__syncthreads_count",
                                            "__syncthreads_and",
                                            "__syncthreads_or",
                                            "cluster_group::sync",
                                            "grid_group::sync",
                                            "cudaGridDependencySynchronize",
                                            "kernel_cost" };
    if (s->state == DEVICE_THREAD_WAITS)
        return "wait for a cuda::barrier, a cuda::pipeline or a barrier by its number";
    return s->state == DEVICE_THREAD_AT_BARRIER ? barriers[s->kind] : warp_operation_name(s->kind);
}

static unsigned count_there(const struct device_thread *like)
{
    unsigned there = 0;
    for (unsigned i = 0; i < block->count; i++)
        there += block->threads[i].state == like->state && same_location(&block->threads[i], like);
    return there;
}

static bool any_waits(void)
{
    for (unsigned i = 0; i < block->count; i++)
        if (block->threads[i].state == DEVICE_THREAD_WAITS)
            return true;
    return false;
}

/* One place a line: where it is, how many threads wait there. */
static _Noreturn void stuck(void)
{
    bool words = any_waits();
    print_wrong("%s: block (%u,%u,%u) cannot go on: its threads wait %s\n",
                block->effect->kernel.name, blockIdx.x, blockIdx.y, blockIdx.z,
                words ? "for what none of them does" : "for each other at different places");
    for (unsigned i = 0; i < block->count; i++) {
        const struct device_thread *s = &block->threads[i];
        bool known = s->state == DEVICE_THREAD_ENDED;
        for (unsigned k = 0; k < i && !known; k++)
            known = block->threads[k].state == s->state && same_location(&block->threads[k], s);
        if (!known)
            print_wrong("  %s:%d: %s: %u of %u threads, first (%u,%u,%u)\n", s->file, s->line,
                        operation_name(s), count_there(s), block->count, s->at.x, s->at.y, s->at.z);
    }
    if (block->live < block->count)
        print_wrong("  %u threads have ended\n", block->count - block->live);
    kernel_fail(cudaErrorLaunchFailure);
}

/* ---- going on, warp by warp ---- */

static void device_thread_ended(struct device_thread *s)
{
    s->state = DEVICE_THREAD_ENDED;
    block->live--;
    warp_ended((unsigned)(s - block->threads));
}

static void run_device_thread(unsigned number)
{
    struct device_thread *s = &block->threads[number];
    block->running = number;
    threadIdx = s->at;
    struct fiber *fiber = s->fiber;
    s->fiber = NULL;
    bool is_new = s->state == DEVICE_THREAD_NEW;
    s->state = DEVICE_THREAD_READY;
    sim_depth = s->depth;
    s->fiber = is_new ? fiber_start(run_one, NULL) : fiber_resume(fiber);
    s->depth = sim_depth;
    if (!s->fiber)
        device_thread_ended(s);
    else
        step_stopped(s);
}

static const struct fiber *fiber_of(unsigned number)
{
    return number < block->count ? block->threads[number].fiber : NULL;
}

/* Until each of its threads waits or has ended, or others are to have their turn. True: one has got
 * on. */
static bool run_warp(unsigned first)
{
    unsigned end = first + WARP < block->count ? first + WARP : block->count, steps = 0;
    bool any = false, again = true;
    while (again && steps < STEPS_OF_A_TURN) {
        again = false;
        bool met = false; /* i has completed what others waited for: the first of them goes on */
        for (unsigned i = first; i < end && !met; i++)
            if (block->threads[i].state <= DEVICE_THREAD_READY) {
                fiber_expect(fiber_of(i + 2), fiber_of(i + 4));
                run_device_thread(i);
                again = true;
                any |= !block->threads[i].waits;
                met = block->threads[i].state == DEVICE_THREAD_READY;
            }
        if (!again && step_release(first))
            again = true, steps++;
        again = again || warp_release_active(first / WARP);
    }
    return any;
}

/* True: one of them does not only wait for others. */
static bool wake_resting(void)
{
    bool any = false;
    for (unsigned i = 0; i < block->count; i++)
        if (block->threads[i].state == DEVICE_THREAD_RESTS) {
            block->threads[i].state = DEVICE_THREAD_READY;
            any |= !block->threads[i].waits;
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
            any |= run_warp(first);
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
        if (quiet > 0 && polls == 0 && !(block->cluster_size > 1 && any_waits()))
            stuck();
        block->stands = quiet > polls;
        if (block->stands)
            return some;
    }
    return some;
}

/* From where the plain calls came to a stop: `fiber`, NULL if that thread has ended since. */
static void run_promoted(struct fiber *fiber)
{
    struct device_thread *s = &block->threads[block->running];
    s->fiber = fiber;
    s->depth = sim_depth;
    if (!fiber)
        device_thread_ended(s);
    else
        step_stopped(s);
    run_device_threads();
}

static struct fiber *run_block(struct fiber *fiber)
{
    begin_block();
    sim_depth = 0;
    fiber = fiber ? fiber_resume(fiber) : fiber_start(run_plainly, NULL);
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
    for (unsigned i = 0; i < block->count; i++)
        if (block->threads[i].state == DEVICE_THREAD_AT_BARRIER)
            block->threads[i].state = DEVICE_THREAD_READY;
    device_clock_meet();
    block_try_again();
}

void block_drop(void)
{
    fiber_drop(fiber_current());
    if (block_promoted())
        block_drop_threads();
    sim_block_row = blockDim.x;
}
