/* SPDX-License-Identifier: MIT */
/*
 * DESIGN
 * Hazards of copies, memsets and memory that is given back are found here, from
 * the calls alone. Those of kernels and of host code are the child's to say: it
 * saw the loads and stores, and wrote a CALL_HAZARD for each.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "grader/check.h"
#include "grader/text.h"
#include "trace/hazard_calls.h"
#include "trace/memory.h"

struct search {
    const struct view *view;
    size_t first, end;          /* calls of the part */
    struct finding *finding;
    bool found;
};

static bool is_inside(const struct search *s, uint64_t call)
{
    return call >= s->first && call < s->end;
}

static bool node_inside(const struct search *s, uint64_t node)
{
    const struct timeline *t = s->view->timeline;
    return node < t->span_count && is_inside(s, t->spans[node].call);
}

/* The first one is told. */
static void tell(struct search *s, uint32_t call, const char *message)
{
    if (s->found)
        return;
    struct finding *f = s->finding;
    s->found = true;
    f->call = call;
    char *harmless = text_harmless(message, strlen(message));
    const char *cure = hazard_cure(harmless);
    size_t length = strlen(harmless) - strlen(cure);
    expected(f, "whatever touches the same bytes comes in an order that is guaranteed, and touches what is its own");
    seen(f, "%.*s", (int)(*cure ? length - 2 : length), harmless);
    why(f, "%c%s", toupper((unsigned char)*cure), *cure ? cure + 1 : "");
    memory_resize(harmless, 0);
}

static void met(void *context, const struct hazard_meeting *m)
{
    struct search *s = context;
    if (s->found || (!is_inside(s, m->call[0]) && !is_inside(s, m->call[1])))
        return;
    const struct timeline *t = s->view->timeline;
    uint32_t later = m->call[m->call[0] > m->call[1] ? 0 : 1];
    struct hazard_scene scene = { .timeline = t, .order = s->view->order, .calls = later };
    struct hazard_side side[2] = { m->side[0], m->side[1] };
    struct hazard_line line = { .used = 0 };
    hazard_describe(&line, &scene, m->from, m->to, side);
    tell(s, later, line.text);
}

bool judge_hazards(const struct evidence *e, struct finding *f, const char *part)
{
    struct search s = { .view = &e->yours[0], .finding = f };
    const struct timeline *t = s.view->timeline;
    s.end = t->call_count;
    if (part != NULL && !measure_part(t, part, &s.first, &s.end))
        s.first = s.end = 0;
    hazards_of_calls(&(struct hazard_scene){ .timeline = t, .order = s.view->order, .calls = t->call_count }, met, &s);
    for (size_t i = 0; i < t->call_count && !s.found; i++) {
        const struct call *c = &t->calls[i];
        if (c->kind != CALL_HAZARD)
            continue;
        bool inside = node_inside(&s, c->node) || node_inside(&s, c->src);
        /* The part's own call is there, the one that ends it is not. */
        bool by_host = c->node == NO_NODE && c->cost > (int64_t)s.first && c->cost <= (int64_t)s.end;
        if (inside || by_host)
            tell(&s, c->node < t->span_count ? t->spans[c->node].call : (uint32_t)i, timeline_string(t, c->message));
    }
    return !s.found;
}
