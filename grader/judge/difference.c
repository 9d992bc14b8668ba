/* SPDX-License-Identifier: MIT */
/*
 * DESIGN
 * Calls are compared by name, the first of a name with the first of that name there, and so on.
 * Where one name is called more or less often, that is the difference; else a number that a call is
 * given; else the stream or the event that it names. Which streams are the same in two programs is
 * what most of their calls have in common. Programs that poll do so as often as they have time.
 *
 * Where names differ in number, right answers may differ, too: what work there is on the device is
 * the task's, so that a kernel, or copies in one direction, of which there are none, or more, are
 * told all the same.
 *
 * What cannot be the cause is left out: where pages lie changes no output and no order, and what is
 * not given back is a mistake of its own. So is what comes to the same: two names for one thing, a
 * wait for more, things made or given back in another order.
 */
#include "grader/judge/difference.h"

#include <string.h>

#include "grader/judge/comparison.h"
#include "trace/record/memory.h"

/* ---- how often ---- */

static bool is_query(const struct called *n)
{
    return n->kind == CALL_STREAM_QUERY || n->kind == CALL_EVENT_QUERY;
}

/* A query that the reference solution does not make is a way to wait; and a call that was refused
 * was made all the same. */
static bool as_often(const struct called *n)
{
    bool polls = n->polls && n->count[YOURS] > 0 && (n->count[THERE] > 0 || is_query(n));
    return n->count[YOURS] == n->count[THERE] || polls || n->refused[YOURS] != n->refused[THERE];
}

/* The host waits for streams, or asks them, where the reference solution waits for the device.
 * Where that is too little, a check of the order says so. */
static bool waits_for_less(const struct comparison *c, const struct called *less)
{
    size_t instead = 0;
    for (size_t i = 0; i < c->count; i++)
        if (c->list[i].kind == CALL_STREAM_SYNC || is_query(&c->list[i]))
            instead += c->list[i].count[YOURS] > c->list[i].count[THERE]
                           ? c->list[i].count[YOURS] - c->list[i].count[THERE]
                           : 0;
    return less->kind == CALL_DEVICE_SYNC && less->count[YOURS] + instead >= less->count[THERE];
}

static bool is_wait(const struct called *n)
{
    return n->kind == CALL_STREAM_SYNC || n->kind == CALL_EVENT_SYNC || n->kind == CALL_DEVICE_SYNC;
}

/* The host waits for the device where the reference solution waits for a stream or an event: for
 * more, and no output or order is the worse for it. */
static bool waits_for_more(const struct comparison *c, const struct called *less,
                           const struct called *more)
{
    return (c->kind == OUTPUT || c->kind == ORDER) && is_wait(less)
           && more->kind == CALL_DEVICE_SYNC
           && more->count[YOURS] - more->count[THERE] >= less->count[THERE] - less->count[YOURS];
}

/* The host waits more often than in the other run: that cannot make an output or an order wrong. */
static bool waits_in_vain(const struct comparison *c, const struct called *n)
{
    return (c->kind == OUTPUT || c->kind == ORDER || c->kind == HAZARD) && is_wait(n)
           && n->count[YOURS] > n->count[THERE];
}

static void tell_number(struct comparison *c, const struct called *n)
{
    comparison_tell_name(c, n);
    if (n->count[THERE] == 0)
        comparison_tell(c, ": no call there, ");
    else
        comparison_tell(c, ": %zu call%s there, ", n->count[THERE],
                        n->count[THERE] == 1 ? "" : "s");
    if (n->count[YOURS] == 0) {
        comparison_tell(c, "none here");
        return;
    }
    comparison_tell(c, "%zu here", n->count[YOURS]);
    c->found->call = n->calls[YOURS][0];
    comparison_tell(c, n->count[YOURS] == 1 ? " (line %u)" : " (the first in line %u)",
                    comparison_call(c, YOURS, n, 0)->line);
}

static bool is_giving_back(const struct called *n)
{
    return n->kind == CALL_FREE || n->kind == CALL_UNREGISTER || n->kind == CALL_STREAM_DESTROY
           || n->kind == CALL_EVENT_DESTROY;
}

/* An event or a stream that the reference solution makes in the part, and this program has made
 * before it. Of memory one piece will do: the reference gives it back in the part, each time. */
static bool was_made_before(const struct comparison *c, const struct called *n)
{
    if (n->kind == CALL_MALLOC)
        return n->count[YOURS] == 0 && c->kept_memory > 0 && c->kind != HYGIENE;
    size_t kept = n->kind == CALL_EVENT_CREATE    ? c->kept_events
                  : n->kind == CALL_STREAM_CREATE ? c->kept_streams
                                                  : 0;
    return n->count[YOURS] < n->count[THERE] && kept >= n->count[THERE] - n->count[YOURS];
}

/* One name that is called less often, or one that is called more often, or both. -1: there are more
 * of them. */
static int differs_in_number(struct comparison *c)
{
    const struct called *less = NULL, *more = NULL;
    for (size_t i = 0; i < c->count; i++) {
        const struct called *n = &c->list[i],
                            **which = n->count[YOURS] < n->count[THERE] ? &less : &more;
        if (as_often(n) || was_made_before(c, n)
            || (c->kind != HYGIENE && is_giving_back(n) && which == &less))
            continue;
        if (*which)
            return -1;
        *which = n;
    }
    if (less && waits_for_less(c, less) && (!more || more->kind == CALL_STREAM_SYNC))
        return 0;
    if (less && more && waits_for_more(c, less, more))
        return 0;
    if (more && waits_in_vain(c, more) && !(less && is_wait(less)))
        more = NULL;
    /* Hygiene is no matter of a wait that is missing. */
    if (less && !more && c->kind == HYGIENE && is_wait(less))
        return 0;
    if (less)
        tell_number(c, less);
    if (less && more)
        comparison_tell(c, "; ");
    if (more)
        tell_number(c, more);
    return less || more;
}

/* ---- in which order ---- */

/* The calls of both programs in their order, by name: an index of the list. */
static size_t sequence_of(const struct comparison *c, int side, uint32_t **names, uint32_t **calls)
{
    size_t count = 0, next[NAMES] = { 0 };
    for (size_t i = 0; i < c->count; i++)
        count += c->list[i].polls ? 0 : c->list[i].count[side];
    *names = memory_resize(NULL, (count + 1) * sizeof **names);
    *calls = memory_resize(NULL, (count + 1) * sizeof **calls);
    for (size_t i = 0; i < count; i++) {
        uint32_t first = ANY;
        for (size_t k = 0; k < c->count; k++) {
            const struct called *n = &c->list[k];
            if (!n->polls && next[k] < n->count[side]
                && (first == ANY || n->calls[side][next[k]] < (*calls)[i])) {
                first = (uint32_t)k;
                (*calls)[i] = n->calls[side][next[k]];
            }
        }
        (*names)[i] = first;
        next[first]++;
    }
    return count;
}

static bool is_making(const struct called *n)
{
    return n->kind == CALL_MALLOC || n->kind == CALL_REGISTER || n->kind == CALL_STREAM_CREATE
           || n->kind == CALL_EVENT_CREATE;
}

/* Calls one after the other that make something, or give it back, may as well come in another
 * order: they are put in the list's. */
static void forget_order(const struct comparison *c, uint32_t *names, uint32_t *calls, size_t count)
{
    for (size_t i = 1; i < count; i++)
        for (size_t k = i; k > 0 && names[k] < names[k - 1]; k--) {
            const struct called *one = &c->list[names[k - 1]], *two = &c->list[names[k]];
            if (!(is_making(one) && is_making(two))
                && !(is_giving_back(one) && is_giving_back(two)))
                break;
            uint32_t name = names[k], call = calls[k];
            names[k] = names[k - 1], calls[k] = calls[k - 1];
            names[k - 1] = name, calls[k - 1] = call;
        }
}

static bool has_one_thread(const struct comparison *c, int side)
{
    const struct timeline *t = c->view[side]->timeline;
    for (size_t i = 0; i < t->call_count; i++)
        if (t->calls[i].kind == CALL_THREAD_BEGIN)
            return false;
    return true;
}

/* In the first place where the order differs one call has come too soon, or one comes too late. */
static int differs_in_order(struct comparison *c)
{
    uint32_t *mine, *theirs, *calls, *unused;
    size_t count = sequence_of(c, YOURS, &mine, &calls),
           others = sequence_of(c, THERE, &theirs, &unused), at = 0;
    forget_order(c, mine, calls, count);
    forget_order(c, theirs, unused, others);
    while (at < count && at < others && mine[at] == theirs[at])
        at++;
    bool differs =
        count == others && at < count && has_one_thread(c, YOURS) && has_one_thread(c, THERE);
    size_t soon = at, late = at; /* where the call that comes here is there, where the call that is
                                    there comes here */
    while (differs && soon < count && theirs[soon] != mine[at])
        soon++;
    while (differs && late < count && mine[late] != theirs[at])
        late++;
    differs = differs && soon < count && late < count;
    bool came_soon = differs && memcmp(mine + at + 1, theirs + at, (soon - at) * sizeof *mine) == 0;
    bool comes_late =
        differs && memcmp(theirs + at + 1, mine + at, (late - at) * sizeof *mine) == 0;
    if (came_soon || comes_late) {
        size_t moved = comes_late ? late : at, passed = comes_late ? at : soon;
        const struct timeline *t = c->view[YOURS]->timeline;
        c->found->call = calls[moved];
        c->found->other = calls[passed];
        comparison_tell_name(c, &c->list[mine[moved]]);
        comparison_tell(c, " in line %u comes %s ", t->calls[calls[moved]].line,
                        comes_late ? "after" : "before");
        comparison_tell_name(c, &c->list[mine[passed]]);
        comparison_tell(c, " in line %u, and there %s it", t->calls[calls[passed]].line,
                        comes_late ? "before" : "after");
    }
    memory_resize(mine, 0);
    memory_resize(theirs, 0);
    memory_resize(calls, 0);
    memory_resize(unused, 0);
    return came_soon || comes_late;
}

bool difference_find(const struct view *yours, const struct view *reference,
                     const struct check *check, struct difference *d)
{
    struct comparison c = { .view = { yours, reference }, .kind = check->kind, .found = d };
    *d = (struct difference){ .call = ANY, .other = ANY };
    comparison_look(&c, check->part);
    comparison_collect(&c, YOURS, check->part);
    comparison_collect(&c, THERE, check->part);
    int found = c.too_many ? -1 : differs_in_number(&c);
    if (found == 0)
        found = difference_in_numbers(&c);
    if (found == 0)
        found = difference_in_streams(&c);
    if (found == 0)
        found = difference_in_events(&c);
    if (found == 0)
        found = differs_in_order(&c);
    for (size_t i = 0; i < c.count; i++) {
        memory_resize(c.list[i].calls[YOURS], 0);
        memory_resize(c.list[i].calls[THERE], 0);
    }
    return found > 0;
}
