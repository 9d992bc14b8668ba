/* SPDX-License-Identifier: MIT */
#include "grader/grading.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "grader/environment.h"
#include "grader/hazards.h"
#include "grader/text.h"
#include "model/hosted/card_open.h"
#include "trace/memory.h"

#define UNENDED_CALLS 2000u
#define RUNS_APART 0x5eedu      /* poisons of submission and reference differ */

static void prepare(struct grading *g)
{
    struct random r = { g->seed };
    exchange_init(&g->exchange);
    g->lesson->prepare(&g->exchange, &r);
    if (!exchange_seal(&g->exchange))
        environment("cannot make the inputs: %s", strerror(errno));
}

static void start(struct grading *g, struct run *r, const char *program, const char *hazards, uint64_t apart)
{
    if (!run_start(r, program, card_wish(g->card), hazards, &g->exchange, g->seed ^ apart, g->time_limit_ms, private_folder()))
        environment("cannot run %s: %s", program, strerror(errno));
}

static void start_reference(struct grading *g)
{
    g->reference_program = project_path("build/lessons/%s/reference", g->lesson->folder);
    build_need(g->reference_program, g->lesson);
    start(g, &g->reference, g->reference_program, "0", RUNS_APART);
}

/* Waits for `until` (NULL: all) among those that run. */
static void watch(struct grading *g, const struct child *until)
{
    struct child *running[3];
    size_t n = 0;
    struct child *all[] = { &g->build.child, &g->yours.child, &g->reference.child };
    for (size_t i = 0; i < 3; i++)
        if (all[i]->pid > 0 && !all[i]->gone)
            running[n++] = all[i];
    if (!child_wait(running, n, until))
        interrupt_leave();
}

static void need_whole_reference(struct grading *g)
{
    struct ending e;
    ending_find(&e, &g->reference, NULL, g->time_limit_ms);
    if (e.how == ENDED_WHOLE)
        return;
    if (e.how == ENDED_TIMED_OUT)
        environment("the reference solution of lesson %02d did not end in time: this machine is too busy (--time-limit)",
                    g->lesson->number);
    environment("the reference solution of lesson %02d failed, so nothing can be judged: %s", g->lesson->number, e.message);
}

static void find_attempts(struct grading *g)
{
    struct verdict *v = &g->verdict;
    v->attempted = memory_resize(NULL, (g->lesson->part_count + 1) * sizeof *v->attempted);
    for (size_t i = 0; i < g->lesson->part_count; i++)
        v->attempted[i] = submission_attempted(g->submission, g->starter, g->lesson->parts[i].marks);
}

/* Of a part that did not end, and is not judged, the beginning is enough: a loop may have made far more calls than
 * anybody could look at. */
static void cut_unended_part(struct timeline *log)
{
    for (size_t i = log->call_count; i-- > 0;)
        if (log->calls[i].kind == CALL_PART) {
            bool ended = log->calls[i].name == 0;
            if (!ended && log->call_count - i > UNENDED_CALLS)
                log->call_count = i + UNENDED_CALLS;
            return;
        }
}

/* Who only runs a program wants to see what it does, and asks for hazards himself. */
static bool seeks_hazards(const struct grading *g)
{
    return !g->run_only && lesson_seeks_hazards(g->lesson);
}

static void run_and_look(struct grading *g)
{
    struct verdict *v = &g->verdict;
    start(g, &g->yours, g->build.program, hazards_wanted() ? "1" : seeks_hazards(g) ? "log" : "0", 0);
    watch(g, NULL);
    run_finish(&g->yours, &g->exchange);
    ending_find(&v->ending, &g->yours, g->submission, g->time_limit_ms);
    v->output = memory_resize(v->output, 0);
    v->output = text_harmless(g->yours.child.output, g->yours.child.output_count);
    v->output_cut = g->yours.child.output_cut;
    if (!g->run_only)
        need_whole_reference(g);
    cut_unended_part(&g->yours.log);
    judge_replay(v, &g->yours.log, g->run_only ? NULL : &g->reference.log, g->card);
}

void grading_begin(struct grading *g)
{
    struct verdict *v = &g->verdict;
    *v = (struct verdict){ .lesson = g->lesson, .submission = g->submission, .seed = g->seed, .card = g->card,
                           .backend = "simulator", .output = text_harmless("", 0) };
    find_attempts(g);
    prepare(g);
    build_start(&g->build, g->submission, g->lesson, hazards_wanted() || seeks_hazards(g));
    if (!g->run_only)
        start_reference(g);
    watch(g, &g->build.child);
    build_finish(&g->build, g->submission);
    v->compiler = g->build.messages;
    v->compiler_timed_out = g->build.timed_out;
    if (g->build.good)
        run_and_look(g);
    if (!g->run_only)
        judge(v, &g->exchange);
}

void grading_end(struct grading *g)
{
    verdict_fini(&g->verdict);
    build_fini(&g->build);
    if (g->yours.program != NULL)
        run_fini(&g->yours);
    if (g->reference.program != NULL)
        run_fini(&g->reference);
    exchange_fini(&g->exchange);
    free(g->reference_program);
}
