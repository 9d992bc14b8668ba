/* SPDX-License-Identifier: MIT */
/*
 * (a): who waits for whom, and how was it measured?
 *
 * DESIGN
 * The table is compared with what the reference's run measured on the same card. Where an answer is
 * wrong, the program's own try of that pair is looked at: its launch of long_one(), and what
 * follows until the next one. The driver has tried each pair before the part, under a label: so it
 * is known which stream is which.
 *
 * Of any two of these kinds each waits for the other or neither does. So a program that launches
 * into `second` and records in `first` has every answer right, and makes the calls of one whose
 * loops are turned round: each pair is tried, and nothing is asked of the order. Nor is each pair
 * asked for: what the documentation promises of a kind need not be measured, what a given stream is
 * has to be, and each stream is tried.
 */
#include <string.h>

#include "grader/check.h"

#include "attempt.h"

JUDGE(judge_alone);
JUDGE(judge_blocking);
JUDGE(judge_legacy);
JUDGE(judge_non_blocking);
JUDGE(judge_per_thread);

static const char *const kind_name[KIND_COUNT] = {
    "the legacy default stream", "a blocking stream", "another blocking stream",
    "a non-blocking stream",
    "the per-thread default stream", "stream[GIVEN]", "stream[ALSO_GIVEN]",
};

/* Did the event in `second` wait for the kernel in `first`, when the driver of the reference tried?
 */
static bool measured(const struct evidence *e, int first, int second)
{
    const struct view *v = &e->reference[0];
    struct trial d = driver_trial(v, first, second);
    return d.kernel != ANY && d.event != ANY
           && v->timeline->spans[d.event].start >= v->timeline->spans[d.kernel].end;
}

/* ---- how the program tried it ---- */

/* The first call in [from, to) that waits for the kernel itself, and not for the event. */
static uint32_t waits_for_kernel(const struct attempt *a, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) {
        const struct call *c = &a->v->timeline->calls[i];
        if (c->kind == CALL_DEVICE_SYNC
            || (c->kind == CALL_STREAM_SYNC && c->stream == a->busy && a->busy != a->asked))
            return (uint32_t)i;
    }
    return ANY;
}

static bool say_question(const struct attempt *a, struct finding *f, uint32_t record,
                         uint32_t question)
{
    const struct call *calls = a->v->timeline->calls, *q = &calls[question];
    f->call = question;
    if (q->kind == CALL_STREAM_QUERY && q->stream != a->busy)
        return why(f,
                   "This asks about a stream that is not the kernel's. Ask about `first` when the event is done: if the kernel is "
                   "done then, too, the event has waited for it.");
    size_t waits = find_call(a, CALL_EVENT_SYNC, record, question);
    if (q->kind == CALL_STREAM_QUERY && waits == ANY
        && find_call(a, CALL_STREAM_SYNC, record, question) == ANY
        && find_call(a, CALL_EVENT_QUERY, record, question) == ANY)
        return why(f,
                   "This asks before the event is done, when the kernel is still running in any case. Wait for the event first: "
                   "cudaEventSynchronize().");
    if (q->kind == CALL_EVENT_QUERY && waits == ANY
        && find_call(a, CALL_EVENT_QUERY, question + 1, a->end) == ANY
        && find_call(a, CALL_STREAM_QUERY, question + 1, a->end) == ANY)
        return why(f,
                   "This asks the event once, as soon as it is recorded: then it may not be done even where it waits for nothing. Wait "
                   "for it with cudaEventSynchronize(), and then ask whether the kernel is done: cudaStreamQuery(first).");
    f->call = ANY;
    return true;
}

static bool is_only_stream(const struct view *v, const char *part, uint32_t stream)
{
    struct selection s = in_part(v, part, ENGINE_BIT(ENGINE_KERNEL));
    EACH_SPAN(node, v, s)
        if (v->timeline->spans[node].stream != stream)
            return false;
    return true;
}

static size_t count_calls(const struct view *v, const char *part, uint32_t kind)
{
    struct selection s = in_part(v, part, 0);
    size_t count = 0;
    for (size_t i = s.first_call; i < s.end_call; i++)
        count += v->timeline->calls[i].kind == kind;
    return count;
}

/* Is the event of each pair recorded before its kernel is launched? Then what is recorded after a
 * launch is the next pair's. */
static bool records_first(const struct attempt *a, const char *part)
{
    struct selection s = in_part(a->v, part, ENGINE_BIT(ENGINE_KERNEL));
    uint32_t launch = next_kernel(a->v, s, "long_one", 0),
             record = find_call(a, CALL_EVENT_RECORD, s.first_call, s.end_call);
    return launch != ANY && record < a->v->timeline->spans[launch].call
           && count_calls(a->v, part, CALL_EVENT_RECORD) == KIND_COUNT * KIND_COUNT;
}

/* The first of two events, both recorded in [from, until), between which the program takes the
 * time; ANY: there are none. */
static uint32_t times_from(const struct attempt *a, size_t from, size_t until)
{
    const struct timeline *t = a->v->timeline;
    for (size_t i = until; i < a->end; i++) {
        if (t->calls[i].kind != CALL_OTHER
            || strcmp(timeline_string(t, t->calls[i].name), "cudaEventElapsedTime") != 0)
            continue;
        for (size_t r = from; r < until; r++)
            if (t->calls[r].kind == CALL_EVENT_RECORD && t->calls[r].event == t->calls[i].event)
                return (uint32_t)r;
    }
    return ANY;
}

/* What is wrong with how that pair was tried, as far as its calls show: fills f->why and f->call.
 * True: nothing. */
static bool say_attempt(const struct attempt *a, struct finding *f, const char *part)
{
    const struct timeline *t = a->v->timeline;
    const struct call *launch = &t->calls[a->launch];
    uint32_t question = ANY;
    for (size_t i = a->launch; i < a->end && question == ANY; i++)
        if (t->calls[i].kind == CALL_STREAM_QUERY || t->calls[i].kind == CALL_EVENT_QUERY)
            question = (uint32_t)i;
    size_t until = question != ANY ? question : a->end;
    uint32_t record = find_call(a, CALL_EVENT_RECORD, a->launch, until),
             early = find_call(a, CALL_EVENT_RECORD, a->first, a->launch);
    if (launch->status == 0 && launch->stream != a->busy
        && !is_only_stream(a->v, part, launch->stream))
        return true;                /* it tries the pairs in another order */
    f->call = (uint32_t)a->launch;
    if (launch->status != 0)
        return why(f, "The kernel of this pair never ran.");        /* why, the grader says */
    if (launch->stream != a->busy)
        return why(f,
                   "The kernel of this pair is in another stream: the fourth parameter of its launch is `first`.");
    if (early != ANY && (record == ANY || records_first(a, part))) {
        f->call = early;
        f->sure = true;
        return why(f,
                   "The event is recorded before the kernel is launched, so it has nothing to wait for. Record it after the launch.");
    }
    uint32_t late = question != ANY ? find_call(a, CALL_EVENT_RECORD, question, a->end) : ANY;
    if (record == ANY && late != ANY) {
        f->call = question;
        return why(f,
                   "This asks before the event of line %u is recorded. Record it, wait for it, then ask.",
                   t->calls[late].line);
    }
    if (record == ANY)
        return why(f, "No event is recorded after this launch: cudaEventRecord(event, second).");
    f->call = record;
    if (t->calls[record].stream != a->asked)
        return why(f,
                   "The event of this pair is in another stream: its second argument is `second`.");
    uint32_t waited = waits_for_kernel(a, record, until),
             alone = find_call(a, CALL_EVENT_SYNC, record, waited != ANY ? waited : until);
    if (question == ANY && alone != ANY) {
        uint32_t from = times_from(a, a->launch, alone);
        f->call = from != ANY ? from : alone;
        f->sure = true;
        if (from != ANY)
            return why(f,
                       "This event, from which the time is taken, comes after the launch as well: what holds up the other one holds it up, too, and "
                       "the time between them is next to nothing. Record this one before the launch.");
        return why(f,
                   "The host waits for the event alone here, and asks no stream afterwards: the answer probably comes from the time that "
                   "this took. That is LONG_NS nanoseconds or more where the event has waited for the kernel, and next to nothing where "
                   "it has not. With what is it compared, and which way round?");
    }
    if (waited != ANY) {
        f->call = waited;
        return why(f,
                   "The host waits here for the kernel itself: it is done afterwards, whether the event has waited for it or not. Wait "
                   "for the event alone, with cudaEventSynchronize(), and then ask whether the kernel is done.");
    }
    f->call = ANY;
    return question == ANY || say_question(a, f, record, question);
}

/* ---- the judges ---- */

enum group { AMONG_BLOCKING, WITH_LEGACY, WITH_NON_BLOCKING, WITH_PER_THREAD };

/* Is it a pair of which one stream is of an unknown kind? Of a stream and itself the answer is
 * known. */
static bool is_unknown(int first, int second)
{
    return first != second && (first >= GIVEN || second >= GIVEN);
}

static enum group group_of(int first, int second)
{
    if (first == second || is_unknown(first, second))
        return AMONG_BLOCKING;
    if (first == NON_BLOCKING || second == NON_BLOCKING)
        return WITH_NON_BLOCKING;
    if (first == PER_THREAD || second == PER_THREAD)
        return WITH_PER_THREAD;
    return first == LEGACY || second == LEGACY ? WITH_LEGACY : AMONG_BLOCKING;
}

/* Is each answer of the table the opposite of what is right? */
static bool all_inverted(const struct evidence *e, const struct table *table)
{
    for (int first = 0; first < KIND_COUNT; first++)
        for (int second = 0; second < KIND_COUNT; second++)
            if (table->waits[first][second] == measured(e, first, second))
                return false;
    return true;
}

static bool why_wrong(const struct evidence *e, struct finding *f, const char *part, int pair,
                      enum group group)
{
    static const char *const reason[] = {
        [AMONG_BLOCKING] = "A stream is a queue, and two streams that you made with cudaStreamCreate() are two queues.",
        [WITH_LEGACY] = "The legacy default stream is a barrier for blocking streams, in both directions.",
        [WITH_NON_BLOCKING] = "cudaStreamNonBlocking takes a stream out of the default stream's reach, in both directions.",
        [WITH_PER_THREAD] = "The per-thread default stream is a blocking stream that exists without being made.",
    };
    struct attempt a;
    f->function = "is_held";
    f->word = "cudaStreamQuery held";
    bool asks = count_calls(&e->yours[0], part, CALL_STREAM_QUERY) > 0;
    if (asks && all_inverted(e, exchange_output(e->exchange, OUT_TABLE, NULL)))
        return why(f,
                   "All answers are the wrong way round. The event has waited if the kernel is done when the event is: then "
                   "cudaStreamQuery(first) is cudaSuccess. cudaErrorNotReady says that the kernel still runs.");
    const char *because = is_unknown(pair / KIND_COUNT, pair % KIND_COUNT)
                              ? "No table can know what this stream is: it differs from run to run."
                              : reason[group];
    if (!find_attempt(&e->yours[0], part, pair, &a)) {
        f->call = launched_too_much(&e->yours[0], part);
        f->sure = f->call != ANY;
        if (f->sure)
            return why(f,
                       "This kernel goes into another stream than the launch before it, with no event recorded in between. An event in this kernel's own stream waits for it, whatever "
                       "the two streams are. For each pair, launch long_one() once, into `first`, and record the event in `second`.");
        return why(f, "%s Measure the pair in is_held().", because);
    }
    return say_attempt(&a, f, part)
           && why(f,
                  "%s Does is_held() return what its last query says, and is that in the right place in the table?",
                  because);
}

static bool judge_pairs(const struct evidence *e, struct finding *f, const char *part,
                        enum group group)
{
    const struct table *table = exchange_output(e->exchange, OUT_TABLE, NULL);
    int asked = 0, right = 0, wrong = -1;
    for (int pair = 0; pair < KIND_COUNT * KIND_COUNT; pair++) {
        int first = pair / KIND_COUNT, second = pair % KIND_COUNT;
        if (group_of(first, second) != group)
            continue;
        asked++;
        if (table->waits[first][second] == measured(e, first, second))
            right++;
        else if (wrong < 0)
            wrong = pair;
    }
    for (int pair = 0; pair < KIND_COUNT * KIND_COUNT && wrong < 0; pair++) {
        struct attempt a;
        if (group == AMONG_BLOCKING && find_attempt(&e->yours[0], part, pair, &a)
            && is_luck(&a, f)) {
            expected(f, "each answer rests on a wait: what is asked has to have passed by then");
            return false;
        }
    }
    if (wrong < 0 || lost_the_processor(&e->yours[0], part))
        return true;
    int first = wrong / KIND_COUNT, second = wrong % KIND_COUNT;
    bool waits = measured(e, first, second);
    expected(f, "first a kernel in %s, then an event in %s: the event %s", kind_name[first],
             first == second ? "the same stream" : kind_name[second],
             waits ? "waits for the kernel" : "is done while the kernel runs");
    seen(f, "your table says that it %s; %d of these %d answers are right",
         waits ? "does not wait" : "waits", right, asked);
    return why_wrong(e, f, part, wrong, group);
}

/* A stream into which the program has launched no long_one(), or in which it has recorded no event
 * (*recorded); -1: there is none. */
static int untried(const struct view *v, const char *part, bool *recorded)
{
    const struct timeline *t = v->timeline;
    for (int k = 0; k < KIND_COUNT; k++) {
        struct trial own = driver_trial(v, k, k);
        struct selection s = in_part(v, part, 0);
        if (own.kernel == ANY)
            continue;
        s.stream = t->spans[own.kernel].stream;
        *recorded = next_kernel(v, s, "long_one", 0) == ANY;
        if (*recorded)
            return k;
        for (size_t i = s.first_call; i < s.end_call && !*recorded; i++)
            *recorded = t->calls[i].kind == CALL_EVENT_RECORD && t->calls[i].stream == s.stream
                        && t->calls[i].status == 0;
        if (!*recorded)
            return k;
    }
    return -1;
}

/* Has the program launched long_one() into the stream of that kind, or recorded an event in it? */
static bool takes_part(const struct view *v, const char *part, int kind)
{
    const struct timeline *t = v->timeline;
    struct selection s = in_part(v, part, 0);
    s.stream = t->spans[driver_trial(v, kind, kind).kernel].stream;
    bool recorded = false;
    for (size_t i = s.first_call; i < s.end_call; i++)
        recorded |= t->calls[i].kind == CALL_EVENT_RECORD && t->calls[i].stream == s.stream;
    return recorded || next_kernel(v, s, "long_one", 0) != ANY;
}

/* Where the program launches long_one() first, or records an event after that; ANY: nowhere. */
static uint32_t first_try(const struct view *v, const char *part, bool launch)
{
    struct selection s = in_part(v, part, 0);
    uint32_t node = next_kernel(v, s, "long_one", 0);
    struct attempt a = { .v = v };
    if (node == ANY)
        return ANY;
    return launch ? v->timeline->spans[node].call
                  : find_call(&a, CALL_EVENT_RECORD, v->timeline->spans[node].call, s.end_call);
}

/* Where a program that records no event waits for a stream after long_one() instead; ANY: nowhere.
 */
static uint32_t wait_for_stream(const struct view *v, const char *part)
{
    uint32_t launch = first_try(v, part, true);
    struct attempt a = { .v = v };
    if (launch == ANY || first_try(v, part, false) != ANY)
        return ANY;
    return find_call(&a, CALL_STREAM_SYNC, launch, in_part(v, part, 0).end_call);
}

/* Who launches a kernel for each pair has nothing else running then; who tries several pairs with
 * one kernel is not asked. */
bool judge_alone(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    struct selection s = in_part(v, part, 0);
    size_t launches;
    bool recorded;
    int missing = untried(v, part, &recorded);
    if (missing >= 0) {
        f->function = "is_held";
        f->word = recorded ? "long_one" : "cudaEventRecord";
        f->call = first_try(v, part, recorded);
        expected(f,
                 "each stream is tried: long_one() in it, and an event in it while a kernel runs in another");
        seen(f, recorded ? "no long_one() was launched into %s" : "no event was recorded in %s",
             kind_name[missing]);
        uint32_t wait = recorded ? ANY : wait_for_stream(v, part);
        if (wait != ANY) {
            f->call = wait;
            f->sure = true;
            return why(f,
                       "The host waits here for all that is in a stream, and in `second` there is nothing: that tells nothing of what an event there "
                       "would wait for. Record one in `second` after the launch, wait for it with cudaEventSynchronize(), and then ask whether "
                       "the kernel still runs.");
        }
        if (takes_part(v, part, missing))
            return why(f,
                       "In some pairs this stream is the other one of the two, but never in this place. Each stream is `first` in some pairs and `second` in "
                       "others, with itself in one: launch long_one() into `first`, record an event in `second`, wait for the event, and ask "
                       "whether the kernel still runs.");
        return why(f,
                   "A table or a stream's flags are not a measurement. Launch long_one() into `first`, record an event in `second`, wait "
                   "for the event, and ask whether the kernel still runs.");
    }
    uint32_t node = kernel_named(v, s, "long_one", &launches), latest = node;
    if (launches != KIND_COUNT * KIND_COUNT)
        return true;
    for (; node != ANY; node = next_kernel(v, s, "long_one", node + 1)) {
        const struct span *spans = v->timeline->spans;
        if (node != latest && call_of_node(v, node)->begin < spans[latest].end) {
            f->call = spans[node].call;
            f->function = "is_held";
            f->word = "cudaDeviceSynchronize";
            expected(f, "a kernel is launched for a pair when those of earlier pairs are done");
            seen(f, "%s, of an earlier pair, still runs", node_name(v, latest).text);
            return why(f,
                       "The event may have waited for that one, so this pair's answer is luck. End each pair with "
                       "cudaDeviceSynchronize().");
        }
        latest = spans[node].end > spans[latest].end ? node : latest;
    }
    return true;
}

bool judge_blocking(const struct evidence *e, struct finding *f, const char *part)
{
    return judge_pairs(e, f, part, AMONG_BLOCKING);
}

bool judge_legacy(const struct evidence *e, struct finding *f, const char *part)
{
    return judge_pairs(e, f, part, WITH_LEGACY);
}

bool judge_non_blocking(const struct evidence *e, struct finding *f, const char *part)
{
    return judge_pairs(e, f, part, WITH_NON_BLOCKING);
}

bool judge_per_thread(const struct evidence *e, struct finding *f, const char *part)
{
    return judge_pairs(e, f, part, WITH_PER_THREAD);
}
