/* SPDX-License-Identifier: MIT */
#include "sim/kernel/grid.h"

#include <stdio.h>

#include "sim/crash/arithmetic.h"
#include "sim/crash/crash.h"
#include "sim/include/detail/sim_device_runtime.h"
#include "sim/include/detail/sim_block.h"
#include "sim/host/core.h"
#include "sim/call_log.h"
#include "sim/fiber/fiber.h"
#include "sim/kernel/print.h"
#include "sim/memory/disjoint.h"
#include "sim/memory/residency.h"
#include "sim/race/seen/access_seen.h"
#include "sim/race/seen/exchange_seen.h"
#include "sim/race/seen/initialised.h"
#include "trace/record/memory.h"

/* A core takes that many shares, were all equal: blocks need not take equally long. */
enum { SHARES = 16 };

/* Real time, ns, that the blocks after the first are expected to take: from there on a grid wakes
 * other cores if SIM_CORES is not set. One comes after 6 to 10 us, as measured, so that two save
 * nothing before twice that (tools/bench/README.md). */
enum { WORTH = 20000 };

static struct {
    struct effect *effect;
    uint64_t next, end;         /* blocks that nobody has taken */
    uint64_t share;             /* blocks that are taken at once */
    uint64_t failed;            /* the first block that did; UINT64_MAX: none */
    unsigned cores;             /* that run it */
    unsigned most;              /* that ever ran one */
    struct part {               /* of a core */
        struct block *block;
        struct print *print;
        bool ran;                   /* has it, in the grid's latest run on all cores? */
        uint64_t failed, address;   /* the block that did, where; UINT64_MAX: none */
        uint64_t share;             /* the first of the blocks that it has taken */
        struct first { const void *pc; uint64_t share; } by_zero, without_room;
        const struct access_run *runs;
        size_t run_count;
    } parts[CORES_MOST];
} grid;

static __thread struct part *own_part;  /* of the core that this thread is */

static void keep_first(struct first *first, const void *pc, uint64_t share)
{
    if (pc && (!first->pc || share < first->share))
        *first = (struct first){ pc, share };
}

/* A core's blocks come in order: the first arithmetic without a result that it has seen in a share
 * is that share's. */
static void look_at_arithmetic(struct part *part)
{
    struct arithmetic a = arithmetic_take();
    keep_first(&part->by_zero, a.by_zero, part->share);
    keep_first(&part->without_room, a.without_room, part->share);
}

static bool take_share(struct block *taker)
{
    if (own_part)
        look_at_arithmetic(own_part);
    uint64_t from = __atomic_fetch_add(&grid.next, grid.share, __ATOMIC_RELAXED);
    if (own_part)
        own_part->share = from;
    if (from >= grid.end || from > __atomic_load_n(&grid.failed, __ATOMIC_RELAXED))
        return false;
    taker->number = from;
    taker->end = grid.end - from < grid.share ? grid.end : from + grid.share;
    return true;
}

static void block_failed(struct part *part)
{
    uint64_t number = part->failed = part->block->number;
    uint64_t first = __atomic_load_n(&grid.failed, __ATOMIC_RELAXED);
    while (number < first
           && !__atomic_compare_exchange_n(&grid.failed, &first, number, false, __ATOMIC_RELAXED,
                                           __ATOMIC_RELAXED))
        ;
}

static void run_blocks(void *argument)
{
    struct fiber **fiber = argument;
    *fiber = cooperative_is(grid.effect) ? cooperative_run(grid.effect, *fiber)
                                         : blocks_run(grid.effect, *fiber);
}

static void run_in_parts(void *argument)
{
    (void)argument;
    parts_run(grid.effect, sim.kernel_now);
}

/* Of a kernel with parts: the calling core runs them. */
static void run_parts(struct part *part)
{
    part->block = block;
    block->error = cudaErrorIllegalAddress;
    bool whole = guard_run(run_in_parts, NULL, &part->address);
    if (!whole) {
        parts_drop(grid.effect);
        grid.effect->fiber = NULL;
        block_failed(part);
    }
    shared_end();
}

/* The calling core's part: what `fiber` has begun, or the next share; and all shares that follow.
 * Leaves the fiber that kernel_cost has stopped, or NULL. */
static void run_part(struct part *part, struct fiber **fiber)
{
    part->block = block;
    block->take = take_share;
    if (*fiber)
        block->number = 0, block->end = 1;
    else if (!take_share(block))
        return;
    block->error = cudaErrorIllegalAddress;
    bool whole = guard_run(run_blocks, fiber, &part->address);
    if (!whole) {
        if (cooperative_is(grid.effect))
            cooperative_drop();
        else
            block_drop(), stand_drop();
        *fiber = NULL;
    }
    part->block = block;
    if (!whole)
        block_failed(part);
    shared_end();
}

/* A thread that works for a core has stacks, a block and shared memory of its own. */
static void core_begins(void)
{
    fibers_apart();
    block_apart();
    shared_apart();
}

static void run_core(unsigned number)
{
    struct part *part = &grid.parts[number];
    struct fiber *none = NULL;
    own_part = part;
    part->ran = true;
    part->by_zero = part->without_room = (struct first){ NULL, 0 };
    part->share = 0; /* what the calling thread has seen before is the first block's */
    print_keep(&part->print);
    block->print = part->print;
    if (number > 0) {
        block->spent = 0;
        marks_clear(block);
    }
    run_part(part, number == 0 ? &grid.effect->fiber : &none);
    block->print = NULL;
    look_at_arithmetic(part);
    own_part = NULL;
    if (number > 0)
        part->runs = access_take(&part->run_count);
}

/* From now on blocks [next, end) are for whoever takes them. */
static void offer(uint64_t next, uint64_t end, uint64_t share)
{
    grid.next = next;
    grid.end = end;
    grid.share = share;
}

static void run_on_all(uint64_t first, uint64_t count)
{
    uint64_t share = (count - first) / grid.cores / SHARES;
    offer(first, count, share > 0 ? share : 1);
    initialised_by_many = true;
    initialised_in_common = cores_are_named();      /* else they are disjoint */
    for (unsigned i = 0; i < CORES_MOST; i++)
        grid.parts[i].ran = false;
    grid.cores = cores_run(run_core, core_begins);
    initialised_by_many = initialised_in_common = false;
    struct print *prints[CORES_MOST];
    unsigned count_ran = 0;
    struct first by_zero = { NULL, 0 }, without_room = { NULL, 0 };
    for (unsigned i = 0; i < grid.cores; i++) {
        const struct part *part = &grid.parts[i];
        if (!part->ran)
            continue;
        prints[count_ran++] = part->print;
        keep_first(&by_zero, part->by_zero.pc, part->by_zero.share);
        keep_first(&without_room, part->without_room.pc, part->without_room.share);
        if (i == 0)
            continue;
        access_add(part->runs, part->run_count);
        if (part->block->spent > block->spent)
            block->spent = part->block->spent;
        marks_gather(block, part->block);
    }
    arithmetic_put((struct arithmetic){ by_zero.pc, without_room.pc });
    print_out(prints, count_ran, grid.failed);
}

/* SIM_CORES is not set: may all cores run it? */
static bool may_have_all(const struct effect *effect)
{
    const struct disjoint_grid g = { .grid = effect->grid, .block = effect->block,
                                     .device = (int)sim.timeline.spans[sim.kernel_now].device,
                                     .seen = access_is_instrumented };
    return !call_log_is_authenticated() && cores_there() > 1 && !effect->parts && !effect->fiber
           && !effect->early && disjoint_is(&effect->kernel, &g);
}

static unsigned cores_for(const struct effect *effect, uint64_t count)
{
    bool alone = count < 2 || cooperative_is(effect) || residency_watches()
                 || fibers_are_watched();
    bool many = !alone
                && (cores_are_named() || may_have_all(effect));
    return !many ? 1 : cores_are_named() ? cores() : cores_there();
}

static struct grid_fault first_fault(void)
{
    const struct part *part = grid.parts;
    while (part->failed != grid.failed)
        part++;
    return (struct grid_fault){ part->block->error, part->address };
}

struct warp_gap grid_take_gap(void)
{
    struct warp_gap first = { 0 };
    for (unsigned i = 0; i < grid.most; i++) {
        struct block *own = grid.parts[i].block;
        if (!own || own->gap.line == 0)
            continue;
        if (first.line == 0 || own->gap.number < first.number)
            first = own->gap;
        own->gap.line = 0;
    }
    return first;
}

struct apart grid_take_apart(void)
{
    struct apart first = { 0 };
    for (unsigned i = 0; i < grid.most; i++) {
        struct block *own = grid.parts[i].block;
        if (!own || own->apart.line == 0)
            continue;
        if (first.line == 0 || own->apart.number < first.number)
            first = own->apart;
        own->apart.line = 0;
    }
    return first;
}

static size_t add_children(struct child **list, size_t count, const struct child *more,
                           size_t more_count)
{
    if (more_count == 0)
        return count;
    *list = memory_resize(*list, (count + more_count) * sizeof **list);
    memory_copy(*list + count, more, more_count * sizeof *more);
    return count + more_count;
}

/* Are they in the wrong order? Of one core they are in the right one but for the tail. */
static bool runs_later(const struct child *a, const struct child *b)
{
    bool a_last = a->how.stream == cudaStreamTailLaunch,
         b_last = b->how.stream == cudaStreamTailLaunch;
    return a_last != b_last ? a_last : a->number > b->number;
}

struct child *grid_take_children(size_t *count)
{
    struct child *list = NULL;
    *count = 0;
    for (unsigned i = 0; i < grid.most; i++) {
        struct block *own = grid.parts[i].block;
        if (!own)
            continue;
        *count = add_children(&list, *count, own->children.list, own->children.count);
        own->children.count = 0;
    }
    for (size_t i = 1; i < *count; i++) {
        struct child child = list[i];
        size_t at = i;
        for (; at > 0 && runs_later(&list[at - 1], &child); at--)
            list[at] = list[at - 1];
        list[at] = child;
    }
    return list;
}

void grid_progress(uint64_t *begun, uint64_t *count)
{
    uint64_t next = __atomic_load_n(&grid.next, __ATOMIC_RELAXED);
    *count = (uint64_t)grid.effect->grid.x * grid.effect->grid.y * grid.effect->grid.z;
    *begun = grid.cores == 1 ? block->number + 1 : next < *count ? next : *count;
}

/* SIM_CORES_SHOWN=1 is for tests: a grid says how many cores it had, and a short one is worth
 * others. */
static bool cores_are_shown(void)
{
    static int shown = -1;
    if (shown < 0)
        shown = environment_number("SIM_CORES_SHOWN", 1) == 1;
    return shown;
}

static void show_cores(void)
{
    if (cores_are_shown())
        fprintf(stderr, "%s: %u cores\n", grid.effect->kernel.name, grid.cores);
}

unsigned grid_cores(void)
{
    return grid.cores;
}

/* The blocks from this one on, which none has begun. */
static void run_rest(uint64_t from, uint64_t count)
{
    struct fiber *none = NULL;
    if (from == count || grid.failed != UINT64_MAX)
        return;
    if (grid.cores > 1) {
        run_on_all(from, count);
        return;
    }
    offer(from, count, count);
    run_part(&grid.parts[0], &none);
}

bool grid_run(struct effect *effect, struct grid_fault *fault)
{
    uint64_t count = (uint64_t)effect->grid.x * effect->grid.y * effect->grid.z;
    grid.effect = effect;
    grid.failed = UINT64_MAX;
    grid.cores = cores_for(effect, count);
    grid.most = grid.cores > grid.most ? grid.cores : grid.most;
    for (unsigned i = 0; i < grid.most; i++)
        grid.parts[i].failed = UINT64_MAX;
    /* It has stopped on another thread, with that one's variables at hand: it begins anew. */
    if (effect->fiber && effect->fiber_home != &sim_block_row) {
        fiber_drop(effect->fiber);
        effect->fiber = NULL;
    }
    /* Blocks that are all there at once meet, and those of a kernel with parts take turns. A
     * verdict is not about what is inside one kernel. */
    bool alone = access_is_instrumented && !effect->parts && !cooperative_is(effect)
                 && !call_log_is_authenticated();
    exchange_seen_begin(alone ? (const void *)effect->kernel.which : NULL, access_close_all);
    if (effect->parts && !effect->fiber) {
        run_parts(&grid.parts[0]);
        if (effect->parts->stage == STAGE_TO_END)
            run_rest(effect->parts->begun, count);
    } else if (grid.cores == 1) {
        offer(effect->fiber ? 1 : 0, count, count);
        run_part(&grid.parts[0], &effect->fiber);
    } else {
        bool known = effect->fiber;
        int64_t began = cores_are_named() ? 0 : cores_clock();
        if (!known) {
            offer(0, 1, 1);
            run_part(&grid.parts[0], &effect->fiber);
        }
        if (!cores_are_named() && !cores_are_shown()
            && (double)(cores_clock() - began) * (double)(count - 1) < WORTH)
            grid.cores = 1;
        if (known)
            run_on_all(1, count);
        else if (!effect->fiber)
            run_rest(1, count);
    }
    show_cores();
    effect->fiber_home = &sim_block_row;
    if (grid.failed != UINT64_MAX)
        *fault = first_fault();
    return grid.failed == UINT64_MAX;
}
