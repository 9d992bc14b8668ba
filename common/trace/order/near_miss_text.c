/* SPDX-License-Identifier: MIT */
/* What is said of a near miss. */
#include <stdio.h>
#include <string.h>

#include "trace/order/near_miss_state.h"

/* What the sentences name. */
struct words {
    struct hazard_line *l;
    const struct timeline *t;
    struct near_miss m;
    const struct span *span;    /* of the first */
    const char *first, *then;   /* then: NULL for the host */
};

static unsigned line_of(const struct words *w, uint32_t call)
{
    return call < w->t->call_count ? w->t->calls[call].line : 0;
}

/* " (line 12)", where the first's name does not say so already. */
struct line_words { char text[24]; };
static struct line_words words_of_line(const struct words *w, uint32_t call)
{
    struct line_words line = { "" };
    if (!strstr(w->first, " line "))
        snprintf(line.text, sizeof line.text, " (line %u)", line_of(w, call));
    return line;
}

/* Was the line of the near miss reached before the first was queued, too, as in a loop? */
static bool again(const struct words *w)
{
    const struct call *calls = w->t->calls, *missed = &calls[w->m.call];
    for (uint32_t i = w->span->call; i-- > 0 && calls[i].kind != CALL_PART;)
        if (calls[i].kind == missed->kind && calls[i].line == missed->line
            && calls[i].file == missed->file && calls[i].line != 0)
            return true;
    return false;
}

/* Is it a wait that succeeded, in a line that is known? */
static bool waited_in_line(const struct call *c)
{
    return (c->kind == CALL_STREAM_WAIT || c->kind == CALL_EVENT_SYNC) && c->status == 0
           && c->line != 0;
}

/* The last record of the event that call `wait` is for; NO_CALL: none in that part. */
static uint32_t latest_record(const struct call *calls, uint32_t wait)
{
    for (uint32_t i = wait; i-- > 0 && calls[i].kind != CALL_PART;)
        if (calls[i].kind == CALL_EVENT_RECORD && calls[i].event == calls[wait].event)
            return i;
    return NO_CALL;
}

/* Is call `wait` for an event that was last recorded in that line? */
static bool waits_for_line(const struct call *calls, uint32_t wait, const struct call *line)
{
    uint32_t record = latest_record(calls, wait);
    return record != NO_CALL && calls[record].line == line->line
           && calls[record].file == line->file;
}

/* Is call `wait` of another function than this record, with a record of its own there? Then it says
 * nothing of this one. */
static bool has_its_own_record(const struct call *calls, uint32_t wait, const struct call *record)
{
    if (calls[wait].caller == record->caller)
        return false;
    uint32_t own = latest_record(calls, wait);
    return own != NO_CALL && calls[own].caller == calls[wait].caller;
}

/* ": the wait of line 47 was for an earlier record", where there was one; or for a later one, or
 * for other events that the line has recorded, as in a loop. */
static struct earlier_words { char text[80]; } words_of_earlier(const struct words *w)
{
    struct earlier_words earlier = { "" };
    const struct call *calls = w->t->calls, *record = &calls[w->m.call];
    uint32_t other = w->m.call, i;
    for (i = w->m.call; i-- > 0 && calls[i].kind != CALL_PART;) {
        if (waited_in_line(&calls[i]) && calls[i].event == record->event
            && !has_its_own_record(calls, i, record)) {
            snprintf(earlier.text, sizeof earlier.text,
                     ": the wait of line %u was for an earlier record", calls[i].line);
            return earlier;
        }
        if (waited_in_line(&calls[i]) && other == w->m.call && waits_for_line(calls, i, record))
            other = i;
    }
    for (i = w->m.call + 1; i < w->t->call_count && calls[i].kind != CALL_PART; i++) {
        if (waited_in_line(&calls[i]) && calls[i].event == record->event
            && !has_its_own_record(calls, i, record)) {
            snprintf(earlier.text, sizeof earlier.text,
                     ": the wait of line %u is for a later record", calls[i].line);
            return earlier;
        }
        if (waited_in_line(&calls[i]) && other == w->m.call && waits_for_line(calls, i, record))
            other = i;
    }
    if (other != w->m.call)
        snprintf(earlier.text, sizeof earlier.text,
                 ": line %u waits for other events that this line records", calls[other].line);
    return earlier;
}

/* What would wait for the first, a stream or the host. */
static void say_cure(const struct words *w)
{
    if (w->then)
        hazard_say(w->l,
                   "Record an event after %s (cudaEventRecord), and let the stream of %s wait for it with cudaStreamWaitEvent() before "
                   "you queue %s.",
                   w->first, w->then, w->then);
    else
        hazard_say(w->l,
                   "Wait for the stream of %s (cudaStreamSynchronize), or for an event recorded after it (cudaEventSynchronize).",
                   w->first);
}

/* About an event and its record, for a wait of the host or of a stream. */
static bool say_record(const struct words *w)
{
    uint32_t kind = w->t->calls[w->m.call].kind;
    bool by_host = !w->then && kind != CALL_STREAM_WAIT;
    switch (w->m.kind) {
    case MISS_NEVER_RECORDED:
        if (kind == CALL_EVENT_QUERY)
            hazard_say(w->l,
                       "When the host asked here this event had never been recorded, and such an event counts as done. First record it "
                       "after %s (cudaEventRecord), then ask.",
                       w->first);
        else
            hazard_say(w->l,
                       "When %s event had never been recorded, and such a wait has no effect. First record the event after %s "
                       "(cudaEventRecord), then let the %s wait.",
                       by_host ? "the host waited here this" : "this wait was queued its", w->first,
                       by_host ? "host" : "stream");
        return true;
    case MISS_RECORDED_LATER:
        hazard_say(w->l,
                   "When this wait was queued the event had not been recorded after %s yet. A wait takes the latest record at that "
                   "moment, and a later record does not change it. Record first, then wait.",
                   w->first);
        return true;
    case MISS_RECORDED_ELSEWHERE:
        hazard_say(w->l,
                   "The event waited for was recorded in another stream than that of %s, so it marks a place in a queue that does "
                   "not contain %s. cudaEventRecord() takes the stream as its second parameter.",
                   w->first, w->first);
        return true;
    case MISS_RECORDED_BEFORE:
        hazard_say(w->l,
                   "The event waited for was recorded before %s, so it stands only for earlier work in the stream. Record it "
                   "afterwards.",
                   w->first);
        return true;
    case MISS_OTHER_EVENT:
        hazard_say(w->l, "This %s another event than the one that line %u records after %s.",
                   kind == CALL_EVENT_QUERY ? "asks about" : "waits for", line_of(w, w->m.other),
                   w->first);
        return true;
    case MISS_RECORDED_AGAIN:
        hazard_say(w->l,
                   "This %s the latest record of its event, which line %u made in another stream than that of %s. Line %u had recorded "
                   "the event after %s, and a later record takes the place of an earlier one. Take one event for each of the two.",
                   kind == CALL_EVENT_QUERY ? "asks about" : "waits for",
                   line_of(w, latest_record(w->t->calls, w->m.call)), w->first,
                   line_of(w, w->m.other), w->first);
        return true;
    case MISS_EVENT_UNUSED:
        hazard_say(
            w->l, "This records an event after %s, and nothing waits for it%s. %s", w->first,
            words_of_earlier(w).text,
            !w->then
                ? "cudaEventSynchronize() makes the host wait, and so does cudaStreamSynchronize() on the stream."
                : "cudaStreamWaitEvent() makes a stream wait.");
        return true;
    case MISS_NEVER_USED:
        hazard_say(w->l,
                   "The event that is made here is never recorded. If it was meant for this: ");
        if (!w->then)
            hazard_say(w->l,
                       "record it after %s (cudaEventRecord), and let the host wait for it (cudaEventSynchronize), or a stream that "
                       "the host waits for (cudaStreamWaitEvent).",
                       w->first);
        else
            hazard_say(w->l,
                       "record it after %s (cudaEventRecord), and let the stream of %s wait for it (cudaStreamWaitEvent) before you "
                       "queue %s.",
                       w->first, w->then, w->then);
        return true;
    default:
        return false;
    }
}

/* Is it the default stream of some host thread? */
static bool is_of_thread(const struct timeline *t, uint32_t stream)
{
    const struct call *made = timeline_stream_made(t, stream);
    return made && (made->flags & STREAM_PER_THREAD);
}

/* About what the host did meanwhile. */
static bool say_host_call(const struct words *w)
{
    const struct call *c = &w->t->calls[w->m.call];
    bool some = w->m.kind == MISS_SOME_STREAMS;
    const struct call *of = some ? &w->t->calls[w->m.other] : c;    /* whose stream is waited for */
    switch (w->m.kind) {
    case MISS_OTHER_STREAM: case MISS_SOME_STREAMS:
        if (c->kind != CALL_STREAM_WAIT && is_of_thread(w->t, of->stream)
            && is_of_thread(w->t, w->span->stream)) {
            hazard_say(w->l,
                       "This waits for a thread's default stream, and %s is in that of another thread. Let the thread that queues it "
                       "wait, or record an event after it there and wait for that.",
                       w->first);
            return true;
        }
        hazard_say(w->l, w->then && c->kind == CALL_STREAM_WAIT ? "This makes the stream wait for "
                                                                : "This waits for ");
        hazard_say_stream(w->l, w->t, of->stream);
        hazard_say(w->l, ", and %s is in ", w->first);
        hazard_say_stream(w->l, w->t, w->span->stream);
        if (some)
            hazard_say(w->l, ", which nothing waits for here: each stream needs a wait of its own");
        hazard_say(w->l, ".%s ",
                   c->kind != CALL_STREAM_WAIT && is_legacy(w->t, of->stream)
                       ? " The default stream waits only for blocking streams, and that is not one."
                       : "");
        say_cure(w);
        return true;
    case MISS_OTHER_DEVICE:
        hazard_say(w->l, "This waits for device %u, and %s is on device %u. ", c->device, w->first,
                   w->span->device);
        say_cure(w);
        return true;
    case MISS_QUERY:
        if (c->status == 0 && c->flags & CALL_UNREAD)
            hazard_say(w->l,
                       "This asks once and does not wait: the work was done by then only by luck. ");
        else if (c->flags & CALL_UNREAD)
            hazard_say(w->l,
                       "This asks once and does not wait, and the answer was cudaErrorNotReady. ");
        else
            hazard_say(w->l,
                       "This asks and does not wait: the answer was cudaErrorNotReady, and the host has gone on. ");
        if (!w->then)
            hazard_say(w->l, "Ask until the answer is cudaSuccess, or wait.");
        else
            hazard_say(w->l,
                       "cudaStreamWaitEvent() makes the stream wait, cudaStreamSynchronize() the host.");
        return true;
    default:
        return false;
    }
}

void near_miss_say_operations(struct hazard_line *l, const struct timeline *t, struct near_miss m,
                              uint32_t before, const char *first, const char *then)
{
    struct words w = { l, t, m, &t->spans[before], first, then };
    if (say_record(&w) || say_host_call(&w))
        return;
    switch (m.kind) {
    case MISS_QUEUED_BEFORE:
        hazard_say(l,
                   "This is queued before %s%s, and so nothing can make it wait for that. Queue %s first.",
                   first, words_of_line(&w, m.other).text, first);
        break;
    case MISS_REFUSED:
        hazard_say(l, "This call failed, and so it makes nothing wait.");
        break;
    case MISS_WAIT_LATE:
        hazard_say(l,
                   "This wait comes too late: it holds up only what is queued after it, and %s is in the queue already. Wait first, "
                   "then queue %s.",
                   then, then);
        break;
    case MISS_WAIT_SKIPPED:
        hazard_say(l,
                   "Other rounds make this wait before %s, and this round leaves it out. Each round needs it.",
                   then);
        break;
    case MISS_WAIT_LEFT_OUT:
        hazard_say(l,
                   "Line %u records an event after %s, and at other times this line makes a stream wait for it. This time it does not, and "
                   "nothing else does. It is needed this time, too.",
                   line_of(&w, m.other), first);
        break;
    case MISS_WAIT_ELSEWHERE:
        hazard_say(l,
                   "The stream that waits here for the event after %s is not the stream of %s. cudaStreamWaitEvent() takes the "
                   "waiting stream as its first parameter.",
                   first, then);
        break;
    case MISS_WAIT_OF_ITSELF:
        hazard_say(l,
                   "This makes the stream of %s wait for itself. The stream that has to wait is that of %s: cudaStreamWaitEvent() takes "
                   "the waiting stream as its first parameter.",
                   first, then);
        break;
    case MISS_WRONG_WAY:
        hazard_say(l,
                   "This makes the stream of %s wait for that of %s, and the other way round is needed. ",
                   first, then);
        say_cure(&w);
        break;
    case MISS_DEFAULT_STREAM:
        if (t->calls[m.call].kind == CALL_GRAPH_LAUNCH) {
            hazard_say(l,
                       "This launches the graph of %s into the default stream, which has no order with the stream of %s. "
                       "cudaGraphLaunch() takes the stream as its second parameter.",
                       m.other == t->spans[before].call ? first : then,
                       m.other == t->spans[before].call ? then : first);
            break;
        }
        hazard_say(l,
                   "This is in the default stream, which has no order with the stream of %s. If it was meant for another stream: a "
                   "launch names its stream in its fourth parameter, a copy in its last. If not: record an event after %s "
                   "(cudaEventRecord), and let the stream of %s wait for it (cudaStreamWaitEvent).",
                   m.other == t->spans[before].call ? then : first, first, then);
        break;
    default:
        if (t->calls[t->spans[before].call].flags & t->calls[m.call].flags & GRAPH_NODE) {
            hazard_say(l, "No edge of the graph makes %s wait for %s.", then, first);
            break;
        }
        hazard_say(l, "Nothing orders two streams by itself. ");
        say_cure(&w);
    }
}

void near_miss_say_host(struct hazard_line *l, const struct timeline *t, struct near_miss m,
                        uint32_t before, const char *first)
{
    struct words w = { l, t, m, &t->spans[before], first, NULL };
    if (m.kind == MISS_NONE || say_record(&w) || say_host_call(&w))
        return;
    if (m.kind == MISS_WAIT_LATE)
        hazard_say(l,
                   "The host waits for %s only %s line %u%s (%s), which is too late. Results may be read, and memory given back, only after "
                   "the wait; what the device reads has to be written before the call that queues the work, or after the wait.",
                   first, again(&w) ? "when it comes to" : "in", line_of(&w, m.call),
                   again(&w) ? " again" : "", timeline_string(t, t->calls[m.call].name));
    else if (m.kind == MISS_WAIT_EARLY)
        hazard_say(l, "This waits before %s is queued%s, and so not for that. Wait afterwards.",
                   first, words_of_line(&w, t->spans[before].call).text);
    else if (m.kind == MISS_STREAM_WAITS)
        hazard_say(l,
                   "This makes a stream wait, not the host. The host waits in cudaEventSynchronize() or cudaStreamSynchronize().");
}
