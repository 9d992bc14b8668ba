/* SPDX-License-Identifier: MIT */
/* (a): an answer is wrong although the call was tried. */
#include "judges.h"

#include <string.h>

/* A launch of long_one() into the default stream, by the program; ANY: there is none. */
static uint32_t long_in_default(const struct view *v, const char *part)
{
    struct selection s = in_part(v, part, 0);
    uint32_t node = next_kernel(v, s, "long_one", 0);
    for (; node != ANY; node = next_kernel(v, s, "long_one", node + 1))
        if (timeline_stream_flags(v->timeline, v->timeline->spans[node].stream) & STREAM_LEGACY)
            return v->timeline->spans[node].call;
    return ANY;
}

/* The question whether an event has passed that was recorded after the call, right before the
 * question, where the answer was no; ANY: the call is not followed by such a one. */
static uint32_t asks_new_event(const struct view *v, size_t call, size_t end)
{
    uint32_t recorded = ANY;
    for (size_t i = call + 1; i < end; i++) {
        const struct call *c = &v->timeline->calls[i];
        if (c->kind == CALL_EVENT_RECORD && c->line != 0 && !is_in_driver(v->timeline, c))
            recorded = (uint32_t)i;
        else if (c->kind == CALL_EVENT_QUERY)
            return recorded != ANY && v->timeline->calls[recorded].event == c->event
                           && c->status != 0
                       ? (uint32_t)i
                       : ANY;
        else if (c->kind == CALL_LAUNCH || c->kind == CALL_STREAM_QUERY)
            return ANY;
    }
    return ANY;
}

bool why_tried(const struct view *v, struct finding *f, const char *part, uint32_t call, bool waits,
               bool host)
{
    const struct call *c = &v->timeline->calls[call];
    bool device = strcmp(f->word, "device") == 0;
    uint32_t in_default = long_in_default(v, part);
    if (in_default != ANY && !waits) {
        f->call = in_default;
        return why(f,
                   "This kernel is in the default stream: whatever is launched into a blocking stream afterwards waits for it in any case. "
                   "Launch long_one() into a stream of its own, made with cudaStreamCreate().");
    }
    if (device && waits && host)
        return why(f,
                   "This call holds the host up until A's kernel is done. What is launched into B after the call then runs only when that is "
                   "done, too: effect[k].device is true wherever effect[k].host is.");
    uint32_t asked =
        device || !waits ? ANY : asks_new_event(v, call, in_part(v, part, 0).end_call);
    if (asked != ANY) {
        f->call = asked;
        return why(f,
                   "This asks about an event that was recorded only after the call, and it may not have passed yet even where nothing runs. Record the "
                   "event after long_one() and before the call, or ask about the stream: cudaStreamQuery(a).");
    }
    if (!device && !waits)
        return why(f,
                   "The call was tried while A's kernel ran, and the call itself took %lld us. Does a question follow it that tells whether that kernel "
                   "still runs, cudaStreamQuery(a), and is its answer the one that stands in effect[k].host? If you measure with a clock, compare "
                   "with LONG_NS.",
                   (long long)(c->end - c->begin) / 1000);
    return why(f,
               "The call was tried while A's kernel ran. Does a question follow it that tells whether that kernel still runs, "
               "cudaStreamQuery(a), and is its answer the one that stands in effect[k].%s?",
               f->word);
}
