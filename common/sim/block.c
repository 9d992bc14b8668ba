/* SPDX-License-Identifier: MIT */
#include "block.h"

#include <string.h>

#include "device_clock.h"
#include "fiber.h"
#include "include/sim_block.h"
#include "kernel.h"
#include "print.h"
#include "warp.h"

/* ---- from plain calls to strands ---- */

/* The thread that runs is the first to stop: those before it have ended. */
static void promote(void)
{
    struct uint3 at = { 0, 0, 0 };
    block->running = block_thread();
    block->live = block->count - block->running;
    for (unsigned i = 0; i < block->count; i++) {
        struct strand *s = &block->strands[i];
        s->state = i < block->running ? STRAND_ENDED : STRAND_NEW;
        s->fiber = NULL;
        s->at = at;
        if (++at.x == blockDim.x) {
            at.x = 0;
            at.y = at.y + 1 == blockDim.y ? 0 : at.y + 1;
            at.z += at.y == 0;
        }
    }
    block->strands[block->running].state = STRAND_READY;
    sim_block_row = 0;
    warps_begin();
}

static void begin_block(void)
{
    blockIdx = block->at;
    block->round++;
    sim_block_row = blockDim.x;
    shared_begin(block->effect->shared);
    device_clock_block();
}

static void find_place(void)
{
    block->at.x = (unsigned)(block->number % gridDim.x);
    block->at.y = (unsigned)(block->number / gridDim.x % gridDim.y);
    block->at.z = (unsigned)(block->number / gridDim.x / gridDim.y);
}

/* x goes round first. False: that was the last one. */
static bool next_block(void)
{
    if (++block->number == block->end) {
        if (!block->take(block))
            return false;
        find_place();
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

struct strand *block_stop(const char *name)
{
    if (!kernel_runs())
        kernel_misused(name);
    if (!block_promoted())
        promote();
    return &block->strands[block->running];
}

/* ---- barriers ---- */

int sim_barrier(enum sim_barrier kind, int predicate, const char *file, int line)
{
    struct strand *s = block_stop("__syncthreads");
    s->state = STRAND_AT_BARRIER;
    s->kind = kind;
    s->said = predicate != 0;
    s->file = file;
    s->line = line;
    fiber_stop();
    return s->said;
}

static bool same_place(const struct strand *a, const struct strand *b)
{
    return a->line == b->line && a->kind == b->kind && (a->file == b->file || strcmp(a->file, b->file) == 0);
}

/* If all threads left are at one barrier: lets them go. */
static bool release_barrier(void)
{
    const struct strand *first = NULL;
    int said = 0;
    for (unsigned i = 0; i < block->count; i++) {
        const struct strand *s = &block->strands[i];
        if (s->state == STRAND_ENDED)
            continue;
        if (s->state != STRAND_AT_BARRIER || (first && !same_place(first, s)))
            return false;
        first = first ? first : s;
        said += s->said;
    }
    if (!first)
        return false;
    int answer = first->kind == SIM_BARRIER_COUNT ? said
               : first->kind == SIM_BARRIER_AND ? said == (int)block->live : said > 0;
    for (unsigned i = 0; i < block->count; i++)
        if (block->strands[i].state == STRAND_AT_BARRIER) {
            block->strands[i].state = STRAND_READY;
            block->strands[i].said = answer;
        }
    device_clock_meet();
    return true;
}

/* ---- nobody can go on ---- */

static const char *place_name(const struct strand *s)
{
    static const char *const barriers[] = { "__syncthreads", "__syncthreads_count", "__syncthreads_and",
                                            "__syncthreads_or" };
    return s->state == STRAND_AT_BARRIER ? barriers[s->kind] : warp_operation_name(s->kind);
}

static unsigned count_there(const struct strand *like)
{
    unsigned there = 0;
    for (unsigned i = 0; i < block->count; i++)
        there += block->strands[i].state == like->state && same_place(&block->strands[i], like);
    return there;
}

/* One place a line: where it is, how many threads wait there. */
static _Noreturn void stuck(void)
{
    print_wrong("%s: block (%u,%u,%u) cannot go on: its threads wait for each other at different places\n",
                block->effect->kernel.name, blockIdx.x, blockIdx.y, blockIdx.z);
    for (unsigned i = 0; i < block->count; i++) {
        const struct strand *s = &block->strands[i];
        bool known = s->state == STRAND_ENDED;
        for (unsigned k = 0; k < i && !known; k++)
            known = block->strands[k].state == s->state && same_place(&block->strands[k], s);
        if (!known)
            print_wrong("  %s:%d: %s: %u of %u threads, first (%u,%u,%u)\n", s->file, s->line, place_name(s),
                        count_there(s), block->count, s->at.x, s->at.y, s->at.z);
    }
    if (block->live < block->count)
        print_wrong("  %u threads have ended\n", block->count - block->live);
    kernel_fail(cudaErrorLaunchFailure);
}

/* ---- going on, warp by warp ---- */

static void strand_ended(struct strand *s)
{
    s->state = STRAND_ENDED;
    block->live--;
    warp_ended((unsigned)(s - block->strands));
}

static void run_strand(unsigned number)
{
    struct strand *s = &block->strands[number];
    block->running = number;
    threadIdx = s->at;
    struct fiber *fiber = s->fiber;
    s->fiber = NULL;
    bool is_new = s->state == STRAND_NEW;
    s->state = STRAND_READY;
    s->fiber = is_new ? fiber_start(run_one, NULL) : fiber_resume(fiber);
    if (!s->fiber)
        strand_ended(s);
}

/* Until each of its threads waits or has ended. */
static bool run_warp(unsigned first)
{
    unsigned end = first + WARP < block->count ? first + WARP : block->count;
    bool any = false, again = true;
    while (again) {
        again = false;
        for (unsigned i = first; i < end; i++)
            if (block->strands[i].state <= STRAND_READY) {
                run_strand(i);
                again = true;
            }
        any |= again;
        again = again || warp_release_active(first / WARP);
    }
    return any;
}

static bool wake_resting(void)
{
    bool any = false;
    for (unsigned i = 0; i < block->count; i++)
        if (block->strands[i].state == STRAND_RESTS) {
            block->strands[i].state = STRAND_READY;
            any = true;
        }
    return any;
}

static void run_strands(void)
{
    while (block->live > 0) {
        bool any = false;
        for (unsigned first = 0; first < block->count; first += WARP)
            any |= run_warp(first);
        any |= wake_resting();
        any |= release_barrier();
        if (!any && block->live > 0)
            stuck();
    }
}

/* From where the plain calls came to a stop: `fiber`, NULL if that thread has ended since. */
static void run_promoted(struct fiber *fiber)
{
    struct strand *s = &block->strands[block->running];
    s->fiber = fiber;
    if (!fiber)
        strand_ended(s);
    run_strands();
}

struct fiber *blocks_run(const struct effect *effect, struct fiber *fiber)
{
    block->effect = effect;
    block->count = blockDim.x * blockDim.y * blockDim.z;
    find_place();
    begin_block();
    fiber = fiber ? fiber_resume(fiber) : fiber_start(run_plainly, NULL);
    while (block_promoted()) {
        run_promoted(fiber);
        if (!next_block())
            return NULL;
        begin_block();
        fiber = fiber_start(run_plainly, NULL);
    }
    return fiber;
}

void block_drop(void)
{
    fiber_drop(fiber_current());
    if (block_promoted())
        for (unsigned i = 0; i < block->count; i++)
            if (block->strands[i].state != STRAND_ENDED)
                fiber_drop(block->strands[i].fiber);
    sim_block_row = blockDim.x;
}
