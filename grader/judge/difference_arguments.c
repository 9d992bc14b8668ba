/* SPDX-License-Identifier: MIT */
/* What the calls of two programs are given: numbers, streams and events. */
#include "grader/judge/comparison.h"

#include <stdlib.h>
#include <string.h>

#include "trace/record/memory.h"

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
        if ((made->kind == CALL_MALLOC || made->kind == CALL_REGISTER) && made->status == 0
            && at - made->dst < made->bytes)
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
            values[side][k] = number_in(c->view[side], comparison_call(c, side, n, k), number);
        qsort(values[side], n->count[side], sizeof **values, ascending);
    }
    bool same = n->count[0] == n->count[1]
                && memcmp(values[0], values[1], n->count[0] * sizeof **values) == 0;
    memory_resize(values[0], 0);
    memory_resize(values[1], 0);
    return same;
}

static void tell_given(struct comparison *c, const struct called *n, enum number number)
{
    for (size_t k = 0; k < n->count[YOURS]; k++) {
        long long mine = number_in(c->view[YOURS], comparison_call(c, YOURS, n, k), number);
        long long theirs = number_in(c->view[THERE], comparison_call(c, THERE, n, k), number);
        if (mine == theirs)
            continue;
        comparison_tell_call(c, n, k);
        comparison_tell(c, " %s %lld%s, and there %lld", words_for[number].before, mine,
                        words_for[number].unit, theirs);
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
            if (n->polls || n->count[YOURS] != n->count[THERE] || same_numbers(c, n, k)
                || n->kind == CALL_FREE) /* as large as it was allocated: told there */
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
int difference_in_numbers(struct comparison *c)
{
    int found = differs_in_numbers(c, BYTES, TO);
    return found != 0 ? found : differs_in_numbers(c, TO, NUMBERS);
}

/* ---- which stream, which event ---- */

static bool is_in_stream(const struct call *c)
{
    return (c->kind >= CALL_LAUNCH && c->kind <= CALL_GRAPH_LAUNCH) || c->kind == CALL_STREAM_SYNC
           || c->kind == CALL_STREAM_QUERY;
}

static bool is_about_event(const struct call *c)
{
    return c->kind == CALL_EVENT_RECORD || c->kind == CALL_STREAM_WAIT || c->kind == CALL_EVENT_SYNC
           || c->kind == CALL_EVENT_QUERY;
}

static uint32_t stream_in(const struct call *c)
{
    return is_in_stream(c) ? c->stream : ANY;
}

static uint32_t event_in(const struct call *c)
{
    return is_about_event(c) ? c->event : ANY;
}

/* Calls that go with each other, of names that are called equally often, what handle each names,
 * and which of the submission's goes with theirs. */
struct pair { const struct called *n; size_t k; uint32_t mine, theirs, meant; };

static size_t pairs_of(const struct comparison *c, uint32_t (*handle)(const struct call *call),
                       struct pair **out)
{
    size_t count = 0, room = 0;
    *out = NULL;
    for (size_t i = 0; i < c->count; i++) {
        const struct called *n = &c->list[i];
        for (size_t k = 0; !n->polls && n->count[YOURS] == n->count[THERE] && k < n->count[YOURS];
             k++) {
            struct pair p = { n, k, handle(comparison_call(c, YOURS, n, k)),
                              handle(comparison_call(c, THERE, n, k)), ANY };
            if (p.mine == ANY || p.theirs == ANY)
                continue;
            MEMORY_GROW(*out, count, room);
            (*out)[count++] = p;
        }
    }
    return count;
}

/* Which of the submission's goes most often with that one of the reference's; ANY: two do so
 * equally often. */
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

/* Do two of the reference's handles go with the same one of the submission's? Then what is several
 * there is one here, and no single call names the wrong one. */
static bool shares_a_partner(const struct pair *pairs, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < i; k++)
            if (pairs[k].meant == pairs[i].meant && pairs[i].meant != ANY
                && pairs[k].theirs != pairs[i].theirs)
                return true;
    return false;
}

/* The calls of one line name another one than its fellows there do. -1: those of more lines. */
static int differs_in_handle(struct comparison *c, uint32_t (*handle)(const struct call *call),
                             const char *what)
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
        several = pairs[i].n != pairs[other].n
                  || comparison_call(c, YOURS, pairs[i].n, pairs[i].k)->line
                         != comparison_call(c, YOURS, pairs[other].n, pairs[other].k)->line;
    }
    if (other != ANY && !several) {
        uint32_t meant = pairs[other].meant;
        for (size_t i = 0; i < count && meant != ANY && fellow == ANY; i++)
            if (pairs[i].theirs == pairs[other].theirs && pairs[i].mine == meant)
                fellow = i;
    }
    if (other != ANY && !several && fellow != ANY) {
        comparison_tell_call(c, pairs[other].n, pairs[other].k);
        comparison_tell(c, " names another %s than ", what);
        comparison_tell_name(c, pairs[fellow].n);
        comparison_tell(c, " in line %u, and there the same",
                        comparison_call(c, YOURS, pairs[fellow].n, pairs[fellow].k)->line);
    }
    bool found = other != ANY && !several && fellow != ANY, none = other == ANY && !several;
    memory_resize(pairs, 0);
    return found ? 1 : none ? 0 : -1;
}

int difference_in_streams(struct comparison *c)
{
    return differs_in_handle(c, stream_in, "stream");
}

int difference_in_events(struct comparison *c)
{
    return differs_in_handle(c, event_in, "event");
}
