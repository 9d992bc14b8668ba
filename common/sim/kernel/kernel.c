/* SPDX-License-Identifier: MIT */
#include "sim/kernel/kernel.h"

#include <stdio.h>
#include <stdlib.h>

#include "sim/call_log.h"
#include "sim/crash/arithmetic.h"
#include "sim/crash/crash.h"
#include "sim/host/note.h"
#include "sim/include/detail/sim_block.h"
#include "sim/kernel/block.h"
#include "sim/kernel/device_clock.h"
#include "sim/fiber/fiber.h"
#include "sim/kernel/grid.h"
#include "sim/kernel/spin.h"
#include "sim/memory/allocation.h"
#include "sim/memory/because.h"
#include "sim/memory/peer.h"
#include "sim/memory/symbol.h"
#include "sim/kernel/warp.h"
#include "sim/race/access.h"
#include "sim/race/rounds.h"
#include "sim/race/seen/access_seen.h"
#include "sim/race/seen/exchange_seen.h"
#include "sim/race/seen/reach.h"
#include "sim/race/seen/shared_seen.h"
#include "trace/record/memory.h"

static struct {
    int64_t cost;               /* as the first thread declared it */
    bool asking;                /* still to be declared */
    const volatile void *given; /* an address that it was given, as it says; NULL: it does not */
} now;

static const char *undeclared; /* the first kernel with a loop of which nobody said what it takes */
static bool declared;           /* of another one somebody did */

VISIBLE void sim_kernel_given(const volatile void *at)
{
    if (kernel_runs() && now.asking && !now.given)
        now.given = at;
}

/* Called by every thread of kernels with a declared cost: only the first one's counts, and only as
 * its first statement, but where another part of a block's time begins (parts.c). */
VISIBLE void sim_kernel_cost(long long ns)
{
    if (!kernel_runs())
        return;
    bool is_first = now.asking && !block_promoted() && block_thread() == 0 && !blockIdx.x
                    && !blockIdx.y && !blockIdx.z;
    now.asking = now.asking && !is_first;
    if (block->effect->parts && block->effect->parts->stage == STAGE_IN_BODY) {
        if (now.asking && block->number == 0 && block_thread() == 0)
            now.cost = ns < 0 ? 0 : ns, now.asking = false;
        return;
    }
    if (!is_first || block->effect->parts) {
        parts_stop_at_cost(block->effect, ns, is_first);
        return;
    }
    now.cost = ns < 0 ? 0 : ns;
    fiber_stop();
}

const char *kernel_undeclared(void)
{
    return declared ? NULL : undeclared;
}

void kernel_fault(uint32_t node, uint64_t address, cudaError_t error)
{
    kernel_fault_as(node, address, error, words_of_fault(node, address, error));
}

void kernel_fault_as(uint32_t node, uint64_t address, cudaError_t error, struct words what)
{
    const struct call *queued = &sim.timeline.calls[sim.timeline.spans[node].call];
    bool host = memory_kind_of((const void *)(uintptr_t)address, 1)
                == MEM_PAGEABLE; /* that lies elsewhere in each run */
    struct call fault = { .kind = CALL_FAULT, .node = node, .dst = host ? 0 : address,
                          .status = (int32_t)error, .name = queued->name, .file = queued->file,
                          .line = queued->line, .caller = queued->caller };
    char why[sizeof(struct words) + 80];
    snprintf(why, sizeof why,
             "%s; the device has been lost since then, and this call only reports it",
             what.text);
    sim.sticky_fault = call_string(what.text);
    sim.sticky_file = queued->file;
    sim.sticky_line = queued->line;
    fault.message = sim.sticky_why = call_string(why);
    bool in_kernel = sim.in_effect;
    sim.in_effect = true; /* a copy's fault is the device's, too: no thread waits here */
    note(&fault);
    sim.sticky_record = call_log_count();
    sim.in_effect = in_kernel;
    sim.sticky = error;
}

static void says_its_time(const struct effect *effect, bool it_does)
{
    declared |= it_does;
    if (!it_does && effect->kernel.loops && !undeclared)
        undeclared = effect->kernel.name;
}

static bool run_children(struct grid_fault *fault, unsigned depth);

/* The grid, or on from where it was stopped, and the kernels that it launches. */
static bool run_grid(struct effect *effect, struct grid_fault *fault, unsigned depth)
{
    gridDim = effect->grid;
    blockDim = effect->block;
    blockIdx = threadIdx = (struct uint3){ 0, 0, 0 };
    access_check_anew();
    reach_begin(effect->kernel.closure, effect->kernel.bytes);
    bool whole = grid_run(effect, fault);
    access_check_anew();
    reach_end();
    now.asking = now.asking && effect->fiber;   /* no child declares what its parent costs */
    return run_children(fault, depth + 1) && whole;
}

static bool run_children(struct grid_fault *fault, unsigned depth)
{
    size_t count;
    bool whole = true;
    struct child *children = grid_take_children(&count);
    for (size_t i = 0; i < count; i++) {
        struct child *child = &children[i];
        struct effect effect = { .kind = EFFECT_KERNEL, .kernel = child->kernel,
                                 .grid = child->how.grid, .block = child->how.block,
                                 .shared = child->how.shared };
        if (depth > CHILD_DEPTH) {
            child_refuse(child, cudaErrorLaunchMaxDepthExceeded,
                         "here kernels launch kernels at most 1000 deep: does that ever end?");
            continue;
        }
        whole = whole && run_grid(&effect, fault, depth);
        child->kernel.drop(child->kernel.closure);
    }
    memory_resize(children, 0);
    return whole;
}

/* ---- conditional nodes ---- */

static uint64_t blocks_of(const struct effect *effect)
{
    return (uint64_t)effect->grid.x * effect->grid.y * effect->grid.z;
}

/* How long a grid takes that is alone: its blocks as many at a time as there is room for. */
static int64_t time_of_grid(const struct effect *effect, int64_t cost)
{
    const uint64_t threads = (uint64_t)effect->block.x * effect->block.y * effect->block.z;
    int64_t room =
        sim.card->sms * card_blocks_per_sm(sim.card, (int64_t)threads, (int64_t)effect->shared);
    int64_t blocks = (int64_t)blocks_of(effect);
    return sim.card->graph_kernel_ns + (room > 0 ? (blocks + room - 1) / room : 1) * cost;
}

/* A kernel of a body, to its end. Adds what it takes to `spent`. */
static bool run_step(const struct effect *effect, uint32_t node, struct grid_fault *fault,
                     int64_t *spent)
{
    struct effect own = *effect;
    now.cost = COST_UNKNOWN;
    now.asking = true;
    now.given = NULL;
    device_clock_begin(sim.timeline.spans[node].start + *spent);
    spin_kernel(true);
    if (own.early) {
        own.parts = parts_new(true, blocks_of(&own));
        own.parts->stage = STAGE_IN_BODY;
    }
    bool whole = run_grid(&own, fault, 0);
    if (whole && own.fiber)
        whole = run_grid(&own, fault, 0);
    parts_free(own.parts);
    now.asking = false;
    int64_t by_clock = device_clock_spent(),
            cost = now.cost != COST_UNKNOWN ? now.cost : sim.card->block_ns + by_clock;
    says_its_time(&own, now.cost != COST_UNKNOWN || by_clock > 0);
    *spent += time_of_grid(&own, cost);
    return whole;
}

/* What they take in all is its cost. */
static bool run_bodies(struct effect *effect, uint32_t node, struct grid_fault *fault)
{
    int64_t spent = 0;
    const struct effect *step;
    bool whole = true;
    rounds_begin();
    while (whole && sim.sticky == cudaSuccess && (step = effect->next(effect->kernel.closure)))
        whole = run_step(step, node, fault, &spent);
    rounds_end();
    marks_clear(block);
    now.cost = spent;
    return whole;
}

/* From its beginning to where it is stopped by kernel_cost, or on from there to its end. */
static void run(struct effect *effect, uint32_t node)
{
    struct grid_fault fault;
    kernel_running(true);
    int device = (int)sim.timeline.spans[node].device;
    symbols_become(device);
    peer_protect(node);
    sim.kernel_now = node;
    sim.changes++;
    bool whole = effect->next ? run_bodies(effect, node, &fault) : run_grid(effect, &fault, 0);
    effect->says |= device_clock_take_said();
    sim.kernel_now = NO_NODE;
    sim.changes++;
    kernel_running(false);
    const void *uninitialised = shared_seen_take();
    if (uninitialised)
        access_report_shared(node, uninitialised);
    struct shared_past past = shared_seen_take_past();
    if (past.pc)
        access_report_past(node, &past);
    struct exchange exchange = exchange_seen_take();
    if (exchange.read)
        access_report_exchange(node, &exchange);
    struct warp_gap gap = grid_take_gap();
    if (gap.line != 0)
        access_report_lane(node, gap.file, gap.line, warp_operation_name(gap.kind), gap.lane,
                           gap.source, gap.ended);
    struct apart apart = grid_take_apart();
    if (apart.line != 0)
        access_report_apart(node, apart.file, apart.line, apart.other_file, apart.other_line);
    struct arithmetic first = arithmetic_take();
    if (first.by_zero)
        access_report_division(node, first.by_zero);
    if (first.without_room)
        access_report_conversion(node, first.without_room);
    if (!whole)
        kernel_fault(node, fault.address, fault.error);
}

/* ---- parts ---- */

static void run_stage(struct effect *effect, uint32_t node, enum part_stage stage)
{
    effect->parts->stage = stage;
    parts_stage_begins();
    run(effect, node);
}

/* What a block takes besides what its threads spend on clocks. */
static int64_t unsaid(const struct effect *effect)
{
    return effect->says ? 0 : sim.card->block_ns;
}

/* The last part, which nothing cuts: what a kernel that declares no cost takes. */
static void add_last(const struct effect *effect, uint32_t node, int64_t spent)
{
    struct kernel_parts *p = effect->parts;
    p->says = effect->says;
    bool known = spent > 0;
    for (unsigned i = 0; i < p->costs; i++)
        known |= p->cost[i] > 0;
    parts_add(p, node, known ? unsaid(effect) + spent : COST_UNKNOWN);
    parts_end(p, node, PART_ENDS_BLOCK);
    p->over = true;
}

/* The first block has run on from its last kernel_cost. */
static void find_more_parts(struct kernel_parts *p, uint32_t node)
{
    parts_take_marks_of_first(p, node);
    bool waits = p->waits && p->held_count > 0, goes_on = p->next_known && p->costs == p->ends;
    p->next_known = false;
    if (goes_on) {
        parts_add(p, node, p->next);
    } else if (!waits) {
        if (p->costs == p->ends)
            parts_add(p, node, 0);
        parts_end(p, node, PART_ENDS_BLOCK);
    }
}

/* Some of it has run at its start, up to kernel_cost (`cost`), to where it waits, or to its end. */
static void find_first_parts(struct effect *effect, uint32_t node, int64_t cost)
{
    struct kernel_parts *p = effect->parts;
    int64_t spent = device_clock_spent();
    if (p->next_known) {
        p->declared = true;
        find_more_parts(p, node);
        return;
    }
    if (cost != COST_UNKNOWN) {
        p->declared = true;
        p->stops = 1;
        parts_take_marks_of_first(p, node);
        parts_add(p, node, cost);
        return;
    }
    spent = parts_take_marks(p, node, &block->marks, spent);
    if (p->held_count == 0)
        add_last(effect, node, spent);
}

void kernel_part_ends(struct effect *effect, uint32_t node)
{
    struct kernel_parts *p = effect->parts;
    if (!p->declared || p->over)
        return;
    if (effect->fiber || (p->made[MARK_TRIGGER] && p->made[MARK_SYNC])) {
        parts_end(p, node, PART_ENDS_BLOCK);
        return;
    }
    device_clock_begin(model_device_now(&sim.model));
    spin_kernel(false);
    run_stage(effect, node, p->dependent && !p->synced ? STAGE_TO_SYNC : STAGE_FIRST_BLOCK);
    find_more_parts(p, node);
}

void kernel_part_begins(struct effect *effect, uint32_t node)
{
    struct kernel_parts *p = effect->parts;
    p->synced = true;
    device_clock_begin(model_device_now(&sim.model));
    spin_kernel(!p->declared);
    run_stage(effect, node, STAGE_FIRST_BLOCK);
    p->declared |= p->next_known;
    declared |= p->declared;
    if (p->declared) {
        find_more_parts(p, node);
        return;
    }
    run_stage(effect, node, STAGE_TO_END);
    add_last(effect, node, parts_take_marks(p, node, &block->marks, device_clock_spent()));
}

/* Has what ran so far shown that there are some? */
static bool has_parts(void)
{
    return block->marks.blocks[MARK_TRIGGER] > 0 || block->marks.blocks[MARK_SYNC] > 0;
}

int64_t kernel_start(struct effect *effect, uint32_t node)
{
    bool dependent = model_is_dependent(&sim.model, node);
    if (dependent || (effect->kernel.depends && !cooperative_is(effect))) {
        effect->parts = parts_new(dependent, blocks_of(effect));
        effect->parts->stage = dependent ? STAGE_TO_SYNC : STAGE_FIRST_BLOCK;
    }
    parts_stage_begins();
    now.cost = COST_UNKNOWN;
    now.asking = true;
    now.given = NULL;
    device_clock_begin(sim.timeline.spans[node].start);
    spin_kernel(true);
    run(effect, node);
    now.asking = false;
    if (effect->parts && !effect->parts->dependent && now.cost == COST_UNKNOWN
        && !effect->parts->next_known)
        run_stage(effect, node, STAGE_TO_END);
    if (!effect->parts && has_parts()) {
        effect->parts = parts_new(false, blocks_of(effect));
        effect->parts->stage = STAGE_TO_END;
    }
    if (effect->parts) {
        find_first_parts(effect, node, now.cost);
        says_its_time(effect, effect->parts->declared || effect->parts->cost[0] > 0);
        return effect->parts->cost[0];
    }
    if (now.cost == COST_UNKNOWN && device_clock_spent() > 0)
        now.cost = unsaid(effect) + device_clock_spent();
    says_its_time(effect, now.cost != COST_UNKNOWN);
    if (now.cost == COST_UNKNOWN)
        return COST_UNKNOWN;
    struct call cost = { .kind = CALL_COST, .node = node, .cost = now.cost };
    if (now.given) {
        const struct call *launch = &sim.timeline.calls[sim.timeline.spans[node].call];
        cost.dst = (uint64_t)(uintptr_t)now.given;
        cost.file = launch->file, cost.line = launch->line;
    }
    note(&cost);
    return now.cost;
}

void kernel_end(struct effect *effect, uint32_t node)
{
    if (effect->parts ? effect->parts->over : !effect->fiber)
        return;
    device_clock_begin(sim.timeline.spans[node].end);
    spin_kernel(false);
    if (effect->parts && !effect->fiber)
        run_stage(effect, node, STAGE_TO_END);
    else
        run(effect, node);
}
