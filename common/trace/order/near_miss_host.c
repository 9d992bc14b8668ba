/* SPDX-License-Identifier: MIT */
/*
 * DESIGN
 * The host waits in one step, for a stream, a device or an event. What it did
 * after the operation is looked at from its access backwards; then what comes
 * later, then what came before the operation was queued.
 */
#include "trace/order/near_miss_state.h"

#include <string.h>

enum { TRIES = 100 };           /* of waits that come later */

/* Is work queued into the stream of this wait, before call `end`? Then the wait is for that work.
 */
static bool holds_up_work(const struct tried *s, size_t wait, size_t end)
{
    for (size_t i = wait + 1; i < end; i++)
        if (s->t->calls[i].kind >= CALL_LAUNCH && s->t->calls[i].kind <= CALL_GRAPH_LAUNCH
            && s->t->calls[i].stream == s->t->calls[wait].stream)
            return true;
    return false;
}

/* The last work that was queued into the stream since the host waited for it last, when call `end`
 * is made; NO_CALL for none. */
static uint32_t fresh_work(const struct tried *s, uint32_t stream, size_t end)
{
    for (size_t i = end;
         i-- > 0 && s->t->calls[i].kind != CALL_PART && s->t->calls[i].kind != CALL_DEVICE_SYNC;) {
        if (s->t->calls[i].stream != stream)
            continue;
        if (tried_work(s, i))
            return (uint32_t)i;
        if (s->t->calls[i].kind == CALL_STREAM_SYNC)
            break;
    }
    return NO_CALL;
}

struct near_miss look_at_host_call(const struct tried *s, size_t i, size_t end)
{
    const struct call *c = &s->t->calls[i];
    struct near_miss m = { .call = (uint32_t)i };
    bool asked = c->status == 600 || c->flags & CALL_UNREAD;        /* cudaErrorNotReady */
    if ((c->kind == CALL_STREAM_QUERY && asked && c->stream == s->first.stream)
        || (c->kind == CALL_EVENT_QUERY && asked && recorded_behind(s, i, c->event))) {
        m.kind = MISS_QUERY;
    } else if (c->status != 0) {
        m.kind = MISS_NONE;
    } else if ((c->kind == CALL_STREAM_SYNC || c->kind == CALL_STREAM_QUERY)
               && c->stream != s->first.stream) {
        m.other = fresh_work(s, c->stream, i);
        m.kind = m.other != NO_CALL ? MISS_SOME_STREAMS : MISS_OTHER_STREAM;
    } else if (c->kind == CALL_DEVICE_SYNC && c->device != s->first.device) {
        m.kind = MISS_OTHER_DEVICE;
    } else if (c->kind == CALL_EVENT_SYNC || c->kind == CALL_EVENT_QUERY) {
        m = look_at_record(s, i, NO_CALL);
    } else if (c->kind == CALL_STREAM_WAIT && recorded_behind(s, i, c->event)
               && !holds_up_work(s, i, end)) {
        m.kind = MISS_STREAM_WAITS;
    } else if (c->kind == CALL_STREAM_WAIT
               && record_before(s, s->t->call_count, c->event) == NO_CALL) {
        m.kind = MISS_NEVER_RECORDED;
    }
    return m;
}

/* Call `wait` waits for an older record, or one in another stream. Returns a later
 * cudaEventRecord() that was refused, and so changed nothing; NO_CALL: there is none. */
static uint32_t refused_record(const struct tried *s, size_t wait)
{
    for (size_t i = wait; i-- > s->first.call + 1u;)
        if (s->t->calls[i].status != 0
            && strncmp(timeline_string(s->t, s->t->calls[i].name), "cudaEventRecord", 15) == 0)
            return (uint32_t)i;
    return NO_CALL;
}

static bool is_wait(uint32_t kind)
{
    return kind == CALL_STREAM_SYNC || kind == CALL_DEVICE_SYNC || kind == CALL_EVENT_SYNC
           || kind == CALL_STREAM_QUERY || kind == CALL_EVENT_QUERY || kind == CALL_COPY;
}

/* The call that first makes sure, after call `calls`, that the first is done; NO_CALL: none does,
 * or it was no call, or
 * (`same_function`) not one of the function that queued it. */
static uint32_t late_wait(const struct tried *s, struct happens_before *order, uint32_t before,
                          size_t calls, uint32_t thread, bool same_function)
{
    const struct timeline *t = s->t;
    uint64_t caller = t->calls[s->first.call].caller;
    size_t tries = 0;
    for (size_t i = calls > s->first.call ? calls : t->call_count;
         i + 1 < t->call_count && t->calls[i].kind != CALL_PART; i++) {
        if (t->calls[i].thread != thread || !is_wait(t->calls[i].kind) || tries++ >= TRIES
            || !hb_before_call(order, before, t->calls, i + 1, GUARANTEED))
            continue;
        /* Where it was known before, another thread has told this one: that was no call of the
         * runtime's. */
        bool ordered = hb_before_call(order, before, t->calls, i, GUARANTEED),
             meant = caller != 0 && t->calls[i].caller == caller;
        return ordered || (same_function && !meant) ? NO_CALL : (uint32_t)i;
    }
    return NO_CALL;
}

/* The nearest wait before the first was queued that would have waited for it, in the function that
 * queued it; NO_CALL for none. */
static uint32_t early_wait(const struct tried *s, uint32_t thread)
{
    const struct timeline *t = s->t;
    for (size_t i = s->first.call; i-- > 0 && t->calls[i].kind != CALL_PART;) {
        const struct call *c = &t->calls[i];
        bool stream = c->kind == CALL_STREAM_SYNC && c->stream == s->first.stream;
        bool device = c->kind == CALL_DEVICE_SYNC && c->device == s->first.device;
        if (c->thread == thread && c->status == 0 && (stream || device))
            return c->caller == t->calls[s->first.call].caller ? (uint32_t)i : NO_CALL;
    }
    return NO_CALL;
}

/* A wait of a loop that was for an earlier round: its event is recorded after the first as well, or
 * its line is where the host waits for the first, too late. */
static bool is_of_another_round(const struct tried *s, struct near_miss m, size_t calls,
                                uint32_t late)
{
    const struct call *c = &s->t->calls[m.call],
                      *waits = late == NO_CALL ? NULL : &s->t->calls[late];
    if (m.kind != MISS_RECORDED_BEFORE && m.kind != MISS_OTHER_EVENT
        && m.kind != MISS_RECORDED_AGAIN)
        return false;
    return (m.kind == MISS_RECORDED_BEFORE && recorded_behind(s, calls, c->event))
           || (waits && waits->line == c->line && waits->file == c->file && c->line != 0);
}

/* Has the host waited for an earlier record of that event? Then the event does what it is for, and
 * it is a wait at the end that is missing, or comes late. */
static bool was_waited_for(const struct tried *s, uint32_t record)
{
    const struct call *calls = s->t->calls;
    for (size_t i = record; i-- > 0 && calls[i].kind != CALL_PART;)
        if (calls[i].kind == CALL_EVENT_SYNC && calls[i].event == calls[record].event
            && calls[i].status == 0)
            return true;
    return false;
}

/* Is nothing queued between that call and the end? */
static bool ends_all(const struct timeline *t, size_t call, size_t end)
{
    for (size_t node = t->span_count; node-- > 0;)
        if (t->spans[node].call > call && t->spans[node].call < end
            && t->spans[node].engine != ENGINE_WAIT)
            return false;
    return true;
}

struct near_miss near_miss_host(const struct timeline *t, struct happens_before *order,
                                uint32_t before, size_t calls, uint32_t thread, bool same_function)
{
    const struct span *first = &t->spans[before];
    struct tried s = { .t = t, .first = { first->call, first->stream, first->device } };
    struct near_miss some = { .call = NO_CALL };
    uint32_t late = late_wait(&s, order, before, calls, thread, same_function);
    for (size_t i = calls; i-- > first->call + 1u;) {
        struct near_miss m = t->calls[i].thread == thread ? look_at_host_call(&s, i, calls)
                                                          : (struct near_miss){ .call = NO_CALL };
        bool of_event = t->calls[i].kind == CALL_EVENT_SYNC && m.kind != MISS_NONE;
        uint32_t refused = of_event ? refused_record(&s, i) : NO_CALL;
        if (refused != NO_CALL)
            return (struct near_miss){ .kind = MISS_REFUSED, .call = refused };
        if (m.kind == MISS_SOME_STREAMS && some.kind == MISS_NONE
            && (!same_function || t->calls[i].caller == t->calls[first->call].caller
                || ends_all(t, i, calls)))
            some = m;
        else if (m.kind != MISS_NONE && m.kind != MISS_SOME_STREAMS
                 && !is_of_another_round(&s, m, calls, late))
            return m;
    }
    uint32_t unused = unused_record(&s, calls, t->call_count);
    if (late != NO_CALL && unused != NO_CALL && was_waited_for(&s, unused))
        unused = NO_CALL;
    const struct near_miss last[] = {
        { .kind = MISS_EVENT_UNUSED, .call = unused },
        { .kind = MISS_WAIT_LATE, .call = late },
        some,
        { .kind = MISS_WAIT_EARLY, .call = early_wait(&s, thread) },
        { .kind = MISS_NEVER_USED, .call = idle_event(&s) },
    };
    for (size_t k = 0; k < sizeof last / sizeof *last; k++)
        if (last[k].call != NO_CALL)
            return last[k];
    return (struct near_miss){ .call = NO_CALL };
}
