/* SPDX-License-Identifier: MIT */
#include "sim/race/rounds.h"

#include <stdlib.h>

#include "sim/include/graph_types.h"
#include "sim/race/access.h"
#include "sim/race/access_place.h"
#include "sim/race/seen/access_runs.h"
#include "sim/race/seen/access_seen.h"
#include "trace/record/memory.h"

/* Deeper ones, and the steps of larger bodies, are not looked at. */
enum { DEPTH = 16, STEPS_MOST = 1024 };

static struct {
    struct round_steps *of[DEPTH];  /* the bodies that run, from the outermost one on, */
    size_t at[DEPTH], depth;        /* and their steps */
    struct access_runs kept;        /* what was taken: the conditional node has touched it */
} now;

/* ---- sets of steps ---- */

static size_t words(size_t count)
{
    return count / 64 + 1;
}

static uint64_t *new_set(size_t count)
{
    uint64_t *set = memory_resize(NULL, words(count) * sizeof *set);
    memory_zero(set, words(count) * sizeof *set);
    return set;
}

static bool has(const uint64_t *set, size_t step)
{
    return set[step / 64] >> step % 64 & 1;
}

static void put(uint64_t *set, size_t step)
{
    set[step / 64] |= UINT64_C(1) << step % 64;
}

/* Step `number` has not more than `number` before it: neither has its set. */
static void put_all(uint64_t *set, const uint64_t *more, size_t number)
{
    for (size_t i = 0; i < words(number); i++)
        set[i] |= more[i];
}

static bool has_all_before(const uint64_t *set, size_t number)
{
    for (size_t i = 0; i < number; i++)
        if (!has(set, i))
            return false;
    return true;
}

void round_steps_add(struct round_steps *steps, const struct call *call)
{
    size_t number = steps->count;
    steps->list = memory_grow(steps->list, number, &steps->capacity, sizeof *steps->list);
    struct round_step *s = &steps->list[steps->count++];
    *s = (struct round_step){ .call = *call };
    if (number >= STEPS_MOST)
        return;
    s->before = new_set(number);
    s->rest_before = new_set(number);
    s->told = new_set(number);
}

void round_step_waits(struct round_steps *steps, uint32_t after, unsigned port)
{
    struct round_step *s = &steps->list[steps->count - 1];
    const struct round_step *first = &steps->list[after];
    bool early = port != 0 && first->call.kind == CALL_LAUNCH;
    s->early |= early;
    if (steps->count > STEPS_MOST)
        return;
    if (early && port == cudaGraphKernelNodePortLaunchCompletion) { /* it orders no memory [H] */
        put_all(s->rest_before, first->before, after);
        put_all(s->before, first->before, after);
        return;
    }
    put_all(s->rest_before, first->rest_before, after);
    put(s->rest_before, after);
    if (early) {
        put_all(s->before, first->before, after);
    } else {
        put_all(s->before, first->rest_before, after);
        put(s->before, after);
    }
}

void round_steps_end(struct round_steps *steps)
{
    for (size_t i = 0; i < steps->count && steps->count <= STEPS_MOST; i++)
        steps->races |= !has_all_before(steps->list[i].before, i);
}

void round_steps_free(struct round_steps *steps)
{
    for (size_t i = 0; i < steps->count; i++) {
        struct round_step *s = &steps->list[i];
        memory_resize(s->before, 0);
        memory_resize(s->rest_before, 0);
        memory_resize(s->told, 0);
        memory_resize(s->touched.list, 0);
        memory_resize(s->rest_touched.list, 0);
    }
    memory_resize(steps->list, 0);
    *steps = (struct round_steps){ 0 };
}

/* ---- what a step touches ---- */

static bool any_races(void)
{
    for (size_t i = 0; i < now.depth; i++)
        if (now.of[i]->races)
            return true;
    return false;
}

static void add_range(struct round_ranges *ranges, const struct hazard_range *range)
{
    ranges->list =
        memory_grow(ranges->list, ranges->count, &ranges->capacity, sizeof *ranges->list);
    ranges->list[ranges->count++] = *range;
}

void round_step_took(bool waited)
{
    if (!any_races() || !access_clocks())
        return;
    size_t count;
    const struct access_run *runs = access_take(&count);
    for (size_t i = 0; i < count; i++) {
        struct hazard_range range;
        access_runs_add(&now.kept, &runs[i]);
        if (!access_place(&runs[i], sim.kernel_now, &range))
            continue;
        for (size_t k = 0; k < now.depth; k++) {
            struct round_step *s = &now.of[k]->list[now.at[k]];
            if (now.of[k]->races)
                add_range(waited && s->early && k + 1 == now.depth ? &s->rest_touched : &s->touched,
                          &range);
        }
    }
}

/* ---- races ---- */

static int by_kind_and_address(const void *a, const void *b)
{
    const struct hazard_range *left = a, *right = b;
    int left_kind = 2 * left->write + left->atomic, right_kind = 2 * right->write + right->atomic;
    return left_kind != right_kind ? left_kind - right_kind
                                   : (left->from > right->from) - (left->from < right->from);
}

static void join(struct round_ranges *ranges)
{
    size_t kept = 0;
    if (ranges->count > 0)
        qsort(ranges->list, ranges->count, sizeof *ranges->list, by_kind_and_address);
    for (size_t i = 0; i < ranges->count; i++) {
        struct hazard_range *last = kept > 0 ? &ranges->list[kept - 1] : NULL,
                            *next = &ranges->list[i];
        if (last && last->write == next->write && last->atomic == next->atomic
            && next->from <= last->to)
            last->to = next->to > last->to ? next->to : last->to;
        else
            ranges->list[kept++] = *next;
    }
    ranges->count = kept;
}

/* Do both touch some bytes, one of them to write? From the first to the last of those. */
static bool meet(const struct round_ranges *first, const struct round_ranges *then,
                 struct hazard *h)
{
    for (size_t i = 0; i < first->count; i++)
        for (size_t k = 0; k < then->count; k++) {
            const struct hazard_range *a = &first->list[i], *b = &then->list[k];
            if (a->to <= b->from || b->to <= a->from || (!a->write && !b->write)
                || (a->atomic && b->atomic))
                continue;
            uint64_t from = a->from > b->from ? a->from : b->from,
                     to = a->to < b->to ? a->to : b->to;
            if (h->to > 0 && (from > h->to || to < h->from))
                continue;       /* other memory */
            h->from = h->to == 0 || from < h->from ? from : h->from;
            h->to = to > h->to ? to : h->to;
            h->first_writes |= a->write;
            h->then_writes |= b->write;
        }
    return h->to > 0;
}

static void say_step(struct hazard_line *l, const struct call *c, bool writes)
{
    hazard_say_operation(l, &sim.timeline, c);
    hazard_say_line(l, &sim.timeline, c);
    hazard_say(l, " %s", writes ? "writes" : "reads");
}

static void report_race(const struct hazard *h, const struct round_step *first,
                        const struct round_step *then, bool early)
{
    struct hazard_line l = { .used = 0 };
    struct hazard_scene scene = access_scene();
    const struct call *b = &then->call;
    hazard_say_location(&l, timeline_string(&sim.timeline, b->file), b->line);
    hazard_say(&l, "in a round of a conditional node, ");
    say_step(&l, &first->call, h->first_writes);
    hazard_say(&l, " ");
    hazard_say_bytes(&l, &scene, h->from, h->to);
    hazard_say(&l, ", and ");
    say_step(&l, b, h->then_writes);
    if (early)
        hazard_say(
            &l,
            " them too: programmatic stream serialization lets the second begin before what is ahead of it in the body has ended, and "
            "it touches them without having waited for that. Every thread of %s that touches them has to call cudaGridDependencySynchronize first, in each block and each launch",
            timeline_string(&sim.timeline, b->name));
    else
        hazard_say(
            &l,
            " them too: they are nodes of the body, and no dependency makes one wait for the other. Add one "
            "(cudaGraphAddDependencies), or capture both in one stream");
    access_tell((struct call){ .dst = h->from, .bytes = h->to - h->from, .file = b->file,
                               .line = b->line, .caller = b->caller },
                sim.kernel_now, sim.kernel_now, l.text);
}

static void compare(struct round_step *first, struct round_step *then, size_t number)
{
    struct hazard h = { .from = 0 };
    bool begun = has(then->before, number), waited = has(then->rest_before, number);
    if (has(then->told, number) || begun)
        return;
    bool met = meet(&first->touched, &then->touched, &h);
    met = meet(&first->rest_touched, &then->touched, &h) || met;
    if (!met && !waited) {
        met = meet(&first->touched, &then->rest_touched, &h);
        met = meet(&first->rest_touched, &then->rest_touched, &h) || met;
    }
    if (!met)
        return;
    put(then->told, number);
    report_race(&h, first, then, then->early && waited);
}

/* ---- the order in which it comes ---- */

void rounds_begin(void)
{
    now.depth = 0;
}

void round_step_begins(struct round_steps *steps, size_t at)
{
    round_step_took(true);          /* the body around it has that */
    if (now.depth == DEPTH)
        return;
    now.of[now.depth] = steps;
    now.at[now.depth++] = at;
    struct round_step *s = &steps->list[at];
    s->touched.count = s->rest_touched.count = 0;
}

void round_step_ends(struct round_steps *steps, size_t at)
{
    if (now.depth == 0 || now.of[now.depth - 1] != steps)
        return;
    round_step_took(true);
    now.depth--;
    if (!steps->races)
        return;
    struct round_step *s = &steps->list[at];
    join(&s->touched);
    join(&s->rest_touched);
    for (size_t i = 0; i < at; i++)
        compare(&steps->list[i], s, i);
}

void rounds_end(void)
{
    size_t count;
    now.depth = 0;
    const struct access_run *runs = access_runs_take(&now.kept, &count);
    access_add(runs, count);
}
