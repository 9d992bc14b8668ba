/* SPDX-License-Identifier: MIT */
/* grade - judges one submission. Exit status: 0 passed, 1 found wanting, 2 environment or usage. */
#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "grader/base/environment.h"
#include "grader/base/options.h"
#include "grader/grade/grading.h"
#include "grader/learner/exercises.h"
#include "grader/learner/work.h"
#include "grader/lessons.h"
#include "grader/report/report_html.h"
#include "trace/record/memory.h"

const char *argp_program_version = "grade " WORKBOOK_VERSION;

struct options {
    const char *lesson, *file, *card, *backend, *compare, *json, *html, *trace, *svg, *log;
    uint64_t seed;
    bool has_seed, run, start, hint, quiet, ascii, cards;
    int width;
    enum color_mode color;
    double time_limit;          /* s */
};

enum { KEY_SEED = 256, KEY_CARD, KEY_JSON, KEY_TRACE, KEY_SVG, KEY_RUN, KEY_WIDTH, KEY_ASCII,
       KEY_COLOR, KEY_LIMIT,
       KEY_START, KEY_LOG, KEY_HINT, KEY_HTML, KEY_CARDS, KEY_BACKEND, KEY_COMPARE };

static const struct argp_option options[] = {
    { "seed", KEY_SEED, "N", 0, "make the inputs from N (default: $SEED, or a fresh one)", 0 },
    { "card", KEY_CARD, "NAME", 0, "the simulated device (default: $SIM_PROFILE, or h200)", 0 },
    { "backend", KEY_BACKEND, "WHERE", 0,
      "sim, cuda or both (default: $BACKEND, or both where there are a GPU and nvcc)", 0 },
    { "cards", KEY_CARDS, NULL, 0,
      "name the simulated devices that LESSON can run on, judge nothing", 0 },
    { "time-limit", KEY_LIMIT, "S", 0, "stop the program after S seconds (default: 10)", 0 },
    { "run", KEY_RUN, NULL, 0, "run it and show what happened, judge nothing", 0 },
    { "start", KEY_START, NULL, 0,
      "make the learner's copy if there is none, remember the verdict in work/progress", 0 },
    { "hint", KEY_HINT, NULL, 0, "give one more hint for the first check that fails, no report",
      0 },
    { "json", KEY_JSON, "FILE", 0, "write the verdict as JSON, too (-: to stdout, instead)", 1 },
    { "compare", KEY_COMPARE, "FILE", 0,
      "write what simulator and card say of each check, a line each", 1 },
    { "html", KEY_HTML, "FILE", 0, "write the verdict as a page", 1 },
    { "trace", KEY_TRACE, "FILE", 0,
      "write the timeline as Chrome Trace Event JSON (Perfetto opens it)", 1 },
    { "svg", KEY_SVG, "FILE", 0, "write the timeline as a picture", 1 },
    { "log", KEY_LOG, "FILE", 0, "write the log of calls (build/bin/timeline draws it)", 1 },
    { "quiet", 'q', NULL, 0, "print no report", 2 },
    { "width", KEY_WIDTH, "N", 0, "columns of the report", 2 },
    { "ascii", KEY_ASCII, NULL, 0, "plain ASCII in the report's drawing", 2 },
    { "color", KEY_COLOR, "WHEN", 0, "auto, always or never", 2 },
    { 0 },
};

static bool parse_seed(const char *text, uint64_t *seed)
{
    char *rest;
    errno = 0;
    *seed = strtoull(text, &rest, 0);
    return text[0] >= '0' && text[0] <= '9' && *rest == '\0' && errno == 0 && *seed <= INT64_MAX;
}

static error_t parse_one(int key, char *value, struct argp_state *state)
{
    struct options *w = state->input;
    switch (key) {
    case KEY_SEED:
        if (!parse_seed(value, &w->seed))
            die("--seed wants a whole number from 0 to 2^63 - 1, not '%s'", value);
        w->has_seed = true;
        break;
    case KEY_CARD: w->card = value; break;
    case KEY_CARDS: w->cards = true; break;
    case KEY_BACKEND: w->backend = value; break;
    case KEY_JSON: w->json = value; break;
    case KEY_COMPARE: w->compare = value; break;
    case KEY_HTML: w->html = value; break;
    case KEY_TRACE: w->trace = value; break;
    case KEY_SVG: w->svg = value; break;
    case KEY_LOG: w->log = value; break;
    case KEY_RUN: w->run = true; break;
    case KEY_START: w->start = true; break;
    case KEY_HINT: w->hint = true; break;
    case KEY_ASCII: w->ascii = true; break;
    case 'q': w->quiet = true; break;
    case KEY_WIDTH: w->width = option_width("--width", value); break;
    case KEY_COLOR: w->color = option_color(value); break;
    case KEY_LIMIT: w->time_limit = option_time_limit(value); break;
    case ARGP_KEY_ARG:
        if (state->arg_num == 0)
            w->lesson = value;
        else if (state->arg_num == 1)
            w->file = value;
        else
            argp_usage(state);
        break;
    case ARGP_KEY_NO_ARGS:
        argp_usage(state);
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static void read_environment(struct options *w)
{
    const char *seed = getenv("SEED");
    if (!w->has_seed && seed && seed[0] != '\0') {
        if (!parse_seed(seed, &w->seed))
            die("SEED wants a whole number from 0 to 2^63 - 1, not '%s'", seed);
        w->has_seed = true;
    }
    if (!w->has_seed) {
        uint32_t fresh;         /* short enough to be typed again */
        if (getrandom(&fresh, sizeof fresh, 0) != sizeof fresh)
            die("no random numbers: %s", strerror(errno));
        w->seed = fresh;
    }
}

static const struct lesson *find_lesson(const char *name)
{
    const struct lesson *lesson = lesson_find(name);
    char known[512] = "", folder[256];
    if (lesson)
        return lesson;
    size_t used = 0;
    for (int number = 0;
         (number = exercise_after(number, folder, sizeof folder)) && used < sizeof known;)
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", used == 0 ? "" : ", ",
                                 folder);
    die("there is no lesson '%s'; there are %s", name, known);
}

static void refuse_other_lesson(const struct submission *s, const struct lesson *lesson)
{
    int other = grading_other_lesson(s, lesson);
    if (other)
        die("%s is a file of lesson %02d, not of lesson %02d", s->path, other, lesson->number);
}

/* A program that did not run has no timeline. */
static void export_files(const struct options *w, const struct grading *g)
{
    if (g->verdict.views == 0)
        return;
    const struct timeline *t = g->verdict.yours[0].timeline;
    char title[200];
    snprintf(title, sizeof title, "Lesson %02d: %s", g->lesson->number, g->lesson->title);
    struct drawing d = { .title = title, .streams = true, .engines = true, .width = 1000 };
    export_log(w->log, t);
    export_trace(w->trace, t);
    export_svg(w->svg, t, &d);
}

/* ---- what is remembered of a learner ---- */

struct remembering {
    const struct verdict *v;
    struct progress_lesson before;
    const struct check *hint_for;
    unsigned hints;
};

static void remember_verdict(struct progress *p, void *context)
{
    struct remembering *r = context;
    struct progress_lesson *l = progress_lesson(p, r->v->lesson->folder);
    r->before = *l;
    r->before.checks = memory_resize(NULL, (l->check_count + 1) * sizeof *l->checks);
    memory_copy(r->before.checks, l->checks, l->check_count * sizeof *l->checks);
    progress_note(p, r->v);
}

static void remember_hint(struct progress *p, void *context)
{
    struct remembering *r = context;
    struct progress_check *c =
        progress_check(progress_lesson(p, r->v->lesson->folder), r->hint_for->id);
    c->hints += c->hints < HINTS;
    r->hints = c->hints;
}

static void give_hint(const struct terminal *t, const struct verdict *v)
{
    struct remembering r = { .v = v, .hint_for = report_hint_for(v) };
    struct progress p = { .lessons = NULL };
    const char *own = v->lesson->folder;
    char *path = project_path("lessons/%s/chapter.md",
                              r.hint_for ? check_chapter(r.hint_for, own) : own),
         *chapter = NULL;
    size_t size = 0;
    if (r.hint_for)
        progress_own(&p, remember_hint, &r);
    FILE *in = fopen(path, "re");
    if (in && getdelim(&chapter, &size, '\0', in) < 0) {
        free(chapter);
        chapter = NULL;
    }
    if (in)
        fclose(in);
    report_hint(t, v, r.hints, chapter);
    free(chapter);
    free(path);
    progress_fini(&p);
}

static void print_cards(const struct lesson *lesson)
{
    for (size_t i = 0; i < card_count(); i++)
        if (lesson_runs_on(lesson, card_at(i)))
            puts(card_at(i)->name);
}

/* Who names no card gets one that will do. */
static const struct card *choose_card(const struct lesson *lesson, const char *name)
{
    const char *option = name ? name : getenv("SIM_PROFILE");
    const struct card *card = option_card(name), *will_do = lesson_card(lesson, card);
    if (will_do == card || (will_do && (!option || option[0] == '\0')))
        return will_do;
    die("lesson %02d needs %s: leave SIM_PROFILE and --card out (--cards names those that will do)",
        lesson->number,
        card->devices < lesson->devices ? "a machine with several devices, and this card is alone"
        : lesson->pools                 ? "a card with memory pools, and this has none"
        : lesson->processes
            ? "a card whose memory another process can open (compute capability 2.0 or later), and this one's cannot be"
        : lesson->partitions
            ? "a card whose SMs can be split (compute capability 6.0 or later), and this one's cannot"
        : lesson->dependents
            ? "a card that begins dependent launches early (compute capability 9.0 or later), and this one does not"
            : "a card where host and device may use managed memory at the same time, and this is not one");
}

/* The report, and under it what a learner's own file has besides. */
static void give_report(const struct terminal *t, const struct options *w, const struct verdict *v)
{
    struct remembering r = { .v = v };
    struct progress p = { .lessons = NULL };
    if (w->start)
        progress_own(&p, remember_verdict, &r);
    if (!w->quiet) {
        report_text(t, v);
        if (w->start)
            report_change(t, &r.before, v);
        if (w->html)
            fprintf(t->out, "Page: %s\n", w->html);
        report_next(t, v);
    }
    memory_resize(r.before.checks, 0);
    progress_fini(&p);
}

int main(int argc, char **argv)
{
    static const struct argp argp = {
        .options = options,
        .parser = parse_one,
        .args_doc = "LESSON [FILE]",
        .doc =
            "Judges the learner's FILE (default: work/NN-name.cu) for LESSON, as 06, 6 or 06-overlap.\v"
            "Exit status: 0 passed, 1 did not pass, 2 trouble with the environment or the command.",
    };
    static char name[] = "grade";       /* that of one lesson, build/bin/grade-06, says the same */
    program_invocation_short_name = name;
    struct options w = { .time_limit = 10 };
    descriptors_begin();
    argp_err_exit_status = 2;
    argp_parse(&argp, argc, argv, 0, NULL, &w);
    read_environment(&w);
    interrupt_init();

    const struct lesson *lesson = find_lesson(w.lesson);
    if (w.cards) {
        print_cards(lesson);
        return 0;
    }
    struct submission starter, submission;
    struct grading g = { .lesson = lesson, .card = choose_card(lesson, w.card), .seed = w.seed,
                         .submission = &submission, .starter = &starter, .run_only = w.run,
                         .time_limit_ms = (int64_t)(w.time_limit * 1000) };
    if ((w.start || w.hint) && w.file)
        die("%s is for the learner's own copy: leave %s out", w.start ? "--start" : "--hint",
            w.file);
    machine_choose(&g.machine, w.backend ? w.backend : getenv("BACKEND"));
    char *path = w.file ? strdup(w.file) : work_path(g.lesson);
    if (w.start) {
        work_begin(g.lesson);
        work_tell_change(g.lesson);
    }
    char *from = !w.file ? work_starter(g.lesson) : NULL;
    grading_starter(&starter, g.lesson, from);
    free(from);
    char problem[1024];
    if (!submission_read(&submission, path, problem, sizeof problem))
        die("%s%s", problem,
            !w.file && access(path, F_OK) != 0 ? "; --start puts the starter there" : "");

    refuse_other_lesson(&submission, g.lesson);

    grading_begin(&g);
    if (interrupt_seen() != 0)
        interrupt_leave();
    struct terminal terminal;
    w.quiet = w.quiet || (w.json && strcmp(w.json, "-") == 0);
    terminal_init(&terminal, stdout, w.color, w.width, w.ascii);
    errno = 0;
    if (w.run)
        report_run(&terminal, &g.verdict);
    else if (w.hint)
        give_hint(&terminal, &g.verdict);
    else
        give_report(&terminal, &w, &g.verdict);
    if ((fflush(stdout) != 0 || ferror(stdout)) && !reader_left(stdout))
        die("cannot write the report: %s", strerror(errno));
    if (w.json && !w.run && !report_json(w.json, &g.verdict))
        die("cannot write %s: %s", w.json, strerror(errno));
    if (w.compare && !w.run && !report_compare(w.compare, &g.verdict))
        die("cannot write %s: %s", w.compare, strerror(errno));
    if (w.html && !w.run && !w.hint && !report_html(w.html, &g.verdict))
        die("cannot write %s: %s", w.html, strerror(errno));
    export_files(&w, &g);

    bool good = w.hint  ? true
                : w.run ? g.verdict.views != 0 && g.verdict.termination.how == ENDED_WHOLE
                        : g.verdict.status == ALL_PASSED;
    grading_end(&g);
    submission_fini(&submission);
    submission_fini(&starter);
    free(path);
    return good ? 0 : 1;
}
