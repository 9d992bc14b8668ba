/* SPDX-License-Identifier: MIT */
/*
 * DESIGN
 * Between two streams an order is made in three steps: an event is recorded
 * after the first, the second's stream is told to wait for the event, then the
 * second is queued. Each of them can be missing, or be in the wrong place; the
 * wait that stands nearest before the second is the one that was meant. What
 * was captured into a graph is looked at where it was captured: there its
 * streams and events are.
 */
#include "trace/order/near_miss_state.h"

#include <string.h>

/* ---- what calls there are ---- */

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

/* Did call i, of that kind, succeed? */
static bool tried_call(const struct tried *s, size_t i, uint32_t kind)
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

/* Does a stream wait for the event, or the host wait for it, ask about it or take its time, between
 * two calls? */
static bool is_used(const struct tried *s, size_t from, size_t end, uint32_t event)
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
            && record_before(s, s->t->call_count, s->t->calls[i].event) == NO_CALL
            && !others_are_recorded(s, i))
            return (uint32_t)i;
    return NO_CALL;
}

/* ---- what a wait finds ---- */

/* Was the record made right after work of its own stream, for which stream `waiting` (NO_CALL: the
 * host) waits nowhere else before call `wait`? Then that work is what the wait is for. */
static bool serves_its_stream(const struct tried *s, uint32_t record, size_t wait, uint32_t waiting)
{
    const struct call *r = &s->t->calls[record];
    uint32_t work = NO_CALL;
    for (size_t i = record; i-- > 0 && s->t->calls[i].kind != CALL_PART && work == NO_CALL;)
        if (s->t->calls[i].thread == r->thread && tried_work(s, i))
            work = (uint32_t)i;
    if (work == NO_CALL || s->t->calls[work].stream != r->stream || r->stream == waiting)
        return false;
    for (size_t i = work; i < wait; i++) {
        bool same = waiting == NO_CALL
                        ? tried_call(s, i, CALL_EVENT_SYNC)
                        : tried_call(s, i, CALL_STREAM_WAIT) && s->t->calls[i].stream == waiting;
        uint32_t other = same ? record_before(s, i, s->t->calls[i].event) : NO_CALL;
        if (other != NO_CALL && other > work && s->t->calls[other].stream == r->stream)
            return false;
    }
    return true;
}

static bool same_place(const struct call *a, const struct call *b)
{
    return a->line != 0 && a->line == b->line && a->file == b->file && a->caller == b->caller;
}

/* Does the line of this record make one in front of each work like the first? Then it has made one
 * more than there are works before. */
static bool records_in_front(const struct tried *s, uint32_t record)
{
    const struct call *calls = s->t->calls;
    int records = 0, works = 0;
    for (size_t i = s->first.call; i-- > 0 && calls[i].kind != CALL_PART;) {
        records += same_place(&calls[i], &calls[record]) && tried_call(s, i, CALL_EVENT_RECORD);
        works += same_place(&calls[i], &calls[s->first.call]) && tried_work(s, i);
    }
    return records > works;
}

struct near_miss look_at_record(const struct tried *s, size_t wait, uint32_t waiting)
{
    const struct timeline *t = s->t;
    uint32_t record = record_before(s, wait, t->calls[wait].event),
             meant = unused_record(s, wait, wait);
    bool behind =
        record != NO_CALL && t->calls[record].stream == s->first.stream && record > s->first.call;
    if (behind)
        return (struct near_miss){ .call = NO_CALL };
    if (record == NO_CALL && meant == NO_CALL)
        return (struct near_miss){ .kind = MISS_NEVER_RECORDED, .call = (uint32_t)wait };
    /* A record that the same line makes again, in front of the next, is one that comes too soon. */
    bool again = record != NO_CALL && meant != NO_CALL && t->calls[record].line != 0
                 && t->calls[record].line == t->calls[meant].line
                 && t->calls[record].file == t->calls[meant].file && records_in_front(s, record);
    if (meant != NO_CALL && !again)
        return (
            struct near_miss){ .kind = MISS_OTHER_EVENT, .call = (uint32_t)wait, .other = meant };
    if (t->calls[record].stream == s->first.stream)
        return (struct near_miss){ .kind = MISS_RECORDED_BEFORE, .call = record };
    /* A record that has a wait already is for that one. */
    if (serves_its_stream(s, record, wait, waiting)
        || is_used(s, record + 1u, wait, t->calls[record].event))
        return (
            struct near_miss){ .kind = MISS_SOME_STREAMS, .call = (uint32_t)wait, .other = record };
    return (struct near_miss){ .kind = MISS_RECORDED_ELSEWHERE, .call = record };
}

/* Is work queued after the wait into its stream, before the second? Then the wait is for that work.
 */
static bool holds_up_other_work(const struct tried *s, size_t wait)
{
    for (size_t i = wait + 1; i < s->then.call; i++)
        if (s->t->calls[i].stream == s->t->calls[wait].stream && tried_work(s, i))
            return true;
    return false;
}

/* Is this wait, made before the second, the one that is at fault? */
static struct near_miss look_at_wait(const struct tried *s, size_t wait)
{
    bool too_early = wait < s->first.call;
    uint32_t event = s->t->calls[wait].event;
    /* An earlier wait may be for something else. */
    if (too_early && (holds_up_other_work(s, wait) || !recorded_behind(s, s->then.call, event)))
        return (struct near_miss){ .call = NO_CALL };
    if (too_early && record_before(s, wait, event) != NO_CALL)
        return (struct near_miss){ .kind = MISS_RECORDED_LATER, .call = (uint32_t)wait };
    return look_at_record(s, wait, s->then.stream);
}

/* The waits of the second's stream before it, from the nearest on. One for another stream's work is
 * named only where there is no better reason, and no label of the driver's comes between: behind
 * that another function may have been called. */
static struct near_miss look_at_waits(const struct tried *s, struct near_miss *some)
{
    bool called = false;
    for (size_t i = s->then.call; i-- > 0 && s->t->calls[i].kind != CALL_PART;) {
        called |= s->t->calls[i].kind == CALL_LABEL;
        if (s->t->calls[i].stream != s->then.stream || !tried_call(s, i, CALL_STREAM_WAIT))
            continue;
        struct near_miss m = look_at_wait(s, i);
        if (m.kind == MISS_SOME_STREAMS && some->kind == MISS_NONE && !called)
            *some = m;
        else if (m.kind != MISS_NONE && m.kind != MISS_SOME_STREAMS)
            return m;
    }
    return (struct near_miss){ .call = NO_CALL };
}

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

/* The wait for that event which a later round makes in front of the second; NO_CALL: none. */
static uint32_t begins_to_wait(const struct tried *s, uint32_t record)
{
    const struct call *calls = s->t->calls;
    for (size_t i = s->then.call + 1; i < s->t->call_count && calls[i].kind != CALL_PART; i++)
        if (calls[i].stream == s->then.stream && calls[i].event == calls[record].event
            && tried_call(s, i, CALL_STREAM_WAIT) && skipped_wait(s, i))
            return (uint32_t)i;
    return NO_CALL;
}

/* A wait after the second that would order it if it stood before: for an event that is recorded
 * after the first and before call `until`. One of another function is named only where there is no
 * better reason. */
static struct near_miss look_behind(const struct tried *s, size_t until,
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

/* In a loop, the wait that was found belongs to the previous round, and its line follows the second
 * operation. If the next round makes it for the event recorded after the first, it comes too late.
 */
static struct near_miss made_a_round_late(const struct tried *s, struct near_miss other)
{
    const struct call *calls = s->t->calls, *then = &calls[s->then.call];
    struct near_miss elsewhere = { .call = NO_CALL };
    if (other.kind != MISS_OTHER_EVENT || calls[other.call].caller != then->caller
        || calls[other.call].file != then->file || calls[other.call].line <= then->line)
        return other;
    struct near_miss late = look_behind(s, s->t->call_count, &elsewhere);
    return late.kind == MISS_WAIT_LATE && same_place(&calls[late.call], &calls[other.call]) ? late
                                                                                          : other;
}

/* Record and wait stand in front of the first, where the function that queues it has queued nothing
 * else into its stream: there is nothing else that they could be for. Behind a label of the
 * driver's another function may have been called. */
static struct near_miss look_in_front(const struct tried *s)
{
    const struct timeline *t = s->t;
    uint32_t found = NO_CALL;
    for (size_t i = s->first.call;
         i-- > 0 && t->calls[i].kind != CALL_PART && t->calls[i].kind != CALL_LABEL;) {
        const struct call *c = &t->calls[i];
        if (c->stream == s->first.stream && c->caller == t->calls[s->first.call].caller
            && tried_work(s, i))
            return (struct near_miss){ .call = NO_CALL };
        uint32_t record = c->stream == s->then.stream && tried_call(s, i, CALL_STREAM_WAIT)
                              ? record_before(s, i, c->event)
                              : NO_CALL;
        if (record != NO_CALL && t->calls[record].stream == s->first.stream)
            found = record;
    }
    return (struct near_miss){ .kind = found == NO_CALL ? MISS_NONE : MISS_RECORDED_BEFORE,
                               .call = found };
}

static bool waits_for_itself(const struct tried *s, size_t wait)
{
    const struct call *c = &s->t->calls[wait];
    uint32_t record = record_before(s, wait, c->event);
    return record != NO_CALL && s->t->calls[record].stream == c->stream;
}

/* What was done between the two, from the second on: another stream waits, or the host asks. */
static struct near_miss look_between(const struct tried *s)
{
    struct near_miss wrong_way = { .call = NO_CALL };
    for (size_t i = s->then.call; i-- > s->first.call + 1u;) {
        const struct call *c = &s->t->calls[i];
        /* A stream's wait for itself holds nothing up. */
        if (tried_call(s, i, CALL_STREAM_WAIT) && c->stream != s->then.stream
            && (waits_for_itself(s, i) || !holds_up_other_work(s, i))) {
            bool own = c->stream == s->first.stream;
            uint32_t record = record_before(s, i, c->event);
            if (recorded_behind(s, i, c->event))
                return (struct near_miss){ .kind = own ? MISS_WAIT_OF_ITSELF : MISS_WAIT_ELSEWHERE,
                                           .call = (uint32_t)i };
            if (own && record != NO_CALL && record > s->first.call
                && s->t->calls[record].stream == s->then.stream)
                wrong_way = (struct near_miss){ .kind = MISS_WRONG_WAY, .call = (uint32_t)i };
            continue;
        }
        bool same_thread = c->thread == s->t->calls[s->then.call].thread;
        struct near_miss m = same_thread ? look_at_host_call(s, i, s->then.call)
                                         : (struct near_miss){ .call = NO_CALL };
        if (m.kind == MISS_QUERY || m.kind == MISS_OTHER_STREAM || m.kind == MISS_OTHER_DEVICE)
            return m;
    }
    return wrong_way;
}

/* A record or a wait that failed, between the two. */
static struct near_miss look_for_refused(const struct tried *s)
{
    for (size_t i = s->then.call; i-- > s->first.call + 1u;) {
        const char *name = timeline_string(s->t, s->t->calls[i].name);
        if (s->t->calls[i].status != 0
            && (strncmp(name, "cudaEventRecord", 15) == 0
                || strcmp(name, "cudaStreamWaitEvent") == 0))
            return (struct near_miss){ .kind = MISS_REFUSED, .call = (uint32_t)i };
    }
    return (struct near_miss){ .call = NO_CALL };
}

/* ---- two operations ---- */

/* The program's call that queued this: of a graph's node its launch. */
static uint32_t call_of_program(const struct timeline *t, uint32_t call)
{
    if (t->calls[call].flags & GRAPH_NODE)
        while (call > 0 && t->calls[call].kind != CALL_GRAPH_LAUNCH)
            call--;
    return call;
}

/* Where the node's work was captured: the captured call of the same place. Of several nodes of that
 * place each has its own. */
static bool find_captured(const struct timeline *t, const struct span *node, struct queued *q)
{
    const struct call *c = &t->calls[node->call];
    const struct tried s = { .t = t, .captured = true };
    size_t launch = call_of_program(t, node->call), behind = 0;
    for (size_t i = node->call + 1; i < t->call_count && t->calls[i].kind != CALL_GRAPH_END; i++)
        behind += t->calls[i].flags & GRAPH_NODE && t->calls[i].line == c->line
                  && t->calls[i].file == c->file;
    for (size_t i = launch; i-- > 0;)
        if (t->calls[i].flags & CALL_CAPTURED && t->calls[i].line == c->line
            && t->calls[i].file == c->file && tried_work(&s, i) && behind-- == 0) {
            *q = (struct queued){ (uint32_t)i, t->calls[i].stream, node->device };
            return c->line != 0;
        }
    return false;
}

/* False: nothing is known of how these two were queued. */
static bool find_both(struct tried *s, const struct span *first, const struct span *then)
{
    const struct timeline *t = s->t;
    s->first = (struct queued){ first->call, first->stream, first->device };
    s->then = (struct queued){ then->call, then->stream, then->device };
    s->captured = t->calls[first->call].flags & t->calls[then->call].flags & GRAPH_NODE
                  && first->stream == then->stream;
    return !s->captured || (find_captured(t, first, &s->first) && find_captured(t, then, &s->then));
}

/* Is one of the two in the default stream, and is what was found meant for the work of others? A
 * stream that waits elsewhere is so where it has work afterwards. */
static bool forgot_its_stream(const struct tried *s, struct near_miss m, struct near_miss some)
{
    if (!is_legacy(s->t, s->then.stream) && !is_legacy(s->t, s->first.stream))
        return false;
    if (m.kind == MISS_NONE)
        return some.kind == MISS_SOME_STREAMS;
    for (size_t i = m.call; m.kind == MISS_WAIT_ELSEWHERE && i < s->t->call_count
                            && s->t->calls[i].kind != CALL_PART;
         i++)
        if (s->t->calls[i].stream == s->t->calls[m.call].stream && tried_work(s, i))
            return true;
    return false;
}

/* What is said of the one of the two that is in the default stream. */
static struct near_miss in_legacy(const struct tried *s)
{
    uint32_t call = is_legacy(s->t, s->then.stream) ? s->then.call : s->first.call;
    return (struct near_miss){ .kind = MISS_DEFAULT_STREAM,
                               .call = call_of_program(s->t, call),
                               .other = call };
}

struct near_miss near_miss_operations(const struct timeline *t, uint32_t before, uint32_t after)
{
    struct tried s = { .t = t };
    struct near_miss none = { .call = t->spans[after].call }, some = { .call = NO_CALL },
                     late = some;
    if (!find_both(&s, &t->spans[before], &t->spans[after]))
        return none;
    none.call = s.then.call;
    if (s.then.call < s.first.call)
        return (struct near_miss){ .kind = MISS_QUEUED_BEFORE,
                                   .call = s.then.call,
                                   .other = s.first.call };
    if (s.first.stream == s.then.stream)
        return none;
    struct near_miss m = look_for_refused(&s);
    if (m.kind == MISS_NONE)
        m = made_a_round_late(&s, look_at_waits(&s, &some));
    if (m.kind == MISS_NONE)
        m = look_between(&s);
    if (m.kind == MISS_NONE)
        m = look_behind(&s, s.then.call, &late);
    if (m.kind == MISS_NONE)
        m = look_in_front(&s);
    if (m.kind == MISS_NONE)
        m = look_behind(&s, t->call_count, &late);
    if (forgot_its_stream(&s, m, some))
        return in_legacy(&s);
    if (m.kind != MISS_NONE || some.kind != MISS_NONE)
        return m.kind != MISS_NONE ? m : some;
    uint32_t unused = unused_record(&s, s.then.call, t->call_count), idle = idle_event(&s);
    if (unused != NO_CALL) {
        uint32_t begins = begins_to_wait(&s, unused);
        return begins != NO_CALL ? (struct near_miss){ .kind = MISS_WAIT_SKIPPED, .call = begins }
                                 : (struct near_miss){ .kind = MISS_EVENT_UNUSED, .call = unused };
    }
    if (late.kind != MISS_NONE)
        return late;
    if (is_legacy(t, s.then.stream) || is_legacy(t, s.first.stream))
        return in_legacy(&s);
    return idle != NO_CALL ? (struct near_miss){ .kind = MISS_NEVER_USED, .call = idle } : none;
}
