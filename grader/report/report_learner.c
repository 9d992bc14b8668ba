/* SPDX-License-Identifier: MIT */
/* What only a learner is told: what changed since the last time, and hints. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grader/base/environment.h"
#include "grader/base/text.h"
#include "grader/judge/chapter.h"
#include "grader/report/report.h"

/* ---- since the last time ---- */

static const struct progress_check *find_before(const struct progress_lesson *before,
                                                const char *id)
{
    for (size_t i = 0; i < before->check_count; i++)
        if (before->checks[i].known && strcmp(before->checks[i].id, id) == 0)
            return &before->checks[i];
    return NULL;
}

/* Names the checks that pass now and did not then, or the other way round. */
static void name_changed(FILE *out, const struct progress_lesson *before, const struct verdict *v,
                         bool now_passed)
{
    size_t count = 0;
    for (size_t i = 0; i < v->lesson->check_count; i++) {
        const struct result *r = &v->results[i];
        const struct progress_check *b = find_before(before, r->check->id);
        if (!b || (b->outcome == PASSED) == (r->outcome == PASSED)
            || (r->outcome == PASSED) != now_passed)
            continue;
        if (count++ < 3)
            fprintf(out, "%s \"%s\" (part %s)",
                    count == 1 ? now_passed ? " Passes now:" : " No longer passes:" : ",",
                    r->check->name, r->check->part);
    }
    if (count > 3)
        fprintf(out, " and %zu more", count - 3);
    if (count != 0)
        fputc('.', out);
}

void report_change(const struct terminal *t, const struct progress_lesson *before,
                   const struct verdict *v)
{
    char *text;
    size_t size;
    if (!before->last.known)
        return;
    FILE *out = open_text(&text, &size);
    bool built = v->status != DID_NOT_BUILD, built_before = before->last.status != DID_NOT_BUILD;
    int more = v->points - before->last.points;
    if (built != built_before)
        fputs(built ? "it builds again." : "it no longer builds.", out);
    else if (more != 0)
        fprintf(out, "%d %s %s.", abs(more), abs(more) == 1 ? "point" : "points",
                more > 0 ? "more" : "less");
    if (built) {
        name_changed(out, before, v, true);
        name_changed(out, before, v, false);
    }
    fflush(out);
    if (size == 0 && before->last.status != v->status)
        fprintf(out, "%s then, %s now.", status_name(before->last.status), status_name(v->status));
    else if (size == 0)
        fputs(built ? "nothing has changed." : "it still does not build.", out);
    fclose(out);
    terminal_wrap(t, 6, "Since last time: ", PLAIN, text);
    free(text);
}

/* ---- hints ---- */

const struct check *report_hint_for(const struct verdict *v)
{
    const struct result *failed = report_first_with(v, FAILED);
    return failed && v->termination.how == ENDED_WHOLE ? failed->check : NULL;
}

/* The next cell of a row, from `at`; NULL after the last. */
static const char *next_cell(const char *at, const char *end, char *cell, size_t size)
{
    size_t used = 0;
    while (at < end && (*at == '|' || *at == ' '))
        at++;
    if (at >= end || *at == '\n')
        return NULL;
    for (; at < end && *at != '|' && *at != '\n'; at++) {
        if (*at == '\\' && at + 1 < end && at[1] == '|')
            at++;
        if (used + 1 < size)
            cell[used++] = *at;
    }
    while (used > 0 && cell[used - 1] == ' ')
        used--;
    cell[used] = '\0';
    return at;
}

/* A row, cell by cell, each under the name of its column. */
static void print_row_of_table(const struct terminal *t, const struct passage *p)
{
    const char *name_at = p->columns, *cell_at = p->text;
    char name[80], cell[800], line[900];
    while (name_at && cell_at) {
        name_at = next_cell(name_at, p->columns + p->columns_length, name, sizeof name);
        cell_at = next_cell(cell_at, p->text + p->length, cell, sizeof cell);
        if (!name_at || !cell_at)
            return;
        snprintf(line, sizeof line, "%s: %s", name, cell);
        char *text = text_of_markdown(line, strlen(line));
        terminal_wrap(t, 10, "", FAINT, text ? text : line);
        free(text);
    }
}

static void print_paragraph(const struct terminal *t, const struct verdict *v,
                            const struct check *c, const char *chapter)
{
    struct passage p;
    char location[400];
    if (!chapter || chapter_find(chapter, c->read, c->hints.paragraph, &p) == 0) {
        snprintf(location, sizeof location, "Read \"%s\" in lessons/%s/chapter.md.", c->read,
                 check_chapter(c, v->lesson->folder));
        terminal_wrap(t, 8, "  2 of 3", PLAIN, location);
        return;
    }
    snprintf(location, sizeof location,
             "lessons/%s/chapter.md:%u, under \"%s\":", check_chapter(c, v->lesson->folder), p.line,
             c->read);
    terminal_wrap(t, 10, "  2 of 3  ", PLAIN, location);
    if (p.columns) {
        print_row_of_table(t, &p);
        return;
    }
    char *text = text_of_markdown(p.text, p.length);
    if (text)
        terminal_wrap(t, 10, "", FAINT, text);
    free(text);
}

void report_hint(const struct terminal *t, const struct verdict *v, unsigned count,
                 const char *chapter)
{
    const struct check *c = report_hint_for(v);
    const struct result *open = report_first_with(v, NOT_ATTEMPTED);
    char text[3000];
    if (v->status == DID_NOT_BUILD)
        snprintf(text, sizeof text,
                 "%s does not compile yet: make lesson%02d shows the messages. Fix the first one first.",
                 v->submission->path, v->lesson->number);
    else if (v->termination.how != ENDED_WHOLE)
        snprintf(text, sizeof text, "%s %s", v->termination.message, v->termination.hint);
    else if (c)
        snprintf(text, sizeof text, "Part %s, \"%s\":", c->part, c->name);
    else if (open)
        snprintf(text, sizeof text,
                 "Part %s is as in the starter: its TODO at %s:%u says what is wanted. Hints come when a "
                 "check fails.",
                 open->check->part, v->submission->path, report_part_line(v, open->check->part));
    else
        snprintf(text, sizeof text, "All checks pass: there is nothing to hint at.");
    terminal_wrap(t, 0, "", c ? BOLD : PLAIN, text);
    if (!c)
        return;
    terminal_wrap(t, 10, "  1 of 3  ", PLAIN, c->hints.ask);
    if (count >= 2)
        print_paragraph(t, v, c, chapter);
    if (count >= 3)
        terminal_wrap(t, 10, "  3 of 3  ", PLAIN, c->hints.call);
    if (count < 3)
        snprintf(text, sizeof text,
                 "make lesson%02d when you have tried; make hint%02d again for the next hint",
                 v->lesson->number, v->lesson->number);
    else
        snprintf(text, sizeof text,
                 "make lesson%02d when you have tried; that was the last hint for this check",
                 v->lesson->number);
    terminal_wrap(t, 6, "Next: ", PLAIN, text);
}
