/* SPDX-License-Identifier: MIT */
/* Names of what a verdict says, two verdicts made one, and the end of one. */
#include "grader/judge/judge.h"

#include "trace/record/memory.h"

const char *status_name(enum status status)
{
    static const char *const names[STATUSES] = {
        [REFUSED] = "refused", [DID_NOT_BUILD] = "did not build", [TIMED_OUT] = "timed out",
        [CRASHED] = "crashed",
        [UNTOUCHED] = "not attempted", [WANTING] = "wanting", [ALL_PASSED] = "passed",
    };
    return names[status];
}

const char *outcome_name(enum outcome outcome)
{
    static const char *const names[OUTCOMES] = {
        [PASSED] = "passed", [FAILED] = "failed", [WITHHELD] = "withheld",
        [NOT_ATTEMPTED] = "not attempted",
    };
    return names[outcome];
}

const char *check_kind_name(enum check_kind kind)
{
    static const char *const names[] = {
        [OUTPUT] = "output", [ORDER] = "order", [OVERLAP] = "overlap", [HAZARD] = "hazard",
        [HYGIENE] = "hygiene",
    };
    return names[kind];
}

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
    for (size_t i = 0; i < v->lesson->check_count; i++)
        merge_result(&v->results[i], &real->results[i], v->views,
                     !judged_by_simulator(v->lesson, v->results[i].check, v));
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

void verdict_free_view(struct view *view)
{
    timeline_fini((struct timeline *)view->timeline);
    memory_resize((struct timeline *)view->timeline, 0);
    memory_resize(view->costs, 0);
    hb_fini(view->order);
    memory_resize(view->order, 0);
}

static void free_views(struct view *views, size_t count)
{
    for (size_t i = 0; i < count; i++)
        verdict_free_view(&views[i]);
    memory_resize(views, 0);
}

void verdict_fini(struct verdict *v)
{
    free_views(v->yours, v->views);
    free_views(v->reference, v->reference ? v->views : 0);
    while (v->ahead_count > 0)
        verdict_free_view(&v->ahead[--v->ahead_count].view);
    memory_resize(v->ahead, 0);
    memory_resize(v->attempted, 0);
    memory_resize(v->results, 0);
    memory_resize(v->output, 0);
}
