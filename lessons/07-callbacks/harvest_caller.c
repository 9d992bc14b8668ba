/* SPDX-License-Identifier: MIT */
/* Part (a): does the caller wait for nothing, do threads that finish chunks sleep, and is each
 * chunk finished while the device goes on? */
#include <string.h>

#include "functions.h"
#include "harvest.h"
#include "slots.h"

/* Of the reference's, on the same card. Two streams in turn, functions in both, leave the device
 * idle now and then: 816. */
#define OVERLAP_PERMILLE 700
/* Who is done as early has lost nothing, whatever ran beside what: a stream for each chunk takes
 * 0.77 of the reference's time where the device has room for all, and what does not overlap 1.56
 * and more. */
#define TIME_PERMILLE 1100
#define LATE_NS 100000          /* half of what a kernel takes: a wake takes some microseconds */

/* ---- who waits ---- */

static uint32_t label_named(const struct view *v, const char *name)
{
    for (size_t i = 0; i < v->timeline->call_count; i++)
        if (v->timeline->calls[i].kind == CALL_LABEL
            && strcmp(timeline_string(v->timeline, v->timeline->calls[i].name), name) == 0)
            return (uint32_t)i;
    return ANY;
}

/* Does the call hold its thread up, or let it work or ask? */
static bool stands_still(const struct call *c)
{
    switch (c->kind) {
    case CALL_STREAM_SYNC: case CALL_DEVICE_SYNC: case CALL_EVENT_SYNC:
    case CALL_STREAM_QUERY: case CALL_EVENT_QUERY: case CALL_HOST_WORK:
        return true;
    default:
        return false;
    }
}

static bool finished_before(const struct view *v, long number, size_t call)
{
    for (size_t i = 0; i < call; i++)
        if (label_number(v, i, FINISH) == number)
            return true;
    return false;
}

/* The caller finishes nothing itself, not in harvest_end() either; what it finishes again
 * judge_harvest_numbers() finds. */
static bool judge_caller(const struct view *v, struct finding *f, size_t own, size_t end)
{
    const struct timeline *t = v->timeline;
    for (size_t i = own; i < end; i++) {
        long number = label_number(v, i, FINISH);
        if (number < 0 || t->calls[i].thread != t->calls[own].thread
            || finished_before(v, number, i))
            continue;
        for (size_t before = i; before-- > own && f->call == ANY;)
            if (t->calls[before].thread == t->calls[own].thread && stands_still(&t->calls[before])
                && t->calls[before].kind != CALL_HOST_WORK)
                f->call = (uint32_t)before;
        expected(
            f,
            "the stream's functions finish the chunks, or a thread that they wake: the caller has work of its own");
        seen(f, "finish(%ld) was called by the caller's own thread, in harvest_end()", number);
        struct selection functions = { ENGINE_BIT(ENGINE_HOST_FUNC), ANY, ANY, 0, end };
        uint32_t queued = next_span(v, functions, 0);
        if (queued != ANY)
            return why(
                f,
                "A chunk that arrived while the caller did its own work has been lying there until now. The function that is queued in line %u, "
                "or a thread that it wakes, can finish it. harvest_end() only waits.",
                call_of_node(v, queued)->line);
        return why(
            f,
            "A chunk that arrived while the caller did its own work has been lying there until now. Queue a function after "
            "each copy with cudaLaunchHostFunc(). harvest_end() only waits.");
    }
    return true;
}

/* harvest_begin() only queues: its thread neither waits nor works until it returns. */
bool judge_harvest_caller(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    const struct timeline *t = v->timeline;
    size_t first, end;
    uint32_t own = label_named(v, OWN_WORK);
    if (!measure_part(t, part, &first, &end) || own == ANY)
        return true;
    uint32_t held = ANY;
    for (size_t i = first; i < own && held == ANY; i++)
        if (t->calls[i].thread == t->calls[own].thread && stands_still(&t->calls[i]))
            held = (uint32_t)i;
    for (size_t node = 0; node < t->span_count; node++) {
        uint32_t call = t->spans[node].call;
        const struct call *c = &t->calls[call];
        if (t->spans[node].engine == ENGINE_WAIT && c->thread == t->calls[own].thread
            && call >= first && call < own && call < held && c->kind != CALL_THREAD_BEGIN
            && c->kind != CALL_THREAD_WAKE)
            held = call;
    }
    if (held == ANY)
        return judge_caller(v, f, own, end);
    f->call = held;
    expected(f, "harvest_begin() queues everything and returns: its caller has work of its own");
    seen(f, t->calls[held].kind == CALL_HOST_WORK ? "the caller's own thread spends its time here"
            : "this call holds the caller up, or polls, before harvest_begin() returns");
    struct selection functions = in_part(v, part, ENGINE_BIT(ENGINE_HOST_FUNC));
    uint32_t queued = next_span(v, functions, 0);
    if (queued != ANY && t->calls[held].kind != CALL_HOST_WORK)
        return why(
            f,
            "Functions are queued (line %u), and they finish the chunks, so the host has nothing to wait for here. If the function is to come after "
            "the copy, let its stream wait for the event, with cudaStreamWaitEvent(), and not the host. Wait in harvest_end().",
            call_of_node(v, queued)->line);
    return why(
        f,
        "With a callback you need not wait here. Queue a function after each copy with cudaLaunchHostFunc(): it finishes the "
        "chunk in a thread of the driver. Wait in harvest_end().");
}

/* A kernel or copy that has to wait for the function: one after it in its stream, else one
 * elsewhere; ANY for none. */
static uint32_t held_up(const struct view *v, struct selection s, uint32_t function)
{
    struct selection same = s;
    same.stream = v->timeline->spans[function].stream;
    uint32_t node = next_span(v, same, function + 1);
    if (node == ANY)
        for (node = next_span(v, s, 0);
             node != ANY && !hb_before(v->order, function, node, GUARANTEED);)
            node = next_span(v, s, node + 1);
    return node;
}

/* From the first that the device does to the end of the last finish(). */
static int64_t time_of_all(const struct view *v, const char *part)
{
    struct selection s = in_part(v, part, ENGINES_DEVICE);
    struct interval device;
    if (!measure_extent(v->timeline, s, &device))
        return 0;
    for (size_t i = s.first_call; i < s.end_call; i++) {
        size_t last = label_number(v, i, FINISH) < 0 ? v->timeline->call_count : label_end(v, i);
        if (last < v->timeline->call_count && v->timeline->calls[last].end > device.end)
            device.end = v->timeline->calls[last].end;
    }
    return device.end - device.start;
}

/* Does a thread that finishes chunks, and is no function's, ask or let time pass until one has
 * come? ANY: none does. */
static uint32_t poll_of_finisher(const struct view *v, struct selection s, uint32_t own)
{
    const struct timeline *t = v->timeline;
    for (size_t i = s.first_call; i < s.end_call; i++) {
        uint32_t thread = t->calls[i].thread;
        if (label_number(v, i, FINISH) < 0 || thread == own || function_of_call(v, i) != ANY)
            continue;
        for (size_t before = i; before-- > s.first_call;) {
            const struct call *c = &t->calls[before];
            if (c->thread != thread)
                continue;
            if (c->kind == CALL_LABEL)
                break; /* the end of its finish() before: what it did in that is the driver's */
            if (c->kind == CALL_STREAM_QUERY || c->kind == CALL_EVENT_QUERY
                || c->kind == CALL_HOST_WORK || spins_at_event(t, before))
                return (uint32_t)before;
        }
    }
    return ANY;
}

bool judge_harvest_asleep(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    struct selection s = in_part(v, part, 0);
    uint32_t own = label_named(v, OWN_WORK);
    uint32_t poll = own == ANY ? ANY : poll_of_finisher(v, s, v->timeline->calls[own].thread);
    if (poll == ANY)
        return true;
    f->function = "harvest_begin";
    expected(f, "a thread that finishes chunks sleeps until one has arrived");
    return says_poll(
        v, f, poll, "chunks it",
        "Let it sleep in sem_wait() or pthread_cond_wait() until a function after the copy wakes it.");
}

/* A chunk that has been home for longer than a kernel takes while nothing is being finished: its
 * finish(), a call; ANY for none. */
static size_t finished_late(const struct evidence *e, const char *part, int64_t *late)
{
    const struct view *v = &e->yours[0];
    const struct timeline *t = v->timeline;
    struct field field = harvest_field(e);
    struct selection s = in_part(v, part, ENGINE_BIT(ENGINE_D2H));
    int64_t free_from = 0;      /* the end of the latest finish() so far */
    for (size_t i = s.first_call; i < s.end_call; i++) {
        long number = label_number(v, i, FINISH);
        size_t last = number < 0 ? t->call_count : label_end(v, i);
        if (last >= t->call_count)
            continue;
        int64_t home = INT64_MAX;
        for (uint32_t node = next_span(v, s, 0); node != ANY; node = next_span(v, s, node + 1)) {
            const struct call *c = call_of_node(v, node);
            uint64_t from =
                field.home + (uint64_t)number * (uint64_t)field.chunk * sizeof(uint32_t);
            if (c->dst <= from && from < c->dst + c->bytes)
                home = t->spans[node].end;
        }
        *late = t->calls[i].begin - (home > free_from ? home : free_from);
        if (home != INT64_MAX && *late > LATE_NS)
            return i;
        free_from = t->calls[last].end > free_from ? t->calls[last].end : free_from;
    }
    return ANY;
}

/* The first function, where all copies come before it; ANY: they do not. */
static uint32_t comes_after_all(const struct view *v, const char *part)
{
    uint32_t function = next_span(v, in_part(v, part, ENGINE_BIT(ENGINE_HOST_FUNC)), 0), copies = 0;
    struct selection s = in_part(v, part, ENGINE_BIT(ENGINE_D2H));
    for (uint32_t node = function == ANY ? ANY : next_span(v, s, 0); node != ANY;
         node = next_span(v, s, node + 1), copies++)
        if (!hb_before(v->order, node, function, GUARANTEED))
            return ANY;
    return copies > 1 ? function : ANY;
}

bool judge_harvest_beside(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    const struct timeline *t = v->timeline;
    unsigned mine = label_beside_device(v, part, FINISH),
             theirs = label_beside_device(&e->reference[0], part, FINISH);
    int64_t took = time_of_all(v, part), takes = time_of_all(&e->reference[0], part);
    int64_t idle = 0;
    size_t late = on_real_card(v) ? ANY : finished_late(e, part, &idle);
    if (late == ANY
        && (mine * 1000 >= theirs * share_asked(v, OVERLAP_PERMILLE)
            || took * 1000 <= takes * time_asked(v, TIME_PERMILLE)))
        return true;
    struct selection s = in_part(v, part, ENGINES_DEVICE);
    uint32_t together = comes_after_all(v, part);
    if (late != ANY && together == ANY) {
        f->call = harvest_queued_by(v, late);
        f->instead = 0;
        expected(f, "finish() is called for each chunk when it has arrived");
        seen(
            f, "chunk %ld was home, and nothing was being finished, for %lld us before finish(%ld)",
            label_number(v, late, FINISH), (long long)(idle / 1000), label_number(v, late, FINISH));
        return why(
            f,
            "What does this finish() wait for? Queue a function after the copy of each chunk, for that chunk alone.");
    }
    expected(f, "while the host finishes a chunk the device is at work on the next one");
    seen(
        f,
        "%u %% of the shorter of the two ran beside the other (%u %% in the reference solution), and all took %lld.%lld x its time",
        mine / 10, theirs / 10, (long long)(took / takes), (long long)(took * 10 / takes % 10));
    for (size_t i = s.first_call; i < s.end_call; i++) {
        if (label_number(v, i, FINISH) < 0)
            continue;
        uint32_t function = function_of_call(v, i),
                 behind = function == ANY ? ANY : held_up(v, s, function);
        if (behind != ANY) {
            f->call = t->spans[function].call;
            if (t->spans[behind].stream != t->spans[function].stream)
                return why(
                    f,
                    "This function works for %d us, and line %u, in another stream, is bound to wait for it: by an event, or "
                    "because one of the two is in the default stream. The functions need what the device computes, not the "
                    "other way round. Put them into h->after, and let only harvest_end() wait for that stream.",
                    (int)((t->spans[function].end - t->spans[function].start) / 1000),
                    call_of_node(v, behind)->line);
            return why(
                f,
                "This function works for %d us, and line %u, next in the same stream, waits for it. Queue long functions in "
                "a stream of their own (h->after), after a wait for an event, or let them wake a thread that does the work.",
                (int)((t->spans[function].end - t->spans[function].start) / 1000),
                call_of_node(v, behind)->line);
        }
        f->call = harvest_queued_by(v, i);
    }
    if (together != ANY) {
        f->call = v->timeline->spans[together].call;
        return why(
            f,
            "This function, the first, is bound to wait for the copies of all chunks, not for that of one. After each chunk's copy, in the loop "
            "that queues it, record the event, let h->after wait for it, and queue a function.");
    }
    return why(
        f,
        "Most of the finishing is done while the device has nothing to do. Finish each chunk when it arrives.");
}
