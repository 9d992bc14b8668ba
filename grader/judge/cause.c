/* SPDX-License-Identifier: MIT */
/*
 * DESIGN
 * A lesson's judge knows the mistakes that are likely in that lesson. The causes here can lie
 * behind a failure in any lesson. They are looked for in order, the surest first, and the first one
 * found is added, with its line, to what the judge has said. Each states a fact about the program.
 */
#include "grader/judge/cause.h"

#include <stdio.h>
#include <string.h>

#include "grader/base/text.h"
#include "grader/judge/cause_calls.h"
#include "grader/judge/cause_text.h"
#include "grader/judge/difference.h"
#include "grader/judge/shared/joins.h"
#include "grader/judge/termination/spurious.h"
#include "grader/judge/termination/turn.h"
#include "grader/run/functions.h"
#include "grader/run/loops.h"

/* Is the call made by a host function that calls [first, end) have queued? */
static bool is_in_function_of(const struct timeline *t, size_t call, size_t first, size_t end)
{
    for (size_t i = call; i-- > first;) {
        const struct call *c = &t->calls[i];
        bool ends = c->kind == CALL_FUNCTION_END || c->kind == CALL_FUNCTION_BEGIN;
        if (ends && c->thread == t->calls[call].thread)
            return c->kind == CALL_FUNCTION_BEGIN && c->node < t->span_count
                   && t->spans[c->node].call >= first && t->spans[c->node].call < end;
    }
    return false;
}

/* The first launch of the part that was refused, or call of a host function that was queued in it
 * and may run later; ANY for none. */
static uint32_t refused_launch(const struct timeline *t, const char *part)
{
    size_t first = 0, end = 0;
    if (part && measure_part(t, part, &first, &end))
        for (size_t i = first; i < t->call_count; i++)
            if (t->calls[i].status != 0 && t->calls[i].message != 0
                && ((i < end && t->calls[i].kind == CALL_LAUNCH)
                    || is_in_function_of(t, i, first, end)))
                return (uint32_t)i;
    return ANY;
}

/* The call that is blamed may have been refused; where no call is blamed and an output is wrong or
 * an operation is missing, a launch that was refused is: it returns no error, and no kernel runs.
 */
static bool say_refusal(const struct evidence *e, const struct check *c, struct finding *f)
{
    const struct timeline *t = e->yours[f->view].timeline;
    if (f->call == ANY && c->kind != OVERLAP && !f->sure)
        f->call = refused_launch(t, c->part);
    if (f->call == ANY || f->call >= t->call_count)
        return false;
    const struct call *call = &t->calls[f->call];
    if (call->status == 0 || call->message == 0)
        return false;
    const char *reason = timeline_string(t, call->message);
    cause_say(f, "%s%s in line %u was refused: %s%s",
              call->kind == CALL_LAUNCH ? "The launch of " : "", timeline_string(t, call->name),
              call->line, reason, text_stop(reason));
    return true;
}

/* A graph keeps its old nodes: the call that should change it was refused, and the program did not
 * check. */
static bool say_no_update(const struct verdict *v, const struct evidence *e, const struct check *c,
                          struct finding *f)
{
    (void)v;
    const struct timeline *t = e->yours[f->view].timeline;
    struct selection s = in_part(&e->yours[f->view], c->part, 0);
    for (size_t i = s.first_call; i < s.end_call && c->kind == OUTPUT; i++) {
        const struct call *call = &t->calls[i];
        if (call->status == 0 || call->message == 0 || !(call->flags & CALL_UNREAD)
            || strncmp(timeline_string(t, call->name), "cudaGraphExec", 13) != 0
            || is_in_driver(t, call))
            continue;
        f->call = (uint32_t)i;
        f->why[0] = '\0';
        return say_refusal(e, c, f);
    }
    return false;
}

/* The stream that captures while call `launch` is made, by the same thread; ANY: none does. */
static uint32_t stream_that_captures(const struct timeline *t, size_t launch)
{
    for (size_t i = launch; i-- > 0;) {
        const char *name = timeline_string(t, t->calls[i].name);
        if (t->calls[i].thread != t->calls[launch].thread || t->calls[i].status != 0)
            continue;
        if (strcmp(name, "cudaStreamEndCapture") == 0)
            return ANY;
        if (strcmp(name, "cudaStreamBeginCapture") == 0)
            return t->calls[i].stream;
    }
    return ANY;
}

/* A kernel is missing in a graph: it was launched while another stream captured, and ran at once.
 */
static bool say_not_joined(const struct verdict *v, const struct evidence *e, const struct check *c,
                           struct finding *f)
{
    (void)v;
    const struct timeline *t = e->yours[f->view].timeline;
    struct selection s = cause_part(&e->yours[f->view], c->part);
    for (size_t i = s.first_call; i < s.end_call && c->kind == OUTPUT; i++) {
        const struct call *call = &t->calls[i];
        uint32_t stream = call->kind == CALL_LAUNCH && call->status == 0
                                  && !(call->flags & (CALL_CAPTURED | GRAPH_NODE))
                                  && !is_in_driver(t, call)
                              ? stream_that_captures(t, i)
                              : ANY;
        if (stream == ANY || stream == call->stream)
            continue;
        f->call = (uint32_t)i;
        f->why[0] = '\0';
        cause_say(
            f,
            "%s() is launched while another stream captures, in a stream that takes no part in that: it runs at once and is not in the "
            "graph. A stream joins a capture when it waits (cudaStreamWaitEvent) for an event that was recorded in the capturing stream "
            "since cudaStreamBeginCapture().",
            timeline_string(t, call->name));
        return true;
    }
    return false;
}

/* Wrong values come of accesses that nothing orders. A judge of an output that blames a launch
 * knows no more than which kernel it is. */
static bool say_hazard(const struct verdict *v, const struct evidence *e, const struct check *c,
                       struct finding *f)
{
    struct finding hazard = { .call = ANY };
    if (c->kind != OUTPUT || on_real_card(&e->yours[0]) || judge_hazards(e, &hazard, c->part))
        return false;
    const struct timeline *t = e->yours[f->view].timeline;
    /* Where the driver's own line is all that is known, what the judge blames says more. */
    bool placed = hazard.call < t->call_count
                  && (!is_in_driver(t, &t->calls[hazard.call])
                      || (v->line_of && t->calls[hazard.call].caller != 0
                          && v->line_of(v, t->calls[hazard.call].caller) != 0));
    if (placed && hazard.view == f->view
        && (f->call >= t->call_count || t->calls[f->call].kind == CALL_LAUNCH))
        f->call = hazard.call;
    cause_say(f, "In this part there is also a hazard: %s.", hazard.seen);
    return true;
}

static bool made_a_call(const void *log, unsigned line)
{
    const struct verdict *v = log;
    const struct timeline *t = v->yours[0].timeline;
    for (size_t i = 0; i < t->call_count; i++)
        if (t->calls[i].line == line
            && strcmp(timeline_string(t, t->calls[i].file), v->submission->path) == 0)
            return true;
    return false;
}

/* What each function of a stream was to find at its address, the next turn of the loop overwrites.
 */
static bool say_turn_variable(const struct verdict *v, const struct evidence *e,
                              const struct check *c, struct finding *f)
{
    char name[80];
    if (!v->submission || c->kind == HYGIENE || c->kind == OVERLAP)
        return false;
    struct selection s = in_part(&e->yours[0], c->part, 0);
    const struct turn_calls part = {
        e->yours[0].timeline, s.first_call, s.end_call, v->submission->path
    };
    const struct reached reached = { turn_is_queued, &part };
    unsigned line =
        submission_turn_variable(v->submission, TURN_CALLS, &reached, name, sizeof name);
    if (line != 0)
        cause_say(f, TURN_SAYS, line, name);
    return line != 0;
}

/* Something is missing: a call in the function that has to do it, or in one that nothing calls, was
 * not reached. */
static bool say_unreached(const struct verdict *v, const struct evidence *e, const struct check *c,
                          struct finding *f)
{
    (void)e;
    char name[80], called[80];
    if (!f->function || !v->submission)
        return false;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(f->function, "("), f->function);
    const struct reached reached = { made_a_call, v };
    unsigned line = submission_unreached(v->submission, name, &reached, called, sizeof called);
    /* What has to be done for order's sake: a call that the judge looks for, and no other. */
    if (c->kind == HYGIENE && (line == 0 || !f->word || !strstr(f->word, called)))
        return false;
    unsigned under = line != 0 ? submission_condition_line(v->submission, line) : 0;
    if (line != 0)
        cause_say(f, "The program never comes to line %u (%s).", line, called);
    if (under != 0)
        cause_say(f, "It stands under the condition of line %u.", under);
    /* Of a program that has ended early it is not known what it would still have called. */
    bool whole = v->termination.how == ENDED_WHOLE;
    unsigned other = line == 0 && whole
                         ? submission_uncalled(v->submission, &reached, called, sizeof called)
                         : 0;
    if (other != 0)
        cause_say(f, "Nothing calls %s() (line %u).", called, other);
    return line != 0 || other != 0;
}

/* A thread that has looked once at what it waits for. */
static bool say_spurious(const struct verdict *v, const struct evidence *e, const struct check *c,
                         struct finding *f)
{
    const struct timeline *t = e->yours[f->view].timeline;
    size_t first = 0, end = 0;
    unsigned line = v->line_of && c->part && measure_part(t, c->part, &first, &end)
                        ? spurious_find(v->run, v->submission, t, first, end)
                        : 0;
    if (line != 0)
        cause_say(f, SPURIOUS_SAYS, line);
    return line != 0;
}

/* Something is in the default stream, and nothing of the reference solution's is: it waits for
 * blocking streams, and for no others. */
static bool say_default_stream(const struct verdict *v, const struct evidence *e,
                               const struct check *c, struct finding *f)
{
    (void)v;
    if (c->kind == OUTPUT || c->kind == HYGIENE)
        return false;
    uint32_t found[2] = { ANY, ANY };
    for (int side = 0; side < 2; side++) {
        const struct view *view = side == 0 ? &e->yours[f->view] : &e->reference[f->view];
        struct selection s = in_part(view, c->part, 0);
        for (size_t i = s.first_call; i < s.end_call && found[side] == ANY; i++) {
            const struct call *call = &view->timeline->calls[i];
            if (queues_in_stream(call)
                && timeline_stream_flags(view->timeline, call->stream) & STREAM_LEGACY
                && !is_in_driver(view->timeline, call))
                found[side] = (uint32_t)i;
        }
    }
    const struct timeline *t = e->yours[f->view].timeline;
    if (found[0] == ANY || found[1] != ANY || cause_is_blamed(f, t, found[0]))
        return false;
    if (f->call == ANY && !f->function)
        f->call = found[0];
    cause_say(f, "%s in line %u is in the default stream%s.",
              timeline_string(t, t->calls[found[0]].name), t->calls[found[0]].line,
              c->kind == OVERLAP ? ", which waits for all blocking streams and makes them wait"
                                 : "");
    return true;
}

/* Is the call that the difference begins with in the text already? */
static bool is_said(const char *text, const struct difference *d)
{
    char name[100];
    snprintf(name, sizeof name, "%.*s(", (int)strcspn(d->text, "("), d->text);
    return strstr(text, name) != NULL;
}

/* Where the function was called that makes the call, in the submission; 0: not known, or where that
 * stands. */
static unsigned caller_line(const struct verdict *v, const struct timeline *t, uint32_t call)
{
    bool known = v->line_of && call < t->call_count && t->calls[call].caller != 0
                 && strcmp(timeline_string(t, t->calls[call].file), v->submission->path) == 0;
    unsigned line = known ? v->line_of(v, t->calls[call].caller) : 0;
    return known && line != t->calls[call].line ? line : 0;
}

/* "mix() in line 29" says little where all launches stand there: from where was the function called
 * that makes them? */
static void say_callers(const struct verdict *v, const struct timeline *t,
                        const struct difference *d, struct finding *f)
{
    unsigned first = caller_line(v, t, d->call), then = caller_line(v, t, d->other);
    if (first != 0 && then != 0 && first != then)
        cause_say(f,
                "The former is made in a function called from line %u, the latter in one called from line %u.",
                first, then);
    else if (first != 0)
        cause_say(f, "Line %u ran in a function called from line %u.", t->calls[d->call].line,
                  first);
}

/* What it does otherwise than the reference solution. */
static bool say_difference(const struct verdict *v, const struct evidence *e, const struct check *c,
                           struct finding *f)
{
    struct difference d;
    const struct view *yours = &e->yours[f->view];
    bool guesses = c->kind == OUTPUT || c->kind == OVERLAP
                   || f->call == ANY; /* else it knows what it blames */
    /* The reference solution did not run in the other way that this run has gone. */
    if (!guesses || c->judge == judge_errors || c->kind == HAZARD || on_real_card(yours)
        || (v->others > 0 && yours >= v->yours + (v->views - v->others))
        || !difference_find(yours, &e->reference[f->view], c, &d)
        || cause_is_blamed(f, yours->timeline, d.call) || is_said(f->why, &d))
        return false;
    if (f->call == ANY && !f->function)
        f->call = d.call;
    cause_say(f, "This differs from the reference solution's calls in this part: %s.", d.text);
    say_callers(v, yours->timeline, &d, f);
    return true;
}

static bool say_left_thread(const struct verdict *v, const struct evidence *e,
                            const struct check *c, struct finding *f)
{
    (void)v;
    return why_left_thread(e, c, f);
}

/* The submission's call with a line that the thread of call `of` made last before it, or first
 * after it; NULL: there is none in the part. */
static const struct call *beside(const struct timeline *t, struct selection s, uint32_t of,
                                 bool after)
{
    for (size_t i = of; after ? ++i < s.end_call : i-- > s.first_call;) {
        const struct call *c = &t->calls[i];
        if (c->thread != t->calls[of].thread || c->line == 0)
            continue;
        return is_in_driver(t, c) ? NULL : c;
    }
    return NULL;
}

/* A thread that polls or yields does so in no call that has a line: between which does it? */
static void say_between(const struct evidence *e, const struct check *c, struct finding *f)
{
    const struct timeline *t = e->yours[f->view].timeline;
    if (f->call >= t->call_count || t->calls[f->call].line != 0
        || (t->calls[f->call].kind != CALL_HOST_WORK && t->calls[f->call].kind != CALL_POLL))
        return;
    struct selection s = in_part(&e->yours[f->view], c->part, 0);
    const struct call *before = beside(t, s, f->call, false),
                      *after = beside(t, s, f->call, true);
    if (before && after)
        cause_say(f, "That happens after %s in line %u and before %s in line %u.",
                  timeline_string(t, before->name), before->line, timeline_string(t, after->name),
                  after->line);
    else if (before)
        cause_say(f, "That happens after %s in line %u.", timeline_string(t, before->name),
                  before->line);
}

void cause_add(const struct verdict *v, const struct evidence *e, const struct check *c,
               struct finding *f)
{
    static bool (*const causes[])(const struct verdict *v, const struct evidence *e,
                                  const struct check *c, struct finding *f) = {
        say_no_update, say_left_thread,  say_not_joined, say_spurious, say_turn_variable,
        cause_no_loop,   say_hazard,         cause_event,      cause_query,    cause_graph,
        say_unreached, say_default_stream, say_difference,
    };
    cause_returns(v, f);
    cause_argument(v, e, f);
    say_between(e, c, f);
    bool done = !e->reference || why_woken(&e->yours[f->view], f) || say_refusal(e, c, f);
    cause_guard(v, e, f);
    done = cause_pieces(v, f) || done || f->sure;
    for (size_t i = 0; i < sizeof causes / sizeof *causes && !done; i++)
        done = causes[i](v, e, c, f);
}
