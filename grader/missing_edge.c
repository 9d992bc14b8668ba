/* SPDX-License-Identifier: MIT */
/*
 * DESIGN
 * Between two streams an order is made in three steps: an event is recorded
 * behind the first, the second's stream is told to wait for the event, then the
 * second is queued. Each of them can be missing, or be in the wrong place; the
 * wait that stands nearest before the second is the one that was meant.
 */
#include "grader/check.h"

/* The last call before `end` that records this event; ANY for none. */
static uint32_t record_before(const struct timeline *t, size_t end, uint32_t event)
{
    for (size_t i = end; i-- > 0;)
        if (t->calls[i].kind == CALL_EVENT_RECORD && t->calls[i].status == 0 && t->calls[i].event == event)
            return (uint32_t)i;
    return ANY;
}

/* Does anybody record the event behind `first`, in its stream, before call `end`? */
static bool recorded_behind(const struct timeline *t, const struct span *first, size_t end, uint32_t event)
{
    for (size_t i = first->call + 1; i < end; i++)
        if (t->calls[i].kind == CALL_EVENT_RECORD && t->calls[i].status == 0 && t->calls[i].event == event
            && t->calls[i].stream == first->stream)
            return true;
    return false;
}

/* Is this wait, made before `then`, the one that is at fault? Says so. */
static bool blame_wait(const struct view *v, struct finding *f, size_t wait, const struct span *first,
                       const char *before_name, const struct span *then)
{
    const struct timeline *t = v->timeline;
    uint32_t event = t->calls[wait].event, record = record_before(t, wait, event);
    bool too_early = wait < first->call;
    /* An earlier wait may be for something else. */
    if (too_early && !recorded_behind(t, first, then->call, event))
        return false;
    f->call = (uint32_t)wait;
    if (record == ANY) {
        why(f, "When this wait was queued nobody had recorded its event yet, and a wait for an event that was never "
            "recorded is none. Record it first, behind %s, and let the stream wait then.", before_name);
        return true;
    }
    if (too_early) {
        why(f, "When this wait was queued the event had not been recorded behind %s yet: a wait takes the latest record "
            "of its own moment, and a later one does not move it. Record first, wait then.", before_name);
        return true;
    }
    f->call = record;
    if (t->calls[record].stream != first->stream) {
        why(f, "The event that is waited for was recorded in another stream than that of %s: it marks a place in a "
            "queue in which %s is not. cudaEventRecord() takes the stream as its second parameter.", before_name,
            before_name);
        return true;
    }
    if (record < first->call) {
        why(f, "The event that is waited for was recorded in front of %s: it stands for what was in the stream before. "
            "Record it behind.", before_name);
        return true;
    }
    return false;
}

static bool in_legacy_stream(const struct timeline *t, const struct span *s)
{
    for (size_t i = 0; i < t->call_count; i++)
        if (t->calls[i].kind == CALL_STREAM_CREATE && t->calls[i].stream == s->stream)
            return t->calls[i].flags & STREAM_LEGACY;
    return false;
}

bool why_unordered(const struct view *v, struct finding *f, uint32_t before, const char *before_name, uint32_t after,
                   const char *after_name)
{
    const struct timeline *t = v->timeline;
    const struct span *first = &t->spans[before], *then = &t->spans[after];
    for (size_t i = then->call; i-- > 0 && t->calls[i].kind != CALL_PART;)
        if (t->calls[i].kind == CALL_STREAM_WAIT && t->calls[i].status == 0 && t->calls[i].stream == then->stream
            && blame_wait(v, f, i, first, before_name, then))
            return false;
    for (size_t i = then->call; i < t->call_count && t->calls[i].kind != CALL_PART; i++)
        if (t->calls[i].kind == CALL_STREAM_WAIT && t->calls[i].status == 0 && t->calls[i].stream == then->stream) {
            f->call = (uint32_t)i;
            return why(f, "This wait comes too late: it holds up what is queued into the stream after it, and %s is in "
                       "the queue already. Wait first, then queue %s.", after_name, after_name);
        }
    bool then_is_legacy = in_legacy_stream(t, then);
    f->call = then_is_legacy ? then->call : first->call;
    if (then_is_legacy || in_legacy_stream(t, first))
        return why(f, "This is in the default stream, which the stream of %s has nothing to do with. A launch names its "
                   "stream in its fourth parameter, a copy in its last.", then_is_legacy ? before_name : after_name);
    f->call = then->call;
    return why(f, "Nothing orders two streams by itself. Record an event behind %s in its stream, and let the stream of "
               "%s wait for it with cudaStreamWaitEvent() before you queue %s.", before_name, after_name, after_name);
}
