/* SPDX-License-Identifier: MIT */
/* What calls there are in the log, of those that could have made an order, and what other rounds of
 * a loop, or other calls of a function, make of them. */
#include "trace/order/near_miss_state.h"

#include <string.h>

/* The kind of call i, as the program meant it: of a captured one, where captured work is looked at,
 * what it would have been. */
static uint32_t tried_kind(const struct tried *s, size_t i)
{
    static const struct { const char *name; uint32_t kind; } captured[] = {
        { "cudaLaunchKernel", CALL_LAUNCH }, { "cudaMemcpy", CALL_COPY },
        { "cudaMemset", CALL_SET },
        { "cudaLaunchHostFunc", CALL_HOST_FUNC }, { "cudaEventRecord", CALL_EVENT_RECORD },
        { "cudaStreamWaitEvent", CALL_STREAM_WAIT },
    };
    const struct call *c = &s->t->calls[i];
    if (c->kind != CALL_OTHER || !(c->flags & CALL_CAPTURED))
        return c->kind;
    const char *name = timeline_string(s->t, c->name);
    for (size_t k = 0; k < sizeof captured / sizeof *captured && s->captured; k++)
        if (strncmp(name, captured[k].name, strlen(captured[k].name)) == 0)
            return captured[k].kind;
    return CALL_OTHER;
}

bool tried_call(const struct tried *s, size_t i, uint32_t kind)
{
    return s->t->calls[i].status == 0 && tried_kind(s, i) == kind;
}

bool tried_work(const struct tried *s, size_t i)
{
    uint32_t kind = tried_kind(s, i);
    return kind >= CALL_LAUNCH && kind <= CALL_HOST_FUNC && s->t->calls[i].status == 0;
}

bool is_legacy(const struct timeline *t, uint32_t stream)
{
    return timeline_stream_flags(t, stream) & STREAM_LEGACY;
}

uint32_t record_before(const struct tried *s, size_t end, uint32_t event)
{
    for (size_t i = end; i-- > 0;)
        if (s->t->calls[i].event == event && tried_call(s, i, CALL_EVENT_RECORD))
            return (uint32_t)i;
    return NO_CALL;
}

bool recorded_behind(const struct tried *s, size_t end, uint32_t event)
{
    for (size_t i = s->first.call + 1; i < end; i++)
        if (s->t->calls[i].event == event && s->t->calls[i].stream == s->first.stream
            && tried_call(s, i, CALL_EVENT_RECORD))
            return true;
    return false;
}

bool is_used(const struct tried *s, size_t from, size_t end, uint32_t event)
{
    for (size_t i = from; i < end && i < s->t->call_count; i++) {
        uint32_t kind = tried_kind(s, i);
        bool timed =
            kind == CALL_OTHER
            && strcmp(timeline_string(s->t, s->t->calls[i].name), "cudaEventElapsedTime") == 0;
        if ((kind == CALL_STREAM_WAIT || kind == CALL_EVENT_SYNC || kind == CALL_EVENT_QUERY
             || timed)
            && s->t->calls[i].event == event)
            return true;
    }
    return false;
}

/* Where the event is recorded again after call `record`: what waits from there on waits for that.
 */
static size_t recorded_again(const struct tried *s, size_t record, size_t until)
{
    size_t i = record + 1;
    while (i < until && i < s->t->call_count
           && !(s->t->calls[i].event == s->t->calls[record].event
                && tried_call(s, i, CALL_EVENT_RECORD)))
        i++;
    return i;
}

uint32_t unused_record(const struct tried *s, size_t end, size_t until)
{
    for (size_t i = s->first.call + 1; i < end; i++)
        if (s->t->calls[i].stream == s->first.stream && tried_call(s, i, CALL_EVENT_RECORD)
            && !is_used(s, i, recorded_again(s, i, until), s->t->calls[i].event))
            return (uint32_t)i;
    return NO_CALL;
}

/* Is an event that the same line makes recorded? Then the line makes one for each of several, and
 * not all are needed. */
static bool others_are_recorded(const struct tried *s, size_t made)
{
    for (size_t i = 0; i < s->t->call_count; i++)
        if (i != made && s->t->calls[i].line == s->t->calls[made].line
            && s->t->calls[i].file == s->t->calls[made].file && tried_call(s, i, CALL_EVENT_CREATE)
            && record_before(s, s->t->call_count, s->t->calls[i].event) != NO_CALL)
            return true;
    return false;
}

uint32_t idle_event(const struct tried *tried)
{
    struct tried both = *tried, *s = &both;
    size_t begin = s->first.call;
    s->captured = true;         /* what a capture records is recorded */
    while (begin > 0 && s->t->calls[begin - 1].kind != CALL_PART)
        begin--;
    for (size_t i = begin; i < s->t->call_count && s->t->calls[i].kind != CALL_PART; i++)
        if (s->t->calls[i].line != 0 && tried_call(s, i, CALL_EVENT_CREATE)
            && !(s->t->calls[i].flags & EVENT_INTERPROCESS)     /* another process may record it */
            && record_before(s, s->t->call_count, s->t->calls[i].event) == NO_CALL
            && !others_are_recorded(s, i))
            return (uint32_t)i;
    return NO_CALL;
}

bool same_place(const struct call *a, const struct call *b)
{
    return a->line != 0 && a->line == b->line && a->file == b->file && a->caller == b->caller;
}

/* ---- waits that other rounds make, and this one too late or not at all ---- */

/* Was the record made after the second, behind work of the first's stream that was queued in
 * between? Then it is for that work. */
static bool records_later_work(const struct tried *s, uint32_t record)
{
    for (size_t i = s->then.call + 1; i < record; i++)
        if (s->t->calls[i].stream == s->first.stream && tried_work(s, i))
            return true;
    return false;
}

/* Do other rounds of a loop make this wait in front of the second, and did this round leave it out?
 */
static bool skipped_wait(const struct tried *s, size_t wait)
{
    const struct call *calls = s->t->calls, *w = &calls[wait], *then = &calls[s->then.call];
    if (w->file != then->file || w->caller != then->caller || w->line >= then->line)
        return false;
    for (size_t i = s->then.call; i-- > 0 && !same_place(&calls[i], then);)
        if (same_place(&calls[i], w))
            return false;
    for (size_t i = wait; i < s->t->call_count && calls[i].kind != CALL_PART; i++)
        if (same_place(&calls[i], then))
            return true;
    return false;
}

uint32_t begins_to_wait(const struct tried *s, uint32_t record)
{
    const struct call *calls = s->t->calls;
    for (size_t i = s->then.call + 1; i < s->t->call_count && calls[i].kind != CALL_PART; i++)
        if (calls[i].stream == s->then.stream && calls[i].event == calls[record].event
            && tried_call(s, i, CALL_STREAM_WAIT) && skipped_wait(s, i))
            return (uint32_t)i;
    return NO_CALL;
}

struct near_miss look_behind(const struct tried *s, size_t until,
                             struct near_miss *elsewhere)
{
    for (size_t i = s->then.call + 1; i < s->t->call_count && s->t->calls[i].kind != CALL_PART; i++)
        if (s->t->calls[i].stream == s->then.stream && tried_call(s, i, CALL_STREAM_WAIT)) {
            uint32_t record = record_before(s, i, s->t->calls[i].event);
            if (record == NO_CALL || record < s->first.call || record >= until
                || s->t->calls[record].stream != s->first.stream || records_later_work(s, record))
                continue;
            struct near_miss late = { .kind =
                                          skipped_wait(s, i) ? MISS_WAIT_SKIPPED : MISS_WAIT_LATE,
                                      .call = (uint32_t)i };
            if (s->t->calls[i].caller == s->t->calls[s->then.call].caller)
                return late;
            if (elsewhere->kind == MISS_NONE)
                *elsewhere = late;
        }
    return (struct near_miss){ .call = NO_CALL };
}

struct near_miss made_a_round_late(const struct tried *s, struct near_miss other)
{
    const struct call *calls = s->t->calls, *then = &calls[s->then.call];
    struct near_miss elsewhere = { .call = NO_CALL };
    if ((other.kind != MISS_OTHER_EVENT && other.kind != MISS_RECORDED_AGAIN)
        || calls[other.call].caller != then->caller || calls[other.call].file != then->file
        || calls[other.call].line <= then->line)
        return other;
    struct near_miss late = look_behind(s, s->t->call_count, &elsewhere);
    return late.kind == MISS_WAIT_LATE && same_place(&calls[late.call], &calls[other.call]) ? late
                                                                                          : other;
}

/* Is that a wait for an event which the line of this record has recorded last, in the same function
 * and further down? */
static bool follows_record(const struct tried *s, size_t wait, uint32_t record)
{
    const struct call *calls = s->t->calls, *w = &calls[wait], *r = &calls[record];
    if (w->line == 0 || w->file != r->file || w->caller != r->caller || w->line <= r->line
        || !tried_call(s, wait, CALL_STREAM_WAIT))
        return false;
    uint32_t last = record_before(s, wait, w->event);
    return last != NO_CALL && same_place(&calls[last], r);
}

/* Is the line of that wait reached after the record, before the record's own line is again? */
static bool is_reached(const struct tried *s, size_t wait, uint32_t record)
{
    const struct call *calls = s->t->calls;
    for (size_t i = record + 1u; i < s->t->call_count && calls[i].kind != CALL_PART
                                 && !same_place(&calls[i], &calls[record]);
         i++)
        if (same_place(&calls[i], &calls[wait]))
            return true;
    return false;
}

uint32_t left_out_wait(const struct tried *s, uint32_t record)
{
    const struct call *calls = s->t->calls;
    size_t begin = record;
    while (begin > 0 && calls[begin - 1].kind != CALL_PART)
        begin--;
    for (size_t i = begin; i < s->t->call_count && calls[i].kind != CALL_PART; i++)
        if (follows_record(s, i, record))
            return is_reached(s, i, record) ? NO_CALL : (uint32_t)i;
    return NO_CALL;
}
