/* SPDX-License-Identifier: MIT */
#include "model/state.h"
#include "trace/record/memory.h"

/* A binary heap, and beside it a list of arrivals: those of one host thread come in the order of
 * their times, and while a program only queues they are nearly all there is. Two events at one time
 * come in the order in which they were pushed, functions' ends after them in the order of the
 * functions: that is what makes a run repeatable. */

static bool before(const struct event *a, const struct event *b)
{
    return a->time < b->time || (a->time == b->time && a->sequence < b->sequence);
}

/* False: it is not the latest. */
static bool push_arrival(struct events *e, const struct event *added)
{
    if (e->first_arrival == e->arrival_count)
        e->first_arrival = e->arrival_count = 0;
    else if (before(added, &e->arrivals[e->arrival_count - 1]))
        return false;
    MEMORY_GROW(e->arrivals, e->arrival_count, e->arrival_capacity);
    e->arrivals[e->arrival_count++] = *added;
    return true;
}

/* The next arrival comes before all that is in the heap. */
static bool arrival_is_first(const struct events *e)
{
    return e->first_arrival < e->arrival_count
           && (e->count == 0 || before(&e->arrivals[e->first_arrival], &e->heap[0]));
}

int64_t events_next(const struct events *e)
{
    return arrival_is_first(e) ? e->arrivals[e->first_arrival].time
           : e->count > 0      ? e->heap[0].time
                               : TIME_NEVER;
}

void events_push(struct events *e, int64_t time, enum event_kind kind, uint32_t node,
                 uint32_t count)
{
    struct event added = { time, kind == FUNCTION_ENDS ? UINT64_C(1) << 63 | node : e->sequence++,
                           kind, node, count };
    if (kind == ARRIVES && push_arrival(e, &added))
        return;
    MEMORY_GROW(e->heap, e->count, e->capacity);
    size_t at = e->count++;
    while (at > 0 && before(&added, &e->heap[(at - 1) / 2])) {
        e->heap[at] = e->heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    e->heap[at] = added;
}

struct event events_pop(struct events *e)
{
    if (arrival_is_first(e))
        return e->arrivals[e->first_arrival++];
    struct event top = e->heap[0], last = e->heap[--e->count];
    size_t at = 0;
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= e->count)
            break;
        if (child + 1 < e->count && before(&e->heap[child + 1], &e->heap[child]))
            child++;
        if (!before(&e->heap[child], &last))
            break;
        e->heap[at] = e->heap[child];
        at = child;
    }
    e->heap[at] = last;
    return top;
}

void events_pass(struct events *e)
{
    for (size_t i = 0; i < e->count; i++)
        e->heap[i].kind = PASSES;
    for (size_t i = e->first_arrival; i < e->arrival_count; i++)
        e->arrivals[i].kind = PASSES;
}

void events_fini(struct events *e)
{
    memory_resize(e->heap, 0);
    memory_resize(e->arrivals, 0);
}
