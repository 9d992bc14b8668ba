/* SPDX-License-Identifier: MIT */
/*
 * DESIGN
 * Calls are compared by name, the first of a name with the first of that name there, and so on. Where one name is called more or less
 * often, that is the difference; else a number that a call is given; else the stream or the event that it names. Which streams are
 * the same in two programs is what most of their calls have in common. Programs that poll do so as often as they have time.
 *
 * Where names differ in number, right answers may differ, too: what work there is on the device is the task's, so that a
 * kernel, or copies in one direction, of which there are none, or more, are told all the same.
 *
 * What cannot be the cause is left out: where pages lie changes no output and no order, and what is not given back is a mistake of its own.
 */
#include "grader/judge/difference.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grader/base/text.h"
#include "trace/record/memory.h"

enum { NAMES = 64, CALLS = 4000, YOURS = 0, THERE = 1 };

/* A name that is called in the part, with its calls in both programs. */
struct called {
    const char *name;
    uint32_t kind;
    bool polls;
    uint32_t *calls[2];
    size_t count[2], room[2];   /* of those that succeeded … */
    size_t refused[2];          /* … and of the others */
};

struct comparison {
    const struct view *view[2];
    struct called list[NAMES];
    size_t count;
    bool too_many;
    enum check_kind kind;       /* of the check that failed */
    struct difference *found;
};

static const struct call *call_number(const struct comparison *c, int side, const struct called *n, size_t k)
{
    return &c->view[side]->timeline->calls[n->calls[side][k]];
}

/* ---- which calls ---- */

static bool happens_while_waiting(const struct call *c)
{
    return c->kind == CALL_STREAM_QUERY || c->kind == CALL_EVENT_QUERY || c->kind == CALL_HOST_WORK;
}

static bool takes_part(const struct timeline *t, const struct call *c)
{
    static const char *const asking[] = { "cudaGetLastError", "cudaPeekAtLastError", "cudaGetDevice", "cudaDeviceGetAttribute",
                                          "cudaGetDeviceProperties", "cudaGetDeviceCount" };
    for (size_t i = 0; i < sizeof asking / sizeof *asking; i++)
        if (strcmp(timeline_string(t, c->name), asking[i]) == 0)
            return false;
    bool in_graph = c->flags & GRAPH_NODE || (c->kind >= CALL_GRAPH_EDGE && c->kind <= CALL_GRAPH_END);
    return c->kind >= CALL_LAUNCH && c->kind <= CALL_OTHER && !in_graph && c->line != 0 && !is_in_driver(t, c);
}

static struct called *calls_named(struct comparison *c, const char *name, const struct call *call)
{
    for (size_t i = 0; i < c->count; i++)
        if (strcmp(c->list[i].name, name) == 0)
            return &c->list[i];
    if (c->count == NAMES)
        return NULL;
    c->list[c->count] = (struct called){ .name = name, .kind = call->kind, .polls = happens_while_waiting(call) };
    return &c->list[c->count++];
}

/* Calls that say where pages of managed memory are to be. */
static bool moves_pages(const struct timeline *t, const struct call *c)
{
    return c->kind == CALL_PREFETCH || strncmp(timeline_string(t, c->name), "cudaMemAdvise", strlen("cudaMemAdvise")) == 0;
}

static void collect_calls(struct comparison *c, int side, const char *part)
{
    const struct timeline *t = c->view[side]->timeline;
    struct selection s = in_part(c->view[side], part, 0);
    size_t taken = 0;
    for (size_t i = s.first_call; i < s.end_call && !c->too_many; i++) {
        if (!takes_part(t, &t->calls[i]) || (c->kind <= ORDER && moves_pages(t, &t->calls[i])))
            continue;
        struct called *n = calls_named(c, timeline_string(t, t->calls[i].name), &t->calls[i]);
        c->too_many = !n || taken++ == CALLS;
        if (c->too_many)
            break;
        if (t->calls[i].status != 0 && !n->polls) {
            n->refused[side]++;
            continue;
        }
        MEMORY_GROW(n->calls[side], n->count[side], n->room[side]);
        n->calls[side][n->count[side]++] = (uint32_t)i;
    }
}

/* ---- words ---- */

static void tell_more(struct comparison *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void tell_more(struct comparison *c, const char *format, ...)
{
    va_list arguments;
    size_t used = strlen(c->found->text);
    va_start(arguments, format);
    vsnprintf(c->found->text + used, sizeof c->found->text - used, format, arguments);
    va_end(arguments);
}

static void tell_called(struct comparison *c, const struct called *n)
{
    char *clean = text_harmless(n->name, strlen(n->name));
    tell_more(c, "%.100s()", clean);
    memory_resize(clean, 0);
}

/* "cudaMemcpyAsync() in line 12"; blames it. */
static void tell_call(struct comparison *c, const struct called *n, size_t k)
{
    c->found->call = n->calls[YOURS][k];
    tell_called(c, n);
    tell_more(c, " in line %u", call_number(c, YOURS, n, k)->line);
}

/* ---- how often ---- */

static bool is_query(const struct called *n)
{
    return n->kind == CALL_STREAM_QUERY || n->kind == CALL_EVENT_QUERY;
}

/* To ask where the reference solution does not is a way to wait; and what was refused was called all the same. */
static bool as_often(const struct called *n)
{
    bool polls = n->polls && n->count[YOURS] > 0 && (n->count[THERE] > 0 || is_query(n));
    return n->count[YOURS] == n->count[THERE] || polls || n->refused[YOURS] != n->refused[THERE];
}

/* The host waits for a stream, or asks, where it waits for the device there: who needs more is told so by a check of its order. */
static bool waits_for_less(const struct comparison *c, const struct called *less)
{
    size_t instead = 0;
    for (size_t i = 0; i < c->count; i++)
        if (c->list[i].kind == CALL_STREAM_SYNC || is_query(&c->list[i]))
            instead += c->list[i].count[YOURS] > c->list[i].count[THERE] ? c->list[i].count[YOURS] - c->list[i].count[THERE] : 0;
    return less->kind == CALL_DEVICE_SYNC && less->count[YOURS] + instead >= less->count[THERE];
}

static void tell_number(struct comparison *c, const struct called *n)
{
    tell_called(c, n);
    if (n->count[THERE] == 0)
        tell_more(c, ": no call there, ");
    else
        tell_more(c, ": %zu call%s there, ", n->count[THERE], n->count[THERE] == 1 ? "" : "s");
    if (n->count[YOURS] == 0) {
        tell_more(c, "none here");
        return;
    }
    tell_more(c, "%zu here", n->count[YOURS]);
    c->found->call = n->calls[YOURS][0];
    tell_more(c, n->count[YOURS] == 1 ? " (line %u)" : " (the first in line %u)", call_number(c, YOURS, n, 0)->line);
}

static bool is_giving_back(const struct called *n)
{
    return n->kind == CALL_FREE || n->kind == CALL_UNREGISTER || n->kind == CALL_STREAM_DESTROY || n->kind == CALL_EVENT_DESTROY;
}

/* One name that is called less often, or one that is called more often, or both. -1: there are more of them. */
static int differs_in_number(struct comparison *c)
{
    const struct called *less = NULL, *more = NULL;
    for (size_t i = 0; i < c->count; i++) {
        const struct called *n = &c->list[i], **which = n->count[YOURS] < n->count[THERE] ? &less : &more;
        if (as_often(n) || (c->kind != HYGIENE && is_giving_back(n) && which == &less))
            continue;
        if (*which)
            return -1;
        *which = n;
    }
    if (less && waits_for_less(c, less) && (!more || more->kind == CALL_STREAM_SYNC))
        return 0;
    if (less)
        tell_number(c, less);
    if (less && more)
        tell_more(c, "; ");
    if (more)
        tell_number(c, more);
    return less || more;
}

/* ---- numbers that calls are given ---- */

enum number { BYTES, BLOCKS, THREADS, SHARED_BYTES, NANOSECONDS, DEVICE, TO, FROM, NUMBERS };

/* "cudaMemcpy() in line 3 is about 8 bytes" */
static const struct { const char *before, *unit; } words_for[NUMBERS] = {
    [BYTES] = { "is about", " bytes" },
    [TO] = { "writes at byte", " of its memory" },
    [FROM] = { "reads at byte", " of its memory" },
    [BLOCKS] = { "has", " blocks" },
    [THREADS] = { "has", " threads in each block" },
    [SHARED_BYTES] = { "gives each block", " bytes of shared memory" },
    [NANOSECONDS] = { "takes", " ns a block" },
    [DEVICE] = { "is made on device", "" },
};

/* How far that is into the memory of the call that made it; 0 where that is not known. */
static int64_t offset_in(const struct timeline *t, const struct call *c, uint64_t at)
{
    for (size_t i = (size_t)(c - t->calls); at != 0 && i-- > 0;) {
        const struct call *made = &t->calls[i];
        if ((made->kind == CALL_MALLOC || made->kind == CALL_REGISTER) && made->status == 0 && at - made->dst < made->bytes)
            return (int64_t)(at - made->dst);
    }
    return 0;
}

static int64_t number_in(const struct view *v, const struct call *c, enum number number)
{
    bool launch = c->kind == CALL_LAUNCH;
    switch (number) {
    case BYTES:
        return (int64_t)c->bytes;
    case TO:
        return c->kind == CALL_COPY || c->kind == CALL_SET ? offset_in(v->timeline, c, c->dst) : 0;
    case FROM:
        return c->kind == CALL_COPY ? offset_in(v->timeline, c, c->src) : 0;
    case BLOCKS:
        return launch ? (int64_t)c->grid[0] * c->grid[1] * c->grid[2] : 0;
    case THREADS:
        return launch ? (int64_t)c->block[0] * c->block[1] * c->block[2] : 0;
    case SHARED_BYTES:
        return c->shared;
    case NANOSECONDS:
        return launch && c->node != NO_NODE ? declared_cost(v, c->node) : 0;
    default:
        return c->device;
    }
}

static int ascending(const void *one, const void *two)
{
    int64_t a = *(const int64_t *)one, b = *(const int64_t *)two;
    return (a > b) - (a < b);
}

/* Is the same number given equally often? Threads may call in another order. */
static bool same_numbers(const struct comparison *c, const struct called *n, enum number number)
{
    int64_t *values[2];
    for (int side = 0; side < 2; side++) {
        values[side] = memory_resize(NULL, (n->count[side] + 1) * sizeof **values);
        for (size_t k = 0; k < n->count[side]; k++)
            values[side][k] = number_in(c->view[side], call_number(c, side, n, k), number);
        qsort(values[side], n->count[side], sizeof **values, ascending);
    }
    bool same = n->count[0] == n->count[1] && memcmp(values[0], values[1], n->count[0] * sizeof **values) == 0;
    memory_resize(values[0], 0);
    memory_resize(values[1], 0);
    return same;
}

static void tell_given(struct comparison *c, const struct called *n, enum number number)
{
    for (size_t k = 0; k < n->count[YOURS]; k++) {
        long long mine = number_in(c->view[YOURS], call_number(c, YOURS, n, k), number);
        long long theirs = number_in(c->view[THERE], call_number(c, THERE, n, k), number);
        if (mine == theirs)
            continue;
        tell_call(c, n, k);
        tell_more(c, " %s %lld%s, and there %lld", words_for[number].before, mine, words_for[number].unit, theirs);
        return;
    }
}

/* One of these numbers, of the calls of one name. -1: there are more. */
static int differs_in_numbers(struct comparison *c, enum number first, enum number end)
{
    const struct called *which = NULL;
    enum number what = NUMBERS;
    for (size_t i = 0; i < c->count; i++)
        for (enum number k = first; k < end; k++) {
            const struct called *n = &c->list[i];
            if (n->polls || n->count[YOURS] != n->count[THERE] || same_numbers(c, n, k))
                continue;
            if (which)
                return -1;
            which = n;
            what = k;
        }
    if (which)
        tell_given(c, which, what);
    return which != NULL;
}

/* A wrong size moves what comes after it: where that lies is looked at last. */
static int differs_in_what_is_given(struct comparison *c)
{
    int found = differs_in_numbers(c, BYTES, TO);
    return found != 0 ? found : differs_in_numbers(c, TO, NUMBERS);
}

/* ---- which stream, which event ---- */

static bool is_in_stream(const struct call *c)
{
    return (c->kind >= CALL_LAUNCH && c->kind <= CALL_GRAPH_LAUNCH) || c->kind == CALL_STREAM_SYNC || c->kind == CALL_STREAM_QUERY;
}

static bool is_about_event(const struct call *c)
{
    return c->kind == CALL_EVENT_RECORD || c->kind == CALL_STREAM_WAIT || c->kind == CALL_EVENT_SYNC || c->kind == CALL_EVENT_QUERY;
}

static uint32_t stream_in(const struct call *c)
{
    return is_in_stream(c) ? c->stream : ANY;
}

static uint32_t event_in(const struct call *c)
{
    return is_about_event(c) ? c->event : ANY;
}

/* Calls that go with each other, of names that are called equally often, what handle each names, and which of the submission's goes
 * with theirs. */
struct pair { const struct called *n; size_t k; uint32_t mine, theirs, meant; };

static size_t pairs_of(const struct comparison *c, uint32_t (*handle)(const struct call *call), struct pair **out)
{
    size_t count = 0, room = 0;
    *out = NULL;
    for (size_t i = 0; i < c->count; i++) {
        const struct called *n = &c->list[i];
        for (size_t k = 0; !n->polls && n->count[YOURS] == n->count[THERE] && k < n->count[YOURS]; k++) {
            struct pair p = { n, k, handle(call_number(c, YOURS, n, k)), handle(call_number(c, THERE, n, k)), ANY };
            if (p.mine == ANY || p.theirs == ANY)
                continue;
            MEMORY_GROW(*out, count, room);
            (*out)[count++] = p;
        }
    }
    return count;
}

/* Which of the submission's goes most often with that one of the reference's; ANY: two do so equally often. */
static uint32_t partner(const struct pair *pairs, size_t count, uint32_t theirs)
{
    uint32_t best = ANY;
    size_t most = 0;
    for (size_t i = 0; i < count; i++) {
        size_t votes = 0;
        for (size_t k = 0; k < count && pairs[i].theirs == theirs; k++)
            votes += pairs[k].theirs == theirs && pairs[k].mine == pairs[i].mine;
        if (votes == most && votes > 0 && pairs[i].mine != best)
            best = ANY;
        if (votes > most) {
            most = votes;
            best = pairs[i].mine;
        }
    }
    return best;
}

/* Do two of the reference's handles go with the same one of the submission's? Then what is several there is one here, and no single
 * call names the wrong one. */
static bool shares_a_partner(const struct pair *pairs, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < i; k++)
            if (pairs[k].meant == pairs[i].meant && pairs[i].meant != ANY && pairs[k].theirs != pairs[i].theirs)
                return true;
    return false;
}

/* The calls of one line name another one than its fellows there do. -1: those of more lines. */
static int differs_in_handle(struct comparison *c, uint32_t (*handle)(const struct call *call), const char *what)
{
    struct pair *pairs;
    size_t count = pairs_of(c, handle, &pairs), other = ANY, fellow = ANY;
    bool several = count > 300;         /* the search is a square of it */
    for (size_t i = 0; i < count && !several; i++)
        pairs[i].meant = partner(pairs, count, pairs[i].theirs);
    several = several || shares_a_partner(pairs, count);
    for (size_t i = 0; i < count && !several; i++) {
        if (pairs[i].meant == pairs[i].mine)
            continue;
        if (other == ANY)
            other = i;
        several = pairs[i].n != pairs[other].n || call_number(c, YOURS, pairs[i].n, pairs[i].k)->line
                                                      != call_number(c, YOURS, pairs[other].n, pairs[other].k)->line;
    }
    if (other != ANY && !several) {
        uint32_t meant = pairs[other].meant;
        for (size_t i = 0; i < count && meant != ANY && fellow == ANY; i++)
            if (pairs[i].theirs == pairs[other].theirs && pairs[i].mine == meant)
                fellow = i;
    }
    if (other != ANY && !several && fellow != ANY) {
        tell_call(c, pairs[other].n, pairs[other].k);
        tell_more(c, " names another %s than ", what);
        tell_called(c, pairs[fellow].n);
        tell_more(c, " in line %u, and there the same", call_number(c, YOURS, pairs[fellow].n, pairs[fellow].k)->line);
    }
    bool found = other != ANY && !several && fellow != ANY, none = other == ANY && !several;
    memory_resize(pairs, 0);
    return found ? 1 : none ? 0 : -1;
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
            if (!n->polls && next[k] < n->count[side] && (first == ANY || n->calls[side][next[k]] < (*calls)[i])) {
                first = (uint32_t)k;
                (*calls)[i] = n->calls[side][next[k]];
            }
        }
        (*names)[i] = first;
        next[first]++;
    }
    return count;
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
    size_t count = sequence_of(c, YOURS, &mine, &calls), others = sequence_of(c, THERE, &theirs, &unused), at = 0;
    while (at < count && at < others && mine[at] == theirs[at])
        at++;
    bool differs = count == others && at < count && has_one_thread(c, YOURS) && has_one_thread(c, THERE);
    size_t soon = at, late = at;        /* where the call that comes here is there, where the call that is there comes here */
    while (differs && soon < count && theirs[soon] != mine[at])
        soon++;
    while (differs && late < count && mine[late] != theirs[at])
        late++;
    differs = differs && soon < count && late < count;
    bool came_soon = differs && memcmp(mine + at + 1, theirs + at, (soon - at) * sizeof *mine) == 0;
    bool comes_late = differs && memcmp(theirs + at + 1, mine + at, (late - at) * sizeof *mine) == 0;
    if (came_soon || comes_late) {
        size_t moved = comes_late ? late : at, passed = comes_late ? at : soon;
        const struct timeline *t = c->view[YOURS]->timeline;
        c->found->call = calls[moved];
        c->found->other = calls[passed];
        tell_called(c, &c->list[mine[moved]]);
        tell_more(c, " in line %u comes %s ", t->calls[calls[moved]].line, comes_late ? "after" : "before");
        tell_called(c, &c->list[mine[passed]]);
        tell_more(c, " in line %u, and there %s it", t->calls[calls[passed]].line, comes_late ? "before" : "after");
    }
    memory_resize(mine, 0);
    memory_resize(theirs, 0);
    memory_resize(calls, 0);
    memory_resize(unused, 0);
    return came_soon || comes_late;
}

bool difference_find(const struct view *yours, const struct view *reference, const struct check *check, struct difference *d)
{
    struct comparison c = { .view = { yours, reference }, .kind = check->kind, .found = d };
    *d = (struct difference){ .call = ANY, .other = ANY };
    collect_calls(&c, YOURS, check->part);
    collect_calls(&c, THERE, check->part);
    int found = c.too_many ? -1 : differs_in_number(&c);
    if (found == 0)
        found = differs_in_what_is_given(&c);
    if (found == 0)
        found = differs_in_handle(&c, stream_in, "stream");
    if (found == 0)
        found = differs_in_handle(&c, event_in, "event");
    if (found == 0)
        found = differs_in_order(&c);
    for (size_t i = 0; i < c.count; i++) {
        memory_resize(c.list[i].calls[YOURS], 0);
        memory_resize(c.list[i].calls[THERE], 0);
    }
    return found > 0;
}
