/* SPDX-License-Identifier: MIT */
#include "sim/kernel/effect.h"

#include <stdio.h>
#include <string.h>

#include "sim/call_log.h"
#include "sim/fiber/fiber.h"
#include "sim/host/scheduler.h"
#include "sim/kernel/block.h"
#include "sim/kernel/kernel.h"
#include "sim/memory/allocation.h"
#include "sim/memory/peer.h"
#include "sim/memory/residency.h"
#include "sim/memory/symbol.h"
#include "sim/race/access.h"
#include "sim/race/seen/access_seen.h"
#include "trace/record/memory.h"

static struct {
    struct effect **of;         /* by node; NULL: none, or over */
    size_t count, capacity;
    struct effect *expected;    /* of the call that is being made: its node is not known yet */
} effects;

struct effect *effect_new(const struct effect *model)
{
    struct effect *effect = memory_resize(NULL, sizeof *effect);
    *effect = *model;
    return effect;
}

struct effect *effect_share(struct effect *effect)
{
    if (effect->kind == EFFECT_KERNEL) {
        if (!effect->shares) {
            effect->shares = memory_resize(NULL, sizeof *effect->shares);
            *effect->shares = 1;
        }
        ++*effect->shares;
    }
    return effect_new(effect);
}

static void drop_kernel(struct effect *effect)
{
    if (effect->shares && --*effect->shares > 0)
        return;
    memory_resize(effect->shares, 0);
    effect->kernel.drop(effect->kernel.closure);
}

void effect_drop(struct effect *effect)
{
    if (!effect)
        return;
    if (effect->kind == EFFECT_KERNEL) {
        struct thread *thread =
            thread_self();      /* whichever is there: what it frees is not its own doing */
        thread->locks++;
        drop_kernel(effect);
        thread->locks--;
    }
    parts_free(effect->parts);
    memory_resize(effect->staged, 0);
    memory_resize(effect, 0);
}

void effect_expect(struct effect *effect)
{
    effects.expected = effect;
}

/* The effect of a node; a node that nobody has heard of is the call's that is being made. */
static struct effect **find_effect(uint32_t node)
{
    if (node < effects.count)
        return &effects.of[node];
    return &effects.expected;
}

static size_t rows(const struct effect *effect)
{
    return effect->rows > 0 ? effect->rows : 1;
}

/* Where a row begins, from the first one on. */
static size_t begin_of(const struct effect *effect, size_t row, size_t pitch, size_t height)
{
    return effect->slice == 0 ? row * pitch
                              : (row / effect->slice * height + row % effect->slice) * pitch;
}

static char *dst_row(const struct effect *effect, size_t row)
{
    return (char *)effect->dst + begin_of(effect, row, effect->dst_pitch, effect->dst_height);
}

static const char *src_row(const struct effect *effect, size_t row)
{
    return (const char *)effect->src + begin_of(effect, row, effect->src_pitch, effect->src_height);
}

static void stage(struct effect *effect)
{
    peer_unprotect();
    residency_touched_by(TOUCHER_COPY, 0);
    char *to = effect->staged = memory_resize(NULL, effect->bytes * rows(effect));
    for (size_t row = 0; row < rows(effect); row++)
        memcpy(to + row * effect->bytes, src_row(effect, row), effect->bytes);
    residency_touched_by(TOUCHER_HOST, 0);
}

void effect_bind(uint32_t node)
{
    struct effect *effect = effects.expected;
    effects.expected = NULL;
    while (effects.count < sim.timeline.span_count) {
        effects.of = memory_grow(effects.of, effects.count, &effects.capacity, sizeof *effects.of);
        effects.of[effects.count++] = NULL;
    }
    if (!effect)
        return;
    if (node == NO_NODE) {
        effect_drop(effect);
        return;
    }
    effects.of[node] = effect;
    if (effect->stage)
        stage(effect);
}

/* When the device is lost nothing happens any more but callbacks, which are told so [H]. */
static bool happens(const struct effect *effect)
{
    return sim.sticky == cudaSuccess
           || (effect->kind == EFFECT_FUNCTION && effect->function.callback);
}

static int device_of(uint32_t node)
{
    return (int)sim.timeline.spans[node].device;
}

static int64_t prefetch_pages(const struct effect *effect, uint32_t node)
{
    sim.in_effect = true;
    uint64_t bytes = residency_prefetch(node, (uintptr_t)effect->dst, effect->bytes, effect->to);
    sim.in_effect = false;
    return (int64_t)bytes;
}

static uint32_t running;        /* the node of the kernel that was entered last */

/* Names the kernel that needs one stack too many, and logs that the program ends at its launch. */
static void needs_room(char *text, size_t size)
{
    const struct call *c = &sim.timeline.calls[sim.timeline.spans[running].call];
    snprintf(text, size, ", of %.60s with %u blocks of %u threads, launched %s",
             timeline_string(&sim.timeline, c->name), c->grid[0] * c->grid[1] * c->grid[2],
             c->block[0] * c->block[1] * c->block[2], words_of_location(c).text);
    call_log_add(&(struct call){ .kind = CALL_CRASH, .file = c->file, .line = c->line,
                                 .caller = c->caller, .node = NO_NODE });
}

static void takes_stacks(uint32_t node)
{
    running = node;
    fibers_user = needs_room;
}

int64_t effect_start(void *context, uint32_t node)
{
    (void)context;
    struct effect *effect = *find_effect(node);
    if (!effect || !happens(effect))
        return COST_UNKNOWN;
    if (effect->kind == EFFECT_FUNCTION)
        return host_function_start(effect->function, node);
    if (effect->kind != EFFECT_KERNEL)
        peer_unprotect();
    if (effect->kind == EFFECT_PREFETCH)
        return prefetch_pages(effect, node);
    if (effect->kind != EFFECT_KERNEL)
        return COST_UNKNOWN;
    takes_stacks(node);
    access_enter();
    residency_kernel_begins();
    residency_touched_by(TOUCHER_KERNEL, device_of(node));
    sim.in_effect = true;
    int64_t cost = kernel_start(effect, node);
    residency_touched_by(TOUCHER_HOST, 0);
    effect->longer = residency_ran(node);
    sim.in_effect = false;
    access_leave(node);
    return cost;
}

/* A kernel runs: from where it stands. */
static void enter_kernel(uint32_t node)
{
    takes_stacks(node);
    access_enter();
    residency_touched_by(TOUCHER_KERNEL, device_of(node));
    sim.in_effect = true;
}

/* What it touched was this node's doing. */
static void leave_kernel(struct effect *effect, uint32_t node, uint32_t of)
{
    residency_touched_by(TOUCHER_HOST, 0);
    effect->longer += residency_ran(node);
    sim.in_effect = false;
    access_leave(of);
}

/* What is to be done with a kernel's parts, by the thread that began them. */
struct part_work { struct effect *effect; uint32_t node; };

static void find_end(void *argument)
{
    struct part_work *w = argument;
    enter_kernel(w->node);
    kernel_part_ends(w->effect, w->node);
    leave_kernel(w->effect, w->node, w->effect->parts->synced ? w->node + 1 : w->node);
}

static void find_begin(void *argument)
{
    struct part_work *w = argument;
    enter_kernel(w->node);
    kernel_part_begins(w->effect, w->node);
    leave_kernel(w->effect, w->node, w->effect->parts->dependent ? w->node + 1 : w->node);
}

static void run_at_home(struct effect *effect, uint32_t node, void (*run)(void *argument))
{
    struct part_work work = { effect, node };
    if (!scheduler_run_on(effect->parts->home, run, &work))
        sim_trouble(
            "a kernel is to go on after cudaGridDependencySynchronize or kernel_cost, and the host thread that ran it so far has ended");
}

enum part_end effect_part_ends(void *context, uint32_t node, unsigned part)
{
    (void)context;
    struct effect *effect = *find_effect(node);
    if (!effect || !effect->parts)
        return PART_ENDS_BLOCK;
    if (part >= effect->parts->ends && happens(effect))
        run_at_home(effect, node, find_end);
    return part < effect->parts->ends ? effect->parts->end[part] : PART_ENDS_BLOCK;
}

int64_t effect_part_begins(void *context, uint32_t node, unsigned part)
{
    (void)context;
    struct effect *effect = *find_effect(node);
    if (!effect || !effect->parts)
        return 0;
    if (part >= effect->parts->costs && happens(effect))
        run_at_home(effect, node, find_begin);
    /* After a fault nothing is run, and the log says as little. */
    return part < effect->parts->costs ? effect->parts->cost[part]
           : happens(effect)           ? 0
                                       : COST_UNKNOWN;
}

/* False: the memory is gone, given back by a program that did not wait for this. */
static bool is_there(const void *at, const char *last, const struct effect *effect, uint32_t node)
{
    if (memory_kind_of(at, (size_t)(last - (const char *)at) + effect->bytes) != MEM_NONE)
        return true;
    kernel_fault(node, (uint64_t)(uintptr_t)at, cudaErrorIllegalAddress);
    return false;
}

/* Variables of the program have the values of the device that the call named. */
static void bring_symbols(const struct effect *effect, uint32_t node)
{
    const struct call *c = &sim.timeline.calls[sim.timeline.spans[node].call];
    if (symbol_find(effect->dst))
        symbols_become((int)c->dst_device);
    else if (symbol_find(effect->src))
        symbols_become((int)c->src_device);
}

static void copy_rows(struct effect *effect, uint32_t node)
{
    size_t last = rows(effect) - 1;
    if (!is_there(effect->dst, dst_row(effect, last), effect, node)
        || (!effect->staged && !is_there(effect->src, src_row(effect, last), effect, node)))
        return;
    for (size_t row = 0; row <= last; row++)
        memmove(dst_row(effect, row),
                effect->staged ? (const char *)effect->staged + row * effect->bytes
                               : src_row(effect, row),
                effect->bytes);
}

static void end_copy(struct effect *effect, uint32_t node)
{
    bring_symbols(effect, node);
    copy_rows(effect, node);
}

static void set_row(const struct effect *effect, char *row)
{
    memset(row, effect->value, effect->bytes);
    uint16_t two = (uint16_t)effect->value;
    for (size_t i = 0; effect->element == sizeof two && i < effect->bytes; i += sizeof two)
        memcpy(row + i, &two, sizeof two);
    for (size_t i = 0; effect->element == sizeof effect->value && i < effect->bytes;
         i += sizeof effect->value)
        memcpy(row + i, &effect->value, sizeof effect->value);
}

static void set_rows(struct effect *effect, uint32_t node)
{
    if (!is_there(effect->dst, dst_row(effect, rows(effect) - 1), effect, node))
        return;
    for (size_t row = 0; row < rows(effect); row++)
        set_row(effect, dst_row(effect, row));
}

static void end_set(struct effect *effect, uint32_t node)
{
    bring_symbols(effect, node);
    set_rows(effect, node);
}

void effect_now(struct effect *effect, uint32_t node)
{
    bool copies = effect->kind == EFFECT_COPY;
    peer_unprotect();
    for (size_t row = 0; row < rows(effect); row++) {
        if (copies)
            access_see(src_row(effect, row), effect->bytes, false, NULL);
        access_see(dst_row(effect, row), effect->bytes, true, NULL);
    }
    if (copies)
        copy_rows(effect, node);
    else if (effect->kind == EFFECT_SET)
        set_rows(effect, node);
}

static void (*const end_of_kind[EFFECT_KINDS])(struct effect *effect, uint32_t node) = {
    [EFFECT_COPY] = end_copy, [EFFECT_SET] = end_set, [EFFECT_KERNEL] = kernel_end,
};

/* Where the device has page faults, memsets and copies of managed memory have them, as kernels do
 * [M]. */
static enum toucher toucher(const struct effect *effect)
{
    return effect->kind == EFFECT_KERNEL || sim.card->concurrent_managed ? TOUCHER_KERNEL
                                                                         : TOUCHER_COPY;
}

static void end(struct effect *effect, uint32_t node)
{
    if (effect->kind != EFFECT_KERNEL)
        peer_unprotect();
    access_enter();
    sim.in_effect = effect->kind == EFFECT_KERNEL;
    residency_touched_by(toucher(effect), device_of(node));
    end_of_kind[effect->kind](effect, node);
    residency_touched_by(TOUCHER_HOST, 0);
    sim.in_effect = true;
    effect->longer += residency_ran(node);
    sim.in_effect = false;
    access_leave(effect->parts && effect->parts->dependent ? node + 1 : node);
}

static void end_at_home(void *argument)
{
    struct part_work *w = argument;
    end(w->effect, w->node);
}

int64_t effect_end(void *context, uint32_t node)
{
    (void)context;
    struct effect **link = find_effect(node), *effect = *link;
    int64_t longer = 0;
    if (effect && happens(effect) && end_of_kind[effect->kind]) {
        if (effect->parts && !effect->parts->over)
            run_at_home(effect, node, end_at_home);
        else
            end(effect, node);
    }
    if (effect)
        longer = effect->longer;        /* pages that came before a fault took their time, too */
    access_ended(node);
    *link = NULL;
    effect_drop(effect);
    host_function_look(model_device_now(&sim.model), false);
    return longer;
}
