/* SPDX-License-Identifier: MIT */
#include "grader/judge/judge.h"

#include <assert.h>
#include <string.h>

#include "grader/judge/cause.h"
#include "grader/judge/costs.h"
#include "trace/record/memory.h"

size_t part_index(const struct lesson *lesson, const char *id)
{
    for (size_t i = 0; i < lesson->part_count; i++)
        if (strcmp(lesson->parts[i].id, id) == 0)
            return i;
    assert(false && "a check names a part that its lesson has not");
    return 0;
}

bool check_needs(const struct check *c, const struct check *other)
{
    if (!c->needs || other >= c)
        return false;
    for (const char *id = c->needs + strspn(c->needs, " "); *id != '\0'; id += strspn(id, " ")) {
        size_t length = strcspn(id, " ");
        bool all = length == 1 && *id == '*';
        if (all ? strcmp(c->part, other->part) == 0 && other->kind != OVERLAP
                      && other->kind != HYGIENE
                : strlen(other->id) == length && memcmp(other->id, id, length) == 0)
            return true;
        id += length;
    }
    return false;
}

/* Did all pass that `r` needs? The first that did not, or that one's own reason, is what it waits
 * for. */
static bool needs_met(struct verdict *v, struct result *r)
{
    for (const struct result *needed = v->results; needed < r; needed++)
        if (needed->outcome != PASSED && check_needs(r->check, needed->check)) {
            r->waits_for = needed->outcome == WITHHELD ? needed->waits_for : needed->check;
            r->cut_in = needed->cut_in;
            return false;
        }
    return true;
}

/* On all cards. */
static bool ran_everywhere(const struct evidence *e, const char *part)
{
    for (size_t i = 0; i < e->views; i++)
        if (!part_ran(&e->yours[i], part))
            return false;
    return e->views > 0;
}

/* The longest host_work() of the learner's file in the part, where that is a twentieth of the part
 * or more and the reference has none there but the driver's; ANY for none. */
static uint32_t added_work(const struct evidence *e, const char *path, const struct check *c,
                           size_t view)
{
    struct selection s = in_part(&e->yours[view], c->part, 0),
                     r = in_part(&e->reference[view], c->part, 0);
    const struct timeline *mine = e->yours[view].timeline, *theirs = e->reference[view].timeline;
    uint32_t longest = ANY;
    for (size_t i = r.first_call; i < r.end_call; i++)
        if (theirs->calls[i].kind == CALL_HOST_WORK
            && strstr(timeline_string(theirs, theirs->calls[i].file), "solutions/"))
            return ANY;
    for (size_t i = s.first_call; i < s.end_call; i++)
        if (mine->calls[i].kind == CALL_HOST_WORK && mine->calls[i].line != 0
            && strcmp(timeline_string(mine, mine->calls[i].file), path) == 0
            && (longest == ANY || mine->calls[i].cost > mine->calls[longest].cost))
            longest = (uint32_t)i;
    return longest != ANY
                   && mine->calls[longest].cost * 20 >= part_makespan(&e->yours[view], c->part)
               ? longest
               : ANY;
}

/* Whatever else a check of overlap has found that is not sure: while the host works it queues
 * nothing. */
static void say_work(const struct evidence *e, const char *path, const struct check *c,
                     struct finding *f)
{
    uint32_t work =
        e->reference && c->kind == OVERLAP && !f->sure ? added_work(e, path, c, f->view) : ANY;
    if (work == ANY)
        return;
    f->call = work;
    why(f,
        "The host works here for %lld ns, which the reference solution does not, and queues nothing meanwhile.",
        (long long)e->yours[f->view].timeline->calls[work].cost);
}

/* Of the part's checks of overlap the one that counts most. */
static const struct check *main_overlap(const struct lesson *lesson, const char *part)
{
    const struct check *best = NULL;
    for (const struct check *c = lesson->checks; c < lesson->checks + lesson->check_count; c++)
        if (c->kind == OVERLAP && strcmp(c->part, part) == 0 && (!best || c->points > best->points))
            best = c;
    return best;
}

/* The part's check that has failed for the same call; NULL: none. */
static const struct check *blamed_for(const struct verdict *v, const char *part, uint32_t call)
{
    for (const struct result *r = v->results; r < v->results + v->lesson->check_count && r->check;
         r++)
        if (r->outcome == FAILED && r->finding.call == call && strcmp(r->check->part, part) == 0)
            return r->check;
    return NULL;
}

/* Where kernels take other times than the reference's, no share of overlap says anything: that
 * check fails, and the part's others after it wait for it. */
static bool has_other_costs(const struct verdict *v, const struct evidence *e, struct result *r)
{
    const struct check *main =
        r->check->kind == OVERLAP ? main_overlap(v->lesson, r->check->part) : NULL;
    const struct result *first = main ? &v->results[main - v->lesson->checks] : NULL;
    struct finding f = { .call = ANY };
    if (!first || r < first || costs_as_reference(e, v->lesson->divided, &f, r->check->part))
        return false;
    r->waits_for = r > first && first->outcome == FAILED ? main
                   : r > first                           ? first->waits_for
                                                         : blamed_for(v, r->check->part, f.call);
    r->outcome = r > first || r->waits_for ? WITHHELD : FAILED;
    if (r->outcome == FAILED)
        r->finding = f;
    return true;
}

/* The driver runs some parts once more after their end, and takes their outputs there. Where the
 * program ended after the part, it may not have come to that: was the check failed for an output,
 * or for a call that is not in the part? */
static bool may_be_cut_off(const struct termination *end, const struct evidence *e,
                           const struct result *r)
{
    const struct check *c = r->check;
    struct selection s = in_part(&e->yours[r->finding.view], c->part, 0);
    if (end->how == ENDED_WHOLE || end->part[0] != '\0' || strcmp(end->ended, c->part) != 0)
        return false;
    if (c->kind == HAZARD || c->kind == HYGIENE)
        return false;           /* of what did run */
    return c->kind == OUTPUT || r->finding.call < s.first_call || r->finding.call >= s.end_call;
}

/* The program ended before the driver had written all outputs. Does what the check has found change
 * with what stands in those that nobody wrote? Then it says nothing of the program. `from`: the
 * number of the run that the evidence begins with. */
static bool reads_unwritten(const struct verdict *v, const struct termination *end,
                            const struct evidence *e, const struct result *r, size_t from)
{
    const struct check *c = r->check;
    if (end->how == ENDED_WHOLE || c->kind == HAZARD || c->kind == HYGIENE)
        return false;
    struct exchange other = exchange_respoil(e->exchange, e->runs, v->seed, from);
    struct evidence again = *e;
    struct finding f = { .call = ANY };
    again.exchange = &other;
    bool changes = c->judge(&again, &f, c->part) || strcmp(f.seen, r->finding.seen) != 0
                   || strcmp(f.expected, r->finding.expected) != 0;
    exchange_respoil_free(&other, e->runs);
    return changes;
}

static void withhold(struct result *r)
{
    r->outcome = WITHHELD;
    r->finding = (struct finding){ .call = ANY };
}

/* The other run with that number ended too soon. */
static void withhold_for(struct result *r, size_t other)
{
    withhold(r);
    r->cut_in = (unsigned)other + 1;
}

static void explain(const struct verdict *v, const struct evidence *e, struct result *r)
{
    r->outcome = FAILED;
    if (v->lesson->explain)
        v->lesson->explain(e, r->check, &r->finding);
    cause_add(v, e, r->check, &r->finding);
    say_work(e, v->submission ? v->submission->path : "", r->check, &r->finding);
}

/* Of that part; NULL: of any. */
static bool has_failures(const struct verdict *v, const char *part)
{
    for (size_t i = 0; i < v->lesson->check_count; i++)
        if (v->results[i].outcome == FAILED
            && (!part || strcmp(v->results[i].check->part, part) == 0))
            return true;
    return false;
}

/* What an other run shows. */
static struct evidence evidence_of(const struct evidence *e, size_t run, struct exchange *outputs)
{
    *outputs = exchange_of_run(e->exchange, CARDS_RUN + run);
    return (struct evidence){
        e->seed,    outputs, 1, 1, &e->yours[e->views + run], &e->reference[e->views + run],
        e->recorded
    };
}

/* Does what the check needs hold in that other run, too? Else its judge, which counts on that,
 * might look for calls that are not there. */
static bool needs_hold(const struct verdict *v, const struct evidence *e, const struct check *c,
                       size_t run)
{
    struct exchange outputs;
    struct evidence other = evidence_of(e, run, &outputs);
    for (const struct check *needed = v->lesson->checks; needed < c; needed++) {
        struct finding f = { .call = ANY };
        if (check_needs(c, needed)
            && (!part_ran(other.yours, needed->part) || !needs_hold(v, e, needed, run)
                || !needed->judge(&other, &f, needed->part)))
            return false;
    }
    return true;
}

/* What is guaranteed holds in each run of the program, not only in one. */
static void judge_others(const struct verdict *v, const struct evidence *e, struct result *r)
{
    for (size_t i = 0; i < v->others && r->outcome == PASSED; i++) {
        if (v->other[i].kinds == 0)
            continue;
        bool ran = part_ran(&e->yours[e->views + i], r->check->part);
        if (!ran && !has_failures(v, r->check->part))
            withhold_for(r, i);
        if (!ran || (v->other[i].kinds & 1u << r->check->kind) == 0)
            continue;
        if (r->check->kind != HAZARD && !needs_hold(v, e, r->check, i)) {
            if (v->other[i].termination.how != ENDED_WHOLE && !has_failures(v, r->check->part))
                withhold_for(r, i);
            continue;
        }
        struct exchange outputs;
        struct evidence other = evidence_of(e, i, &outputs);
        r->finding = (struct finding){ .call = ANY };
        if (r->check->judge(&other, &r->finding, r->check->part))
            continue;
        if (may_be_cut_off(&v->other[i].termination, &other, r)
            || reads_unwritten(v, &v->other[i].termination, &other, r, CARDS_RUN + i)) {
            /* What fails in every run is told, and may need this one. */
            r->finding = (struct finding){ .call = ANY };
            if (!has_failures(v, r->check->part))
                withhold_for(r, i);
            continue;
        }
        explain(v, &other, r);
        r->finding.view = e->views + i;
    }
}

static void judge_one(struct verdict *v, const struct evidence *e, struct result *r)
{
    r->outcome = WITHHELD;
    r->finding.call = ANY;
    r->seen = v->real_views != 0 ? SEEN_REAL : SEEN_SIMULATED;
    if (v->termination.how == ENDED_DAMAGED || !ran_everywhere(e, r->check->part)
        || !needs_met(v, r))
        return;
    if (v->simulated && judged_by_simulator(v->lesson, r->check, v->simulated)) {
        const struct result *there = &v->simulated->results[r - v->results];
        r->outcome = there->outcome == FAILED ? WITHHELD : there->outcome;
        r->waits_for = there->outcome == FAILED ? there->check : there->waits_for;
        return;
    }
    if (has_other_costs(v, e, r))
        return;
    r->outcome = PASSED;
    if (r->check->judge(e, &r->finding, r->check->part))
        return;
    if (may_be_cut_off(&v->termination, e, r) || reads_unwritten(v, &v->termination, e, r, 0))
        withhold(r);
    else
        explain(v, e, r);
}

static bool is_unrecorded(const struct call *c)
{
    switch (c->kind) {
    case CALL_EVENT_RECORD:
    case CALL_STREAM_WAIT:
    case CALL_EVENT_SYNC:
    case CALL_EVENT_QUERY:
    case CALL_STREAM_SYNC:
    case CALL_STREAM_QUERY:
    case CALL_DEVICE_SYNC:
        return c->flags & BY_DRIVER_API;
    case CALL_HOST_FUNC:
        return c->flags & (BY_DRIVER_API | VALUE_IN_MEMORY);
    default:
        return false;
    }
}

/* How many threads a program makes, and what wakes them. */
struct threads { size_t made, woken, by_more_than_an_end; };

static struct threads threads_of(const struct timeline *log)
{
    struct threads of = { 0, 0, 0 };
    for (size_t i = 0; i < log->call_count; i++) {
        const struct call *c = &log->calls[i];
        bool wakes = c->kind == CALL_THREAD_WAKE;
        of.made += c->kind == CALL_THREAD_BEGIN;
        of.woken += wakes;
        of.by_more_than_an_end +=
            wakes && strcmp(timeline_string(log, c->name), "the end of a thread") != 0;
    }
    return of;
}

/* Does one host thread know something from another, beside what those of the lesson's driver tell
 * when they end? The log does not say who made a thread. But no solution makes any
 * (tests/grader/grade/gpu.sh), and the driver makes as many for each program that comes to its end.
 */
static bool threads_tell_more(const struct verdict *there)
{
    const struct timeline *other = there->reference[0].timeline;
    struct threads mine = threads_of(verdict_log(there));
    return mine.woken > 0
           && (mine.by_more_than_an_end > 0 || there->termination.how != ENDED_WHOLE || !other
               || mine.made != threads_of(other).made);
}

/* Does a card's record leave out something that orders the program's work? Whether the answer of a
 * query is looked at, what the driver API orders, a spin on memory, what one host thread knows from
 * another. */
static bool has_unrecorded_order(const struct verdict *there)
{
    const struct timeline *log = verdict_log(there);
    for (size_t i = 0; i < log->call_count; i++) {
        const struct call *c = &log->calls[i];
        if ((c->kind == CALL_STREAM_QUERY || c->kind == CALL_EVENT_QUERY)
            && (c->flags & CALL_UNREAD) != 0)
            return true;
        if ((c->kind == CALL_HOST_WORK && c->flags & CALL_POLLS) || is_unrecorded(c))
            return true;
    }
    return threads_tell_more(there);
}

bool judged_by_simulator(const struct lesson *lesson, const struct check *c,
                         const struct verdict *there)
{
    const char *id = lesson->simulated ? lesson->simulated : "";
    for (id += strspn(id, " "); *id != '\0'; id += strspn(id, " ")) {
        size_t length = strcspn(id, " ");
        if (strlen(c->id) == length && memcmp(c->id, id, length) == 0)
            return true;
        id += length;
    }
    return c->kind == HAZARD || c->judge == judge_errors
           || (c->kind == ORDER && there && verdict_log(there) && has_unrecorded_order(there));
}

/* A part that is as in the starter and does not pass as it is. */
static void forgive_untouched(struct verdict *v, size_t part)
{
    bool wanting = false;
    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < v->lesson->check_count; i++) {
            struct result *r = &v->results[i];
            if (part_index(v->lesson, r->check->part) != part)
                continue;
            if (round == 0)
                wanting |= r->outcome != PASSED;
            else if (wanting)
                r->outcome = NOT_ATTEMPTED;
        }
}

static enum status overall(const struct verdict *v)
{
    bool touched = false;
    for (size_t i = 0; i < v->lesson->part_count; i++)
        touched |= v->attempted[i];
    switch (v->termination.how) {
    case ENDED_TIMED_OUT:
    case ENDED_DEADLOCKED:
    case ENDED_FLOODED:
        return TIMED_OUT;
    case ENDED_CRASHED:
        return CRASHED;
    case ENDED_DAMAGED:
        return REFUSED;
    default:
        break;
    }
    if (v->termination.how == ENDED_WHOLE && v->points == v->points_max)
        return ALL_PASSED;
    return touched ? WANTING : UNTOUCHED;
}

void judge(struct verdict *v, const struct exchange *x)
{
    const struct lesson *lesson = v->lesson;
    struct evidence e = { v->seed, x, v->views - v->others, v->runs, v->yours, v->reference,
                          v->views == v->real_views };
    v->results = memory_resize(v->results, lesson->check_count * sizeof *v->results);
    memory_zero(v->results, lesson->check_count * sizeof *v->results);
    for (size_t i = 0; i < lesson->check_count; i++) {
        v->results[i].check = &lesson->checks[i];
        judge_one(v, &e, &v->results[i]);
    }
    for (size_t i = 0; i < v->others && v->termination.how == ENDED_WHOLE && !has_failures(v, NULL);
         i++)
        v->termination = v->other[i].kinds != 0 ? v->other[i].termination : v->termination;
    for (size_t i = 0; i < lesson->check_count; i++)
        judge_others(v, &e, &v->results[i]);
    judge_settle(v);
}

void judge_settle(struct verdict *v)
{
    const struct lesson *lesson = v->lesson;
    for (size_t i = 0; i < lesson->check_count; i++) {
        struct result *r = &v->results[i];
        if ((r->outcome == PASSED || r->outcome == FAILED) && !needs_met(v, r))
            r->outcome = WITHHELD;
    }
    for (size_t i = 0; i < lesson->part_count; i++)
        if (!v->attempted[i])
            forgive_untouched(v, i);
    v->points = v->points_max = 0;
    for (size_t i = 0; i < lesson->check_count; i++) {
        v->points_max += lesson->checks[i].points;
        v->points += v->results[i].outcome == PASSED ? lesson->checks[i].points : 0;
    }
    if (v->refused && v->refused[0] != '\0')
        v->status = REFUSED;
    else
        v->status = v->views == 0 ? DID_NOT_BUILD : overall(v);
}

void find_attempts(struct verdict *v, const struct submission *yours,
                   const struct submission *starter)
{
    v->attempted = memory_resize(NULL, (v->lesson->part_count + 1) * sizeof *v->attempted);
    for (size_t i = 0; i < v->lesson->part_count; i++)
        v->attempted[i] = submission_attempted(yours, starter, v->lesson->parts[i].marks);
}
