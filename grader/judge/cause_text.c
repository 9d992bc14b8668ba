/* SPDX-License-Identifier: MIT */
#include "grader/judge/cause_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "grader/base/text.h"
#include "grader/run/functions.h"
#include "grader/run/loops.h"
#include "trace/record/memory.h"

#define CONDITION_SAYS "Whether the program comes there is decided in line %u."

void cause_say(struct finding *f, const char *format, ...)
{
    char more[sizeof f->why];
    va_list arguments;
    size_t used = strlen(f->why);
    va_start(arguments, format);
    vsnprintf(more, sizeof more, format, arguments);
    va_end(arguments);
    char *clean = text_harmless(more, strlen(more));
    bool stops =
        used > 0 && strchr(".?!", f->why[used - 1]); /* what a hazard says has no full stop */
    snprintf(f->why + used, sizeof f->why - used, "%s%s",
             used == 0 ? ""
             : stops   ? " "
                       : ". ",
             clean);
    memory_resize(clean, 0);
}

bool cause_no_loop(const struct verdict *v, const struct evidence *e, const struct check *c,
                   struct finding *f)
{
    (void)c;
    const struct timeline *t = e->yours[f->view].timeline;
    if (f->looped == 0 || f->looped >= t->call_count || !v->submission)
        return false;
    const struct call *call = &t->calls[f->looped];
    if (call->line == 0 || strcmp(timeline_string(t, call->file), v->submission->path) != 0
        || submission_loop_line(v->submission, call->line, NULL) != 0)
        return false;
    for (size_t i = 0; i < t->call_count; i++)
        if (i != f->looped && t->calls[i].line == call->line && t->calls[i].file == call->file
            && t->calls[i].kind == call->kind)
            return false;
    unsigned asks = submission_if_line(v->submission, call->line);
    if (asks != 0)
        cause_say(f,
                "Line %u is not in a loop and is reached only once, so the if in line %u is not tested again.",
                call->line, asks);
    else
        cause_say(f, "Line %u is not in a loop, and is reached only once.", call->line);
    return true;
}

bool cause_pieces(const struct verdict *v, struct finding *f)
{
    char function[80], name[80];
    unsigned line[2];
    if (!f->function || !f->pieces || !v->submission)
        return false;
    snprintf(function, sizeof function, "%.*s", (int)strcspn(f->function, "("), f->function);
    if (!submission_miscalled(v->submission, function, f->pieces, name, sizeof name, line))
        return false;
    char other[80];
    unsigned there = line[0] == 0 ? submission_caller(v->submission, name, other, sizeof other) : 0;
    if (there != 0)
        cause_say(f, "%s() calls no %s(): %s() does, in line %u.", function, name, other, there);
    else if (line[0] == 0)
        cause_say(f, "%s() calls no %s().", function, name);
    else
        cause_say(f, "%s() calls %s() in line %u and in line %u.", function, name, line[0],
                  line[1]);
    return true;
}

void cause_returns(const struct verdict *v, struct finding *f)
{
    enum { NAMED = 4 };
    char function[80];
    unsigned line[NAMED];
    if (!f->function || !f->returns || !v->submission)
        return;
    snprintf(function, sizeof function, "%.*s", (int)strcspn(f->function, "("), f->function);
    size_t count = submission_early_returns(v->submission, function, line, NAMED);
    char lines[NAMED * 16] = "";
    for (size_t k = 0, used = 0; k < count && count <= NAMED; k++)
        used += (size_t)snprintf(lines + used, sizeof lines - used, "%s%u",
                                 k == 0          ? ""
                                 : k + 1 < count ? ", "
                                                 : " or ",
                                 line[k]);
    if (lines[0] != '\0')
        cause_say(f, "%s() can return before its end, in line %s.", function, lines);
}

void cause_guard(const struct verdict *v, const struct evidence *e, struct finding *f)
{
    const struct timeline *t = e->yours[f->view].timeline;
    if (!f->guarded || f->call >= t->call_count || !v->submission
        || strcmp(timeline_string(t, t->calls[f->call].file), v->submission->path) != 0)
        return;
    unsigned line = submission_condition_line(v->submission, t->calls[f->call].line);
    if (line != 0)
        cause_say(f, CONDITION_SAYS, line);
}

void cause_argument(const struct verdict *v, const struct evidence *e, struct finding *f)
{
    const struct timeline *t = e->yours[f->view].timeline;
    char variable[64];
    if (f->argument == 0 || f->call >= t->call_count || !v->submission
        || strcmp(timeline_string(t, t->calls[f->call].file), v->submission->path) != 0)
        return;
    const struct call *c = &t->calls[f->call];
    unsigned line = submission_set_line(v->submission, c->line, timeline_string(t, c->name),
                                        f->argument, variable, sizeof variable);
    if (line != 0)
        cause_say(f, "Line %u sets `%s`.", line, variable);
}
