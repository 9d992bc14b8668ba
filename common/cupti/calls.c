/* SPDX-License-Identifier: MIT */
/*
 * DESIGN
 * A table (rows.h) has a row for each call of the runtime that means something to the
 * timeline: what is known when it is entered, and what only when it has
 * returned. A call gets its number when it is entered, since one that waits
 * orders what was queued before and not what comes meanwhile; one that makes a
 * handle or finds memory gets it when there is one: what another thread is just
 * giving back may be found before that thread's call has returned, and is given
 * back first. All others are CALL_OTHER.
 * Calls inside calls (cudaMallocHost may make cudaHostAlloc) are one call.
 */
#include "rows.h"

#include <string.h>

#define SITES_SAVED 64

/* The call that this thread is in. */
static __thread struct {
    unsigned depth;
    struct call call;
    const struct row *row;
    size_t number;              /* NO_CALL: not yet */
    bool captured;
    size_t asked; /* the thread's last query, which was told that it is too early; NO_CALL */
} now = { .number = NO_CALL, .asked = NO_CALL };

/* The calls of this thread that may still learn where they stand. */
static __thread struct { size_t number[SITES_SAVED]; unsigned count; } unlocated;

#define IDS (2 * DRIVER_CALLS)

/* By callback id, once it was seen. */
static struct seen { bool known, per_thread; const struct row *row; uint32_t name; } seen[IDS];

static bool ends_with(const char *s, size_t n, const char *end)
{
    return n >= strlen(end) && memcmp(s + n - strlen(end), end, strlen(end)) == 0;
}

/* The row of a call, by its name's first `length` bytes; NULL: it is CALL_OTHER. */
static const struct row *row_of(const char *name, size_t length)
{
    static const struct row *const tables[] = { rows_of_work, rows_of_order, rows_of_memory };
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        for (const struct row *row = tables[i]; row->name; row++)
            if (strlen(row->name) == length && memcmp(row->name, name, length) == 0)
                return row;
    return NULL;
}

static struct seen *look(const char *name, CUpti_CallbackId id)
{
    static struct seen none;
    struct seen *s = id < IDS ? &seen[id] : &none;
    if (s->known)
        return s;
    size_t n = strlen(name);
    *s = (struct seen){ .known = id < IDS,
                        .per_thread = ends_with(name, n, "_ptsz") || ends_with(name, n, "_ptds") };
    if (s->per_thread)
        n -= strlen("_ptsz");
    if (ends_with(name, n, "_v2"))
        n -= strlen("_v2");
    s->row = row_of(name, n);
    char plain[128];
    n = n < sizeof plain ? n : sizeof plain - 1;
    memcpy(plain, name, n);
    plain[n] = '\0';
    s->name = record_string(plain);
    return s;
}

static bool queues(const struct call *c)
{
    bool memory = (c->kind == CALL_MALLOC || c->kind == CALL_FREE) && c->flags & CALL_ASYNC;
    return (c->kind >= CALL_LAUNCH && c->kind <= CALL_GRAPH_LAUNCH) || memory;
}

static bool waits(uint32_t kind)
{
    return (kind >= CALL_STREAM_SYNC && kind <= CALL_EVENT_SYNC) || kind == CALL_COPY
           || kind == CALL_FREE;
}

/* What gets its number when it is over: what makes a handle or finds memory, and what is several
 * calls of the log in one piece. */
static bool comes_late(uint32_t kind)
{
    return kind == CALL_STREAM_CREATE || kind == CALL_EVENT_CREATE || kind == CALL_GRAPH_LAUNCH
           || kind == CALL_MALLOC;
}

#define NO_EVENT UINT32_MAX

/* What was queued since the devices were last known to be at rest: by how many, and by which call
 * last. */
static struct { bool any, several; uint32_t stream, event; } under_way;

static void comes_under_way(const struct call *c)
{
    under_way.several |= under_way.any && under_way.stream != c->stream;
    under_way.any = true;
    under_way.stream = c->stream;
    under_way.event = c->kind == CALL_EVENT_RECORD ? c->event : NO_EVENT;
}

/* Is nothing under way after this wait? Where it is not certain: no. (A wait for one of several
 * devices counts for all.) */
static bool comes_to_rest(const struct call *c)
{
    bool one = under_way.any && !under_way.several;
    bool of_event = c->kind == CALL_EVENT_SYNC || c->kind == CALL_EVENT_QUERY;
    bool rest = c->kind == CALL_DEVICE_SYNC
                || (one
                    && (of_event ? c->event == under_way.event : c->stream == under_way.stream));
    under_way.any &= !rest;
    under_way.several &= !rest;
    return rest;
}

static void expect_site(size_t number)
{
    if (unlocated.count == SITES_SAVED) {
        unlocated.count--;
        memmove(unlocated.number, unlocated.number + 1, unlocated.count * sizeof *unlocated.number);
    }
    unlocated.number[unlocated.count++] = number;
}

void call_entered(const CUpti_CallbackData *data, CUpti_CallbackId id)
{
    if (record_busy || now.depth++ > 0 || !record_active())
        return;
    if (strcmp(data->functionName, "cudaDeviceReset") == 0)
        activity_finish();
    int64_t begin = record_now();
    pthread_mutex_lock(&record_lock);
    record_busy = true;
    handles_begin();
    const struct seen *s = look(data->functionName, id);
    now.row = s->row;
    now.call = (struct call){
        .kind = s->row ? s->row->kind : CALL_OTHER, .flags = s->row ? s->row->flags : 0,
        .name = s->name, .thread = record_thread(), .device = current_device(), .begin = begin,
        .cost = COST_UNKNOWN, .node = NO_NODE,
    };
    struct made m = { &now.call, data->functionParams, s->per_thread, NULL };
    if (now.call.kind == CALL_LAUNCH)
        now.call.name = call_kernel_name(data->symbolName);
    if (s->row && s->row->enter)
        s->row->enter(&m);
    now.captured = queues(&now.call) && goes_into_graph(m.stream);
    now.number = NO_CALL;
    if (!comes_late(now.call.kind)) {
        now.number = record_reserve(&now.call);
        expect_site(now.number);
    }
    call_current = now.captured ? NO_CALL : now.number;
    if (waits(now.call.kind))
        record_write();
    record_busy = false;
    pthread_mutex_unlock(&record_lock);
}

static bool keeps_kind(uint32_t kind)
{
    return kind == CALL_STREAM_QUERY || kind == CALL_EVENT_QUERY || kind == CALL_LAUNCH;
}

/* A loop that asks again and again is one long query, and the last of them, which may have another
 * answer: a fault takes 150 ms to be told, in which one asks 180,000 times [measured, H200]. */
static bool asks_again(const struct call *c, size_t number)
{
    struct call *before =
        now.asked != NO_CALL && now.asked + 1 == number ? record_at(now.asked) : NULL;
    bool again = before && before->kind == c->kind && before->stream == c->stream
                 && before->event == c->event && c->status == cudaErrorNotReady
                 && record_drop(number);
    if (again) {
        before->end = c->end;
        unlocated.count--;
    } else {
        bool early = (c->kind == CALL_STREAM_QUERY || c->kind == CALL_EVENT_QUERY)
                     && c->status == cudaErrorNotReady;
        now.asked = early ? number : NO_CALL;
    }
    return again;
}

void call_left(const CUpti_CallbackData *data, CUpti_CallbackId id)
{
    if (record_busy)
        return;
    if (now.depth == 0 || --now.depth > 0 || !record_active() || now.call.kind == CALL_NONE)
        return;
    int64_t end = record_now();
    pthread_mutex_lock(&record_lock);
    record_busy = true;
    struct call *c = &now.call;
    struct seen *s = look(data->functionName, id);
    struct made m = { c, data->functionParams, s->per_thread, NULL };
    c->end = end;
    c->status = data->functionReturnValue ? *(const int32_t *)data->functionReturnValue : 0;
    void (*then)(struct made *) = !now.row         ? NULL
                                  : c->status == 0 ? now.row->leave
                                                   : now.row->failed;
    if (then)
        then(&m);
    if (now.captured) {
        c->kind = CALL_OTHER;
        c->flags = CALL_CAPTURED;
    }
    if (c->status != 0 && !keeps_kind(c->kind))
        c->kind = CALL_OTHER;
    if (now.number == NO_CALL) {
        now.number = record_add(c);
        expect_site(now.number);
    } else if (!asks_again(c, now.number)) {
        record_complete(now.number, c);
    }
    if (queues(c)) {
        call_queued(data->correlationId, now.number, c);
        comes_under_way(c);
    }
    if (c->kind == CALL_GRAPH_LAUNCH) {
        const cudaGraphLaunch_v10000_params *p = data->functionParams;
        graph_launched(p->graphExec, now.number, c);
    }
    bool waited = c->status == 0 && c->kind >= CALL_STREAM_SYNC && c->kind <= CALL_EVENT_QUERY;
    bool rest = waited && comes_to_rest(c);
    now.number = call_current = NO_CALL;
    now.call.kind = CALL_NONE;
    pthread_mutex_unlock(&record_lock);
    if (waited)
        activity_take_at_times(rest);
    record_busy = false;
}

/* Does the text only ask how the calls before it went? */
static bool only_asks(const char *text)
{
    return strstr(text, "cudaGetLastError") || strstr(text, "cudaPeekAtLastError");
}

void call_site(const char *text, const char *file, int line)
{
    bool launches = only_asks(text);
    uint32_t name = record_string(file);
    for (unsigned i = unlocated.count; i-- > 0;) {
        struct call *c = record_at(unlocated.number[i]);
        bool last = i + 1 == unlocated.count;
        if (c && (last || (launches && c->kind == CALL_LAUNCH))) {
            c->file = name;
            c->line = (uint32_t)line;
        } else if (!last) {
            break;
        }
    }
    unlocated.count = 0;
}
