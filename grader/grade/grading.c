/* SPDX-License-Identifier: MIT */
#include "grader/grade/grading.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grader/base/environment.h"
#include "grader/base/text.h"
#include "grader/learner/exercises.h"
#include "grader/run/program_line.h"
#include "model/hosted/card_open.h"
#include "trace/record/memory.h"

static void prepare(struct grading *g)
{
    struct random r = { g->seed };
    exchange_init(&g->exchange);
    g->lesson->prepare(&g->exchange, &r);
    if (!exchange_seal(&g->exchange))
        die("cannot make the inputs: %s", strerror(errno));
}

/* Who only runs a program wants to see it on one card. */
static void choose_cards(struct grading *g)
{
    g->cards[g->runs++] = g->card;
    for (const char *const *name = g->lesson->run_on; !g->run_only && name && *name; name++) {
        const struct card *other = card_find(*name);
        assert(other);
        if (other == g->card)
            continue;
        assert(g->runs < CARDS_RUN);
        g->cards[g->runs++] = other;
    }
}

/* One run on each card, all at once. */
static void start_runs(struct grading *g, struct run *runs, const char *program,
                       const char *hazards, bool poisoned, const struct sandbox *sandbox)
{
    for (size_t i = 0; i < g->runs; i++) {
        uint64_t poison = exchange_poison_seed(g->seed, i);
        if (!run_start(&runs[i], program, card_request(g->cards[i]), hazards, NULL, &g->exchange,
                       poisoned ? &poison : NULL, g->time_limit_ms, private_folder(), sandbox))
            die("cannot run %s: %s", program, strerror(errno));
    }
}

static void start_reference(struct grading *g)
{
    g->reference_program = project_path("build/lessons/%s/reference", g->lesson->folder);
    build_need(g->reference_program, g->lesson);
    start_runs(g, g->reference, g->reference_program, "0", false, NULL);
}

/* One of the runs that have ended and can be replayed while others go on: its number, yours first;
 * -1: there is none. */
static int next_ahead(const struct grading *g)
{
    for (int i = 0; i < 2 * CARDS_RUN; i++) {
        const struct run *r = i < CARDS_RUN ? &g->yours[i] : &g->reference[i - CARDS_RUN];
        if (!g->replayed[i] && r->child.pid > 0 && r->child.gone && run_is_short(r))
            return i;
    }
    return -1;
}

static void replay_ahead(struct grading *g, int number)
{
    size_t card = (size_t)number % CARDS_RUN;
    bool yours = number < CARDS_RUN;
    const struct run *r = yours ? &g->yours[card] : &g->reference[card];
    judge_replay_ahead(&g->verdict, g->cards[card], &r->log);
    for (const char *const *name = g->lesson->cards; card == 0 && name && *name; name++)
        if (card_find(*name) != g->cards[0])
            judge_replay_ahead(&g->verdict, card_find(*name), &r->log);
    if (!yours && card == 0)
        otherwise_replay_ahead(&g->otherwise, &r->log, &g->verdict);
    g->replayed[number] = true;
}

/* The children that run: how many there are. */
static size_t running_children(struct grading *g,
                               struct child *running[6 + 2 * CARDS_RUN + OTHER_WAYS])
{
    struct child *all[2 + 2 * CARDS_RUN + OTHER_WAYS] = { &g->build.child };
    size_t n = 0, count = 1;
    for (size_t i = 0; i < g->runs; i++) {
        all[count++] = &g->yours[i].child;
        all[count++] = &g->reference[i].child;
    }
    for (size_t i = 0; i < OTHER_WAYS; i++)
        all[count++] = &g->otherwise.way[i].run.child;
    all[count++] = &g->elsewhere.run.child;
    for (size_t i = 0; i < count; i++)
        if (all[i]->pid > 0 && !all[i]->gone)
            running[n++] = all[i];
    return n + gpu_children(&g->gpu, running + n);
}

void grading_watch(struct grading *g, const struct child *until)
{
    const int64_t for_long = 60000;
    struct child *running[6 + 2 * CARDS_RUN + OTHER_WAYS];
    size_t n;
    while (!(until && until->gone) && (n = running_children(g, running)) > 0) {
        int ahead = next_ahead(g);
        if (!child_wait_any(running, n, ahead < 0 ? for_long : 0))
            interrupt_leave();
        if (ahead >= 0 && !(until && until->gone))
            replay_ahead(g, ahead);
    }
}

/* The title of a run's card, where there are several. */
static const char *said_card(const struct grading *g, size_t run)
{
    return g->runs > 1 ? g->cards[run]->title : NULL;
}

static void need_whole_reference(struct grading *g, size_t run)
{
    struct termination e;
    termination_find(&e, &g->reference[run], NULL, said_card(g, run), g->time_limit_ms);
    if (e.how == ENDED_WHOLE)
        return;
    if (e.how == ENDED_TIMED_OUT)
        die("the reference solution of lesson %02d did not end in time: this machine is too busy (--time-limit)",
            g->lesson->number);
    die("the reference solution of lesson %02d failed, so nothing can be judged: %s",
        g->lesson->number, e.message);
}

/* What is judged is built and run so that its loads and stores are seen. A program that is only run
 * is not, unless SIM_HAZARDS=1 asks for it. */
static bool instrumented(const struct grading *g)
{
    return !g->run_only || hazards_wanted();
}

/* How it ended, and what it printed, on the first card where it did not end whole; else on the
 * first. */
static void find_termination(struct grading *g)
{
    struct verdict *v = &g->verdict;
    size_t shown = 0;
    for (size_t i = 0; i < g->runs; i++) {
        struct termination e;
        termination_find(&e, &g->yours[i], g->submission, said_card(g, i), g->time_limit_ms);
        if (i != 0 && (v->termination.how != ENDED_WHOLE || e.how == ENDED_WHOLE))
            continue;
        v->termination = e;
        shown = i;
    }
    const char *reports = g->lesson->reports_errors;
    if (reports && strcmp(reports, v->termination.part) == 0)
        termination_blame_check(&v->termination, &g->yours[shown], g->submission,
                                g->lesson->instead_of_check);
    const struct child *c = &g->yours[shown].child;
    v->output = memory_resize(v->output, 0);
    v->output = text_harmless(c->output, c->output_count);
    v->output_cut = c->output_cut;
}

/* A call was made and is not in the log, or the other way round. */
static void refuse_untimely(struct grading *g)
{
    bool refused = false;
    for (size_t i = 0; i < g->runs; i++) {
        if (judge_is_timely(&g->yours[i].log, g->verdict.yours[i].timeline))
            continue;
        g->yours[i].reader.error = "the times in it are not those of its calls";
        refused = true;
    }
    if (refused)
        find_termination(g);
}

static void start_otherwise(struct grading *g)
{
    g->otherwise = (struct otherwise){ .program = g->build.program, .exchange = &g->exchange,
                                       .time_limit_ms = g->time_limit_ms, .sandbox = g->sandbox,
                                       .reference = &g->reference[0].log };
    otherwise_start(&g->otherwise, &g->reference[0].log, &g->verdict);
}

static void finish_otherwise(struct grading *g)
{
    struct otherwise *o = &g->otherwise;
    if (g->verdict.termination.how != ENDED_WHOLE) {
        otherwise_fini(o);
        return;
    }
    otherwise_settle(o, &g->yours[0].log, &g->verdict);
    for (int way = 0; way < OTHER_WAYS; way++)
        if (o->way[way].ran)
            grading_watch(g, &o->way[way].run.child);
    otherwise_take(o, &g->verdict);
}

/* What was found on a card that the program did not run on may be wrong. */
static void run_elsewhere(struct grading *g)
{
    struct elsewhere *e = &g->elsewhere;
    struct verdict *v = &g->verdict;
    *e = (struct elsewhere){ .program = g->build.program, .exchange = &g->exchange,
                             .time_limit_ms = g->time_limit_ms, .sandbox = g->sandbox,
                             .run = { .child = CHILD_NONE } };
    for (size_t view = 0; (view = elsewhere_next(v, &g->yours[0].log, view)) != 0; view++) {
        elsewhere_start(e, v, view);
        grading_watch(g, &e->run.child);
        elsewhere_take(e, v, view);
    }
}

static void run_and_look(struct grading *g)
{
    struct verdict *v = &g->verdict;
    struct logs logs[CARDS_RUN];
    start_runs(g, g->yours, g->build.program,
               hazards_wanted()  ? "1"
               : instrumented(g) ? "log"
                                 : "0",
               true, g->sandbox);
    if (!g->run_only)
        start_otherwise(g);
    for (size_t i = 0; i < g->runs; i++) {
        grading_watch(g, &g->yours[i].child);
        grading_watch(g, &g->reference[i].child);
    }
    for (size_t i = 0; i < g->runs; i++)
        run_need_sandbox(&g->yours[i]);
    find_termination(g);
    for (size_t i = 0; i < g->runs; i++) {
        run_finish(&g->yours[i], &g->exchange, i);
        if (!g->run_only)
            need_whole_reference(g, i);
        run_cut_unended(&g->yours[i].log);
        logs[i] = (struct logs){ g->cards[i], &g->yours[i].log,
                                 g->run_only ? NULL : &g->reference[i].log };
    }
    judge_replay(v, logs, g->runs);
    refuse_untimely(g);
    if (!g->run_only)
        finish_otherwise(g);
}

/* A helper of the learner's own is blamed for what was wrong where it was called. So is a function
 * of the driver's: the learner's line that calls it is looked for. */
static void find_callers(struct grading *g)
{
    struct verdict *v = &g->verdict;
    struct finding *asked[PROGRAM_LINES];
    uint64_t address[PROGRAM_LINES];
    unsigned line[PROGRAM_LINES];
    size_t count = 0;
    for (size_t i = 0; i < v->lesson->check_count && count < PROGRAM_LINES; i++) {
        struct finding *f = &v->results[i].finding;
        const struct timeline *t = f->view < v->views ? v->yours[f->view].timeline : NULL;
        if (v->results[i].outcome != FAILED || !t || f->call >= t->call_count
            || t->calls[f->call].caller == 0)
            continue;
        asked[count] = f;
        address[count++] = t->calls[f->call].caller;
    }
    if (count > 0)
        program_lines(&g->yours[0], v->submission, address, count, line);
    for (size_t i = 0; i < count; i++)
        asked[i]->called_from = line[i];
}

static unsigned line_of(const struct verdict *v, uint64_t address)
{
    unsigned line;
    program_lines(v->run, v->submission, &address, 1, &line);
    return line;
}

static void start_building(struct grading *g)
{
    build_start(&g->build, g->submission, g->lesson, instrumented(g), g->sandbox);
}

static void simulate(struct grading *g)
{
    struct verdict *v = &g->verdict;
    if (g->program)
        build_take(&g->build, g->program);
    else if (!g->simulates)
        start_building(g);      /* only now: the card was to do it */
    if (!g->run_only)
        start_reference(g);
    for (size_t i = 0; !g->program && i < g->runs; i++)
        exchange_poison_ahead(&g->exchange, exchange_poison_seed(g->seed, i));
    if (!g->program)
        do {
            grading_watch(g, &g->build.child);
            build_finish(&g->build, g->submission);
        } while (build_goes_on(&g->build));
    v->refused = g->build.refused;
    v->compiler = g->build.messages;
    v->compiler_timed_out = g->build.timed_out;
    if (g->build.good)
        run_and_look(g);
    for (size_t i = 0; i < 2 * CARDS_RUN; i++)
        g->replayed[i] = true;  /* beside runs on a card nothing else is done */
    v->run = &g->yours[0];
    v->line_of = g->build.good ? line_of : NULL;
    if (!g->run_only)
        judge(v, &g->exchange);
    if (!g->run_only && g->build.good)
        run_elsewhere(g);
    v->line_of = NULL;
    if (!g->run_only && g->build.good)
        find_callers(g);
}

static void tell_machine(struct grading *g)
{
    struct verdict *v = &g->verdict;
    const struct gpu *gpu = &g->gpu;
    const char *done = g->run_only ? "Run" : "Judged";
    if (gpu->why[0] != '\0')
        snprintf(v->machine, sizeof v->machine, "%s on the simulator alone: %.360s.", done,
                 gpu->why);
    else if (gpu->pairs > 0 && g->run_only)
        snprintf(v->machine, sizeof v->machine,
                 "Run on the %s of this machine (BACKEND=sim: on the simulator).", gpu->card.title);
    else if (gpu->pairs > 0)
        snprintf(v->machine, sizeof v->machine,
                 "Judged on the %s of this machine%s, in %u pair%s of runs with the reference "
                 "solution (BACKEND=sim: on the simulator alone).",
                 gpu->card.title, v->backend == backend_name(BOTH) ? " as well" : " alone",
                 gpu->pairs, gpu->pairs == 1 ? "" : "s");
}

/* nvcc is stricter than simcc: what it says is told instead. */
static void take_cuda_messages(struct grading *g)
{
    struct verdict *v = &g->verdict;
    verdict_fini(v);
    *v = (struct verdict){ .lesson = g->lesson, .submission = g->submission, .seed = g->seed,
                           .card = g->card, .backend = v->backend, .output = text_harmless("", 0),
                           .compiler = g->gpu.build.messages,
                           .compiler_timed_out = g->gpu.build.timed_out };
    find_attempts(v, g->submission, g->starter);
    judge(v, &g->exchange);
    snprintf(v->machine, sizeof v->machine, "nvcc does not compile it.");
}

static void judge_on_card(struct grading *g)
{
    struct verdict *v = &g->verdict;
    struct gpu *gpu = &g->gpu;
    bool alone = !g->simulates;
    gpu_judge(g, alone ? NULL : v);
    if (!alone)
        gpu_explain_crash(gpu, v);
    if (gpu->why[0] != '\0' && !gpu->explained && g->insists && gpu->trouble)
        die("%s", gpu->why);
    if (g->machine.backend == CUDA && gpu->why[0] != '\0' && !gpu->explained)
        die("%s (BACKEND=sim %s on the simulator)", gpu->why, g->run_only ? "runs it" : "judges");
    if (gpu->pairs > 0 && alone) {
        verdict_fini(v);
        *v = gpu->verdict;
    } else if (gpu->pairs > 0) {
        verdict_merge(v, &gpu->verdict);
        verdict_fini(&gpu->verdict);
    }
    v->backend = backend_name(gpu->why[0] != '\0' ? SIMULATOR : alone ? CUDA : BOTH);
    v->pairs = gpu->pairs;
    if (gpu->not_built)
        take_cuda_messages(g);
    else
        tell_machine(g);
}

/* Are there checks that no card can be asked? */
static bool simulator_says_more(const struct lesson *lesson)
{
    for (size_t i = 0; i < lesson->check_count; i++)
        if (judged_by_simulator(lesson, &lesson->checks[i], NULL))
            return true;
    return false;
}

void grading_begin(struct grading *g)
{
    struct verdict *v = &g->verdict;
    *v = (struct verdict){ .lesson = g->lesson, .submission = g->submission, .seed = g->seed,
                           .card = g->card, .backend = backend_name(SIMULATOR),
                           .output = text_harmless("", 0), .compiler = "" };
    snprintf(v->machine, sizeof v->machine, "%s", g->machine.why);
    find_attempts(v, g->submission, g->starter);
    bool on_card = g->machine.backend & CUDA;
    g->simulates =
        g->run_only ? !on_card : g->machine.backend != CUDA || simulator_says_more(g->lesson);
    choose_cards(g);
    gpu_init(&g->gpu);
    g->build = (struct build){ .child = CHILD_NONE };
    if (g->sandbox)
        build_put(g->submission, g->sandbox);
    if (g->simulates && !g->program)
        start_building(g);      /* beside what follows */
    prepare(g);
    if (on_card)
        gpu_start(g);
    if (g->simulates)
        simulate(g);
    /* What does not come to its end here would not there. */
    if (on_card && (!g->simulates || (v->views != 0 && v->termination.how == ENDED_WHOLE)))
        judge_on_card(g);
    if (g->run_only && on_card && v->views == 0 && !g->gpu.not_built)
        simulate(g);            /* there is a reason why not (v->machine) */
    if (on_card && v->pairs == 0 && v->machine[0] == '\0')
        snprintf(v->machine, sizeof v->machine,
                 "It was not run on this machine's GPU: it does not finish on the "
                 "simulator.");
}

void grading_end(struct grading *g)
{
    verdict_fini(&g->verdict);
    build_fini(&g->build);
    for (size_t i = 0; i < g->runs; i++) {
        if (g->yours[i].program)
            run_fini(&g->yours[i]);
        if (g->reference[i].program)
            run_fini(&g->reference[i]);
    }
    otherwise_fini(&g->otherwise);
    gpu_end(&g->gpu);
    exchange_fini(&g->exchange);
    free(g->reference_program);
}

/* ---- before ---- */

static bool has_regions_of(const struct submission *s, const struct lesson *lesson)
{
    size_t count;
    for (size_t i = 0; i < lesson->part_count; i++)
        if (submission_regions(s, lesson->parts[i].marks, &count) > 0)
            return true;
    return false;
}

/* Has it every region of that exercise? */
static bool is_exercise(const struct submission *s, const char *folder)
{
    char problem[1024], *path = project_display_path("exercises/%s.cu", folder);
    struct submission exercise;
    size_t count = 0, found = 0;
    if (submission_read(&exercise, path, problem, sizeof problem)) {
        char *marks = submission_marks(&exercise);
        found = submission_regions(s, marks, &count);
        memory_resize(marks, 0);
    }
    submission_fini(&exercise);
    free(path);
    return count > 0 && found == count;
}

int grading_other_lesson(const struct submission *s, const struct lesson *lesson)
{
    char folder[256];
    if (has_regions_of(s, lesson))
        return 0;
    for (int number = 0; (number = exercise_after(number, folder, sizeof folder));)
        if (number != lesson->number && is_exercise(s, folder))
            return number;
    return 0;
}

void grading_starter(struct submission *starter, const struct lesson *lesson, const char *path)
{
    char problem[1024];
    char *today = project_display_path("exercises/%s.cu", lesson->folder);
    if (!submission_read(starter, path ? path : today, problem, sizeof problem))
        die("the starter is not as it should be: %s", problem);
    free(today);
}
