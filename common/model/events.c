/* SPDX-License-Identifier: MIT */
#include "model/state.h"
#include "trace/memory.h"

/* A binary heap. Two events at one time come in the order in which they were
 * pushed, functions' ends after them in the order of the functions: that is
 * what makes a run repeatable. */

static bool before(const struct event *a, const struct event *b)
{
    return a->time < b->time || (a->time == b->time && a->sequence < b->sequence);
}

void events_push(struct events *e, int64_t time, enum event_kind kind, uint32_t node, uint32_t count)
{
    MEMORY_GROW(e->heap, e->count, e->capacity);
    struct event added = { time, kind == FUNCTION_ENDS ? UINT64_C(1) << 63 | node : e->sequence++, kind, node, count };
    size_t at = e->count++;
    while (at > 0 && before(&added, &e->heap[(at - 1) / 2])) {
        e->heap[at] = e->heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    e->heap[at] = added;
}

struct event events_pop(struct events *e)
{
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
