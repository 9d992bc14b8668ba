/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grader/base/text.h"
#include "grader/learner/exercises.h"
#include "grader/report/report.h"
#include "trace/draw/draw.h"

#define OUTPUT_LINES 12
#define WORD_COLUMNS 15         /* "  NOT ATTEMPTED" */

static const struct { const char *word; enum tone tone; } outcomes[OUTCOMES] = {
    [PASSED] = { "PASS", GOOD }, [FAILED] = { "FAIL", BAD }, [WITHHELD] = { "WITHHELD", HELD },
    [NOT_ATTEMPTED] = { "NOT ATTEMPTED", FAINT },
};

static void print_head(const struct terminal *t, const struct verdict *v)
{
    char line[256];
    snprintf(line, sizeof line, "Lesson %02d: %s", v->lesson->number, v->lesson->title);
    terminal_print(t, BOLD, line);
    char cards[128];
    report_cards(v, cards, sizeof cards);
    snprintf(line, sizeof line, "%s on %s, seed %" PRIu64, v->submission->path, cards, v->seed);
    fputc('\n', t->out);
    terminal_wrap(t, 0, "", PLAIN, line);
    if (v->machine[0] != '\0')
        terminal_wrap(t, 0, "", PLAIN, v->machine);
}

/* "  PASS           2/2  every element is right" */
static void print_line(const struct terminal *t, enum outcome outcome, int points, int points_max,
                       const char *name)
{
    char score[32];
    snprintf(score, sizeof score, "%d/%d", points, points_max);
    fputs("  ", t->out);
    terminal_print(t, outcomes[outcome].tone, outcomes[outcome].word);
    fprintf(t->out, "%*s%5s  ", WORD_COLUMNS - 2 - (int)strlen(outcomes[outcome].word), "", score);
    terminal_wrap(t, WORD_COLUMNS + 7, NULL, PLAIN, name);
}

const char *report_other_part(const struct result *r)
{
    return r->waits_for && strcmp(r->waits_for->part, r->check->part) != 0 ? r->waits_for->part
                                                                           : NULL;
}

void report_too_soon(const struct verdict *v, const struct result *r, char *out, size_t size)
{
    bool elsewhere = r->cut_in != 0;
    snprintf(out, size, "the program ended too soon%s%s", elsewhere ? " on " : "",
             elsewhere ? result_cut_on(v, r) : "");
}

const struct termination *report_termination(const struct verdict *v)
{
    for (size_t i = 0; i < v->lesson->check_count && v->termination.how == ENDED_WHOLE; i++)
        if (v->results[i].outcome == WITHHELD && v->results[i].cut_in != 0)
            return result_cut(v, &v->results[i]);
    return &v->termination;
}

/* Of a check that is withheld. */
static bool ended_too_soon(const struct verdict *v, const struct result *r)
{
    return !r->waits_for && (r->cut_in != 0 || v->termination.how != ENDED_WHOLE);
}

static void print_check(const struct terminal *t, const struct verdict *v, const struct result *r)
{
    char name[600], soon[200];
    const char *other = report_other_part(r);
    report_too_soon(v, r, soon, sizeof soon);
    if (r->outcome == WITHHELD && r->waits_for)
        snprintf(name, sizeof name, "%s (not judged: waits for \"%s\"%s%s)", r->check->name,
                 r->waits_for->name, other ? " of part " : "", other ? other : "");
    else if (r->outcome == WITHHELD && ended_too_soon(v, r))
        snprintf(name, sizeof name, "%s (not judged: %s)", r->check->name, soon);
    else
        snprintf(name, sizeof name, "%s", r->check->name);
    print_line(t, r->outcome, r->outcome == PASSED ? r->check->points : 0, r->check->points, name);
}

const struct result *report_first_with(const struct verdict *v, enum outcome outcome)
{
    for (size_t i = 0; i < v->lesson->check_count; i++)
        if (v->results[i].outcome == outcome)
            return &v->results[i];
    return NULL;
}

static void print_row(const struct terminal *t, const char *label, const char *text)
{
    char head[64];
    if (!text || text[0] == '\0')
        return;
    snprintf(head, sizeof head, "      %-10s", label);
    terminal_wrap(t, 16, head, PLAIN, text);
}

/* A line of the learner's file, cut to the width. */
static void print_source(const struct terminal *t, const char *indent, const char *source)
{
    char line[300];
    size_t room = (size_t)t->width - strlen(indent), used = 0, columns = 0;
    bool cut = text_columns(source) > room;
    for (; source[used] != '\0' && columns + (cut ? 4 : 0) < room; columns++)
        used += utf8_at(source + used, strlen(source + used), NULL);
    snprintf(line, sizeof line, "%.*s%s", (int)used, source, cut ? " ..." : "");
    fputs(indent, t->out);
    terminal_print(t, FAINT, line);
    fputc('\n', t->out);
}

static void print_location(const struct terminal *t, const struct location *p)
{
    char text[512];
    report_location(p, text, sizeof text);
    if (p->line == 0)
        return;
    print_row(t, "where", text);
    if (p->source[0] != '\0')
        print_source(t, "                ", p->source);
}

static void print_finding(const struct terminal *t, const struct verdict *v, const struct result *r)
{
    const struct finding *f = &r->finding;
    struct location p;
    char text[300];
    print_row(t, "expected", f->expected);
    print_row(t, "seen", f->seen);
    report_where(v, r, text, sizeof text);
    print_row(t, "on card", text);
    if (finding_location(v, f, &p))
        print_location(t, &p);
    print_row(t, "why", f->why);
    if (result_read(r)) {
        snprintf(text, sizeof text, "\"%s\" in lessons/%s/chapter.md", result_read(r),
                 check_chapter(r->check, v->lesson->folder));
        print_row(t, "read", text);
    }
}

/* The outcome that all checks of a part share, and its points; OUTCOMES when they differ. */
static enum outcome common_outcome(const struct verdict *v, const struct part *part, int *checks,
                                   int *points)
{
    enum outcome common = OUTCOMES;
    *checks = *points = 0;
    for (size_t i = 0; i < v->lesson->check_count; i++) {
        const struct result *r = &v->results[i];
        if (strcmp(r->check->part, part->id) != 0)
            continue;
        common = *checks == 0 || common == r->outcome ? r->outcome : OUTCOMES;
        ++*checks;
        *points += r->check->points;
    }
    return common;
}

/* Those of r's part that are withheld for the same check as r, itself among them: how many, and
 * their points. False: another one of them stands above r. */
static bool withheld_with(const struct verdict *v, const struct result *r, int *checks, int *points)
{
    bool first = true;
    *checks = *points = 0;
    for (const struct result *other = v->results; other < v->results + v->lesson->check_count;
         other++) {
        if (other->outcome != WITHHELD || other->waits_for != r->waits_for
            || other->cut_in != r->cut_in || strcmp(other->check->part, r->check->part) != 0)
            continue;
        first &= other >= r;
        ++*checks;
        *points += other->check->points;
    }
    return first;
}

/* One line for all that wait for the same check, or that the program ended too soon for. */
static void print_withheld(const struct terminal *t, const struct verdict *v,
                           const struct result *r)
{
    char text[400], soon[200];
    int checks, points;
    if (!withheld_with(v, r, &checks, &points))
        return;
    if (checks == 1) {
        print_check(t, v, r);
        return;
    }
    if (r->waits_for)
        snprintf(text, sizeof text, "%d checks (not judged: they wait for \"%s\")", checks,
                 r->waits_for->name);
    else {
        report_too_soon(v, r, soon, sizeof soon);
        snprintf(text, sizeof text, "%d checks (not judged: %s)", checks, soon);
    }
    print_line(t, WITHHELD, 0, points, text);
}

static void print_part(const struct terminal *t, const struct verdict *v, const struct part *part)
{
    char head[200];
    snprintf(head, sizeof head, "Part %s: %s", part->id, part->title);
    fputc('\n', t->out);
    terminal_print(t, BOLD, head);
    fputc('\n', t->out);
    for (size_t i = 0; i < v->lesson->check_count; i++) {
        const struct result *r = &v->results[i];
        if (strcmp(r->check->part, part->id) != 0)
            continue;
        if (r->outcome == WITHHELD && (r->waits_for || ended_too_soon(v, r)))
            print_withheld(t, v, r);
        else
            print_check(t, v, r);
        if (r->outcome == FAILED)
            print_finding(t, v, r);
    }
}

/* A part of which there is only one thing to say. */
static void print_part_line(const struct terminal *t, const struct verdict *v,
                            const struct part *part, enum outcome common, int checks, int points)
{
    char text[300];
    const char *reason = common != WITHHELD ? ""
                         : strcmp(v->termination.part, part->id) == 0
                             ? ", not judged: the program ended in this part"
                             : ", not judged: the program ended before this part";
    snprintf(text, sizeof text, "Part %s: %s (%d checks%s)", part->id, part->title, checks, reason);
    print_line(t, common, common == PASSED ? points : 0, points, text);
}

/* A part that is done, or still to come, or that was never reached, takes one line; the checks of
 * the others, and of the next to be done, are listed. */
static void print_parts(const struct terminal *t, const struct verdict *v)
{
    const struct result *failed = report_first_with(v, FAILED);
    bool next_listed = failed || v->termination.how != ENDED_WHOLE, after_list = true;
    for (size_t k = 0; k < v->lesson->part_count; k++) {
        const struct part *part = &v->lesson->parts[k];
        int checks, points;
        enum outcome common = common_outcome(v, part, &checks, &points);
        bool in_one_line = common == PASSED || (common == NOT_ATTEMPTED && next_listed)
                           || (common == WITHHELD && !part_ran(&v->yours[0], part->id));
        next_listed |= common == NOT_ATTEMPTED;
        if (in_one_line) {
            fputs(after_list ? "\n" : "", t->out);
            print_part_line(t, v, part, common, checks, points);
        } else {
            print_part(t, v, part);
        }
        after_list = !in_one_line;
    }
}

static void print_termination(const struct terminal *t, const struct verdict *v,
                              const struct termination *e)
{
    if (e->how == ENDED_WHOLE)
        return;
    char source[256];
    source_line(v->submission, e->file, e->line, source, sizeof source);
    fputc('\n', t->out);
    terminal_wrap(t, 0, "", BAD, e->message);
    if (source[0] != '\0') {
        char indent[32];
        snprintf(indent, sizeof indent, "%5u | ", e->line);
        print_source(t, indent, source);
    }
    if (e->hint[0] != '\0')
        terminal_wrap(t, 0, "", PLAIN, e->hint);
}

static void print_some_lines(const struct terminal *t, const char *text, size_t most, bool cut)
{
    const char *rest = text, *line, *end = text + strlen(text);
    size_t length, count = 0, more = 0;
    while ((line = text_next_line(&rest, end, &length)))
        if (count++ < most)
            fprintf(t->out, "  %.*s%s\n", length > 400 ? 400 : (int)length, line,
                    length > 400 ? " [...]" : "");
        else
            more++;
    if (more != 0 || cut)
        fprintf(t->out, "  [%zu lines more%s]\n", more,
                cut ? ", and what came after was dropped" : "");
}

/* The part to look at: the first that fails, where the program ended, the first not attempted, the
 * last. */
static const char *part_to_show(const struct verdict *v, size_t *view)
{
    const struct result *failed = report_first_with(v, FAILED),
                        *open = report_first_with(v, NOT_ATTEMPTED);
    *view = failed && failed->finding.view < v->views ? failed->finding.view : 0;
    if (failed)
        return failed->check->part;
    if (v->termination.how != ENDED_WHOLE && v->termination.part[0] != '\0')
        return v->termination.part;
    return open ? open->check->part : v->lesson->parts[v->lesson->part_count - 1].id;
}

/* draw_text keeps to a screen's height by itself. */
static void print_drawing(const struct terminal *t, const struct timeline *line, const char *title,
                          size_t first_call, size_t end_call)
{
    struct drawing d = { .title = title, .first_call = first_call, .end_call = end_call,
                         .streams = true, .engines = true, .width = t->width, .ascii = t->ascii,
                         .color = t->color };
    fputc('\n', t->out);
    draw_text(t->out, line, &d);
}

static void print_picture(const struct terminal *t, const struct verdict *v)
{
    size_t view, first, end;
    const char *part = part_to_show(v, &view);
    const struct timeline *line = v->yours[view].timeline;
    char title[200], words[64];
    snprintf(title, sizeof title, "What the device did in part %s (%s)",
             part_words(words, sizeof words, part),
             v->yours[view].card->title);
    if (measure_part(line, part, &first, &end))
        print_drawing(t, line, title, first, end);
}

void report_next(const struct terminal *t, const struct verdict *v)
{
    char text[900];
    const struct result *failed = report_first_with(v, FAILED),
                        *open = report_first_with(v, NOT_ATTEMPTED);
    char folder[256], title[256];
    const char *file = v->submission->path;
    int number = v->lesson->number, next = exercise_after(number, folder, sizeof folder);
    struct location p;
    if (v->status == DID_NOT_BUILD)
        snprintf(text, sizeof text,
                 "fix the first error that the compiler finds in %s, then: make lesson%02d", file,
                 number);
    else if (v->termination.how != ENDED_WHOLE && v->termination.line != 0)
        snprintf(text, sizeof text, "look at %s:%u, then: make lesson%02d", v->termination.file,
                 v->termination.line, number);
    else if (v->termination.how != ENDED_WHOLE)
        snprintf(text, sizeof text, "find out where %s ends, then: make lesson%02d", file, number);
    else if (failed && finding_location(v, &failed->finding, &p))
        snprintf(text, sizeof text,
                 "fix part %s (\"%s\") at %s:%u, then: make lesson%02d (stuck? make hint%02d)",
                 failed->check->part, failed->check->name, p.file, p.line, number, number);
    else if (failed)
        snprintf(text, sizeof text,
                 "fix part %s (\"%s\") in %s, then: make lesson%02d (stuck? make hint%02d)",
                 failed->check->part, failed->check->name, file, number, number);
    else if (open)
        snprintf(text, sizeof text,
                 "part %s (%s): do what the TODO at %s:%u says, then: make lesson%02d",
                 open->check->part,
                 v->lesson->parts[part_index(v->lesson, open->check->part)].title, file,
                 report_part_line(v, open->check->part), number);
    else if (next) {
        exercise_title(folder, title, sizeof title);
        snprintf(text, sizeof text, "make lesson%02d (%s); how we did this one: make solution%02d",
                 next, title, number);
    }
    else
        snprintf(text, sizeof text,
                 "that was the last lesson (make progress shows all of them); how we did it: make solution%02d",
                 number);
    terminal_wrap(t, 6, "Next: ", PLAIN, text);
}

static void print_score(const struct terminal *t, const struct verdict *v)
{
    static const enum tone tones[STATUSES] = {
        [REFUSED] = BAD, [DID_NOT_BUILD] = BAD, [TIMED_OUT] = BAD, [CRASHED] = BAD,
        [UNTOUCHED] = HELD, [WANTING] = BAD,
        [ALL_PASSED] = GOOD,
    };
    char head[32], text[200];
    snprintf(head, sizeof head, "%s: ", status_name(v->status));
    snprintf(text, sizeof text, "%d of %d points (grader %s; the same again: SEED=%" PRIu64 ")",
             v->points, v->points_max, WORKBOOK_VERSION, v->seed);
    fputc('\n', t->out);
    terminal_print(t, tones[v->status], head);
    terminal_wrap(t, (int)strlen(head), NULL, PLAIN, text);
}

/* What the class's leaderboard counts, too (report.h, makespan_ns). */
static void print_pace(const struct terminal *t, const struct verdict *v)
{
    const char *part = v->lesson->parts[0].id;
    int64_t mine = v->views != 0 && v->reference ? part_makespan(&v->yours[0], part) : 0;
    if (!v->lesson->paced || mine == 0)
        return;
    int64_t share = part_makespan(&v->reference[0], part) * 1000 / mine;
    fprintf(t->out, "Pace: %" PRId64 ".%03" PRId64 " of the reference solution's\n", share / 1000,
            share % 1000);
}

static void print_compiler(const struct terminal *t, const struct verdict *v)
{
    if (v->compiler[0] != '\0')
        fprintf(t->out, "\n%s", v->compiler);
    if (v->compiler_timed_out)
        fputs("\nThe compiler was stopped: it still ran after a minute.\n", t->out);
}

void report_text(const struct terminal *t, const struct verdict *v)
{
    print_head(t, v);
    print_compiler(t, v);
    if (v->views != 0) {
        print_termination(t, v, report_termination(v));
        print_parts(t, v);
        if (v->output[0] != '\0') {
            fputs("\nThe program printed:\n", t->out);
            print_some_lines(t, v->output, OUTPUT_LINES, v->output_cut);
        }
        print_picture(t, v);
    }
    print_score(t, v);
    print_pace(t, v);
}

void report_run(const struct terminal *t, const struct verdict *v)
{
    print_head(t, v);
    print_compiler(t, v);
    if (v->views == 0)
        return;
    if (v->output[0] != '\0')
        fprintf(t->out, "\n%s%s%s", v->output, v->output[strlen(v->output) - 1] == '\n' ? "" : "\n",
                v->output_cut ? "[what came after was dropped]\n" : "");
    print_termination(t, v, &v->termination);
    print_drawing(t, v->yours[0].timeline, NULL, 0, 0);
}
