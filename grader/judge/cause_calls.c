/* SPDX-License-Identifier: MIT */
#include "grader/judge/cause_calls.h"

#include "grader/judge/cause_text.h"

bool cause_is_blamed(const struct finding *f, const struct timeline *t, uint32_t call)
{
    return f->call < t->call_count && call < t->call_count
           && t->calls[f->call].line == t->calls[call].line
           && t->calls[f->call].file == t->calls[call].file;
}

struct selection cause_part(const struct view *v, const char *part)
{
    struct selection s = in_part(v, part, 0);
    while (s.first_call > 0 && v->timeline->calls[s.first_call - 1].kind != CALL_PART)
        s.first_call--;
    return s;
}

/* Has the program been told before that query that its event has passed, or that its stream is
 * done, with nothing new to wait for since? Then the query only looks for an error. */
static bool is_told_before(const struct timeline *t, size_t first, size_t query)
{
    const struct call *q = &t->calls[query];
    bool event = q->kind == CALL_EVENT_QUERY;
    for (size_t i = query; i-- > first;) {
        const struct call *c = &t->calls[i];
        if (event
                ? c->kind == CALL_EVENT_RECORD && c->event == q->event
                : c->kind >= CALL_LAUNCH && c->kind <= CALL_GRAPH_LAUNCH && c->stream == q->stream)
            return false;
        bool asks = c->kind == q->kind && (c->flags & CALL_UNREAD) == 0,
             waits = c->kind == (event ? CALL_EVENT_SYNC : CALL_STREAM_SYNC);
        if ((asks || waits) && c->status == 0
            && (event ? c->event == q->event : c->stream == q->stream))
            return true;
    }
    return false;
}

bool cause_query(const struct verdict *v, const struct evidence *e, const struct check *c,
                 struct finding *f)
{
    (void)v;
    const struct timeline *t = e->yours[f->view].timeline;
    struct selection s = in_part(&e->yours[f->view], c->part, 0);
    for (size_t i = s.first_call; i < s.end_call; i++) {
        const struct call *call = &t->calls[i];
        bool query = call->kind == CALL_STREAM_QUERY || call->kind == CALL_EVENT_QUERY;
        if (!query || !(call->flags & CALL_UNREAD) || is_in_driver(t, call)
            || cause_is_blamed(f, t, (uint32_t)i) || is_told_before(t, s.first_call, i))
            continue;
        cause_say(f,
                "%s() in line %u only asks, once, and does not wait. %s() waits.",
                timeline_string(t, call->name), call->line,
                call->kind == CALL_STREAM_QUERY ? "cudaStreamSynchronize" : "cudaEventSynchronize");
        return true;
    }
    return false;
}

static bool records(const struct call *c)
{
    return c->kind == CALL_EVENT_RECORD || c->flags & CALL_CAPTURED;
}

static bool awaits(const struct call *c)
{
    return c->kind == CALL_STREAM_WAIT || c->kind == CALL_EVENT_SYNC || c->kind == CALL_EVENT_QUERY;
}

/* Does any call do so with the event that call `made` makes, or with another that the same line
 * makes? A line that makes one for each of several may make more than are needed. */
static bool any_call(const struct timeline *t, size_t made, bool (*does)(const struct call *))
{
    for (size_t i = 0; i < t->call_count; i++)
        if (t->calls[i].kind == CALL_EVENT_CREATE && t->calls[i].line == t->calls[made].line
            && t->calls[i].file == t->calls[made].file)
            for (size_t k = i; k < t->call_count; k++)
                if (does(&t->calls[k]) && t->calls[k].event == t->calls[i].event)
                    return true;
    return false;
}

bool cause_event(const struct verdict *v, const struct evidence *e, const struct check *c,
                 struct finding *f)
{
    (void)v;
    const struct timeline *t = e->yours[f->view].timeline;
    struct selection s = cause_part(&e->yours[f->view], c->part);
    for (size_t i = s.first_call; i < s.end_call && (c->kind == ORDER || c->kind == HAZARD); i++) {
        bool made = t->calls[i].kind == CALL_EVENT_CREATE && t->calls[i].line != 0
                    && !(t->calls[i].flags & EVENT_INTERPROCESS) /* another process may record it */
                    && !is_in_driver(t, &t->calls[i]);
        if (!made || any_call(t, i, records) || !any_call(t, i, awaits)
            || cause_is_blamed(f, t, (uint32_t)i))
            continue;
        cause_say(f, "The event that line %u makes is never recorded: cudaEventRecord() does that.",
                  t->calls[i].line);
        return true;
    }
    return false;
}

bool cause_graph(const struct verdict *v, const struct evidence *e, const struct check *c,
                 struct finding *f)
{
    (void)v;
    const struct timeline *t = e->yours[f->view].timeline;
    struct selection s = in_part(&e->yours[f->view], c->part, 0);
    uint32_t made = ANY;
    for (size_t i = 0; i < t->call_count; i++)
        if (t->calls[i].kind == CALL_GRAPH_LAUNCH)
            return false;
        else if (i >= s.first_call && i < s.end_call && t->calls[i].flags & GRAPH_MADE
                 && t->calls[i].line != 0 && made == ANY)
            made = (uint32_t)i;
    if (made == ANY)
        return false;
    cause_say(f,
            "The graph that line %u instantiates is never launched: cudaGraphLaunch() does that.",
            t->calls[made].line);
    return true;
}
