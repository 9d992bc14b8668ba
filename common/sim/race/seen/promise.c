/* SPDX-License-Identifier: MIT */
#include "sim/race/seen/promise.h"

#include "sim/race/seen/initialised.h"

static SEEN void keep(struct promise *p)
{
    if (*p->to > p->marked_to)
        initialised_mark(p->marked_to, *p->to - p->marked_to);
    p->marked_to = *p->to;
}

SEEN bool promises_keep(void)
{
    bool some = false;
    for (size_t i = 0; i < open_runs.promise_count; i++) {
        some |= *open_runs.promises[i].to > open_runs.promises[i].marked_to;
        keep(&open_runs.promises[i]);
    }
    return some;
}

/* That of the run whose end this is, or NULL. */
static SEEN struct promise *promise_of(const uintptr_t *to)
{
    for (size_t i = 0; i < open_runs.promise_count; i++)
        if (open_runs.promises[i].to == to)
            return &open_runs.promises[i];
    return NULL;
}

SEEN void promise_ends(const uintptr_t *to)
{
    struct promise *p = promise_of(to);
    if (!p)
        return;
    keep(p);
    *p->known_to = *p->to;
    *p = open_runs.promises[--open_runs.promise_count];
}

SEEN void promise_make(struct open_run *run)
{
    uintptr_t end = ALLOCATION_LOW + initialised_span, most = run->to + AHEAD;
    if (initialised_in_common || run->to - ALLOCATION_LOW >= initialised_span)
        return;
    struct promise *p = promise_of(&run->to);
    if (p)
        keep(p);
    else if (open_runs.promise_count == PROMISES)
        return;
    else
        p = &open_runs.promises[open_runs.promise_count++];
    *p = (struct promise){ &run->to, &run->known_to, run->to };
    run->known_to = most < end ? most : end;
}

static SEEN void give(struct promise *p, uintptr_t *to, uintptr_t *known_to)
{
    if (!p)
        return;
    p->to = to;
    p->known_to = known_to;
}

SEEN void promise_moves(const uintptr_t *to, struct left_run *left)
{
    give(promise_of(to), &left->to, &left->known_to);
}

SEEN void promises_change(struct stride *s, struct open_run *own, uintptr_t at)
{
    struct left_run *left = &open_runs.left[s - open_runs.strides][s->left_last];
    if (own->mark != s->mark || s->left_count == 0 || at < left->from || at > left->to)
        return;
    struct promise *first = promise_of(&own->to), *second = promise_of(&left->to);
    change_places(own, left);
    give(first, &left->to, &left->known_to);
    give(second, &own->to, &own->known_to);
}
