/* SPDX-License-Identifier: MIT */
#include "grader/grade/elsewhere.h"

#include <errno.h>
#include <string.h>

#include "grader/base/environment.h"
#include "grader/grade/otherwise.h"
#include "model/hosted/card_open.h"

static bool has_failed_in(const struct verdict *v, size_t view)
{
    for (size_t i = 0; i < v->lesson->check_count; i++)
        if (v->results[i].outcome == FAILED && v->results[i].finding.view == view)
            return true;
    return false;
}

size_t elsewhere_next(const struct verdict *v, const struct timeline *log, size_t from)
{
    if (!depends_on_time(log))
        return 0;
    for (size_t view = from > v->runs ? from : v->runs; view + v->others < v->views; view++)
        if (has_failed_in(v, view))
            return view;
    return 0;
}

void elsewhere_start(struct elsewhere *e, const struct verdict *v, size_t view)
{
    uint64_t poison = v->seed ^ (uint64_t)view << 40;
    if (!run_start(&e->run, e->program, card_request(v->yours[view].card), "log", NULL, e->exchange,
                   &poison, e->time_limit_ms, private_folder(), e->sandbox))
        die("cannot run %s: %s", e->program, strerror(errno));
}

void elsewhere_take(struct elsewhere *e, struct verdict *v, size_t view)
{
    struct termination how;
    run_need_sandbox(&e->run);
    termination_find(&how, &e->run, v->submission, v->yours[view].card->title, e->time_limit_ms);
    if (how.how == ENDED_WHOLE && judge_replace(v, view, &e->run.log))
        judge(v, e->exchange);
    run_fini(&e->run);
}
