/* SPDX-License-Identifier: MIT */
/* Judges of part (c): the host works in slices until a part of the queue is done. */
#include <string.h>

#include "judges.h"

#define SHARE 900               /* of the reference's, in thousandths */
#define UNSET_SLICES \
    "Nothing is in *p when you are called, and here the function did not set p->slices, or only added to it. Set it where " \
    "no slice was done, too: p->slices = 0 before the loop."

/* A copy of the caller's in job->stream, before the part or after it. */
static uint32_t callers_copy(const struct view *v, struct selection part, bool after)
{
    struct selection s = { ENGINE_BIT(ENGINE_H2D), ANY, ANY, 0, part.first_call };
    if (after)
        s = (struct selection){ ENGINE_BIT(ENGINE_D2H), ANY, ANY, part.end_call,
                                v->timeline->call_count };
    uint32_t found = next_span(v, s, 0);
    for (uint32_t node = found; node != ANY && !after; node = next_span(v, s, node + 1))
        found = node;
    return found;
}

struct slices_scene {
    const struct view *v;
    const struct timeline *t;
    struct selection part;
    uint32_t scramble, copy, clear;     /* spans; ANY for none */
};

static struct slices_scene slices_scene_of(const struct view *v, const char *part)
{
    struct slices_scene s = {
        .v = v, .t = v->timeline, .part = in_part(v, part, ENGINES_DEVICE), .copy = ANY
    };
    s.scramble = kernel_named(v, s.part, "scramble", NULL);
    s.clear = kernel_named(v, s.part, "clear", NULL);
    struct selection outs = in_part(v, part, ENGINE_BIT(ENGINE_D2H));
    EACH_SPAN(node, v, outs)
        s.copy = node;
    return s;
}

static bool is_slice(const struct slices_scene *s, size_t call)
{
    return s->t->calls[call].kind == CALL_HOST_WORK
           && strcmp(timeline_string(s->t, s->t->calls[call].name), "host_work") == 0;
}

/* ---- was the copy waited for? ---- */

static bool why_not_waited(const struct slices_scene *s, struct finding *f)
{
    bool function = false;
    f->call = s->t->spans[s->copy].call;
    for (size_t i = s->part.first_call; i < s->part.end_call; i++)
        function |= s->t->calls[i].kind == CALL_HOST_FUNC;
    return why_unwaited(
        s->v, f, s->copy, s->part.end_call,
        function
            ? "A variable that a host function sets is a signal, too, but you have to make it safe yourself (lesson 07). "
              "The contract asks for an event: record one after the copy, and call cudaEventQuery() between two slices."
            : "No call tells the host that the copy is done, and a number of slices that is right here is a guess "
              "elsewhere. Record an event after the copy, and call cudaEventQuery() between two slices.");
}

/* Scramble comes after what the caller has put into job->stream before, and clear before what it
 * puts there afterwards. */
static bool in_stream(const struct slices_scene *s, struct finding *f)
{
    uint32_t before = callers_copy(s->v, s->part, false), after = callers_copy(s->v, s->part, true);
    expected(f,
             "scramble waits for what the caller has put into job->stream before; what it puts there afterwards waits for clear");
    if (before != ANY && !hb_before(s->v->order, before, s->scramble, GUARANTEED)) {
        f->call = s->t->spans[s->scramble].call;
        seen(f, "nothing makes scramble wait for the caller's copy to `data`");
        return why_unordered(
            s->v, f, before, "the caller's copy", s->scramble, "scramble",
            "scramble is not in job->stream, and does not wait for it: it may begin before its data has arrived. Launch it into "
            "job->stream.");
    }
    if (after != ANY && !hb_before(s->v->order, s->clear, after, GUARANTEED)) {
        f->call = s->t->spans[s->clear].call;
        seen(f, "nothing makes the caller's next copy in job->stream wait for clear");
        return why_unordered(
            s->v, f, s->clear, "clear", after, "the caller's next copy",
            "clear is not in job->stream, and still runs when the function returns. What the caller queues in job->stream next does "
            "not wait for it. Launch it into job->stream.");
    }
    return true;
}

bool slices_order(const struct evidence *e, struct finding *f, const char *part)
{
    struct slices_scene s = slices_scene_of(&e->yours[0], part);
    expected(f, "scramble, copy and clear, each bound to wait for the one before");
    if (s.scramble == ANY || s.copy == ANY || s.clear == ANY) {
        seen(f, "no %s in part %s",
             s.scramble == ANY ? "scramble"
             : s.copy == ANY   ? "copy to the host"
                               : "clear",
             part);
        uint32_t other =
            next_span(s.v, in_part(s.v, part, ENGINE_BIT(ENGINE_H2D) | ENGINE_BIT(ENGINE_D2D)), 0);
        if (s.scramble != ANY && s.copy == ANY && other != ANY) {
            f->call = s.t->spans[other].call;
            return why(f,
                       "This copy goes another way: `data` is its source and `result` its destination.");
        }
        f->function = "work_until_done";
        f->word = s.scramble == ANY ? "scramble" : s.copy == ANY ? "cudaMemcpyAsync" : "clear";
        return why(f,
                   "The work is in the contract, lesson.h: scramble, copy (cudaMemcpyAsync), clear, all into job->stream.");
    }
    const struct { uint32_t node; const char *name; } chain[] = {
        { s.scramble, "scramble" }, { s.copy, "the copy" }, { s.clear, "clear" },
    };
    for (int i = 0; i + 1 < 3; i++)
        if (!hb_before(s.v->order, chain[i].node, chain[i + 1].node, GUARANTEED)) {
            seen(f, "nothing makes %s wait for %s", chain[i + 1].name, chain[i].name);
            return why_unordered(s.v, f, chain[i].node, chain[i].name, chain[i + 1].node,
                                 chain[i + 1].name, NULL);
        }
    return in_stream(&s, f);
}

bool slices_known(const struct evidence *e, struct finding *f, const char *part)
{
    struct slices_scene s = slices_scene_of(&e->yours[0], part);
    if (hb_before_call(s.v->order, s.copy, s.t->calls, s.part.end_call, GUARANTEED))
        return true;
    expected(f,
             "before the host reads `result` it has waited for the copy, or asked until the answer was yes");
    seen(f, "the host did nothing that tells it that the copy has ended");
    return why_not_waited(&s, f);
}

static bool sum_again(const struct evidence *e, struct finding *f)
{
    const struct task *task = task_of(e);
    const uint32_t *in = exchange_input(e->exchange, 3, NULL);
    uint64_t sum = 0;
    in += task->c_n - task->again_n;
    for (int64_t i = 0; i < task->again_n; i++)
        sum += scrambled(in[i]);
    if (answer_of(e)->sum_again == sum || !part_ran(&e->yours[0], AGAIN "c"))
        return grids_again(&e->yours[0], f, AGAIN "c", task->again_n);
    f->function = "work_until_done";
    f->word = "static";
    expected(f, "called again with another job, p->sum is the sum of that one's elements: %llu",
             (unsigned long long)sum);
    seen(f, "%llu", (unsigned long long)answer_of(e)->sum_again);
    return why(f, SECOND_CALL);
}

bool slices_output(const struct evidence *e, struct finding *f, const char *part)
{
    struct slices_scene s = slices_scene_of(&e->yours[0], part);
    const uint32_t *in = exchange_input(e->exchange, 3, NULL),
                   *result = exchange_output(e->exchange, 3, NULL);
    const uint32_t *data = exchange_output(e->exchange, 4, NULL);
    int64_t n = task_of(e)->c_n;
    uint64_t sum = 0;
    for (int64_t i = 0; i < n; i++) {
        sum += scrambled(in[i]);
        bool copied = result[i] == scrambled(in[i]);
        if (copied && data[i] == 0)
            continue;
        f->call = s.t->spans[copied ? s.clear : s.copy].call;
        expected(f,
                 "`result` has all %lld elements as scramble left them, and `data` is 0 afterwards",
                 (long long)n);
        seen(f, "element %lld of `%s` is %u", (long long)i, copied ? "data" : "result",
             copied ? data[i] : result[i]);
        return has_threads_for(&e->yours[0], f, copied ? s.clear : s.scramble, (uint64_t)n)
               && why(f,
                      "Each once, over all n elements: scramble on `data`, the copy of `data` to `result`, clear on `data`.");
    }
    if (answer_of(e)->sum == sum)
        return fits_elements(&e->yours[0], f, s.scramble, (uint64_t)n, THREADS_OF_A_BLOCK)
               && fits_elements(&e->yours[0], f, s.clear, (uint64_t)n, THREADS_OF_A_BLOCK)
               && costs_as_given(&e->yours[0], f, s.scramble, task_of(e)->scramble_ns,
                              "job->scramble_ns")
               && costs_as_given(&e->yours[0], f, s.clear, task_of(e)->clear_ns, "job->clear_ns")
               && sum_again(e, f);
    f->function = "work_until_done";
    f->word = "sum+= sum";
    expected(f, "p->sum is the sum of the %lld elements that arrived: %llu", (long long)n,
             (unsigned long long)sum);
    seen(f, "%llu", (unsigned long long)answer_of(e)->sum);
    uint64_t before = answer_of(e)->sum - sum;
    if (before == 0x5a5a5a5a5a5a5a5aULL)
        return why(f,
                   "p->sum was never set to 0: the elements were added to what was in it before.");
    return why(f,
               "`result` has arrived whole, and what the host adds up is something else. Does it add each of the n elements once, "
               "beginning with 0, and only when the event has completed?");
}

/* ---- only a part of the queue ---- */

/* The record that the wait or the question `call` is about; `call` where there is none. */
static uint32_t record_of(const struct slices_scene *s, uint32_t call)
{
    for (size_t i = call; i-- > s->part.first_call;)
        if (s->t->calls[i].kind == CALL_EVENT_RECORD
            && s->t->calls[i].event == s->t->calls[call].event)
            return (uint32_t)i;
    return call;
}

/* The question before that call which was told that the copy is done, and not that clear is; ANY:
 * none was. */
static uint32_t told_before(const struct slices_scene *s, uint32_t call)
{
    for (size_t i = call; i-- > s->part.first_call;) {
        uint32_t record = record_of(s, (uint32_t)i);
        if (s->t->calls[i].kind == CALL_EVENT_QUERY && s->t->calls[i].status == 0
            && record > s->t->spans[s->copy].call && record < s->t->spans[s->clear].call)
            return (uint32_t)i;
    }
    return ANY;
}

bool slices_part(const struct evidence *e, struct finding *f, const char *part)
{
    struct slices_scene s = slices_scene_of(&e->yours[0], part);
    for (uint32_t node = s.clear + 1; node < s.t->span_count; node++) {
        uint32_t call = s.t->spans[node].call;
        if (s.t->spans[node].engine != ENGINE_WAIT || call < s.part.first_call
            || call >= s.part.end_call || !hb_before(s.v->order, s.clear, node, GUARANTEED))
            continue;
        f->call = call;
        expected(f, "the function goes on when the copy is done; clear may still run");
        seen(f, "%s waits for clear, too", timeline_string(s.t, s.t->calls[call].name));
        uint32_t kind = s.t->calls[call].kind;
        bool event = kind == CALL_EVENT_QUERY || kind == CALL_EVENT_SYNC;
        uint32_t told = event || s.copy == ANY ? ANY : told_before(&s, call);
        f->call = event ? record_of(&s, call) : call;
        if (told != ANY)
            return why(f,
                       "The question of line %u has told you already that the copy is done, and this call waits to the end of all that "
                       "is queued. Leave it out.",
                       s.t->calls[told].line);
        return event
                   ? why(f,
                         "The event was recorded after clear, at the end of the queue, and completes when all of that is done. Record it "
                         "right after the copy.")
                   : why(f,
                         "That call is about all that is queued, to the end. An event marks the place that you need: record one after the "
                         "copy, and ask about it with cudaEventQuery().");
    }
    return true;
}

/* ---- the slices ---- */

/* Which share of the time between the last launch and the end of the copy the host worked, in
 * thousandths. */
static unsigned worked(const struct view *v, const char *part)
{
    struct slices_scene s = slices_scene_of(v, part);
    int64_t from = s.t->calls[s.t->spans[s.clear].call].end, to = s.t->spans[s.copy].end, ns = 0;
    for (size_t i = s.part.first_call; i < s.part.end_call; i++) {
        int64_t begin = s.t->calls[i].begin, end = s.t->calls[i].end;
        if (is_slice(&s, i) && begin < to && end > from)
            ns += (end < to ? end : to) - (begin > from ? begin : from);
    }
    return to > from ? (unsigned)(ns * 1000 / (to - from)) : 0;
}

/* While the copy is under way the thread that does the slices goes on with them: it waits in no
 * call, at the end of a number of slices that was computed. */
static bool waits_in_no_call(const struct slices_scene *s, struct finding *f)
{
    uint32_t last = ANY;
    for (size_t i = s->part.first_call; i < s->part.end_call; i++)
        if (is_slice(s, i))
            last = (uint32_t)i;
    for (size_t i = last; i < s->part.end_call; i++) {
        const struct call *c = &s->t->calls[i];
        bool waits = c->kind == CALL_EVENT_SYNC || c->kind == CALL_STREAM_SYNC
                     || c->kind == CALL_DEVICE_SYNC;
        if (!waits || c->thread != s->t->calls[last].thread || c->begin >= s->t->spans[s->copy].end)
            continue;
        f->call = (uint32_t)i;
        expected(f, "as long as `result` has not arrived the host does slices");
        seen(f, "%s waits for it, after the last slice", timeline_string(s->t, c->name));
        return why(f,
                   "How many slices there is time for is a guess. Ask cudaEventQuery() before each, and do slices until it says "
                   "cudaSuccess: then there is nothing left to wait for.");
    }
    return true;
}

bool slices_overlap(const struct evidence *e, struct finding *f, const char *part)
{
    struct slices_scene s = slices_scene_of(&e->yours[0], part);
    int64_t slice = task_of(e)->slice_ns;
    for (size_t i = s.part.first_call; i < s.part.end_call; i++) {
        if (!is_slice(&s, i) || s.t->calls[i].cost == slice)
            continue;
        f->call = (uint32_t)i;
        expected(f, "the host works in slices of slice_ns = %lld ns", (long long)slice);
        seen(f, "a slice of %lld ns", (long long)s.t->calls[i].cost);
        return why(f,
                   "Short slices let the host notice in time: it asks after each, and stops when the event has completed. Pass "
                   "slice_ns to host_work() unchanged, and call it as often as needed.");
    }
    unsigned mine = worked(&e->yours[0], part), theirs = worked(&e->reference[0], part);
    if (mine * 1000 >= theirs * SHARE)
        return waits_in_no_call(&s, f);
    f->call = measure_longest_wait(s.t, s.part.first_call, s.part.end_call);
    expected(f,
             "while the host waits for `result` it works for at least %u %% of the time (the reference solution: "
             "%u %%)",
             theirs * SHARE / 10000, theirs / 10);
    seen(f, "%u %%", mine / 10);
    uint32_t kind = f->call == ANY ? CALL_NONE : s.t->calls[f->call].kind;
    uint32_t late = ANY, clear = s.t->spans[s.clear].call;
    for (size_t i = s.part.end_call; i-- > s.part.first_call;)
        if (is_slice(&s, i))
            late = (uint32_t)i;
    if (late < clear) {
        f->call = clear;
        expected(f, "clear is queued before the first slice");
        seen(f, "clear is queued when the slices are over");
        return why(f,
                   "The device has nothing to do between the copy and this launch. Queue all three first: scramble, the copy, clear. "
                   "Then work.");
    }
    if (late != ANY && s.t->calls[late].begin >= s.t->spans[s.copy].end) {
        f->call = late;
        return why(f,
                   "This is the first slice, and the copy has ended before it. Between two queries comes a slice of work: call "
                   "host_work(slice_ns) each time that cudaEventQuery() returns cudaErrorNotReady.");
    }
    if (kind == CALL_NONE || kind == CALL_EVENT_QUERY || kind == CALL_STREAM_QUERY)
        return why(f,
                   "Between two queries comes a slice of work: call host_work(slice_ns) each time that cudaEventQuery() returns "
                   "cudaErrorNotReady.");
    return why(f,
               "%s holds the host up until the device has come that far. cudaEventQuery() answers at once: on cudaErrorNotReady do "
               "another slice and ask again.",
               timeline_string(s.t, s.t->calls[f->call].name));
}

/* The first slice with no question before it, and after the slice before; ANY: there is none, or
 * the program is told by a function. */
static uint32_t unasked_slice(const struct slices_scene *s)
{
    bool asked = false;
    uint32_t unasked = ANY;
    for (size_t i = s->part.first_call; i < s->part.end_call; i++) {
        uint32_t kind = s->t->calls[i].kind;
        if (kind == CALL_HOST_FUNC)
            return ANY;
        asked |= kind == CALL_EVENT_QUERY || kind == CALL_STREAM_QUERY || kind == CALL_EVENT_SYNC
                 || kind == CALL_STREAM_SYNC;
        if (!is_slice(s, i))
            continue;
        if (!asked && unasked == ANY)
            unasked = (uint32_t)i;
        asked = false;
    }
    return unasked;
}

/* A wait for the device by another thread than that of the slice, which ends after its beginning;
 * ANY: there is none. */
static uint32_t other_that_waits(const struct slices_scene *s, uint32_t slice)
{
    for (size_t i = s->part.first_call; i < s->part.end_call; i++) {
        const struct call *c = &s->t->calls[i];
        if ((c->kind == CALL_EVENT_SYNC || c->kind == CALL_STREAM_SYNC)
            && c->thread != s->t->calls[slice].thread && c->line != 0
            && c->end > s->t->calls[slice].begin)
            return (uint32_t)i;
    }
    return ANY;
}

bool slices_stop(const struct evidence *e, struct finding *f, const char *part)
{
    struct slices_scene s = slices_scene_of(&e->yours[0], part);
    int64_t done = s.t->spans[s.copy].end;
    bool told = false, asked = false;   /* asked: since the last slice, and the answer was no */
    for (size_t i = s.part.first_call; i < s.part.end_call; i++) {
        const struct call *c = &s.t->calls[i];
        bool query = c->kind == CALL_EVENT_QUERY || c->kind == CALL_STREAM_QUERY;
        told |= c->status == 0
                && (query || c->kind == CALL_EVENT_SYNC || c->kind == CALL_STREAM_SYNC)
                && c->begin > done;
        asked |= query && c->status != 0;
        bool slice = is_slice(&s, i), late = !asked && c->begin > done + task_of(e)->slice_ns / 2;
        asked &= !slice;
        if (!slice || (!told && !late))
            continue;
        f->call = (uint32_t)i;
        expected(f, "no slice begins after `result` has arrived");
        seen(f, told ? "this one begins after the host had been told"
                     : "this one begins more than half a slice after the copy was done");
        return why(f,
                   "Ask before each slice, and do the slice only if the answer is cudaErrorNotReady: the caller is waiting for the "
                   "result.");
    }
    f->call = unasked_slice(&s);
    if (f->call == ANY)
        return true;
    uint32_t told_by = other_that_waits(&s, f->call);
    bool first = true, asks = false;
    for (size_t i = s.part.first_call; i < f->call; i++)
        first &= !is_slice(&s, i);
    for (size_t i = s.part.first_call; i < s.part.end_call; i++)
        asks |= s.t->calls[i].kind == CALL_EVENT_QUERY || s.t->calls[i].kind == CALL_STREAM_QUERY;
    expected(f, "before each slice the host asks an event");
    if (told_by != ANY) {
        seen(f,
             "no question before this slice; another thread waits in line %u, and this one works on until it is told",
             s.t->calls[told_by].line);
        return why(f,
                   "The contract asks for a question, and one thread is enough for that: call cudaEventQuery() before each slice, and do the slice only "
                   "if the answer is cudaErrorNotReady. A variable by which threads tell each other also has to be made safe.");
    }
    if (first && !asks) {
        seen(f, "no event and no stream is queried in this part");
        return why(f,
                   "How many slices fit is not known beforehand: a number that is right here is too large or too small on another card. Call "
                   "cudaEventQuery() before each slice, and do the slice only if the answer is cudaErrorNotReady.");
    }
    if (first) {
        seen(f, "the first slice, and no question before it");
        return why(f,
                   "If `result` is there already, this slice is for nothing. A loop that asks at its end begins with one: ask in the "
                   "loop's condition, while (cudaEventQuery(arrived) == cudaErrorNotReady).");
    }
    seen(f, "the slice before this one and this one, and no question between them");
    return why(f,
               "How many slices fit was right here, and is a guess: call cudaEventQuery() before each slice, and do the slice only if the answer "
               "is cudaErrorNotReady.");
}

/* What the driver has put where p->slices belongs. */
static bool is_unset(int64_t slices)
{
    return slices == 0x5a5a5a5a;
}

static bool count_again(const struct evidence *e, struct finding *f)
{
    const struct view *v = &e->yours[0];
    struct slices_scene s = { .v = v, .t = v->timeline };
    size_t first = 0, end = 0;
    int64_t slices = 0, counted = answer_of(e)->slices_again;
    measure_part(v->timeline, AGAIN "c", &first, &end);
    for (size_t i = first; i < end; i++)
        if (is_slice(&s, i))
            slices++;
    if (counted == slices || !part_ran(v, AGAIN "c"))
        return true;
    f->call = ANY;
    f->function = "work_until_done";
    f->word = "slices";
    expected(f, "called again, p->slices is how often host_work() was called for that job: %lld%s",
             (long long)slices,
             slices == 0 ? ", since `result` was there at the first question" : "");
    seen(f, "%lld", (long long)counted);
    if (is_unset(counted))
        return why(f, UNSET_SLICES);
    int64_t before = answer_of(e)->slices;
    if (counted == before || counted == before + slices)
        return why(f, SECOND_CALL);
    return why(f,
               "The first call was right, and this number has nothing to do with that one's. Is it counted, one for each host_work(), or computed "
               "from a time? What a time divided by slice_ns gives is near the count at best.");
}

bool slices_count(const struct evidence *e, struct finding *f, const char *part)
{
    struct slices_scene s = slices_scene_of(&e->yours[0], part);
    int64_t slices = 0;
    for (size_t i = s.part.first_call; i < s.part.end_call; i++)
        if (is_slice(&s, i)) {
            slices++;
            f->call = (uint32_t)i;
        }
    if (answer_of(e)->slices == slices)
        return count_again(e, f);
    expected(f, "p->slices says how often host_work() was called: %lld", (long long)slices);
    seen(f, "%lld", (long long)answer_of(e)->slices);
    if (is_unset(answer_of(e)->slices) || is_unset(answer_of(e)->slices - slices)) {
        f->function = "work_until_done";
        f->word = "slices";
        return why(f, UNSET_SLICES);
    }
    return why(f,
               "Count a slice when you do one. A query that returns cudaSuccess is not a slice.");
}
