/* SPDX-License-Identifier: MIT */
/* batch - grades a class. Exit status: 0 all is graded, 1 something could not be, 2 environment or usage. */
#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "grader/batch/cluster.h"
#include "grader/batch/feedback.h"
#include "grader/batch/pool.h"
#include "grader/batch/results.h"
#include "grader/batch/similar.h"
#include "grader/batch/task.h"
#include "grader/environment.h"
#include "grader/export/export.h"
#include "grader/export/page.h"
#include "grader/lessons.h"
#include "grader/options.h"
#include "trace/memory.h"

const char *argp_program_version = "batch " WORKBOOK_VERSION;

struct wishes {
    const char *submissions, *out, *lessons, *rubric, *roster, *card, *feedback, *backend, *engine, *work, *stage;
    uint64_t seed, memory_mib;
    bool has_seed, no_sandbox, similar;
    double time_limit;          /* s */
    size_t workers, job, share, shares;
};

enum { KEY_LESSONS = 256, KEY_RUBRIC, KEY_ROSTER, KEY_SEED, KEY_CARD, KEY_LIMIT, KEY_MEMORY, KEY_NO_SANDBOX, KEY_ENGINE,
       KEY_FEEDBACK, KEY_BACKEND, KEY_SIMILAR, KEY_WORK, KEY_JOB, KEY_STAGE, KEY_SHARE };

static const struct argp_option options[] = {
    { "out", 'o', "DIR", 0, "where results go (default: grades)", 0 },
    { "lessons", KEY_LESSONS, "LIST", 0, "these lessons only: \"03 06\"", 0 },
    { "rubric", KEY_RUBRIC, "FILE", 0, "points, weights, due dates, lateness (grader/batch/rubric.h)", 0 },
    { "roster", KEY_ROSTER, "FILE", 0, "who is in the class, as CSV with a line of titles", 0 },
    { "seed", KEY_SEED, "N", 0, "make the inputs from N (default: the rubric's, or one that OUT keeps)", 0 },
    { "card", KEY_CARD, "NAME", 0, "the simulated device (default: the rubric's, or h200)", 0 },
    { "backend", KEY_BACKEND, "WHERE", 0, "where to judge: sim (default), cuda (this machine's GPU) or both", 0 },
    { "feedback", KEY_FEEDBACK, "LEVEL", 0, "what students are told: all, failures or score", 0 },
    { "similar", KEY_SIMILAR, NULL, 0, "grade nothing: compare the files with each other, OUT/similar.html", 0 },
    { "time-limit", KEY_LIMIT, "S", 0, "stop a program after S seconds (default: 20)", 1 },
    { "memory", KEY_MEMORY, "MIB", 0, "and at so much memory (default: 2048)", 1 },
    { "jobs", 'j', "N", 0, "submissions at once (default: one a core)", 1 },
    { "engine", KEY_ENGINE, "NAME", 0, "local (default), or slurm: a job array on a cluster that sees OUT and the workbook", 1 },
    { "no-sandbox", KEY_NO_SANDBOX, NULL, 0, "run submissions without walls: for people whom you trust", 1 },
    { "work", KEY_WORK, "OUT", OPTION_HIDDEN, NULL, 0 },
    { "job", KEY_JOB, "N", OPTION_HIDDEN, NULL, 0 },
    { "stage", KEY_STAGE, "DIR", OPTION_HIDDEN, NULL, 0 },
    { "share", KEY_SHARE, "I/N", OPTION_HIDDEN, NULL, 0 },
    { 0 },
};

static uint64_t whole_number(const char *option, const char *text, uint64_t low, uint64_t high)
{
    char *rest;
    errno = 0;
    uint64_t n = strtoull(text, &rest, 0);
    if (text[0] < '0' || text[0] > '9' || *rest != '\0' || errno != 0 || n < low || n > high)
        environment("%s wants a whole number from %" PRIu64 " to %" PRIu64 ", not '%s'", option, low, high, text);
    return n;
}

static error_t parse_one(int key, char *value, struct argp_state *state)
{
    struct wishes *w = state->input;
    char *rest;
    switch (key) {
    case 'o': w->out = value; break;
    case KEY_LESSONS: w->lessons = value; break;
    case KEY_RUBRIC: w->rubric = value; break;
    case KEY_ROSTER: w->roster = value; break;
    case KEY_CARD: w->card = value; break;
    case KEY_FEEDBACK: w->feedback = value; break;
    case KEY_BACKEND: w->backend = value; break;
    case KEY_ENGINE: w->engine = value; break;
    case KEY_SIMILAR: w->similar = true; break;
    case KEY_NO_SANDBOX: w->no_sandbox = true; break;
    case KEY_WORK: w->work = value; break;
    case KEY_STAGE: w->stage = value; break;
    case KEY_SEED:
        w->seed = whole_number("--seed", value, 0, INT64_MAX);
        w->has_seed = true;
        break;
    case KEY_MEMORY: w->memory_mib = whole_number("--memory", value, 64, 1 << 20); break;
    case KEY_JOB: w->job = whole_number("--job", value, 0, SIZE_MAX); break;
    case 'j': w->workers = whole_number("--jobs", value, 1, 250); break;
    case KEY_SHARE:
        if (sscanf(value, "%zu/%zu", &w->share, &w->shares) != 2 || w->share >= w->shares)
            argp_usage(state);
        break;
    case KEY_LIMIT:
        w->time_limit = strtod(value, &rest);
        if (*rest != '\0' || !(w->time_limit >= 0.1 && w->time_limit <= 3600))
            environment("--time-limit wants seconds from 0.1 to 3600, not '%s'", value);
        break;
    case ARGP_KEY_ARG:
        if (state->arg_num > 0)
            argp_usage(state);
        w->submissions = value;
        break;
    case ARGP_KEY_END:
        if (w->submissions == NULL && w->work == NULL)
            argp_usage(state);
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static size_t cores(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (size_t)n : 1;
}

/* ---- what is wanted ---- */

/* The lessons of the command, else those of the rubric. */
static bool *wanted_lessons(const struct wishes *w, const struct rubric *r)
{
    bool *wanted = memory_resize(NULL, (lesson_count + 1) * sizeof *wanted);
    for (size_t i = 0; i < lesson_count; i++)
        wanted[i] = (w->lessons == NULL || w->lessons[0] == '\0') && r->lessons[i].wanted;
    char *list = strdup(w->lessons != NULL ? w->lessons : ""), *rest = list;
    for (char *word; (word = strtok_r(rest, " ,", &rest)) != NULL;) {
        const struct lesson *lesson = lesson_find(word);
        if (lesson == NULL)
            environment("there is no lesson '%s': make list shows them", word);
        for (size_t i = 0; i < lesson_count; i++)
            wanted[i] |= lessons[i] == lesson;
    }
    free(list);
    return wanted;
}

/* One that nobody chose is chosen once for OUT, so that a batch that goes on has the same inputs. */
static uint64_t seed_of(const struct wishes *w, const struct rubric *r, const char *out)
{
    char *path = ledger_path(out, "batch/seed"), text[32] = "";
    uint64_t seed = w->has_seed ? w->seed : r->seed;
    if (!w->has_seed && !r->has_seed) {
        FILE *in = fopen(path, "re");
        if (in == NULL || fscanf(in, "%31[0-9]", text) != 1) {
            uint32_t fresh;
            if (getrandom(&fresh, sizeof fresh, 0) != sizeof fresh)
                environment("no random numbers: %s", strerror(errno));
            snprintf(text, sizeof text, "%" PRIu32, fresh);
            ledger_write(path, text, strlen(text));
        }
        if (in != NULL)
            fclose(in);
        seed = strtoull(text, NULL, 10);
    }
    free(path);
    return seed;
}

/* Those on the roster are called as they are there. */
static void name_students(struct intake *in, const struct roster *r)
{
    for (size_t i = 0; i < in->count; i++) {
        const struct person *p = roster_find(r, in->files[i].student, in->files[i].number);
        if (p == NULL)
            continue;
        memory_resize(in->files[i].student, 0);
        in->files[i].student = memory_resize(NULL, strlen(p->id) + 1);
        strcpy(in->files[i].student, p->id);
    }
}

/* ---- from files to jobs ---- */

/* The one after those that are there; its own if it is among them. */
static unsigned attempt_number(const struct plan *p, const struct job *j)
{
    char *own = job_attempt(p, j, "json"), *slash = strrchr(own, '/');
    unsigned count = 0;
    json_t *known = ledger_read_json(own);
    if (known != NULL) {
        count = (unsigned)json_integer_value(json_object_get(known, "number"));
    } else {
        *slash = '\0';
        count = ledger_count(own, ".json") + 1;
    }
    json_decref(known);
    free(own);
    return count;
}

static void add_job(struct plan *p, const struct handed_in *h)
{
    struct job *j = plan_add(p);
    *j = (struct job){ .student = strdup(h->student), .folder = ledger_name(h->student), .lesson = h->lesson,
                       .when = h->when, .late = h->late };
    struct ledger_terms terms = { p->backend != SIMULATOR ? backend_name(p->backend) : NULL, WORKBOOK_VERSION, p->card,
                                  h->lesson->folder, p->seed, p->memory, p->time_limit_ms };
    const char *text = h->text != NULL ? h->text : h->refused;
    ledger_key(j->key, &terms, text, h->text != NULL ? h->bytes : strlen(text));
    j->number = attempt_number(p, j);
    if (h->refused != NULL && !job_done(p, j))
        task_refuse(p, j, h->refused);
    if (h->text != NULL) {
        char *path = job_source(p, j);
        ledger_write(path, h->text, h->bytes);
        free(path);
    }
}

static void make_plan(struct plan *p, const struct intake *in, const bool *wanted)
{
    for (size_t i = 0; i < in->count; i++)
        for (size_t k = 0; k < lesson_count; k++)
            if (wanted[k] && lessons[k] == in->files[i].lesson)
                add_job(p, &in->files[i]);
    plan_write(p);
}

/* ---- the end ---- */

static void print_strays(const struct intake *in)
{
    for (size_t i = 0; i < in->stray_count; i++)
        printf("  left out: %s (%s)\n", in->strays[i].path, in->strays[i].why);
}

static const char *judged_on(enum backend backend)
{
    return backend == SIMULATOR ? "" : backend == BOTH ? ", judged on this machine's GPU as well" : ", judged on this machine's GPU";
}

/* Returns whether all could be graded. */
static bool sum_up(const struct class *c, const char *shown)
{
    json_t *results = results_make(c), *counts = json_object_get(results, "counts"), *value;
    char *path = ledger_path(c->plan->out, "results.json");
    const char *status;
    ledger_write_json(path, results);
    feedback_write(c->plan->out, results);
    page_all(c->plan->out, results);
    export_all(c->plan->out, results);
    bool all = true;
    for (size_t i = 0; i < c->plan->count; i++)
        all &= job_done(c->plan, &c->plan->jobs[i]);
    printf("%zu students, seed %" PRIu64 ", card %s%s%s\n", json_array_size(json_object_get(results, "students")), c->plan->seed,
           c->plan->card, judged_on(c->plan->backend), c->plan->walls ? "" : ", no sandbox");
    json_object_foreach(counts, status, value)
        printf("  %-14s %" JSON_INTEGER_FORMAT "\n", status, json_integer_value(value));
    print_strays(c->intake);
    printf("Results: %s/class.html (results.json); for others: %s/exports/; for the students: %s/feedback/\n", shown, shown, shown);
    if (!all)
        printf("Next: what could not be run is tried again by the same command; results.json says why it was not.\n");
    json_decref(results);
    free(path);
    return all;
}

static char *absolute(const char *path)
{
    char *real;
    if (mkdir(path, 0777) != 0 && errno != EEXIST)
        environment("cannot make %s: %s", path, strerror(errno));
    if ((real = realpath(path, NULL)) == NULL)
        environment("%s: %s", path, strerror(errno));
    return real;
}

static const char *const feedback_levels[] = { "all", "failures", "score" };

static void choose_feedback(struct rubric *r, const char *level)
{
    for (enum feedback f = FEEDBACK_ALL; level != NULL && f <= FEEDBACK_SCORE; f++)
        if (strcmp(level, feedback_levels[f]) == 0) {
            r->feedback = f;
            return;
        }
    if (level != NULL)
        environment("--feedback wants all, failures or score, not '%s'", level);
}

/* Who is in the class, what they handed in, and what is asked of them. */
static void read_class(const struct wishes *w, struct rubric *rubric, struct roster *roster, struct intake *intake)
{
    char trouble[1024];
    if (!rubric_read(rubric, w->rubric, trouble, sizeof trouble) || !roster_read(roster, w->roster, trouble, sizeof trouble)
        || !intake_read(intake, w->submissions, trouble, sizeof trouble))
        environment("%s", trouble);
    choose_feedback(rubric, w->feedback);
    name_students(intake, roster);
    intake_settle(intake);
}

static int compare_class(const struct wishes *w)
{
    char *out = absolute(w->out);
    struct rubric rubric;
    struct roster roster;
    struct intake intake;
    struct similar similar;
    read_class(w, &rubric, &roster, &intake);
    bool *wanted = wanted_lessons(w, &rubric);
    similar_find(&similar, &intake, wanted);
    similar_report(&similar, out, w->out);
    similar_fini(&similar);
    memory_resize(wanted, 0);
    intake_fini(&intake);
    roster_fini(&roster);
    rubric_fini(&rubric);
    free(out);
    return 0;
}

static int grade_class(const struct wishes *w)
{
    char *out = absolute(w->out);
    struct rubric rubric;
    struct roster roster;
    struct intake intake;
    read_class(w, &rubric, &roster, &intake);
    ledger_lock(out);
    ledger_sweep(out);
    bool *wanted = wanted_lessons(w, &rubric);

    struct plan plan = { .out = out, .seed = seed_of(w, &rubric, out), .time_limit_ms = (int64_t)(w->time_limit * 1000),
                         .memory = w->memory_mib << 20, .walls = !w->no_sandbox, .backend = SIMULATOR };
    if (w->backend != NULL && w->backend[0] != '\0' && !backend_named(&plan.backend, w->backend))
        environment("--backend wants sim, cuda or both, not '%s'", w->backend);
    const char *card = w->card != NULL ? w->card : rubric.card[0] != '\0' ? rubric.card : getenv("SIM_PROFILE");
    snprintf(plan.card, sizeof plan.card, "%s", card != NULL && card[0] != '\0' ? card : option_card(NULL)->name);
    option_card(plan.card);
    make_plan(&plan, &intake, wanted);
    if (plan.count == 0 && roster.count == 0)
        environment("%s: nothing in it is a lesson's file of anybody's (STUDENT/03-events.cu, STUDENT/03/any.cu, "
                    "STUDENT.tar.gz …)", w->submissions);

    bool whole = strcmp(w->engine, "slurm") == 0 ? cluster_run(&plan, w->workers) : pool_run(&plan, 0, 1, w->workers);
    if (!whole)
        interrupt_leave();
    struct class c = { &plan, &rubric, &roster, &intake, wanted };
    bool all = sum_up(&c, w->out);
    memory_resize(wanted, 0);
    plan_fini(&plan);
    intake_fini(&intake);
    roster_fini(&roster);
    rubric_fini(&rubric);
    return all ? 0 : 1;
}

int main(int argc, char **argv)
{
    static const struct argp argp = {
        .options = options, .parser = parse_one, .args_doc = "SUBMISSIONS",
        .doc = "Grades a class: SUBMISSIONS is a folder or an archive with STUDENT/LESSON in it, as nbgrader, Canvas, Moodle and "
               "`make submit` make them. What is graded already is not graded again.\v"
               "Exit status: 0 all is graded, 1 something could not be run, 2 trouble with the environment or the command.",
    };
    struct wishes w = { .out = "grades", .time_limit = 20, .memory_mib = 2048, .engine = "local", .shares = 1 };
    descriptors_begin();
    argp_err_exit_status = 2;
    argp_parse(&argp, argc, argv, 0, NULL, &w);
    if (strcmp(w.engine, "local") != 0 && strcmp(w.engine, "slurm") != 0)
        environment("--engine is local or slurm, not '%s'", w.engine);
    interrupt_init();
    if (w.workers == 0)
        w.workers = cores();
    if (w.work == NULL)
        return w.similar ? compare_class(&w) : grade_class(&w);

    struct plan plan;
    plan_read(&plan, w.work);
    if (w.stage != NULL) {
        if (w.job >= plan.count)
            environment("there is no job %zu", w.job);
        task_run(&plan, &plan.jobs[w.job], w.stage);
    } else if (!pool_run(&plan, w.share, w.shares, w.workers)) {
        interrupt_leave();
    }
    plan_fini(&plan);
    return 0;
}
