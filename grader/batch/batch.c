/* SPDX-License-Identifier: MIT */
/* batch - grades a class. Exit status: 0 all is graded, 1 something could not be, 2 environment or
 * usage. */
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

#include "grader/batch/appeal.h"
#include "grader/batch/intake/people.h"
#include "grader/batch/intake/unpack.h"
#include "grader/batch/intake/when.h"
#include "grader/batch/jobs/cluster.h"
#include "grader/batch/jobs/earlier.h"
#include "grader/batch/results/feedback.h"
#include "grader/batch/results/summary.h"
#include "grader/batch/jobs/pool.h"
#include "grader/batch/results/results.h"
#include "grader/batch/similar/similar.h"
#include "grader/batch/jobs/task.h"
#include "grader/base/environment.h"
#include "grader/export/export.h"
#include "grader/export/page.h"
#include "grader/lessons.h"
#include "grader/base/options.h"
#include "trace/record/memory.h"

const char *argp_program_version = "batch " WORKBOOK_VERSION;

struct options {
    const char *submissions, *out, *lessons, *rubric, *roster, *times, *replay, *card, *feedback,
        *backend, *engine, *work, *stage;
    uint64_t seed, memory_mib;
    bool has_seed, no_sandbox, no_late, similar;
    double time_limit;          /* s */
    size_t workers, job, share, shares;
};

enum { KEY_LESSONS = 256, KEY_RUBRIC, KEY_ROSTER, KEY_SEED, KEY_CARD, KEY_LIMIT, KEY_MEMORY,
       KEY_NO_SANDBOX, KEY_ENGINE,
       KEY_FEEDBACK, KEY_BACKEND, KEY_SIMILAR, KEY_WORK, KEY_JOB, KEY_STAGE, KEY_SHARE, KEY_TIMES,
       KEY_REPLAY, KEY_NO_LATE };

static const struct argp_option options[] = {
    { "out", 'o', "DIR", 0, "where results go (default: grades)", 0 },
    { "lessons", KEY_LESSONS, "LIST", 0, "these lessons only: \"03 06\"", 0 },
    { "rubric", KEY_RUBRIC, "FILE", 0,
      "points, weights, due dates, lateness (grader/batch/files/rubric.h)", 0 },
    { "roster", KEY_ROSTER, "FILE", 0, "who is in the class, as CSV with a line of titles", 0 },
    { "times", KEY_TIMES, "FILE", 0,
      "when single students handed in, their own due dates, who is excused (grader/batch/files/times.h)",
      0 },
    { "no-late", KEY_NO_LATE, NULL, 0, "take nothing off for lateness (the platform does)", 0 },
    { "replay", KEY_REPLAY, "STUDENT/LESSON", 0,
      "judge again what counts in SUBMISSIONS, a folder of results: is it the same, bit for bit?",
      0 },
    { "seed", KEY_SEED, "N", 0,
      "make the inputs from N (default: the rubric's, or one that OUT keeps)", 0 },
    { "card", KEY_CARD, "NAME", 0,
      "the simulated device, or the file of one (default: the rubric's, or h200)", 0 },
    { "backend", KEY_BACKEND, "WHERE", 0,
      "where to judge: sim (default), cuda (this machine's GPU) or both", 0 },
    { "feedback", KEY_FEEDBACK, "LEVEL", 0, "what students are told: all, failures or score", 0 },
    { "similar", KEY_SIMILAR, NULL, 0,
      "grade nothing: compare the files with each other, OUT/similar.html", 0 },
    { "time-limit", KEY_LIMIT, "S", 0, "stop a program after S seconds (default: 20)", 1 },
    { "memory", KEY_MEMORY, "MIB", 0, "stop a program at MIB of memory (default: 2048)", 1 },
    { "jobs", 'j', "N", 0, "submissions at once (default: one a core)", 1 },
    { "engine", KEY_ENGINE, "NAME", 0,
      "local (default), or slurm: a job array on a cluster that sees OUT and the workbook", 1 },
    { "no-sandbox", KEY_NO_SANDBOX, NULL, 0,
      "run submissions without a sandbox: only those of people whom you trust", 1 },
    { "work", KEY_WORK, "OUT", OPTION_HIDDEN, NULL, 0 },
    { "job", KEY_JOB, "N", OPTION_HIDDEN, NULL, 0 },
    { "stage", KEY_STAGE, "DIR", OPTION_HIDDEN, NULL, 0 },
    { "share", KEY_SHARE, "I/N", OPTION_HIDDEN, NULL, 0 },
    { 0 },
};

static uint64_t whole_number(const char *option, const char *text, uint64_t low,
                             uint64_t high)
{
    char *rest;
    errno = 0;
    uint64_t n = strtoull(text, &rest, 0);
    if (text[0] < '0' || text[0] > '9' || *rest != '\0' || errno != 0 || n < low || n > high)
        die("%s wants a whole number from %" PRIu64 " to %" PRIu64 ", not '%s'", option, low, high,
            text);
    return n;
}

static error_t parse_one(int key, char *value, struct argp_state *state)
{
    struct options *w = state->input;
    switch (key) {
    case 'o': w->out = value; break;
    case KEY_LESSONS: w->lessons = value; break;
    case KEY_RUBRIC: w->rubric = value; break;
    case KEY_ROSTER: w->roster = value; break;
    case KEY_NO_LATE: w->no_late = true; break;
    case KEY_TIMES: w->times = value; break;
    case KEY_REPLAY: w->replay = value; break;
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
    case KEY_LIMIT: w->time_limit = option_time_limit(value); break;
    case ARGP_KEY_ARG:
        if (state->arg_num > 0)
            argp_usage(state);
        w->submissions = value;
        break;
    case ARGP_KEY_END:
        if (!w->submissions && !w->work)
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
static bool *wanted_lessons(const struct options *w, const struct rubric *r)
{
    bool *wanted = memory_resize(NULL, (lesson_count + 1) * sizeof *wanted);
    for (size_t i = 0; i < lesson_count; i++)
        wanted[i] = (!w->lessons || w->lessons[0] == '\0') && r->lessons[i].wanted;
    char *list = strdup(w->lessons ? w->lessons : ""), *rest = list;
    for (char *word; (word = strtok_r(rest, " ,", &rest));) {
        const struct lesson *lesson = lesson_find(word);
        if (!lesson)
            die("there is no lesson '%s': make list shows them", word);
        for (size_t i = 0; i < lesson_count; i++)
            wanted[i] |= lessons[i] == lesson;
    }
    free(list);
    return wanted;
}

/* One that nobody chose is chosen once for OUT, so that a batch that goes on has the same inputs.
 */
static uint64_t seed_of(const struct options *w, const struct rubric *r, const char *out)
{
    char *path = ledger_path(out, "batch/seed"), text[32] = "";
    uint64_t seed = w->has_seed ? w->seed : r->seed;
    if (!w->has_seed && !r->has_seed) {
        FILE *in = fopen(path, "re");
        if (!in || fscanf(in, "%31[0-9]", text) != 1) {
            uint32_t fresh;
            if (getrandom(&fresh, sizeof fresh, 0) != sizeof fresh)
                die("no random numbers: %s", strerror(errno));
            snprintf(text, sizeof text, "%" PRIu32, fresh);
            ledger_write(path, text, strlen(text));
        }
        if (in)
            fclose(in);
        seed = strtoull(text, NULL, 10);
    }
    free(path);
    return seed;
}

/* ---- from files to jobs ---- */

static void add_job(struct plan *p, const struct handed_in *h)
{
    struct job *j = plan_add(p);
    *j = (struct job){ .student = strdup(h->student), .folder = ledger_name(h->student),
                       .lesson = h->lesson, .when = h->when, .when_from = h->when_from,
                       .late = h->late };
    const char *text = h->text ? h->text : h->refused;
    size_t bytes = h->text ? h->bytes : strlen(text);
    ledger_file(j->file, text, bytes);
    snprintf(j->encoding, sizeof j->encoding, "%s", h->encoding ? h->encoding : "");
    job_key(p, j);
    j->number = attempt_number(p, j);
    if (h->refused && !job_done(p, j))
        task_refuse(p, j, h->refused);
    if (h->text) {
        char *path = job_source(p, j), *copy = job_copy(p, j);
        if (access(path, F_OK) != 0)    /* its name is its sum */
            ledger_write(path, text, bytes);
        ledger_write(copy, text, bytes);
        free(path), free(copy);
    }
}

static bool is_wanted(const struct lesson *lesson, const bool *wanted)
{
    for (size_t k = 0; k < lesson_count; k++)
        if (lessons[k] == lesson)
            return wanted[k];
    return false;
}

static void make_plan(struct plan *p, struct intake *in, const struct roster *roster,
                      const bool *wanted, enum regrade regrade)
{
    for (size_t i = 0; i < in->count;)
        if (is_wanted(in->files[i].lesson, wanted))
            add_job(p, &in->files[i++]);
        else
            intake_leave_out(in, i, "its lesson is not graded now");
    if (!intake_adds_up(in))
        die("the count of files is wrong: %zu came in. This is a fault of ours; nothing was graded",
            in->met);
    earlier_add_class(p, roster, wanted, regrade);
    plan_write(p);
}

/* People with a file now whom the roster has not, where there is one. */
static size_t count_strangers(const struct plan *p, const struct roster *r)
{
    size_t count = 0;
    const char *last = "";
    for (size_t i = 0; i < p->count && r->count > 0;
         i++) {     /* sorted by student; earlier ones come last */
        bool known = p->jobs[i].earlier || strcmp(p->jobs[i].student, last) == 0;
        for (size_t k = 0; k < r->count && !known; k++)
            known = strcmp(r->people[k].id, p->jobs[i].student) == 0;
        count += !known;
        last = p->jobs[i].student;
    }
    return count;
}

/* ---- the end ---- */

static const char *judged_on(enum backend backend)
{
    return backend == SIMULATOR ? ""
           : backend == BOTH    ? ", judged on this machine's GPU as well"
                                : ", judged on this machine's GPU";
}

/* Returns whether all could be graded. */
static bool sum_up(const struct class *c, const char *shown)
{
    json_t *results = results_make(c), *counts = json_object_get(results, "counts"), *value;
    char *path = ledger_path(c->plan->out, "results.json");
    const char *status;
    ledger_write_json(path, results);
    summary_write(c->plan->out, results);       /* before anybody is told */
    feedback_write(c->plan->out, results);
    page_all(c->plan->out, results);
    export_all(c->plan->out, results);
    bool all = true;
    for (size_t i = 0; i < c->plan->count; i++)
        all &= job_done(c->plan, &c->plan->jobs[i]);
    printf("%zu students, seed %" PRIu64 ", card %s%s%s\n",
           json_array_size(json_object_get(results, "students")), c->plan->seed, c->plan->card,
           judged_on(c->plan->backend), c->plan->confined ? "" : ", no sandbox");
    json_object_foreach(counts, status, value)
        printf("  %-14s %" JSON_INTEGER_FORMAT "\n", status, json_integer_value(value));
    printf(
        "Results: %s/class.html (results.json); for others: %s/exports/; for the students: %s/feedback/\n",
        shown, shown, shown);
    if (!all)
        printf(
            "Next: what could not be run is tried again by the same command; results.json says why it was not.\n");
    json_decref(results);
    free(path);
    return all;
}

static char *absolute(const char *path)
{
    char *real;
    if (mkdir(path, 0777) != 0 && errno != EEXIST)
        die("cannot make %s: %s", path, strerror(errno));
    if (!(real = realpath(path, NULL)))
        die("%s: %s", path, strerror(errno));
    return real;
}

static const char *const feedback_levels[] = { "all", "failures", "score" };

static void choose_feedback(struct rubric *r, const char *level)
{
    for (enum feedback f = FEEDBACK_ALL; level && f <= FEEDBACK_SCORE; f++)
        if (strcmp(level, feedback_levels[f]) == 0) {
            r->feedback = f;
            return;
        }
    if (level)
        die("--feedback wants all, failures or score, not '%s'", level);
}

/* Who is in the class, what they handed in, and what is asked of them. */
static size_t read_class(const struct options *w, struct rubric *rubric, struct roster *roster,
                         struct intake *intake)
{
    char trouble[1024];
    const char *guess;
    if (!rubric_read(rubric, w->rubric, trouble, sizeof trouble)
        || !roster_read(roster, w->roster, &guess, trouble, sizeof trouble)
        || !unpack_class(intake, w->submissions, roster, trouble, sizeof trouble))
        die("%s", trouble);
    if (guess)
        printf("%s is not UTF-8: it was read as %s.\n", w->roster, guess);
    choose_feedback(rubric, w->feedback);
    if (w->no_late)
        rubric->per_day = rubric->until = 0;
    size_t ambiguous = people_find(intake, roster);
    intake_settle(intake);
    return ambiguous;
}

static int compare_class(const struct options *w)
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

static int grade_class(const struct options *w)
{
    char *out = absolute(w->out);
    struct rubric rubric;
    struct roster roster;
    struct intake intake;
    struct times times;
    char trouble[1024];
    size_t ambiguous = read_class(w, &rubric, &roster, &intake), lessons_wanted = 0;
    if (!times_read(&times, w->times, &roster, &rubric, trouble, sizeof trouble))
        die("%s", trouble);
    ledger_lock(out);
    ledger_sweep(out);
    bool *wanted = wanted_lessons(w, &rubric);
    int64_t points = 0;
    for (size_t i = 0; i < lesson_count; i++) {
        lessons_wanted += wanted[i];
        points = wanted[i] ? rubric_lesson(&rubric, lessons[i])->points : points;
    }
    when_worksheet(&intake, &roster, &rubric, lessons_wanted, points);
    when_given(&intake, &times, w->times, lessons_wanted);

    struct plan plan = { .out = out, .seed = seed_of(w, &rubric, out),
                         .time_limit_ms = (int64_t)(w->time_limit * 1000),
                         .memory = w->memory_mib << 20, .confined = !w->no_sandbox,
                         .backend = SIMULATOR };
    if (w->backend && w->backend[0] != '\0' && !backend_named(&plan.backend, w->backend))
        die("--backend wants sim, cuda or both, not '%s'", w->backend);
    const char *card = w->card                  ? w->card
                       : rubric.card[0] != '\0' ? rubric.card
                                                : getenv("SIM_PROFILE");
    plan_take_card(&plan, card && card[0] != '\0' ? card : option_card(NULL)->name);
    make_plan(&plan, &intake, &roster, wanted, rubric.regrade);
    if (plan.count == 0 && roster.count == 0)
        die("%s: nothing in it is a lesson's file of anybody's (STUDENT/03-events.cu, STUDENT/03/any.cu, "
            "STUDENT.tar.gz …)",
            w->submissions);

    bool whole = strcmp(w->engine, "slurm") == 0 ? cluster_run(&plan, w->workers)
                                                 : pool_run(&plan, 0, 1, w->workers);
    if (!whole)
        interrupt_leave();
    size_t strangers = count_strangers(&plan, &roster);
    if (strangers > 0)
        fprintf(stderr, "batch: %zu %s not on the roster: the report names them\n", strangers,
                strangers == 1 ? "person is" : "people are");
    struct class c = { &plan, &rubric, &roster, &intake, &times, wanted };
    bool all = sum_up(&c, w->out) && ambiguous == 0 && strangers == 0;
    memory_resize(wanted, 0);
    plan_fini(&plan);
    times_fini(&times);
    intake_fini(&intake);
    roster_fini(&roster);
    rubric_fini(&rubric);
    return all ? 0 : 1;
}

int main(int argc, char **argv)
{
    static const struct argp argp = {
        .options = options,
        .parser = parse_one,
        .args_doc = "SUBMISSIONS",
        .doc =
            "Grades a class: SUBMISSIONS is a folder or an archive with STUDENT/LESSON in it, as nbgrader, Canvas, Moodle and "
            "`make submit` make them. What is graded already is not graded again.\v"
            "Exit status: 0 all is graded, 1 something could not be run, 2 trouble with the environment or the command.",
    };
    struct options w = {
        .out = "grades", .time_limit = 20, .memory_mib = 2048, .engine = "local", .shares = 1
    };
    descriptors_begin();
    argp_err_exit_status = 2;
    argp_parse(&argp, argc, argv, 0, NULL, &w);
    if (strcmp(w.engine, "local") != 0 && strcmp(w.engine, "slurm") != 0)
        die("--engine is local or slurm, not '%s'", w.engine);
    interrupt_init();
    if (w.workers == 0)
        w.workers = cores();
    if (w.replay)
        return appeal(w.submissions, w.replay, !w.no_sandbox);
    if (!w.work)
        return w.similar ? compare_class(&w) : grade_class(&w);

    struct plan plan;
    plan_read(&plan, w.work);
    if (w.stage) {
        if (w.job >= plan.count)
            die("there is no job %zu", w.job);
        task_run(&plan, &plan.jobs[w.job], w.stage);
    } else if (!pool_run(&plan, w.share, w.shares, w.workers)) {
        interrupt_leave();
    }
    plan_fini(&plan);
    return 0;
}
