/* SPDX-License-Identifier: MIT */
/* Where a finding points to: a line of the learner's own file. */
#include <stdio.h>
#include <string.h>

#include "grader/base/text.h"
#include "grader/report/report.h"
#include "grader/run/functions.h"
#include "grader/run/loops.h"

static void copy_harmless(char *to, size_t size, const struct timeline *t, uint32_t number)
{
    const char *s = timeline_string(t, number);
    text_harmless_to(to, size, s, strlen(s));
}

void source_line(const struct submission *s, const char *file, unsigned line, char *text,
                 size_t size)
{
    text[0] = '\0';
    size_t length;
    const char *found = line != 0 && strcmp(file, s->path) == 0
                            ? text_line(s->text, s->bytes, line, &length)
                            : NULL;
    if (!found)
        return;
    while (length > 0 && (*found == ' ' || *found == '\t'))
        found++, length--;
    text_harmless_to(text, size, found, length);
}

/* The loop that makes this call of the learner's; 0: it stands in none. */
static unsigned loop_line(const struct verdict *v, const struct finding *f)
{
    const struct timeline *t = f->view < v->views ? v->yours[f->view].timeline : NULL;
    bool own = t && f->looped > 0 && f->looped < t->call_count
               && strcmp(timeline_string(t, t->calls[f->looped].file), v->submission->path) == 0;
    return own ? submission_loop_line(v->submission, t->calls[f->looped].line, NULL) : 0;
}

static bool function_location(const struct verdict *v, const struct finding *f, struct location *p)
{
    const struct submission *s = v->submission;
    char name[sizeof p->call];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(f->function, "("), f->function);
    unsigned line = loop_line(v, f), back;
    if (line == 0 && f->returns && submission_early_returns(s, name, &back, 1) == 1)
        line = back;
    line = line != 0 ? line : submission_function_line(s, name, f->word);
    if (line == 0)
        return false;
    snprintf(p->file, sizeof p->file, "%s", s->path);
    snprintf(p->call, sizeof p->call, "%s", name);
    p->line = line;
    p->called_from = submission_call_line(s, name, line);
    source_line(s, p->file, line, p->source, sizeof p->source);
    return true;
}

bool finding_location(const struct verdict *v, const struct finding *f, struct location *p)
{
    char function[sizeof p->call];
    const char *name = f->function ? f->function : "";
    snprintf(function, sizeof function, "%.*s", (int)strcspn(name, "("), name);
    p->called_from = 0;
    if (f->function && (f->call == ANY || loop_line(v, f) != 0) && function_location(v, f, p))
        return true;
    if (f->call == ANY || f->view >= v->views || f->call >= v->yours[f->view].timeline->call_count)
        return false;
    const struct timeline *t = v->yours[f->view].timeline;
    const struct call *c = &t->calls[f->call];
    if (f->instead != 0 && f->called_from == 0 && f->instead < t->call_count
        && c->kind == CALL_LABEL)
        c = &t->calls[f->instead];
    if (c->line == 0)
        return false;
    copy_harmless(p->file, sizeof p->file, t, c->file);
    copy_harmless(p->call, sizeof p->call, t,
                  c->kind == CALL_LABEL || c->kind == CALL_HAZARD ? 0 : c->name);
    p->line = c->line;
    p->called_from = f->called_from;
    if (p->called_from != 0
        && strcmp(p->file, v->submission->path)
               != 0) {     /* the driver's own: the learner calls it there */
        snprintf(p->file, sizeof p->file, "%s", v->submission->path);
        p->line = p->called_from;
        p->called_from = f->function ? submission_call_line(v->submission, function, p->line) : 0;
    }
    source_line(v->submission, p->file, p->line, p->source, sizeof p->source);
    return true;
}

void report_location(const struct location *p, char *text, size_t size)
{
    char from[40] = "";
    if (p->called_from != 0 && p->called_from != p->line)
        snprintf(from, sizeof from, ", called from line %u", p->called_from);
    snprintf(text, size, "%s:%u%s%s%s%s", p->file, p->line, p->call[0] != '\0' ? " (" : "", p->call,
             p->call[0] != '\0' ? ")" : "", from);
}

const char *termination_name(enum termination_how how)
{
    static const char *const names[] = {
        [ENDED_WHOLE] = "whole", [ENDED_EARLY] = "early", [ENDED_BY_CHECK] = "check",
        [ENDED_TIMED_OUT] = "timed out", [ENDED_DEADLOCKED] = "deadlocked",
        [ENDED_FLOODED] = "flooded", [ENDED_CRASHED] = "crashed",
        [ENDED_DAMAGED] = "damaged",
    };
    return names[how];
}

unsigned report_part_line(const struct verdict *v, const char *part)
{
    return submission_mark_line(v->submission, v->lesson->parts[part_index(v->lesson, part)].marks);
}

/* The simulator's title says nothing of that: it is not real. */
void report_where(const struct verdict *v, const struct result *r, char *text, size_t size)
{
    size_t view = r->finding.view < v->views ? r->finding.view : 0;
    bool real = view >= v->views - v->real_views;
    const char *title = v->views != 0 ? v->yours[view].card->title : "";
    text[0] = '\0';
    if (v->real_views == 0 && view != 0)
        snprintf(text, size, "%s", title);
    else if (v->real_views != 0 && real)
        snprintf(text, size, "%s", title);
    else if (v->real_views != 0)
        snprintf(text, size, "the simulated %s%s", title,
                 r->seen & SEEN_REAL ? ", and the real one, too" : "");
}

void report_cards(const struct verdict *v, char *text, size_t size)
{
    const char *real = v->real_views != 0 ? v->yours[v->views - 1].card->title : "";
    if (v->views != 0 && v->views == v->real_views)
        snprintf(text, size, "%s", real);
    else
        snprintf(text, size, "%s (simulator)%s%s", v->card->title, real[0] != '\0' ? " and " : "",
                 real);
}
