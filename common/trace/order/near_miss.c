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

/* Was the record made in another call of the driver's than the first was, in a stream that has work
 * of its own? Then it is for that, and was not meant for the first. */
static bool is_of_another_call(const struct tried *s, uint32_t record, uint32_t waiting)
{
    const struct call *calls = s->t->calls;
    bool label = false;
    for (size_t i = record; i-- > s->first.call && !label;)
        label = calls[i].kind == CALL_LABEL;
    if (!label || calls[record].stream == waiting || is_legacy(s->t, calls[record].stream))
        return false;
    for (size_t i = record; i-- > 0 && calls[i].kind != CALL_PART;)
        if (calls[i].stream == calls[record].stream && tried_work(s, i))
            return true;
    return false;
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
        return (struct near_miss){ .kind = t->calls[meant].event == t->calls[wait].event
                                               ? MISS_RECORDED_AGAIN
                                               : MISS_OTHER_EVENT,
                                   .call = (uint32_t)wait,
                                   .other = meant };
    if (t->calls[record].stream == s->first.stream)
        return (struct near_miss){ .kind = MISS_RECORDED_BEFORE, .call = record };
    /* A record that has a wait already is for that one. */
    if (serves_its_stream(s, record, wait, waiting) || is_of_another_call(s, record, waiting)
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
    struct near_miss m = look_at_record(s, wait, s->then.stream);
    /* A record right after other work, and a wait in front of other work, are for those two. */
    bool theirs = m.kind == MISS_RECORDED_BEFORE && holds_up_other_work(s, wait)
                  && serves_its_stream(s, m.call, wait, s->then.stream);
    return theirs ? (struct near_miss){ .call = NO_CALL } : m;
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

/* Nothing waits for what this call records after the first. */
static struct near_miss why_unused(const struct tried *s, uint32_t record)
{
    uint32_t begins = begins_to_wait(s, record), left = left_out_wait(s, record);
    if (begins != NO_CALL)
        return (struct near_miss){ .kind = MISS_WAIT_SKIPPED, .call = begins };
    if (left != NO_CALL)
        return (struct near_miss){ .kind = MISS_WAIT_LEFT_OUT, .call = left, .other = record };
    return (struct near_miss){ .kind = MISS_EVENT_UNUSED, .call = record };
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
    if (unused != NO_CALL)
        return why_unused(&s, unused);
    if (late.kind != MISS_NONE)
        return late;
    if (is_legacy(t, s.then.stream) || is_legacy(t, s.first.stream))
        return in_legacy(&s);
    return idle != NO_CALL ? (struct near_miss){ .kind = MISS_NEVER_USED, .call = idle } : none;
}
