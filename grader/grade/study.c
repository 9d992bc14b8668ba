/* SPDX-License-Identifier: MIT */
/* study - what a learner does besides being graded. Exit status: 0 done, 1 not yet, 2 environment
 * or usage. */
#include <argp.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "grader/base/environment.h"
#include "grader/learner/watch.h"
#include "grader/learner/work.h"
#include "grader/lessons.h"
#include "grader/report/report.h"

const char *argp_program_version = "study " WORKBOOK_VERSION;

/* ---- progress ---- */

/* Where a lesson stands: the words of `make progress`. */
enum standing { UNTOUCHED_YET, HALF_DONE, DONE };

static enum standing standing_of(const struct progress_lesson *l)
{
    if (!l->best.known || (l->best.points == 0 && l->last.status == UNTOUCHED))
        return UNTOUCHED_YET;
    return l->best.status == ALL_PASSED ? DONE : HALF_DONE;
}

static int points_of(const struct lesson *lesson)
{
    int points = 0;
    for (size_t i = 0; i < lesson->check_count; i++)
        points += lesson->checks[i].points;
    return points;
}

/* "part a done; part b next"; "" where the checks say nothing of it. */
static void tell_parts(const struct lesson *lesson, struct progress_lesson *l, char *text,
                       size_t size)
{
    size_t used = 0, done = 0;
    const char *next = NULL;
    text[0] = '\0';
    for (size_t k = 0; k < lesson->part_count; k++) {
        bool passed = true;
        for (size_t i = 0; i < lesson->check_count; i++) {
            if (strcmp(lesson->checks[i].part, lesson->parts[k].id) != 0)
                continue;
            const struct progress_check *c = progress_check(l, lesson->checks[i].id);
            passed &= c->known && c->outcome == PASSED;
        }
        if (!passed && !next)
            next = lesson->parts[k].id;
        if (passed && used < size)
            used += (size_t)snprintf(text + used, size - used, "%s%s",
                                     done++ == 0 ? "done: part " : ", ", lesson->parts[k].id);
    }
    if (next && used < size)
        snprintf(text + used, size - used, "%snext: part %s", done != 0 ? "; " : "", next);
}

static void tell_lesson(const struct terminal *t, const struct lesson *lesson,
                        struct progress_lesson *l)
{
    static const struct { const char *word; enum tone tone; } words[] = {
        [UNTOUCHED_YET] = { "untouched", FAINT }, [HALF_DONE] = { "half done", HELD },
        [DONE] = { "done", GOOD },
    };
    enum standing s = standing_of(l);
    char line[300], parts[160] = "";
    bool old = s == DONE && l->best.points_max != points_of(lesson);
    fputs("  ", t->out);
    terminal_print(t, words[s].tone, words[s].word);
    snprintf(line, sizeof line, "%*s%3d of %3d  %02d %s", 11 - (int)strlen(words[s].word), "",
             l->best.points, l->best.known ? l->best.points_max : points_of(lesson), lesson->number,
             lesson->title);
    fputs(line, t->out);
    fputc('\n', t->out);
    if (s == HALF_DONE)
        tell_parts(lesson, l, parts, sizeof parts);
    else if (s == DONE && l->last.status != ALL_PASSED)
        snprintf(parts, sizeof parts, "the last time: %s, %d of %d", status_name(l->last.status),
                 l->last.points, l->last.points_max);
    else if (old)
        snprintf(parts, sizeof parts, "as of version %s; the lesson's points have changed since",
                 l->best.version);
    if (parts[0] != '\0')
        terminal_wrap(t, 28, "", FAINT, parts);
    if (s != UNTOUCHED_YET && work_changed(lesson)) {
        snprintf(line, sizeof line, "changed since you took your copy: make merge%02d",
                 lesson->number);
        terminal_wrap(t, 28, "", PLAIN, line);
    }
}

/* The lesson to go on with: the first half done, else the first untouched; NULL: all are done. */
static const struct lesson *lesson_to_do(struct progress *p)
{
    static const enum standing order[] = { HALF_DONE, UNTOUCHED_YET };
    for (size_t k = 0; k < sizeof order / sizeof *order; k++)
        for (size_t i = 0; i < lesson_count; i++)
            if (standing_of(progress_lesson(p, lessons[i]->folder)) == order[k])
                return lessons[i];
    return NULL;
}

static int do_progress(const struct lesson *lesson, const struct terminal *t)
{
    struct progress p;
    char line[300];
    int points = 0, points_max = 0;
    size_t done = 0;
    (void)lesson;
    progress_own(&p, NULL, NULL);
    for (size_t i = 0; i < lesson_count; i++) {
        struct progress_lesson *l = progress_lesson(&p, lessons[i]->folder);
        tell_lesson(t, lessons[i], l);
        points += l->best.points;
        points_max += l->best.known ? l->best.points_max : points_of(lessons[i]);
        done += standing_of(l) == DONE;
    }
    const struct lesson *next = lesson_to_do(&p);
    printf("\n%zu of %zu lessons done, %d of %d points.\n", done, lesson_count, points, points_max);
    if (next)
        snprintf(line, sizeof line, "make lesson%02d (%s)", next->number, next->title);
    else
        snprintf(line, sizeof line, "make submit packs your work, to hand it in");
    terminal_wrap(t, 6, "Next: ", PLAIN, line);
    progress_fini(&p);
    return 0;
}

/* ---- solution ---- */

static bool has_passed(const struct lesson *lesson)
{
    struct progress p;
    progress_own(&p, NULL, NULL);
    bool passed = standing_of(progress_lesson(&p, lesson->folder)) == DONE;
    progress_fini(&p);
    return passed;
}

static int do_solution(const struct lesson *lesson, const struct terminal *t)
{
    const char *force = getenv("FORCE");
    char *mine = work_path(lesson),
         *solution = project_display_path("solutions/%s.cu", lesson->folder);
    char number[3];
    if (access(mine, F_OK) != 0)
        die("%s does not exist: make lesson%02d makes it", mine, lesson->number);
    if (!(force && strcmp(force, "1") == 0) && !has_passed(lesson)) {
        snprintf(number, sizeof number, "%02d", lesson->number);
        printf(
            "Lesson %s has not passed yet. make hint%s helps; make solution%s FORCE=1 shows the solution all the same.\n",
            number, number, number);
        free(mine), free(solution);
        return 1;
    }
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        signal(SIGPIPE, SIG_DFL);
        execlp("diff", "diff", t->color ? "--color=always" : "--color=never", "-u", "-w", "--label",
               mine, "--label", solution, "--", mine, solution, NULL);
        _exit(127);
    }
    int status;
    bool ended = child > 0 && waitpid(child, &status, 0) == child;
    bool left = ended && WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE;     /* by the reader */
    if (!ended || (!left && (!WIFEXITED(status) || WEXITSTATUS(status) > 1)))
        die("cannot compare with diff (of the package diffutils)");
    if (!left && WEXITSTATUS(status) == 0)
        printf("%s is the same as %s.\n", mine, solution);
    free(mine), free(solution);
    return 0;
}

/* ---- the others ---- */

static int do_watch(const struct lesson *lesson, const struct terminal *t)
{
    char *own = project_path("build/bin/grade-%02d", lesson->number),
         *all = project_path("build/bin/grade");
    char *grade = access(own, X_OK) == 0 ? own : all,
         *report = project_display_path("build/report/%02d.html", lesson->number);
    char *path = work_path(lesson);
    char number[8];
    snprintf(number, sizeof number, "%d", lesson->number);
    (void)t;
    interrupt_init();
    work_begin(lesson);
    watch(path, (const char *const[]){ grade, "--start", "--html", report, number, NULL });
    free(own), free(all), free(report), free(path);
    return 0;
}

static int do_reset(const struct lesson *lesson, const struct terminal *t)
{
    (void)t;
    work_reset(lesson);
    return 0;
}

static int do_merge(const struct lesson *lesson, const struct terminal *t)
{
    (void)t;
    return work_merge(lesson) ? 0 : 1;
}

/* ---- the table ---- */

static const struct command {
    const char *name;
    bool of_lesson;
    int (*run)(const struct lesson *lesson, const struct terminal *t);
} commands[] = {
    { "progress", false, do_progress },
    { "solution", true, do_solution },
    { "watch", true, do_watch },
    { "reset", true, do_reset },
    { "merge", true, do_merge },
};

struct options { const char *command, *lesson; };

static error_t parse_one(int key, char *value, struct argp_state *state)
{
    struct options *w = state->input;
    if (key == ARGP_KEY_ARG && state->arg_num < 2)
        *(state->arg_num == 0 ? &w->command : &w->lesson) = value;
    else if (key == ARGP_KEY_ARG || key == ARGP_KEY_NO_ARGS)
        argp_usage(state);
    else
        return ARGP_ERR_UNKNOWN;
    return 0;
}

int main(int argc, char **argv)
{
    static const struct argp argp = {
        .parser = parse_one, .args_doc = "progress\nsolution LESSON\nwatch LESSON\nreset LESSON\nmerge LESSON",
        .doc = "What make progress, solution06, watch06, reset06 and merge06 do.\v"
               "Exit status: 0 done, 1 not yet, 2 trouble with the environment or the command.",
    };
    struct options w = { .command = NULL };
    struct terminal terminal;
    descriptors_begin();
    argp_err_exit_status = 2;
    argp_parse(&argp, argc, argv, 0, NULL, &w);
    terminal_init(&terminal, stdout, COLOR_AUTO, 0, false);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        if (strcmp(w.command, commands[i].name) != 0)
            continue;
        const struct lesson *lesson =
            commands[i].of_lesson && w.lesson ? lesson_find(w.lesson) : NULL;
        if (commands[i].of_lesson && !lesson)
            die("%s wants a lesson: make list shows them", w.command);
        int status = commands[i].run(lesson, &terminal);
        if ((fflush(stdout) != 0 || ferror(stdout)) && !reader_left(stdout))
            die("cannot write: %s", strerror(errno));
        return status;
    }
    die("there is no command '%s'", w.command);
}
