/* SPDX-License-Identifier: MIT */
/*
 * Kernels that trigger dependent launches, and dependent launches.
 *
 * DESIGN
 * Where its blocks trigger, or wait for the kernel ahead, a kernel's time is cut in parts
 * (model.h). What a part costs and how it ends is known when it has run: a kernel that declares no
 * cost runs whole at its start, or up to where it waits, and one that does when the time is over
 * that it has declared last. There its first block alone goes on, to its next kernel_cost or its
 * end.
 *
 * The threads of a dependent launch stop in cudaGridDependencySynchronize, with all that they have
 * on their stacks and in shared memory, and go on when the kernel ahead has ended. What they touch
 * before is the kernel's, what they touch later its rest's (happens_before.h). At most HELD_THREADS
 * threads stop at a time. Later blocks begin when those have ended.
 *
 * The first block's calls count for kernels that declare their cost. In others the kernel triggers
 * when the last of its blocks does, if all of them do.
 */
#include "sim/kernel/block.h"

#include "sim/fiber/fiber.h"
#include "sim/host/note.h"
#include "sim/include/detail/sim_block.h"
#include "sim/include/detail/sim_device_runtime.h"
#include "sim/kernel/device_clock.h"
#include "sim/kernel/kernel.h"
#include "sim/kernel/step.h"
#include "sim/race/access.h"
#include "sim/race/rounds.h"
#include "sim/race/seen/shared_seen.h"
#include "trace/record/memory.h"

enum { HELD_THREADS = 16384, HELD_BLOCKS = 256 };

/* ---- marks ---- */

/* What the first block has done in this stage, and in which order. */
static struct { enum mark made[MARKS]; unsigned count; } first;

void parts_stage_begins(void)
{
    first.count = 0;
}

static void make(enum mark m)
{
    struct marks *marks = &block->marks;
    if (block->number == 0 && block->effect->parts && !block->effect->parts->made[m])
        block->threads[block_thread()].marked = true;
    if (marks->here[m])
        return;
    marks->here[m] = true;
    marks->blocks[m]++;
    int64_t at = device_clock_elapsed();
    if (at > marks->latest[m])
        marks->latest[m] = at;
    marks->sync_first |= m == MARK_SYNC && !marks->here[MARK_TRIGGER];
    if (block->number == 0 && (first.count == 0 || (first.count < MARKS && first.made[0] != m)))
        first.made[first.count++] = m;
}

/* Of code that runs on both sides, the host's part has nothing to trigger. */
void sim_trigger_launch_completion(void)
{
    if (kernel_runs())
        make(MARK_TRIGGER);
}

static void wait_for_part(const char *name, enum sim_barrier kind)
{
    block_stop_at(name, kind, false, "", 0);
}

void sim_grid_dependency_synchronize(void)
{
    if (!kernel_runs())
        return;
    make(MARK_SYNC);
    if (!block->effect->parts || !block->effect->parts->waits)
        return;
    wait_for_part("cudaGridDependencySynchronize", SIM_BARRIER_DEPENDENCY);
}

/* The thread calls kernel_cost: is it to stop there, as the first one to come so far or with it?
 * The first call counts in the block's first thread alone, as in other kernels; the others stop
 * with that one. */
static bool stops_at_cost(struct kernel_parts *p, struct device_thread *s, bool is_first_call)
{
    bool marked = s->marked;
    s->costs = (uint8_t)(s->costs + (marked || s->costs == 0));
    s->marked = false;
    return s->costs == p->stops + !p->next_known
           && (marked || is_first_call || (p->next_known && p->stops == 1));
}

void parts_stop_at_cost(const struct effect *effect, int64_t ns, bool is_first_call)
{
    struct kernel_parts *p = effect->parts;
    if (!p || p->stage >= STAGE_TO_END || block->number != 0
        || !stops_at_cost(p, &block->threads[block_thread()], is_first_call))
        return;
    if (!p->next_known) {
        p->next = ns > 0 ? ns : 0;
        p->next_known = true;
        p->stops++;
    }
    wait_for_part("kernel_cost", SIM_BARRIER_COST);
}

/* ---- parts ---- */

static unsigned in_parts;       /* how many kernels are run in parts now */

struct kernel_parts *parts_new(bool dependent, uint64_t blocks)
{
    struct kernel_parts *p = memory_resize(NULL, sizeof *p);
    in_parts++;
    *p = (struct kernel_parts){ .dependent = dependent,
                                .count = blocks,
                                .home = thread_self()->number };
    return p;
}

void parts_add(struct kernel_parts *p, uint32_t node, int64_t cost)
{
    p->cost[p->costs++] = cost;
    if (cost > 0 || (cost == 0 && (p->declared || p->says)))
        note(&(struct call){ .kind = CALL_COST, .node = node, .cost = cost });
}

void parts_end(struct kernel_parts *p, uint32_t node, enum part_end end)
{
    p->end[p->ends++] = end;
    if (end != PART_ENDS_BLOCK)
        note(&(struct call){ .kind = CALL_COST, .node = node, .cost = COST_UNKNOWN,
                             .flags = end == PART_SYNCS ? COST_SYNCS : COST_TRIGGERS });
}

/* A part of no cost, where none is open, that ends with the mark. */
static void end_with(struct kernel_parts *p, uint32_t node, enum mark m)
{
    p->made[m] = true;
    if (p->costs == p->ends)
        parts_add(p, node, 0);
    parts_end(p, node, m == MARK_SYNC ? PART_SYNCS : PART_TRIGGERS);
}

void parts_take_marks_of_first(struct kernel_parts *p, uint32_t node)
{
    for (unsigned i = 0; i < first.count; i++)
        if (!p->made[first.made[i]])
            end_with(p, node, first.made[i]);
    if (p->dependent && p->waits && p->held_count > 0 && !p->made[MARK_SYNC] && !p->next_known)
        end_with(p, node, MARK_SYNC);       /* other blocks wait */
}

int64_t parts_take_marks(struct kernel_parts *p, uint32_t node, const struct marks *marks,
                         int64_t spent)
{
    uint64_t blocks = p->stage == STAGE_TO_SYNC ? p->begun : p->count;
    bool is_made[MARKS] = { marks->blocks[MARK_TRIGGER] == blocks, marks->blocks[MARK_SYNC] > 0 };
    bool sync_first = marks->latest[MARK_SYNC] < marks->latest[MARK_TRIGGER] || marks->sync_first;
    int64_t at = 0;
    for (int i = 0; i < MARKS; i++) {
        enum mark m = (i == 0) == sync_first ? MARK_SYNC : MARK_TRIGGER;
        if (!is_made[m] || p->made[m])
            continue;
        int64_t later = marks->latest[m] > at ? marks->latest[m] : at;
        parts_add(p, node, later - at);
        end_with(p, node, m);
        at = later;
    }
    return spent > at ? spent - at : 0;
}

/* ---- blocks ---- */

static struct block *core;      /* the calling thread's, while others run */

static void hold(struct kernel_parts *p, struct block *b)
{
    MEMORY_GROW(p->held, p->held_count, p->held_capacity);
    p->held[p->held_count++] = b;
}

/* It has stopped, and is still there; or it has ended. */
static bool is_left(struct block *b)
{
    if (block_promoted() && b->live > 0) {
        shared_leave();
        stacks_leave();
        return true;
    }
    b->live = 0;
    shared_end();
    block_gather(core, b);
    block_keep(b);
    return false;
}

static void prepare(struct block *b, const struct effect *effect)
{
    b->effect = effect;
    b->error = core->error;
    b->print = core->print;
    b->spent = 0;
    b->live = 0;
    b->stands = false;
    b->shares_stacks = fibers_can_move();
    b->reached_count = 0;
    b->children.count = 0;
    memory_zero(&b->marks, sizeof b->marks);
    for (unsigned i = 0; i < b->room; i++)
        b->threads[i].marked = false, b->threads[i].costs = 0;
}

/* The next block, to where it stops. */
static void begin_next(const struct effect *effect)
{
    struct kernel_parts *p = effect->parts;
    struct block *b = block_spare();
    prepare(b, effect);
    b->number = p->begun++;
    block = b;
    block_run(b->number, NULL);
    if (is_left(b))
        hold(p, b);
    block = core;
}

/* Few where they need not wait: their stacks stay in the caches. */
static size_t most_held(const struct effect *effect)
{
    unsigned threads = effect->block.x * effect->block.y * effect->block.z;
    size_t most =
        (model_is_synced(&sim.model, sim.kernel_now) ? BLOCK_THREADS : HELD_THREADS) / threads;
    return most == 0 ? 1 : most < HELD_BLOCKS ? most : HELD_BLOCKS;
}

/* Until most_held() more than `beside` are held. */
static void begin_some(const struct effect *effect, size_t beside)
{
    struct kernel_parts *p = effect->parts;
    size_t most = beside + most_held(effect);
    while (p->begun < p->count && p->held_count < most && !p->next_known)
        begin_next(effect);
}

/* Lets those that stand, or all, go on; true: one has got on. */
static bool held_go_on(struct kernel_parts *p, size_t count, bool all)
{
    bool any = false;
    size_t left = 0;
    for (size_t i = 0; i < p->held_count; i++) {
        struct block *b = block = p->held[i];
        bool goes = i < count && (all || b->stands);
        if (goes) {
            shared_return();
            stacks_return();
            shared_seen_wanted = false; /* what another kernel's first block wrote is known now */
            any |= block_try_again() || b->live == 0 || step_may_end(b);
        }
        if (!goes || is_left(b))
            p->held[left++] = b;
    }
    p->held_count = left;
    block = core;
    return any;
}

static void leave_part(struct kernel_parts *p, size_t count)
{
    for (size_t i = 0; i < count && i < p->held_count; i++) {
        block = p->held[i];
        if (p->stage == STAGE_IN_BODY)
            block_leaves_part();
        else
            block_begins_part();
    }
    block = core;
}

static _Noreturn void in_vain(struct kernel_parts *p)
{
    block = p->held[0];
    shared_return();
    stand_in_vain();
}

/* False: some are left, and wait for what none of these does. */
static bool go_on_to_end(struct kernel_parts *p)
{
    leave_part(p, p->held_count);
    bool any = true;
    for (bool all = true; p->held_count > 0 && any; all = false)
        any = held_go_on(p, p->held_count, all) || all;
    return p->held_count == 0;
}

/* What has been touched since the last time is this node's. */
static void took(uint32_t node)
{
    access_leave(node);
    access_enter();
}

static bool first_is_held(const struct kernel_parts *p)
{
    return p->held_count > 0 && p->held[0]->number == 0;
}

static void first_goes_on(const struct effect *effect)
{
    struct kernel_parts *p = effect->parts;
    if (p->begun == 0) {
        begin_next(effect);
    } else if (first_is_held(p)) {
        leave_part(p, 1);
        held_go_on(p, 1, true);
    }
}

static void to_sync(const struct effect *effect)
{
    struct kernel_parts *p = effect->parts;
    p->waits = true;
    if (first_is_held(p) && p->begun == 1)
        first_goes_on(effect);
    begin_some(effect, 0);
    while (held_go_on(p, p->held_count, false))
        ;
}

static void to_end(const struct effect *effect, uint32_t node)
{
    struct kernel_parts *p = effect->parts;
    p->waits = false;
    for (;;) {
        bool done = go_on_to_end(p);
        if (done && (!p->dependent || p->begun == p->count))
            return;
        if (p->begun == p->count)
            in_vain(p);
        if (p->dependent)
            took(node + 1);
        p->waits = p->dependent;
        begin_some(effect, p->held_count);
        if (p->dependent)
            took(node);
        p->waits = false;
    }
}

/* Nothing else runs: they wait for no time, but it is seen what they touch before and after. */
static void in_body(const struct effect *effect)
{
    struct kernel_parts *p = effect->parts;
    for (;;) {
        p->waits = true;
        begin_some(effect, p->held_count);
        round_step_took(false);
        p->waits = false;
        bool done = go_on_to_end(p);
        round_step_took(true);
        if (done && p->begun == p->count)
            return;
        if (p->begun == p->count)
            in_vain(p);
    }
}

/* The clock has begun anew: what they spent before has been counted. */
static void begin_held_anew(struct kernel_parts *p)
{
    for (size_t i = 0; i < p->held_count; i++)
        p->held[i]->spent = 0;
}

/* What the launch needs of blocks that are held, too. */
static void gather_held(struct kernel_parts *p)
{
    for (size_t i = 0; i < p->held_count; i++)
        block_gather(core, p->held[i]);
}

void parts_run(const struct effect *effect, uint32_t node)
{
    struct kernel_parts *p = effect->parts;
    core = block;
    core->effect = effect;
    core->number = 0;
    begin_held_anew(p);
    if (p->stage == STAGE_TO_SYNC)
        to_sync(effect);
    else if (p->stage == STAGE_FIRST_BLOCK)
        p->waits = false, first_goes_on(effect);
    else if (p->stage == STAGE_IN_BODY)
        in_body(effect);
    else
        to_end(effect, node);
    gather_held(p);
}

/* ---- what is left ---- */

static void drop_held(struct kernel_parts *p, const struct block *but)
{
    struct block *caller = block;
    for (size_t i = 0; i < p->held_count; i++) {
        block = p->held[i];
        if (block == but)
            continue;
        block_drop_threads();
        block->reached_count = 0;
        block_keep(block);
    }
    p->held_count = 0;
    block = caller;
}

void parts_drop(struct effect *effect)
{
    struct kernel_parts *p = effect->parts;
    struct block *failed = block;
    core->error = failed->error;
    core->number = failed->number;
    drop_held(p, failed);
    block_drop();
    if (failed != core) {
        shared_end();
        block_gather(core, failed);
        block_keep(failed);
    }
    block = core;
    p->over = true;
}

void parts_free(struct kernel_parts *p)
{
    if (!p)
        return;
    drop_held(p, NULL);
    memory_resize(p->held, 0);
    memory_resize(p, 0);
    if (--in_parts == 0)
        fibers_unshare();
}
