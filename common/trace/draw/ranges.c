/* SPDX-License-Identifier: MIT */
/*
 * DESIGN
 * What opens and closes is sorted by the nest it belongs to, then by time: in each nest a closing
 * call closes what is on top of a stack. Numbers of threads, domains and ranges are a stranger's,
 * so that nothing is indexed by them.
 */
#include "trace/draw/ranges.h"

#include <stdbool.h>
#include <stdlib.h>

#include "trace/record/memory.h"

struct bound { uint64_t nest, number; uint32_t call; };
struct bounds { struct bound *list; size_t count, capacity; };

static int compare_bounds(const void *one, const void *other)
{
    const struct bound *a = one, *b = other;
    if (a->nest != b->nest)
        return a->nest < b->nest ? -1 : 1;
    if (a->number != b->number)
        return a->number < b->number ? -1 : 1;
    return a->call < b->call ? -1 : a->call > b->call;
}

/* Another thread may close a range, and its present may lie before that of the one that opened it.
 */
static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static void add_range(struct ranges *r, uint32_t call, int64_t end)
{
    r->list = memory_grow(r->list, r->count, &r->capacity, sizeof *r->list);
    r->list[r->count++] = (struct range){ call, end };
}

static void add_bound(struct bounds *s, const struct call *c, uint32_t number)
{
    bool is_free = (c->flags & RANGE_FREE) != 0;
    s->list = memory_grow(s->list, s->count, &s->capacity, sizeof *s->list);
    s->list[s->count++] = (struct bound){ .nest = is_free ? UINT64_MAX : c->thread,
                                          .number = is_free ? c->src : c->message,
                                          .call = number };
}

/* The bounds [0, count) of one nest. They themselves are the stack: it never has more than there
 * were. */
static void match(struct ranges *r, const struct timeline *t, struct bound *bound, size_t count,
                  size_t end_call)
{
    size_t open = 0;
    for (size_t i = 0; i < count; i++) {
        const struct call *c = &t->calls[bound[i].call];
        if (c->name != 0)
            bound[open++] = bound[i];
        else if (open > 0 && bound[--open].call < end_call)
            add_range(r, bound[open].call, later(t->calls[bound[open].call].begin, c->begin));
    }
    while (open-- > 0)
        if (bound[open].call < end_call)
            add_range(r, bound[open].call, TIME_NEVER);
}

void ranges_init(struct ranges *r, const struct timeline *t, size_t first_call, size_t end_call)
{
    struct bounds bounds = { .list = NULL };
    *r = (struct ranges){ .list = NULL };
    for (size_t i = 0; i < t->call_count; i++) {
        const struct call *c = &t->calls[i];
        if (c->kind != CALL_RANGE)
            continue;
        if (!(c->flags & RANGE_MARK))
            add_bound(&bounds, c, (uint32_t)i);
        else if (i >= first_call && i < end_call)
            add_range(r, (uint32_t)i, c->begin);
    }
    if (bounds.count)
        qsort(bounds.list, bounds.count, sizeof *bounds.list, compare_bounds);
    for (size_t begin = 0, end; begin < bounds.count; begin = end) {
        const struct bound *s = &bounds.list[begin];
        end = begin + 1;
        while (end < bounds.count && bounds.list[end].nest == s->nest
               && bounds.list[end].number == s->number)
            end++;
        match(r, t, bounds.list + begin, end - begin, end_call);
    }
    memory_resize(bounds.list, 0);
}

void ranges_fini(struct ranges *r)
{
    memory_resize(r->list, 0);
    *r = (struct ranges){ .list = NULL };
}
