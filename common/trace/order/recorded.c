/* SPDX-License-Identifier: MIT */
/*
 * DESIGN
 * Three passes over the log. The first feeds the calls to order and makes the
 * spans, with no times but those of waits. The second gives operations the
 * times of their records. The third goes over the nodes in their order, which
 * is that of all edges, and places the instants: what they wait for has its
 * time by then.
 */
#include "trace/order/recorded.h"

#include <stdio.h>
#include <stdlib.h>

#include "trace/order/recorded_pages.h"
#include "trace/record/memory.h"

struct replay_of_record {
    const struct timeline *log;
    struct timeline *t;
    struct happens_before *o;
    uint32_t *call;             /* by call of the log: its number in *t, NO_NODE for none */
    uint32_t *operation;        /* by call of *t: the operation that it queued, NO_NODE for none */
    size_t operation_capacity;
    uint32_t *device;           /* by stream */
    size_t stream_count, stream_capacity;
    char *trouble;
};

/* The first trouble is told. */
#define TROUBLE(r, ...) ((r)->trouble[0] == '\0' ? (void)snprintf((r)->trouble, RECORDED_TROUBLE, __VA_ARGS__) : (void)0)

/* ---- calls, nodes ---- */

static bool is_of_device(uint32_t kind)
{
    return kind == CALL_DEVICE || kind == CALL_RAN || kind == CALL_LOST || kind == CALL_MIGRATE;
}

static void record_operation(struct replay_of_record *r, const struct call *c, uint32_t call)
{
    bool own_device = (c->flags & GRAPH_NODE) && c->device < HB_DEVICES;
    struct span s = { .engine = engine_of_call(c), .stream = c->stream, .call = call,
                      .name = c->name, .queued = c->end, .start = TIME_NEVER, .end = TIME_NEVER,
                      .bytes = c->kind == CALL_PREFETCH ? 0 : c->bytes };
    s.device = own_device || c->stream >= r->stream_count ? c->device : r->device[c->stream];
    if (s.engine == ENGINE_KERNEL)
        s.blocks = blocks_of_call(c);
    timeline_add_span(r->t, &s);
}

static uint32_t record_call(struct replay_of_record *r, const struct call *given)
{
    struct call c = *given;
    uint32_t call = (uint32_t)r->t->call_count;
    if (c.kind == CALL_STREAM_CREATE && c.status == 0 && c.stream == r->stream_count) {
        MEMORY_GROW(r->device, r->stream_count, r->stream_capacity);
        r->device[r->stream_count++] = c.device;
    }
    c.flags &= ~(uint32_t)LAUNCH_DEPENDENT; /* nothing in a record says what was before the wait */
    struct step step = hb_call(r->o, &c);
    c.node = step.operation != NO_NODE ? step.operation : step.wait;
    timeline_add_call(r->t, &c);
    MEMORY_GROW(r->operation, call, r->operation_capacity);
    r->operation[call] = step.operation;
    if (step.operation != NO_NODE)
        record_operation(r, &c, call);
    if (step.wait != NO_NODE) {
        struct span s = { .engine = ENGINE_WAIT, .call = call, .name = c.name, .queued = c.begin,
                          .start = c.begin,
                          .end = c.end };
        timeline_add_span(r->t, &s);
    }
    return call;
}

/* ---- the log's calls, in order; what has no call of its own where it happened ---- */

/* Something that has its place among the calls by its time; `src`: the log's call that it is of. */
static int by_begin(const void *one, const void *two)
{
    const struct call *a = (const struct call *)one, *b = (const struct call *)two;
    if (a->begin != b->begin)
        return (a->begin > b->begin) - (a->begin < b->begin);
    if (a->src != b->src)       /* of functions, one ends before the next begins */
        return (a->src > b->src) - (a->src < b->src);
    return (a->kind > b->kind) - (a->kind < b->kind);
}

/* Pages' moves; beginnings and ends of functions that streams called, which the record of each
 * implies. */
static size_t find_timed(const struct timeline *log, struct call **out)
{
    size_t count = 0;
    *out = (struct call *)memory_resize(NULL, (2 * log->call_count + 1) * sizeof **out);
    for (size_t i = 0; i < log->call_count; i++) {
        const struct call *c = &log->calls[i];
        if (c->kind == CALL_MIGRATE)
            (*out)[count++] = *c;
        if (c->kind != CALL_RAN || c->src >= i || log->calls[c->src].kind != CALL_HOST_FUNC)
            continue;
        struct call function = *c;
        function.node = NO_NODE;
        function.kind = CALL_FUNCTION_BEGIN;
        function.end = c->begin;
        (*out)[count++] = function;
        function.kind = CALL_FUNCTION_END;
        function.begin = function.end = c->end;
        (*out)[count++] = function;
    }
    qsort(*out, count, sizeof **out, by_begin);
    return count;
}

static void add_timed(struct replay_of_record *r, struct call *c)
{
    if (c->kind == CALL_MIGRATE) {
        record_call(r, c);
        return;
    }
    uint32_t call = r->call[c->src];
    if (call == NO_NODE)
        return;
    c->src = 0;
    uint32_t node = r->operation[call];
    uint32_t function = record_call(r, c);     /* which may move the calls */
    r->t->calls[function].node = node;
}

/* What a function calls comes after its beginning, and that after the call which queued it. */
static bool comes_before(const struct replay_of_record *r, const struct call *timed,
                         const struct call *c)
{
    if (timed->kind != CALL_MIGRATE && r->call[timed->src] == NO_NODE)
        return false;
    return timed->kind == CALL_FUNCTION_BEGIN ? timed->begin <= c->begin : timed->begin < c->begin;
}

static void add_calls(struct replay_of_record *r)
{
    const struct timeline *log = r->log;
    struct call *timed;
    size_t count = find_timed(log, &timed), next = 0;
    for (size_t i = 0; i < log->call_count; i++)
        r->call[i] = NO_NODE;
    for (size_t i = 0; i < log->call_count; i++) {
        const struct call *c = &log->calls[i];
        if (is_of_device(c->kind))
            continue;
        for (; next < count && comes_before(r, &timed[next], c); next++)
            add_timed(r, &timed[next]);
        r->call[i] = record_call(r, c);
    }
    for (; next < count; next++)
        add_timed(r, &timed[next]);
    memory_resize(timed, 0);
}

/* ---- times ---- */

#define CLOCK_LATE_MOST 200000

/* Has the device said when it was? */
static bool is_of_clock(const struct span *s)
{
    return s->engine != ENGINE_WAIT && s->engine != ENGINE_HOST_FUNC && s->engine != ENGINE_NONE;
}

static void take_record(struct replay_of_record *r, size_t number, const struct call *ran)
{
    uint32_t call = ran->src < number ? r->call[ran->src] : NO_NODE;
    if (call == NO_NODE || ran->end < ran->begin) {
        TROUBLE(r, "record %zu is of no call before it, or of no time", number);
        return;
    }
    uint32_t node = r->operation[call];
    if (node == NO_NODE
        || (r->t->spans[node].engine == ENGINE_NONE && r->t->calls[call].kind != CALL_COPY))
        return;
    struct span *s = &r->t->spans[node];
    const struct call *c = &r->t->calls[call];
    if (ran->end < c->begin)
        TROUBLE(r, "%s ended before it was called (line %u): the clocks of host and device differ",
                timeline_string(r->t, s->name), c->line);
    if (s->end == TIME_NEVER || ran->begin < s->start)
        s->start = ran->begin;
    if (s->end == TIME_NEVER || ran->end > s->end)
        s->end = ran->end;
    if (c->kind == CALL_PREFETCH)
        s->bytes += ran->bytes;
    if (s->start < s->queued)
        s->queued = s->start;
}

/* Two threads were in these calls at once: the record has them as they were entered, the driver may
 * have let the wait in first. */
static bool may_be_later(const struct call *queued, const struct call *wait)
{
    return queued->thread != wait->thread && queued->end > wait->begin;
}

/* The device's clock may run some microseconds behind the host's: nothing that a wait was bound to
 * wait for can have ended after it. All of the device's times are moved by as much as it takes. */
static void set_clock(struct replay_of_record *r)
{
    int64_t late = 0;
    for (uint32_t node = 0; node < r->t->span_count; node++) {
        size_t count;
        const struct edge *edges = hb_edges(r->o, node, &count);
        if (r->t->spans[node].engine != ENGINE_WAIT
            || r->t->calls[r->t->spans[node].call].kind >= CALL_STREAM_QUERY)
            continue;
        for (size_t i = 0; i < count; i++) {
            const struct span *s = &r->t->spans[edges[i].from];
            if (edges[i].strength != GUARANTEED || s->end == TIME_NEVER || !is_of_clock(s)
                || may_be_later(&r->t->calls[s->call], &r->t->calls[r->t->spans[node].call]))
                continue;
            int64_t by = s->end - r->t->spans[node].end;
            late = by > late ? by : late;
        }
    }
    if (late > CLOCK_LATE_MOST)
        TROUBLE(r,
                "a wait was over %lld us before what it waited for: the clocks of host and device differ",
                (long long)late / 1000);
    for (uint32_t node = 0; late > 0 && late <= CLOCK_LATE_MOST && node < r->t->span_count;
         node++) {
        struct span *s = &r->t->spans[node];
        if (!is_of_clock(s) || s->end == TIME_NEVER)
            continue;
        s->start -= late;
        s->end -= late;
    }
}

/* Instants have no record; of a prefetch there may be none; a copy from host to host has one or
 * not. */
static bool is_placed(const struct timeline *t, uint32_t node)
{
    const struct span *s = &t->spans[node];
    return s->start == TIME_NEVER
           && (s->engine == ENGINE_NONE || t->calls[s->call].kind == CALL_PREFETCH);
}

static void place_node(struct replay_of_record *r, uint32_t node)
{
    struct span *s = &r->t->spans[node];
    size_t count;
    const struct edge *edges = hb_edges(r->o, node, &count);
    int64_t time = s->queued;
    for (size_t i = 0; i < count; i++) {
        int64_t end = r->t->spans[edges[i].from].end;
        time = end > time ? end : time;         /* TIME_NEVER is later than all */
    }
    s->start = s->end = time;
}

/* After these a context gives no more than this error [H], and the recorder may get none of the
 * latest records. */
static bool is_end_of_context(int32_t status)
{
    return status == 700 || status == 702 || (status >= 709 && status <= 719);
}

/* The part in which the device met its end; NO_NODE: it did not. */
static uint32_t fatal_part(const struct timeline *t)
{
    uint32_t part = 0;
    for (uint32_t i = 0; i < t->call_count; i++) {
        if (t->calls[i].kind == CALL_PART && t->calls[i].name != 0)
            part = i;
        if (is_end_of_context(t->calls[i].status) && t->calls[i].kind != CALL_REPORT)
            return part;
    }
    return NO_NODE;
}

/* Has an operation that the host waited for no time? Edges lead to smaller numbers. */
static void look_for_gaps(struct replay_of_record *r)
{
    size_t nodes = r->t->span_count, missing = 0;
    uint32_t first = NO_NODE, fatal = fatal_part(r->t);
    bool *needed = (bool *)memory_resize(NULL, nodes + 1);
    memory_zero(needed, nodes + 1);
    for (uint32_t node = (uint32_t)nodes; node-- > 0;) {
        size_t count;
        const struct edge *edges = hb_edges(r->o, node, &count);
        if (!needed[node] && !hb_is_wait(r->o, node))
            continue;
        for (size_t i = 0; i < count; i++)
            needed[edges[i].from] = true;
        if (r->t->spans[node].end != TIME_NEVER || is_placed(r->t, node)
            || r->t->spans[node].call >= fatal)
            continue;
        first = node;
        missing++;
    }
    memory_resize(needed, 0);
    if (missing > 0)
        TROUBLE(r,
                "the record has no times for %zu of the operations that the program waited for; the first is %s (line %u)",
                missing, timeline_string(r->t, r->t->spans[first].name),
                r->t->calls[r->t->spans[first].call].line);
}

/* ---- all of it ---- */

static void look_at_end(struct replay_of_record *r)
{
    const struct timeline *log = r->log;
    bool ended = false;
    for (size_t i = 0; i < log->call_count; i++) {
        const struct call *c = &log->calls[i];
        if (c->kind == CALL_LOST)
            TROUBLE(r, "the recorder lost something: %s", timeline_string(log, c->message));
        ended |= c->kind == CALL_EXIT;
    }
    if (!ended)
        TROUBLE(r, "the record breaks off before the program's end");
}

/* What a recorder writes is a matter of seconds. Whoever forges a record writes what he likes. */
static bool is_a_time(int64_t ns)
{
    const int64_t months = INT64_C(1) << 53;
    return ns > -months && ns < months;
}

static bool has_times(const struct timeline *log)
{
    for (size_t i = 0; i < log->call_count; i++)
        if (!is_a_time(log->calls[i].begin) || !is_a_time(log->calls[i].end))
            return false;
    return true;
}

bool recorded_replay(const struct timeline *log, struct timeline *t, struct happens_before *o,
                     char trouble[RECORDED_TROUBLE])
{
    struct replay_of_record r = { .log = log, .t = t, .o = o, .trouble = trouble };
    trouble[0] = '\0';
    if (!has_times(log)) {
        TROUBLE(&r, "the record has times that no clock shows");
        return false;
    }
    r.call = (uint32_t *)memory_resize(NULL, (log->call_count + 1) * sizeof *r.call);
    timeline_take_strings(t, log);
    look_at_end(&r);
    add_calls(&r);
    for (size_t i = 0; i < log->call_count; i++)
        if (log->calls[i].kind == CALL_RAN)
            take_record(&r, i, &log->calls[i]);
    set_clock(&r);
    look_for_gaps(&r);
    for (uint32_t node = 0; node < t->span_count; node++)
        if (is_placed(t, node))
            place_node(&r, node);
    recorded_pages(t);
    memory_resize(r.call, 0);
    memory_resize(r.operation, 0);
    memory_resize(r.device, 0);
    return trouble[0] == '\0';
}

const struct call *recorded_device(const struct timeline *log, uint32_t device)
{
    for (size_t i = 0; i < log->call_count; i++)
        if (log->calls[i].kind == CALL_DEVICE && log->calls[i].device == device)
            return &log->calls[i];
    return NULL;
}
