/* SPDX-License-Identifier: MIT */
/*
 * (d): is nothing in the way of the longest chain?
 *
 * DESIGN
 * The chain is survey(), plan(), build(). What the part takes longer is lost in
 * one of four places: before the first, between two of them, after the last.
 * The largest of the four is named, with what the host or the device did then:
 * letters, polish(), or a wait.
 */
#include "judges.h"

#include <string.h>

/* Of the chain. A program that files letters until the key is home files one that is not over by
 * then: prepare() makes none longer than 0.11 of survey() and build(), which is 0.071 of the chain
 * at most. */
#define PACE_PERMILLE 1100
/* The letters fill 0.9 of the time that the host has beside survey() and build(). What is left, 10
 * us for each of 20, is more than a letter costs in the simulator beside its own time. On a card
 * two labels and a question, all recorded, may cost more than that, and what they cost beyond it is
 * lost after build(): a right answer that asks an event between two letters took 1.15 times the
 * chain, 6 of 6 times on an H100. The message says how much was lost where. */
#define PACE_PERMILLE_REAL 1200

/* ---- the day ---- */

struct link { int64_t from, to; };
struct chain_of_day {
    const struct timeline *t;
    size_t first, end;          /* the part's calls */
    int64_t begin, finish;
    struct link survey, plan, build, polish;
    uint32_t survey_node, build_node, polish_node;
};

static struct link link_of(const struct view *v, uint32_t node)
{
    return (struct link){ v->timeline->spans[node].start, v->timeline->spans[node].end };
}

/* From the first launch or letter to where all work is done: what was made before that, and freed
 * after it, is not counted. */
static void day_extent(const struct view *v, const char *part, struct chain_of_day *d)
{
    struct interval device;
    measure_extent(d->t, in_part(v, part, ENGINES_DEVICE), &device);
    d->begin = d->survey.from;
    d->finish = device.end;
    for (size_t i = d->end; i-- > d->first;) {
        bool letter = label_number(v, i, LETTER) >= 0;
        if (letter && d->t->calls[label_end(v, i)].begin > d->finish)
            d->finish = d->t->calls[label_end(v, i)].begin;
        if ((letter || d->t->calls[i].kind == CALL_LAUNCH) && d->t->calls[i].begin < d->begin)
            d->begin = d->t->calls[i].begin;
    }
}

/* The label of the part's first plan(); the part's end when it was not called. */
static size_t plan_in(const struct view *v, struct selection s)
{
    size_t i = s.first_call;
    while (i < s.end_call
           && (v->timeline->calls[i].kind != CALL_LABEL
               || strcmp(timeline_string(v->timeline, v->timeline->calls[i].name), PLAN) != 0))
        i++;
    return i;
}

/* Every kernel has run and plan() was called: day_work has passed. */
static struct chain_of_day chain_of_day(const struct view *v, const char *part)
{
    struct chain_of_day d = { .t = v->timeline };
    struct selection s = in_part(v, part, 0);
    d.first = s.first_call;
    d.end = s.end_call;
    d.survey_node = next_kernel(v, s, "survey", 0);
    d.build_node = next_kernel(v, s, "build", 0);
    d.polish_node = next_kernel(v, s, "polish", 0);
    d.survey = link_of(v, d.survey_node);
    d.build = link_of(v, d.build_node);
    d.polish = link_of(v, d.polish_node);
    day_extent(v, part, &d);
    size_t plan = plan_in(v, s);
    d.plan = (struct link){ d.t->calls[plan].end, d.t->calls[label_end(v, plan)].begin };
    return d;
}

static int64_t common(struct link a, struct link b)
{
    int64_t from = a.from > b.from ? a.from : b.from, to = a.to < b.to ? a.to : b.to;
    return to > from ? to - from : 0;
}

/* How long the host filed letters in that time. */
static int64_t letters_in(const struct view *v, const struct chain_of_day *d, struct link when)
{
    int64_t ns = 0;
    for (size_t i = d->first; i < d->end; i++)
        if (label_number(v, i, LETTER) >= 0)
            ns += common((struct link){ d->t->calls[i].end, d->t->calls[label_end(v, i)].begin },
                         when);
    return ns;
}

/* The last letter that was filed, at least in part, in that time; the part's end for none. */
static size_t letter_in(const struct view *v, const struct chain_of_day *d, struct link when)
{
    size_t last = d->end;
    for (size_t i = d->first; i < d->end; i++)
        if (label_number(v, i, LETTER) >= 0
            && common((struct link){ d->t->calls[i].end, d->t->calls[label_end(v, i)].begin }, when)
                   > 0)
            last = i;
    return last;
}

/* The call that held the host longest in that time; ANY for none. */
static uint32_t wait_in(const struct chain_of_day *d, struct link when)
{
    uint32_t longest = ANY;
    int64_t most = 0;
    for (size_t i = d->first; i < d->end; i++) {
        const struct call *c = &d->t->calls[i];
        int64_t ns = common((struct link){ c->begin, c->end }, when);
        if (c->kind != CALL_LABEL && c->kind != CALL_HOST_WORK && ns > most) {
            most = ns;
            longest = (uint32_t)i;
        }
    }
    return longest;
}

/* ---- and no longer than it has to take ---- */

#define MS(ns) (long long)((ns) / 1000000), (long long)((ns) / 10000 % 100)

/* survey() begins late. */
static bool why_before_survey(const struct view *v, struct finding *f, const struct chain_of_day *d,
                              struct link gap)
{
    if (2 * common(d->polish, gap) > gap.to - gap.from) {
        f->call = d->t->spans[d->polish_node].call;
        return why(f,
                   "polish() is before survey() in the queue, so the chain begins %lld.%02lld ms late, although nothing waits for "
                   "polish(). Ask first for what the chain needs next.",
                   MS(gap.to - gap.from));
    }
    f->call = d->t->spans[d->survey_node].call;
    if (2 * letters_in(v, d, gap) > gap.to - gap.from)
        return why(f,
                   "The host filed letters for %lld.%02lld ms before it asked for survey(), and the device idled. Ask first for what "
                   "the chain needs next.",
                   MS(letters_in(v, d, gap)));
    return why(f, "survey() begins %lld.%02lld ms late. Ask for it first.", MS(gap.to - gap.from));
}

/* What the host waits in, after survey() has ended, waits for polish() as well. */
static bool why_waited_for_polish(struct finding *f, const struct chain_of_day *d)
{
    const struct call *polish = &d->t->calls[d->t->spans[d->polish_node].call];
    const struct call *made = timeline_stream_made(d->t, polish->stream);
    if (made && made->line != 0 && !(made->flags & (STREAM_NON_BLOCKING | STREAM_LEGACY)))
        return why(f,
                   "survey() had ended, and this call waited for polish() as well (line %u): it is in a blocking stream (made in line "
                   "%u), which the default stream waits for. cudaStreamNonBlocking makes one for which it does not wait.",
                   polish->line, made->line);
    return why(f,
               "survey() had ended, and this call waited for polish() as well, which was queued before it (line %u). Bring the key home "
               "first. What may run beside plan() is soon enough when plan() begins.",
               polish->line);
}

/* A question about the stream that was answered "not yet" because polish() ran, after survey() had
 * ended; ANY: there is none. */
static uint32_t asked_about_polish(const struct chain_of_day *d, struct link gap)
{
    for (size_t i = d->first; i < d->end; i++) {
        const struct call *c = &d->t->calls[i];
        if (c->kind == CALL_STREAM_QUERY && c->status != 0 && c->begin > gap.from
            && c->begin < gap.to && c->begin > d->polish.from && c->begin < d->polish.to)
            return (uint32_t)i;
    }
    return ANY;
}

/* plan() is called long after survey() has ended. */
static bool why_before_plan(const struct view *v, struct finding *f, const struct chain_of_day *d,
                            struct link gap)
{
    int64_t letters = letters_in(v, d, gap);
    uint32_t home =
        next_span(v, (struct selection){ ENGINE_BIT(ENGINE_D2H), ANY, ANY, d->first, d->end }, 0);
    uint32_t asked = asked_about_polish(d, gap);
    if (2 * letters > gap.to - gap.from && asked != ANY) {
        f->call = asked;
        return why(f,
                   "survey() had ended, and the answer here was \"not yet\", probably because polish() was in the stream as well (line %u): so the host filed "
                   "letters for another %lld.%02lld ms. Bring the key home first, and then launch polish(). Or query an event that is recorded "
                   "after the copy of the key.",
                   d->t->calls[d->t->spans[d->polish_node].call].line, MS(letters));
    }
    if (2 * letters > gap.to - gap.from) {
        blame_label(f, letter_in(v, d, gap), home == ANY ? 0 : d->t->spans[home].call);
        return why(f,
                   "survey() had ended, and the host filed letters for another %lld.%02lld ms before it called plan(). While survey() "
                   "runs there is time for d->survey_ns of letters. Keep the others for later.",
                   MS(letters));
    }
    f->call = wait_in(d, gap);
    bool was_home = home != ANY && d->t->spans[home].end <= d->polish.from;
    if (was_home && 2 * common(d->polish, gap) > gap.to - gap.from)
        return why(f,
                   "The key was home, and this call waited for polish() as well. plan() needs nothing of polish(): let the two run side "
                   "by side.");
    if (2 * common(d->polish, gap) > gap.to - gap.from)
        return why_waited_for_polish(f, d);
    return why(f,
               "survey() had ended %lld.%02lld ms before plan() was called. Call plan() as soon as the key is there.",
               MS(gap.to - gap.from));
}

/* build() begins long after plan() has returned. */
static bool why_before_build(const struct view *v, struct finding *f, const struct chain_of_day *d,
                             struct link gap)
{
    f->call = d->t->spans[d->build_node].call;
    int64_t letters = letters_in(v, d, (struct link){ gap.from, d->t->calls[f->call].begin });
    if (2 * letters > gap.to - gap.from)
        return why(f,
                   "plan() had returned, and the host filed letters for %lld.%02lld ms before it launched build(). Launch first: "
                   "letters can be filed while build() runs.",
                   MS(letters));
    if (2 * common(d->polish, gap) > gap.to - gap.from) {
        f->call = d->t->spans[d->polish_node].call;
        return why(f,
                   "build() waited for polish(), which was queued before it and was still running when plan() returned. The device had "
                   "time for polish() while the host planned. Queue it before you call plan().");
    }
    return why(f, "build() begins %lld.%02lld ms after plan() has returned. Launch it at once.",
               MS(gap.to - gap.from));
}

/* Something is left when build() has ended. */
static bool why_after_build(const struct view *v, struct finding *f, const struct chain_of_day *d,
                            struct link gap)
{
    if (2 * common(d->polish, gap) > gap.to - gap.from) {
        f->call = d->t->spans[d->polish_node].call;
        return why(f,
                   "polish() runs when build() has ended. The device was idle while the host planned: it has time for polish() then.");
    }
    f->word = "file_letter";
    const struct { struct link when; const char *kernel; } idle[] = { { d->survey, "survey" },
                                                                      { d->build, "build" } };
    for (size_t k = 0; k < sizeof idle / sizeof *idle; k++) {
        struct link when = idle[k].when;
        uint32_t waits = wait_in(d, when);
        int64_t waited =
            waits == ANY
                ? 0
                : common((struct link){ d->t->calls[waits].begin, d->t->calls[waits].end }, when);
        if (2 * letters_in(v, d, when) >= when.to - when.from || 2 * waited <= when.to - when.from)
            continue;
        f->call = waits;
        return why(f,
                   "When build() had ended, letters were left for %lld.%02lld ms. While %s() ran the host waited in this call, for "
                   "%lld.%02lld ms: there was time for letters before it.",
                   MS(letters_in(v, d, gap)), idle[k].kernel, MS(waited));
    }
    return why(f,
               "When build() had ended, letters were left for %lld.%02lld ms. Was the host busy all the time before: while survey() "
               "ran, and while build() ran?",
               MS(letters_in(v, d, gap)));
}

static bool keeps_pace(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    struct chain_of_day d = chain_of_day(v, part);
    const struct link gaps[] = { { d.begin, d.survey.from },
                                 { d.survey.to, d.plan.from },
                                 { d.plan.to, d.build.from },
                                 { d.build.to, d.finish } };
    static bool (*const reasons[])(
        const struct view *, struct finding *, const struct chain_of_day *,
        struct link) = { why_before_survey, why_before_plan, why_before_build, why_after_build };
    int64_t chain =
        d.survey.to - d.survey.from + d.plan.to - d.plan.from + d.build.to - d.build.from;
    int64_t took = d.finish - d.begin;
    unsigned asked = on_real_card(v) ? PACE_PERMILLE_REAL : PACE_PERMILLE;
    size_t largest = 0;
    if (took * 1000 <= chain * asked)
        return true;
    for (size_t k = 1; k < 4; k++)
        if (gaps[k].to - gaps[k].from > gaps[largest].to - gaps[largest].from)
            largest = k;
    f->function = "whole_day";
    expected(
        f,
        part[1] != '\0'
            ? "a later day, with other letters, takes at most %u.%02u times as long as its survey(), plan() and build(): %lld.%02lld ms"
            : "the day takes at most %u.%02u times as long as survey(), plan() and build(), one after the other: %lld.%02lld ms",
        asked / 1000, asked / 10 % 100, MS(chain * asked / 1000));
    int64_t lost[4];
    for (size_t k = 0; k < 4; k++)
        lost[k] = gaps[k].to > gaps[k].from ? gaps[k].to - gaps[k].from : 0;
    seen(
        f,
        "%lld.%02lld ms, %lld.%02lld times as long. Lost: %lld.%02lld ms before survey(), %lld.%02lld before plan(), %lld.%02lld before "
        "build(), %lld.%02lld after it",
        MS(took), (long long)(took / chain), (long long)(took * 100 / chain % 100), MS(lost[0]),
        MS(lost[1]), MS(lost[2]), MS(lost[3]));
    f->call = ANY;
    return reasons[largest](v, f, &d, gaps[largest]);
}

/* The later day's letters are others, the short ones first. */
bool day_pace(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    struct selection later = in_part(v, LATER "d", 0);
    return keeps_pace(e, f, part)
           && (!part_ran(v, LATER "d") || plan_in(v, later) == later.end_call
               || next_kernel(v, later, "survey", 0) == ANY
               || next_kernel(v, later, "build", 0) == ANY
               || next_kernel(v, later, "polish", 0) == ANY || keeps_pace(e, f, LATER "d"));
}
