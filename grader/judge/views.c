/* SPDX-License-Identifier: MIT */
/* The views of a verdict: logs replayed on the cards, runs recorded on a card. */
#include "grader/judge/judge.h"

#include <assert.h>
#include <string.h>

#include "model/model.h"
#include "trace/record/memory.h"

static int64_t *costs_of(const struct timeline *t)
{
    int64_t *costs = memory_resize(NULL, (t->span_count + 1) * sizeof *costs);
    for (size_t i = 0; i < t->span_count; i++)
        costs[i] = -1;
    for (size_t i = 0; i < t->call_count; i++)
        if (t->calls[i].kind == CALL_COST && t->calls[i].node < t->span_count
            && t->calls[i].cost >= 0) {
            int64_t *cost = &costs[t->calls[i].node];
            *cost = (*cost > 0 ? *cost : 0) + t->calls[i].cost;
        }
    return costs;
}

static struct view new_view(const struct card *card, const struct timeline *t,
                            struct happens_before *o)
{
    return (struct view){ card, t, o, costs_of(t) };
}

static void add_view(struct view *v, const struct card *card, const struct timeline *log)
{
    struct timeline *t = memory_resize(NULL, sizeof *t);
    struct happens_before *o = memory_resize(NULL, sizeof *o);
    timeline_init(t);
    hb_init(o);
    model_replay(log, card, t, o);
    *v = new_view(card, t, o);
}

void judge_replay_ahead(struct verdict *v, const struct card *card, const struct timeline *log)
{
    struct ahead one = { log, log->call_count, { 0 } };
    add_view(&one.view, card, log);
    MEMORY_GROW(v->ahead, v->ahead_count, v->ahead_capacity);
    v->ahead[v->ahead_count++] = one;
}

/* The log may have been cut since. */
static void take_view(struct verdict *v, struct view *to, const struct card *card,
                      const struct timeline *log)
{
    for (size_t i = 0; i < v->ahead_count; i++)
        if (v->ahead[i].log == log && v->ahead[i].view.card == card
            && v->ahead[i].calls == log->call_count) {
            *to = v->ahead[i].view;
            v->ahead[i] = v->ahead[--v->ahead_count];
            return;
        }
    add_view(to, card, log);
}

/* Does the program itself make it, at a time of its own? */
static bool is_asked(const struct call *c)
{
    return c->kind <= CALL_REPORT;
}

bool judge_is_timely(const struct timeline *log, const struct timeline *replayed)
{
    for (size_t i = 0; i < log->call_count; i++)
        if (is_asked(&log->calls[i]) && log->calls[i].begin != replayed->calls[i].begin)
            return false;
    return true;
}

void judge_replay(struct verdict *v, const struct logs *runs, size_t count)
{
    struct logs views[16];
    size_t runs_made = count;
    for (size_t i = 0; i < count; i++)
        views[i] = runs[i];
    for (const char *const *name = v->lesson->cards; name && *name; name++) {
        const struct card *other = card_find(*name);
        assert(other && count < sizeof views / sizeof *views);
        size_t i = 0;
        while (i < count && views[i].card != other)
            i++;
        if (i == count)
            views[count++] = (struct logs){ other, runs[0].yours, runs[0].reference };
    }
    v->views = count;
    v->runs = runs_made;
    v->yours = memory_resize(NULL, count * sizeof *v->yours);
    v->reference = runs[0].reference ? memory_resize(NULL, count * sizeof *v->reference) : NULL;
    for (size_t i = 0; i < count; i++) {
        take_view(v, &v->yours[i], views[i].card, views[i].yours);
        if (v->reference)
            take_view(v, &v->reference[i], views[i].card, views[i].reference);
    }
}

bool judge_replace(struct verdict *v, size_t view, const struct timeline *log)
{
    struct view new_one, old = v->yours[view];
    add_view(&new_one, old.card, log);
    bool timely = judge_is_timely(log, new_one.timeline);
    v->yours[view] = timely ? new_one : old;
    verdict_free_view(timely ? &old : &new_one);
    return timely;
}

const struct timeline *judge_add_other(struct verdict *v, const struct logs *run,
                                       const struct other_view *other)
{
    size_t count = v->views + 1;
    assert(v->others < OTHER_RUNS);
    v->yours = memory_resize(v->yours, count * sizeof *v->yours);
    v->reference = memory_resize(v->reference, count * sizeof *v->reference);
    take_view(v, &v->yours[v->views], run->card, run->yours);
    take_view(v, &v->reference[v->views], run->card, run->reference);
    v->views = count;
    v->other[v->others++] = *other;
    return v->yours[count - 1].timeline;
}

void judge_drop_other(struct verdict *v)
{
    v->other[v->others - 1].kinds = 0;
}

bool judge_recorded(struct verdict *v, const struct logs *run, char trouble[RECORDED_TROUBLE])
{
    const struct timeline *logs[] = { run->yours, run->reference };
    struct view **views[] = { &v->yours, &v->reference };
    bool whole = true;
    char said[RECORDED_TROUBLE];
    v->views = v->real_views = 1;
    trouble[0] = '\0';
    for (int k = 0; k < 2 && logs[k]; k++) {
        struct timeline *t = memory_resize(NULL, sizeof *t);
        struct happens_before *o = memory_resize(NULL, sizeof *o);
        timeline_init(t);
        hb_init(o);
        if (!recorded_replay(logs[k], t, o, said) && whole) {
            memcpy(trouble, said, sizeof said);
            whole = false;
        }
        *views[k] = memory_resize(NULL, sizeof **views[k]);
        **views[k] = new_view(run->card, t, o);
    }
    return whole;
}
