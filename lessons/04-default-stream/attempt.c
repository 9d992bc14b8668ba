/* SPDX-License-Identifier: MIT */
#include "attempt.h"

#include <string.h>

#define AT_ONCE_NS 100000       /* an event that waits for nothing has passed by then */

struct trial driver_trial(const struct view *v, int first, int second)
{
    char label[] = PAIR "00";
    label[sizeof PAIR - 1] = (char)('0' + first);
    label[sizeof PAIR] = (char)('0' + second);
    struct selection s = { .device = ANY, .stream = ANY };
    struct trial d = { ANY, ANY };
    if (!measure_label(v->timeline, label, &s.first_call, &s.end_call))
        return d;
    d.kernel = next_kernel(v, s, "long_one", 0);
    s.engines = ENGINE_BIT(ENGINE_NONE);
    d.event = next_span(v, s, 0);
    return d;
}

bool find_attempt(const struct view *v, const char *part, int pair, struct attempt *a)
{
    struct selection s = in_part(v, part, 0);
    const struct timeline *t = v->timeline;
    int count = 0;
    *a = (struct attempt){ .v = v, .first = s.first_call, .end = s.end_call };
    for (size_t i = s.first_call; i < s.end_call; i++) {
        if (t->calls[i].kind != CALL_LAUNCH
            || strcmp(timeline_string(t, t->calls[i].name), "long_one") != 0)
            continue;
        if (count < pair)
            a->first = i + 1;
        else if (count == pair)
            a->launch = i;
        else if (count == pair + 1)
            a->end = i;
        count++;
    }
    struct trial d = driver_trial(v, pair / KIND_COUNT, pair % KIND_COUNT);
    if (count != KIND_COUNT * KIND_COUNT || d.kernel == ANY || d.event == ANY)
        return false;
    a->busy = t->spans[d.kernel].stream;
    a->asked = t->spans[d.event].stream;
    return true;
}

uint32_t find_call(const struct attempt *a, uint32_t kind, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        if (a->v->timeline->calls[i].kind == kind)
            return (uint32_t)i;
    return ANY;
}

/* An answer that is right, and by luck: the host asked the event once, as soon as it was recorded,
 * or an event that was recorded after the one that it had waited for. Neither has to have passed,
 * even where it waits for no kernel. */
bool is_luck(const struct attempt *a, struct finding *f)
{
    const struct call *calls = a->v->timeline->calls;
    uint32_t record = find_call(a, CALL_EVENT_RECORD, a->launch, a->end),
             question = find_call(a, CALL_EVENT_QUERY, a->launch, a->end),
             wait = find_call(a, CALL_EVENT_SYNC, a->launch, a->end), asked = ANY;
    if (record == ANY || question == ANY)
        return false;
    bool again = find_call(a, CALL_EVENT_QUERY, question + 1, a->end) != ANY
                 || find_call(a, CALL_STREAM_QUERY, a->launch, a->end) != ANY
                 || find_call(a, CALL_STREAM_SYNC, a->launch, question) != ANY;
    if (wait > question && calls[question].status == NOT_READY && !again
        && calls[question].begin - calls[record].end < AT_ONCE_NS) {
        f->sure = true;
        f->call = question;
        seen(f, "the event is asked once, as soon as it is recorded");
        why(f,
            "Here the answer comes out right. But even an event that waits for nothing takes a moment to complete, and on a real GPU that may be "
            "longer. Wait for it with cudaEventSynchronize(), and then ask whether the kernel is done: cudaStreamQuery(first).");
        return true;
    }
    for (size_t i = record; i < question && wait < question; i++)
        if (calls[i].kind == CALL_EVENT_RECORD) {
            record = calls[i].event == calls[wait].event && i < wait ? (uint32_t)i : record;
            asked = calls[i].event == calls[question].event ? (uint32_t)i : asked;
        }
    if (asked == ANY || asked <= record || calls[record].event == calls[asked].event)
        return false;
    f->sure = true;
    f->call = question;
    seen(f, "it asks about the event of line %u, which was recorded after that of line %u",
         calls[asked].line, calls[record].line);
    why(f,
        "The host has waited for the earlier of the two, so the later one need not have passed, even where the kernel is done. Record the "
        "event that you query right after the launch, before the event that you wait for.");
    return true;
}

uint32_t launched_too_much(const struct view *v, const char *part)
{
    struct selection s = in_part(v, part, 0);
    uint32_t latest = ANY;
    for (size_t i = s.first_call; i < s.end_call; i++) {
        const struct call *c = &v->timeline->calls[i];
        if (c->kind == CALL_EVENT_RECORD)
            latest = ANY;
        if (c->kind != CALL_LAUNCH || c->status != 0)
            continue;
        if (latest != ANY && c->stream != v->timeline->calls[latest].stream)
            return (uint32_t)i;
        latest = (uint32_t)i;
    }
    return ANY;
}
