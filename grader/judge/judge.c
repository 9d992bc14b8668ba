/* SPDX-License-Identifier: MIT */
#include "grader/judge/judge.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "grader/base/text.h"
#include "grader/judge/cause.h"
#include "grader/judge/costs.h"
#include "model/model.h"
#include "trace/record/memory.h"

const char *status_name(enum status status)
{
    static const char *const names[STATUSES] = {
        [REFUSED] = "refused", [DID_NOT_BUILD] = "did not build", [TIMED_OUT] = "timed out", [CRASHED] = "crashed",
        [UNTOUCHED] = "not attempted", [WANTING] = "wanting", [ALL_PASSED] = "passed",
    };
    return names[status];
}

const char *outcome_name(enum outcome outcome)
{
    static const char *const names[OUTCOMES] = {
        [PASSED] = "passed", [FAILED] = "failed", [WITHHELD] = "withheld", [NOT_ATTEMPTED] = "not attempted",
    };
    return names[outcome];
}

const char *check_kind_name(enum check_kind kind)
{
    static const char *const names[] = {
        [OUTPUT] = "output", [ORDER] = "order", [OVERLAP] = "overlap", [HAZARD] = "hazard", [HYGIENE] = "hygiene",
    };
    return names[kind];
}

size_t part_index(const struct lesson *lesson, const char *id)
{
    for (size_t i = 0; i < lesson->part_count; i++)
        if (strcmp(lesson->parts[i].id, id) == 0)
            return i;
    assert(false && "a check names a part that its lesson has not");
    return 0;
}

static void add_view(struct view *v, const struct card *card, const struct timeline *log)
{
    struct timeline *t = memory_resize(NULL, sizeof *t);
    struct happens_before *o = memory_resize(NULL, sizeof *o);
    timeline_init(t);
    hb_init(o);
    model_replay(log, card, t, o);
    *v = (struct view){ card, t, o };
}

/* Does the program itself make it, at a time of its own? */
static bool is_asked(const struct call *c)
{
    return c->kind <= CALL_REPORT;
}

bool judge_is_timely(const struct timeline *log, const struct timeline *replayed)
{
    for (size_t i = 0; i < log->call_count; i++)
        if (is_asked(&log->calls[i]) && log->calls[i].begin != replayed->calls[i].begin)
            return false;
    return true;
}

void judge_replay(struct verdict *v, const struct logs *runs, size_t count)
{
    struct logs views[16];
    size_t runs_made = count;
    for (size_t i = 0; i < count; i++)
        views[i] = runs[i];
    for (const char *const *name = v->lesson->cards; name && *name; name++) {
        const struct card *other = card_find(*name);
        assert(other && count < sizeof views / sizeof *views);
        size_t i = 0;
        while (i < count && views[i].card != other)
            i++;
        if (i == count)
            views[count++] = (struct logs){ other, runs[0].yours, runs[0].reference };
    }
    v->views = count;
    v->runs = runs_made;
    v->yours = memory_resize(NULL, count * sizeof *v->yours);
    v->reference = runs[0].reference ? memory_resize(NULL, count * sizeof *v->reference) : NULL;
    for (size_t i = 0; i < count; i++) {
        add_view(&v->yours[i], views[i].card, views[i].yours);
        if (v->reference)
            add_view(&v->reference[i], views[i].card, views[i].reference);
    }
}

const struct timeline *judge_add_other(struct verdict *v, const struct logs *run, const struct other_view *other)
{
    size_t count = v->views + 1;
    assert(v->others < OTHER_RUNS);
    v->yours = memory_resize(v->yours, count * sizeof *v->yours);
    v->reference = memory_resize(v->reference, count * sizeof *v->reference);
    add_view(&v->yours[v->views], run->card, run->yours);
    add_view(&v->reference[v->views], run->card, run->reference);
    v->views = count;
    v->other[v->others++] = *other;
    return v->yours[count - 1].timeline;
}

void judge_drop_other(struct verdict *v)
{
    v->other[v->others - 1].kinds = 0;
}

bool judge_recorded(struct verdict *v, const struct logs *run, char trouble[RECORDED_TROUBLE])
{
    const struct timeline *logs[] = { run->yours, run->reference };
    struct view **views[] = { &v->yours, &v->reference };
    bool whole = true;
    char said[RECORDED_TROUBLE];
    v->views = v->real_views = 1;
    trouble[0] = '\0';
    for (int k = 0; k < 2 && logs[k]; k++) {
        struct timeline *t = memory_resize(NULL, sizeof *t);
        struct happens_before *o = memory_resize(NULL, sizeof *o);
        timeline_init(t);
        hb_init(o);
        if (!recorded_replay(logs[k], t, o, said) && whole) {
            memcpy(trouble, said, sizeof said);
            whole = false;
        }
        *views[k] = memory_resize(NULL, sizeof **views[k]);
        **views[k] = (struct view){ run->card, t, o };
    }
    return whole;
}

bool check_needs(const struct check *c, const struct check *other)
{
    if (!c->needs || other >= c)
        return false;
    for (const char *id = c->needs + strspn(c->needs, " "); *id != '\0'; id += strspn(id, " ")) {
        size_t length = strcspn(id, " ");
        bool all = length == 1 && *id == '*';
        if (all ? strcmp(c->part, other->part) == 0 && other->kind != OVERLAP && other->kind != HYGIENE
                : strlen(other->id) == length && memcmp(other->id, id, length) == 0)
            return true;
        id += length;
    }
    return false;
}

/* Did all pass that `r` needs? The first that did not, or that one's own reason, is what it waits for. */
static bool needs_met(struct verdict *v, struct result *r)
{
    for (const struct result *needed = v->results; needed < r; needed++)
        if (needed->outcome != PASSED && check_needs(r->check, needed->check)) {
            r->waits_for = needed->outcome == WITHHELD ? needed->waits_for : needed->check;
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

/* The longest host_work() of the learner's file in the part, where that is a twentieth of the part or more and the reference has
 * none there but the driver's; ANY for none. */
static uint32_t added_work(const struct evidence *e, const char *path, const struct check *c, size_t view)
{
    struct selection s = in_part(&e->yours[view], c->part, 0), r = in_part(&e->reference[view], c->part, 0);
    const struct timeline *mine = e->yours[view].timeline, *theirs = e->reference[view].timeline;
    uint32_t longest = ANY;
    for (size_t i = r.first_call; i < r.end_call; i++)
        if (theirs->calls[i].kind == CALL_HOST_WORK && strstr(timeline_string(theirs, theirs->calls[i].file), "solutions/"))
            return ANY;
    for (size_t i = s.first_call; i < s.end_call; i++)
        if (mine->calls[i].kind == CALL_HOST_WORK && mine->calls[i].line != 0
            && strcmp(timeline_string(mine, mine->calls[i].file), path) == 0
            && (longest == ANY || mine->calls[i].cost > mine->calls[longest].cost))
            longest = (uint32_t)i;
    return longest != ANY && mine->calls[longest].cost * 20 >= part_makespan(&e->yours[view], c->part) ? longest : ANY;
}

/* Whatever else a check of overlap has found: while the host works it queues nothing. */
static void say_work(const struct evidence *e, const char *path, const struct check *c, struct finding *f)
{
    uint32_t work = e->reference && c->kind == OVERLAP ? added_work(e, path, c, f->view) : ANY;
    if (work == ANY)
        return;
    f->call = work;
    why(f, "The host works here for %lld ns, which the reference solution does not, and queues nothing meanwhile.",
        (long long)e->yours[f->view].timeline->calls[work].cost);
}

static const struct timeline *log_of(const struct verdict *v)
{
    return v->views > 0 ? v->yours[0].timeline : NULL;
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
    for (const struct result *r = v->results; r < v->results + v->lesson->check_count && r->check; r++)
        if (r->outcome == FAILED && r->finding.call == call && strcmp(r->check->part, part) == 0)
            return r->check;
    return NULL;
}

/* Where kernels take other times than the reference's, no share of overlap says anything: that check fails, and the part's others
 * after it wait for it. */
static bool has_other_costs(const struct verdict *v, const struct evidence *e, struct result *r)
{
    const struct check *main = r->check->kind == OVERLAP ? main_overlap(v->lesson, r->check->part) : NULL;
    const struct result *first = main ? &v->results[main - v->lesson->checks] : NULL;
    struct finding f = { .call = ANY };
    if (!first || r < first || costs_as_reference(e, v->lesson->divided, &f, r->check->part))
        return false;
    r->waits_for = r > first && first->outcome == FAILED ? main : r > first ? first->waits_for : blamed_for(v, r->check->part, f.call);
    r->outcome = r > first || r->waits_for ? WITHHELD : FAILED;
    if (r->outcome == FAILED)
        r->finding = f;
    return true;
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
        if (v->results[i].outcome == FAILED && (!part || strcmp(v->results[i].check->part, part) == 0))
            return true;
    return false;
}

/* What is guaranteed holds in each run of the program, not only in one. */
static void judge_others(const struct verdict *v, const struct evidence *e, struct result *r)
{
    for (size_t i = 0; i < v->others && r->outcome == PASSED; i++) {
        if (v->other[i].kinds == 0)
            continue;
        bool ran = part_ran(&e->yours[e->views + i], r->check->part);
        if (!ran && !has_failures(v, r->check->part))
            r->outcome = WITHHELD;
        if (!ran || (v->other[i].kinds & 1u << r->check->kind) == 0)
            continue;
        struct exchange outputs = exchange_of_run(e->exchange, CARDS_RUN + i);
        struct evidence other = { e->seed, &outputs, 1, 1, &e->yours[e->views + i], &e->reference[e->views + i] };
        r->finding = (struct finding){ .call = ANY };
        if (r->check->judge(&other, &r->finding, r->check->part))
            continue;
        explain(v, &other, r);
        r->finding.view = e->views + i;
    }
}

static void judge_one(struct verdict *v, const struct evidence *e, struct result *r)
{
    r->outcome = WITHHELD;
    r->finding.call = ANY;
    r->seen = v->real_views != 0 ? SEEN_REAL : SEEN_SIMULATED;
    if (v->termination.how == ENDED_DAMAGED || !ran_everywhere(e, r->check->part) || !needs_met(v, r))
        return;
    if (v->simulated && judged_by_simulator(v->lesson, r->check, log_of(v->simulated))) {
        const struct result *there = &v->simulated->results[r - v->results];
        r->outcome = there->outcome == FAILED ? WITHHELD : there->outcome;
        r->waits_for = there->outcome == FAILED ? there->check : there->waits_for;
        return;
    }
    if (has_other_costs(v, e, r))
        return;
    r->outcome = PASSED;
    if (!r->check->judge(e, &r->finding, r->check->part))
        explain(v, e, r);
}

/* It asks whether work is done, and does not look at the answer: a card's record does not show that. */
static bool ignores_answers(const struct timeline *log)
{
    for (size_t i = 0; i < log->call_count; i++)
        if ((log->calls[i].kind == CALL_STREAM_QUERY || log->calls[i].kind == CALL_EVENT_QUERY) && (log->calls[i].flags & CALL_UNREAD) != 0)
            return true;
    return false;
}

bool judged_by_simulator(const struct lesson *lesson, const struct check *c, const struct timeline *log)
{
    const char *id = lesson->simulated ? lesson->simulated : "";
    for (id += strspn(id, " "); *id != '\0'; id += strspn(id, " ")) {
        size_t length = strcspn(id, " ");
        if (strlen(c->id) == length && memcmp(c->id, id, length) == 0)
            return true;
        id += length;
    }
    return c->kind == HAZARD || c->judge == judge_errors || (c->kind == ORDER && log && ignores_answers(log));
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
    struct evidence e = { v->seed, x, v->views - v->others, v->runs, v->yours, v->reference };
    v->results = memory_resize(NULL, lesson->check_count * sizeof *v->results);
    memory_zero(v->results, lesson->check_count * sizeof *v->results);
    for (size_t i = 0; i < lesson->check_count; i++) {
        v->results[i].check = &lesson->checks[i];
        judge_one(v, &e, &v->results[i]);
    }
    for (size_t i = 0; i < v->others && v->termination.how == ENDED_WHOLE && !has_failures(v, NULL); i++)
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

void find_attempts(struct verdict *v, const struct submission *yours, const struct submission *starter)
{
    v->attempted = memory_resize(NULL, (v->lesson->part_count + 1) * sizeof *v->attempted);
    for (size_t i = 0; i < v->lesson->part_count; i++)
        v->attempted[i] = submission_attempted(yours, starter, v->lesson->parts[i].marks);
}

/* ---- two verdicts ---- */

static void merge_result(struct result *r, const struct result *real, size_t first_view, bool there)
{
    unsigned simulated = r->outcome + 1u, card = there ? real->outcome + 1u : 0;
    if (r->outcome == PASSED && there && real->outcome != PASSED) {
        *r = *real;
        r->finding.view += first_view;
    } else if (there && real->outcome == r->outcome) {
        r->seen |= SEEN_REAL;
    }
    r->said[0] = simulated;
    r->said[1] = card;
}

static void take_views(struct view **to, struct view **from, size_t before, size_t count)
{
    *to = memory_resize(*to, (before + count) * sizeof **to);
    for (size_t i = 0; i < count; i++)
        (*to)[before + i] = (*from)[i];
    *from = memory_resize(*from, 0);
}

void verdict_merge(struct verdict *v, struct verdict *real)
{
    const struct timeline *log = log_of(v);
    for (size_t i = 0; i < v->lesson->check_count; i++)
        merge_result(&v->results[i], &real->results[i], v->views, !judged_by_simulator(v->lesson, v->results[i].check, log));
    take_views(&v->yours, &real->yours, v->views, real->views);
    take_views(&v->reference, &real->reference, v->views, real->views);
    v->views += real->views;
    v->real_views = real->views;
    real->views = 0;
    if (v->termination.how == ENDED_WHOLE && real->termination.how != ENDED_WHOLE) {
        char *output = v->output;
        v->termination = real->termination;
        v->output = real->output;
        v->output_cut = real->output_cut;
        real->output = output;
    }
    judge_settle(v);
}

static void free_views(struct view *views, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        timeline_fini((struct timeline *)views[i].timeline);
        memory_resize((struct timeline *)views[i].timeline, 0);
        hb_fini(views[i].order);
        memory_resize(views[i].order, 0);
    }
    memory_resize(views, 0);
}

void verdict_fini(struct verdict *v)
{
    free_views(v->yours, v->views);
    free_views(v->reference, v->reference ? v->views : 0);
    memory_resize(v->attempted, 0);
    memory_resize(v->results, 0);
    memory_resize(v->output, 0);
}
