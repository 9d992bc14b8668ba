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

/* Is this wait the one that is at fault? Says so. */
static bool blame_wait(const struct view *v, struct finding *f, size_t wait, const struct span *first,
                       const char *before_name)
{
    const struct timeline *t = v->timeline;
    uint32_t record = record_before(t, wait, t->calls[wait].event);
    f->call = (uint32_t)wait;
    if (record == ANY) {
        why(f, "When this wait was queued nobody had recorded its event yet, and a wait for an event that was never "
            "recorded is none. Record it first, behind %s, and let the stream wait then.", before_name);
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

bool why_unordered(const struct view *v, struct finding *f, uint32_t before, const char *before_name, uint32_t after,
                   const char *after_name)
{
    const struct timeline *t = v->timeline;
    const struct span *first = &t->spans[before], *then = &t->spans[after];
    for (size_t i = then->call; i-- > 0;)
        if (t->calls[i].kind == CALL_STREAM_WAIT && t->calls[i].stream == then->stream && i > first->call
            && blame_wait(v, f, i, first, before_name))
            return false;
    for (size_t i = then->call; i < t->call_count && t->calls[i].kind != CALL_PART; i++)
        if (t->calls[i].kind == CALL_STREAM_WAIT && t->calls[i].stream == then->stream) {
            f->call = (uint32_t)i;
            return why(f, "This wait comes too late: it holds up what is queued into the stream after it, and %s is in "
                       "the queue already. Wait first, then queue %s.", after_name, after_name);
        }
    f->call = then->call;
    return why(f, "Nothing orders two streams by itself. Record an event behind %s in its stream, and let the stream of "
               "%s wait for it with cudaStreamWaitEvent() before you queue %s.", before_name, after_name, after_name);
}
