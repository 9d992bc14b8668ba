/* SPDX-License-Identifier: MIT */
/*
 * DESIGN
 * Between two streams an order is made in three steps: an event is recorded
 * behind the first, the second's stream is told to wait for the event, then the
 * second is queued. Each of them can be missing, or be in the wrong place; the
 * wait that stands nearest before the second is the one that was meant. The
 * host waits in one step, for a stream, a device or an event.
 */
#include "trace/order/near_miss.h"

#include <stdio.h>

static bool is_call(const struct timeline *t, size_t i, uint32_t kind)
{
    return t->calls[i].kind == kind && t->calls[i].status == 0;
}

/* The last call before `end` that records this event; NO_CALL for none. */
static uint32_t record_before(const struct timeline *t, size_t end, uint32_t event)
{
    for (size_t i = end; i-- > 0;)
        if (is_call(t, i, CALL_EVENT_RECORD) && t->calls[i].event == event)
            return (uint32_t)i;
    return NO_CALL;
}

/* Does anybody record the event behind `first`, in its stream, before call `end`? */
static bool recorded_behind(const struct timeline *t, const struct span *first, size_t end, uint32_t event)
{
    for (size_t i = first->call + 1; i < end; i++)
        if (is_call(t, i, CALL_EVENT_RECORD) && t->calls[i].event == event && t->calls[i].stream == first->stream)
            return true;
    return false;
}

/* Does a stream wait for the event, or the host wait for or ask about it, between two calls? */
static bool is_used(const struct timeline *t, size_t from, size_t end, uint32_t event)
{
    for (size_t i = from; i < end && i < t->call_count; i++)
        if ((t->calls[i].kind == CALL_STREAM_WAIT || t->calls[i].kind == CALL_EVENT_SYNC || t->calls[i].kind == CALL_EVENT_QUERY)
            && t->calls[i].event == event)
            return true;
    return false;
}

/* The first record behind `first` in its stream, before call `end`, of an event that nothing waits for by then. */
static uint32_t unused_record(const struct timeline *t, const struct span *first, size_t end)
{
    for (size_t i = first->call + 1; i < end; i++)
        if (is_call(t, i, CALL_EVENT_RECORD) && t->calls[i].stream == first->stream && !is_used(t, i, end, t->calls[i].event))
            return (uint32_t)i;
    return NO_CALL;
}

/* What is wrong with the event's record that a wait finds which is made as call `wait`. MISS_NONE: nothing. */
static struct near_miss look_at_record(const struct timeline *t, size_t wait, const struct span *first)
{
    uint32_t record = record_before(t, wait, t->calls[wait].event);
    uint32_t meant = unused_record(t, first, wait);
    if (record == NO_CALL && meant == NO_CALL)
        return (struct near_miss){ .kind = MISS_NEVER_RECORDED, .call = (uint32_t)wait };
    if (record == NO_CALL)
        return (struct near_miss){ .kind = MISS_OTHER_EVENT, .call = (uint32_t)wait, .line = t->calls[meant].line };
    if ((t->calls[record].stream != first->stream || record < first->call) && meant != NO_CALL)
        return (struct near_miss){ .kind = MISS_OTHER_EVENT, .call = (uint32_t)wait, .line = t->calls[meant].line };
    if (t->calls[record].stream != first->stream)
        return (struct near_miss){ .kind = MISS_RECORDED_ELSEWHERE, .call = record };
    if (record < first->call)
        return (struct near_miss){ .kind = MISS_RECORDED_BEFORE, .call = record };
    return (struct near_miss){ .call = NO_CALL };
}

/* Is this wait, made before `then`, the one that is at fault? */
static struct near_miss look_at_wait(const struct timeline *t, size_t wait, const struct span *first, const struct span *then)
{
    bool too_early = wait < first->call;
    /* An earlier wait may be for something else. */
    if (too_early && !recorded_behind(t, first, then->call, t->calls[wait].event))
        return (struct near_miss){ .call = NO_CALL };
    if (too_early && record_before(t, wait, t->calls[wait].event) != NO_CALL)
        return (struct near_miss){ .kind = MISS_RECORDED_LATER, .call = (uint32_t)wait };
    return look_at_record(t, wait, first);
}

/* The first event that is made in the part of `first` and never recorded. */
static uint32_t idle_event(const struct timeline *t, const struct span *first)
{
    size_t begin = first->call;
    while (begin > 0 && t->calls[begin - 1].kind != CALL_PART)
        begin--;
    for (size_t i = begin; i < t->call_count && t->calls[i].kind != CALL_PART; i++)
        if (is_call(t, i, CALL_EVENT_CREATE) && t->calls[i].line != 0
            && record_before(t, t->call_count, t->calls[i].event) == NO_CALL)
            return (uint32_t)i;
    return NO_CALL;
}

static bool is_legacy(const struct timeline *t, uint32_t stream)
{
    for (size_t i = 0; i < t->call_count; i++)
        if (t->calls[i].kind == CALL_STREAM_CREATE && t->calls[i].stream == stream)
            return t->calls[i].flags & STREAM_LEGACY;
    return false;
}

/* A wait in neither's stream, between the two, for an event that stands behind the first. */
static uint32_t wait_elsewhere(const struct timeline *t, const struct span *first, const struct span *then)
{
    for (size_t i = then->call; i-- > first->call + 1u;)
        if (is_call(t, i, CALL_STREAM_WAIT) && t->calls[i].stream != then->stream && t->calls[i].stream != first->stream
            && recorded_behind(t, first, i, t->calls[i].event))
            return (uint32_t)i;
    return NO_CALL;
}

struct near_miss near_miss_streams(const struct timeline *t, uint32_t before, uint32_t after)
{
    const struct span *first = &t->spans[before], *then = &t->spans[after];
    for (size_t i = then->call; i-- > 0 && t->calls[i].kind != CALL_PART;)
        if (is_call(t, i, CALL_STREAM_WAIT) && t->calls[i].stream == then->stream) {
            struct near_miss m = look_at_wait(t, i, first, then);
            if (m.kind != MISS_NONE)
                return m;
        }
    for (size_t i = then->call; i < t->call_count && t->calls[i].kind != CALL_PART; i++)
        if (is_call(t, i, CALL_STREAM_WAIT) && t->calls[i].stream == then->stream)
            return (struct near_miss){ .kind = MISS_WAIT_LATE, .call = (uint32_t)i };
    for (size_t i = then->call; i-- > first->call + 1u;) {
        bool asked = t->calls[i].status == 600 || t->calls[i].flags & CALL_UNREAD;      /* cudaErrorNotReady */
        if (t->calls[i].kind == CALL_STREAM_QUERY && asked && t->calls[i].stream == first->stream)
            return (struct near_miss){ .kind = MISS_QUERY, .call = (uint32_t)i };
    }
    bool then_is_legacy = is_legacy(t, then->stream);
    if (then_is_legacy || is_legacy(t, first->stream))
        return (struct near_miss){ .kind = MISS_DEFAULT_STREAM, .call = then_is_legacy ? then->call : first->call,
                                   .then_is_legacy = then_is_legacy };
    uint32_t elsewhere = wait_elsewhere(t, first, then);
    if (elsewhere != NO_CALL)
        return (struct near_miss){ .kind = MISS_WAIT_ELSEWHERE, .call = elsewhere };
    uint32_t idle = idle_event(t, first);
    if (idle != NO_CALL)
        return (struct near_miss){ .kind = MISS_NEVER_USED, .call = idle };
    return (struct near_miss){ .call = then->call };
}

/* ---- the host ---- */

enum { TRIES = 100 };           /* of waits that come later */

/* Is work queued into the stream of this wait, before call `end`? Then the wait is for that work. */
static bool holds_up_work(const struct timeline *t, size_t wait, size_t end)
{
    for (size_t i = wait + 1; i < end; i++)
        if (t->calls[i].kind >= CALL_LAUNCH && t->calls[i].kind <= CALL_GRAPH_LAUNCH && t->calls[i].stream == t->calls[wait].stream)
            return true;
    return false;
}

static bool is_work(const struct call *c)
{
    return c->kind >= CALL_LAUNCH && c->kind <= CALL_HOST_FUNC && c->status == 0;
}

/* Has work been queued into the stream since the host waited for it last, when call `end` is made? */
static bool has_fresh_work(const struct timeline *t, uint32_t stream, size_t end)
{
    for (size_t i = end; i-- > 0 && t->calls[i].kind != CALL_PART && t->calls[i].kind != CALL_DEVICE_SYNC;) {
        if (t->calls[i].stream != stream)
            continue;
        if (is_work(&t->calls[i]))
            return true;
        if (t->calls[i].kind == CALL_STREAM_SYNC)
            break;
    }
    return false;
}

/* What call i, which the host makes behind `first` and before call `end`, was meant to be. */
static struct near_miss look_at_call(const struct timeline *t, size_t i, const struct span *first, size_t end)
{
    const struct call *c = &t->calls[i];
    struct near_miss m = { .call = (uint32_t)i };
    bool asked = c->status == 600 || c->flags & CALL_UNREAD;        /* cudaErrorNotReady */
    if ((c->kind == CALL_STREAM_QUERY && asked && c->stream == first->stream) ||
        (c->kind == CALL_EVENT_QUERY && asked && recorded_behind(t, first, i, c->event)))
        m.kind = MISS_QUERY;
    else if (c->status != 0)
        m.kind = MISS_NONE;
    else if ((c->kind == CALL_STREAM_SYNC || c->kind == CALL_STREAM_QUERY) && c->stream != first->stream)
        m.kind = has_fresh_work(t, c->stream, i) ? MISS_NONE : MISS_OTHER_STREAM;    /* it may be there for that */
    else if (c->kind == CALL_DEVICE_SYNC && c->device != first->device)
        m.kind = MISS_OTHER_DEVICE;
    else if (c->kind == CALL_EVENT_SYNC || c->kind == CALL_EVENT_QUERY)
        m = look_at_record(t, i, first);
    else if (c->kind == CALL_STREAM_WAIT && recorded_behind(t, first, i, c->event) && !holds_up_work(t, i, end))
        m.kind = MISS_STREAM_WAITS;
    else if (c->kind == CALL_STREAM_WAIT && record_before(t, t->call_count, c->event) == NO_CALL)
        m.kind = MISS_NEVER_RECORDED;
    return m;
}

static bool is_wait(uint32_t kind)
{
    return kind == CALL_STREAM_SYNC || kind == CALL_DEVICE_SYNC || kind == CALL_EVENT_SYNC || kind == CALL_STREAM_QUERY
        || kind == CALL_EVENT_QUERY || kind == CALL_COPY;
}

struct near_miss near_miss_host(const struct timeline *t, struct happens_before *order, uint32_t before, size_t calls, uint32_t thread)
{
    const struct span *first = &t->spans[before];
    for (size_t i = calls; i-- > first->call + 1u;) {
        struct near_miss m = t->calls[i].thread == thread ? look_at_call(t, i, first, calls) : (struct near_miss){ .call = NO_CALL };
        if (m.kind != MISS_NONE)
            return m;
    }
    uint32_t unused = unused_record(t, first, calls);
    if (unused != NO_CALL)
        return (struct near_miss){ .kind = MISS_EVENT_UNUSED, .call = unused };
    size_t tries = 0;
    for (size_t i = calls > first->call ? calls : t->call_count; i + 1 < t->call_count && t->calls[i].kind != CALL_PART; i++)
        if (t->calls[i].thread == thread && is_wait(t->calls[i].kind) && tries++ < TRIES
            && hb_before_call(order, before, t->calls, i + 1, GUARANTEED)) {
            if (hb_before_call(order, before, t->calls, i, GUARANTEED))
                break;          /* another thread has told this one before: that was no call of the runtime's */
            return (struct near_miss){ .kind = MISS_WAIT_LATE, .call = (uint32_t)i };
        }
    uint32_t idle = idle_event(t, first);
    return (struct near_miss){ .kind = idle != NO_CALL ? MISS_NEVER_USED : MISS_NONE, .call = idle };
}

/* ---- words ---- */

static void say_record(struct hazard_line *l, struct near_miss m, const char *first)
{
    if (m.kind == MISS_RECORDED_ELSEWHERE)
        hazard_say(l, "The event waited for was recorded in another stream than that of %s, so it marks a place in a queue that does "
                   "not contain %s. cudaEventRecord() takes the stream as its second parameter.", first, first);
    else
        hazard_say(l, "The event waited for was recorded before %s, so it stands only for earlier work in the stream. Record it "
                   "afterwards.", first);
}

void near_miss_say_streams(struct hazard_line *l, struct near_miss m, const char *first, const char *then)
{
    switch (m.kind) {
    case MISS_NEVER_RECORDED:
        hazard_say(l, "When this wait was queued its event had never been recorded, and such a wait has no effect. First record the "
                   "event after %s (cudaEventRecord), then let the stream wait.", first);
        break;
    case MISS_RECORDED_LATER:
        hazard_say(l, "When this wait was queued the event had not been recorded after %s yet. A wait takes the latest record at that "
                   "moment, and a later record does not change it. Record first, then wait.", first);
        break;
    case MISS_RECORDED_ELSEWHERE: case MISS_RECORDED_BEFORE:
        say_record(l, m, first);
        break;
    case MISS_OTHER_EVENT:
        hazard_say(l, "This waits for another event than the one that line %u records after %s, and nothing waits for that one.", m.line, first);
        break;
    case MISS_WAIT_LATE:
        hazard_say(l, "This wait comes too late: it holds up only what is queued after it, and %s is in the queue already. Wait first, "
                   "then queue %s.", then, then);
        break;
    case MISS_WAIT_ELSEWHERE:
        hazard_say(l, "The stream that waits here for the event after %s is not the stream of %s. cudaStreamWaitEvent() takes the "
                   "waiting stream as its first parameter.", first, then);
        break;
    case MISS_QUERY:
        hazard_say(l, "This asks whether %s is done, and does not wait: the host goes on and queues %s. cudaStreamWaitEvent() makes "
                   "the stream wait, cudaStreamSynchronize() the host.", first, then);
        break;
    case MISS_NEVER_USED:
        hazard_say(l, "The event that is made here is never recorded. If it was meant for this: record it after %s (cudaEventRecord), and "
                   "let the stream of %s wait for it (cudaStreamWaitEvent) before you queue %s.", first, then, then);
        break;
    case MISS_DEFAULT_STREAM:
        hazard_say(l, "This is in the default stream, which has no order with the stream of %s. A launch names its stream in its "
                   "fourth parameter, a copy in its last.", m.then_is_legacy ? first : then);
        break;
    default:
        hazard_say(l, "Nothing orders two streams by itself. Record an event after %s in its stream (cudaEventRecord), and let the "
                   "stream of %s wait for it with cudaStreamWaitEvent() before you queue %s.", first, then, then);
    }
}

void near_miss_say_host(struct hazard_line *l, const struct timeline *t, struct near_miss m, uint32_t before)
{
    const struct span *first = &t->spans[before];
    const struct call *operation = &t->calls[first->call];
    char name[128];
    snprintf(name, sizeof name, "the %s", call_kind_name(operation->kind));
    switch (m.kind) {
    case MISS_NEVER_USED:
        hazard_say(l, "The event that is made here is never recorded. If it was meant for this: record it after %s (cudaEventRecord), and "
                   "let the host wait for it (cudaEventSynchronize), or a stream that the host waits for (cudaStreamWaitEvent).", name);
        break;
    case MISS_NEVER_RECORDED:
        if (t->calls[m.call].kind == CALL_STREAM_WAIT) {
            hazard_say(l, "This stream waits for an event that is never recorded, and such a wait has no effect. First record it after "
                       "%s (cudaEventRecord).", name);
            break;
        }
        hazard_say(l, "When the host waited here this event had never been recorded, and such a wait has no effect. First record it "
                   "after %s (cudaEventRecord).", name);
        break;
    case MISS_RECORDED_ELSEWHERE: case MISS_RECORDED_BEFORE:
        say_record(l, m, name);
        hazard_say(l, " Or wait for the stream of %s: cudaStreamSynchronize().", name);
        break;
    case MISS_OTHER_EVENT:
        hazard_say(l, "This waits for another event than the one that line %u records after %s, and nothing waits for that one.", m.line, name);
        break;
    case MISS_WAIT_LATE:
        hazard_say(l, "The wait is here, and the host has touched these bytes before it. The host may read results only after the "
                   "wait, and must write inputs before the call that queues the work.");
        break;
    case MISS_OTHER_STREAM:
        hazard_say(l, "This waits for ");
        hazard_say_stream(l, t, t->calls[m.call].stream);
        hazard_say(l, ", and %s is in ", name);
        hazard_say_stream(l, t, first->stream);
        hazard_say(l, ".%s", is_legacy(t, t->calls[m.call].stream) ? " The default stream waits only for blocking streams, and that is "
                                                                     "not one." : "");
        break;
    case MISS_OTHER_DEVICE:
        hazard_say(l, "This waits for device %u, and %s is on device %u.", t->calls[m.call].device, name, first->device);
        break;
    case MISS_QUERY:
        hazard_say(l, "This asks and does not wait: %s. Ask until the answer is cudaSuccess, or wait.",
                   t->calls[m.call].status == 0 ? "the work was done by then only by luck, and the program ignores the answer"
                                                : "the answer was cudaErrorNotReady, and the host has gone on");
        break;
    case MISS_STREAM_WAITS:
        hazard_say(l, "This makes a stream wait, not the host. The host waits in cudaEventSynchronize() or cudaStreamSynchronize().");
        break;
    case MISS_EVENT_UNUSED:
        hazard_say(l, "This records an event after %s, and nothing waits for it. cudaEventSynchronize() makes the host wait, and so "
                   "does cudaStreamSynchronize() on the stream.", name);
        break;
    default:
        break;
    }
}
