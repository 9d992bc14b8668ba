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

#include <stdio.h>
#include <string.h>

#define PACE_PERMILLE 1100      /* of the chain */
/* On a card a right answer that asks an event between two letters took 1.15 times the chain, 6 of 6
 * times on an H100. */
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

/* Every kernel has run and plan() was called: day_work has passed. */
static struct chain_of_day chain_of_day(const struct view *v, const char *part)
{
    struct chain_of_day d = { .t = v->timeline };
    struct selection s = in_part(v, part, 0);
    size_t first, end;
    d.first = s.first_call;
    d.end = s.end_call;
    d.survey_node = next_kernel(v, s, "survey", 0);
    d.build_node = next_kernel(v, s, "build", 0);
    d.polish_node = next_kernel(v, s, "polish", 0);
    d.survey = link_of(v, d.survey_node);
    d.build = link_of(v, d.build_node);
    d.polish = link_of(v, d.polish_node);
    day_extent(v, part, &d);
    measure_label(d.t, PLAN, &first, &end);
    d.plan = (struct link){ d.t->calls[first].end, d.t->calls[end].begin };
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

/* ---- all of it, once ---- */

/* The learner's call that made the label; where that is not known `f` keeps the function and the
 * word. */
static void blame_host(const struct view *v, struct finding *f, size_t label)
{
    if (v->timeline->calls[label].caller != 0)
        f->call = (uint32_t)label;
}

/* The letter of the selection that stands alone: its place in the program files no other. ANY for
 * none. */
static uint32_t lone_letter(const struct view *v, const struct selection *s)
{
    const struct call *calls = v->timeline->calls;
    for (size_t i = s->first_call; i < s->end_call; i++) {
        bool alone = label_number(v, i, LETTER) >= 0;
        for (size_t k = s->first_call; k < s->end_call && alone; k++)
            alone = k == i || label_number(v, k, LETTER) < 0 || calls[k].caller != calls[i].caller;
        if (alone)
            return (uint32_t)i;
    }
    return ANY;
}

static bool never_filed(const struct view *v, struct finding *f, const struct selection *s,
                        int letter)
{
    uint32_t alone = lone_letter(v, s);
    seen(f, "file_letter(%d) was never called", letter);
    if (alone == ANY)
        return why(
            f,
            "If you file letters in two places, the second one goes on where the first one stopped.");
    blame_host(v, f, alone);
    return why(
        f,
        "This call files one letter, number %ld, and no other. Is it in the loop, and does the loop go on?",
        label_number(v, alone, LETTER));
}

/* A number that no letter has that day, in the part or on the quiet day after it. */
static bool stray_letter(const struct view *v, struct finding *f, const struct answer *a)
{
    const struct timeline *t = v->timeline;
    char label[24];
    snprintf(label, sizeof label, "%s%d", LETTER, a->stray);
    for (size_t i = t->call_count; i-- > 0;)
        if (t->calls[i].kind == CALL_LABEL
            && strcmp(timeline_string(t, t->calls[i].name), label) == 0)
            blame_host(v, f, i);
    expected(
        f,
        "file_letter() gets the numbers from 0 to d->letters - 1, and none when d->letters is 0");
    seen(f, "file_letter(%d), which was no letter's number that day", a->stray);
    return why(f,
               "A loop that files letters ends when none is left, even if the device is not done.");
}

static bool letters_filed(const struct view *v, struct finding *f, const struct selection *s,
                          const struct answer *a)
{
    int count[LETTERS] = { 0 };
    size_t second[LETTERS] = { 0 };
    f->function = "whole_day";
    f->word = "file_letter";
    expected(f, "each of the %d letters is filed once, letters 0 to %d", LETTERS, LETTERS - 1);
    for (size_t i = s->first_call; i < s->end_call; i++) {
        long k = label_number(v, i, LETTER);
        if (k >= LETTERS) {
            blame_host(v, f, i);
            seen(f, "file_letter(%ld)", k);
            return why(f, "Letters are counted from 0.");
        }
        if (k >= 0 && ++count[k] == 2)
            second[k] = i;
    }
    for (int k = 0; k < LETTERS; k++)
        if (count[k] == 0)
            return never_filed(v, f, s, k);
    for (int k = 0; k < LETTERS; k++)
        if (count[k] > 1) {
            blame_host(v, f, second[k]);
            seen(f, "letter %d was filed %d times", k, count[k]);
            return why(
                f,
                "This call filed it again. If you file letters in two places, the second one goes on where the first one "
                "stopped.");
        }
    return a->strays == 0 || stray_letter(v, f, a);
}

bool day_work(const struct evidence *e, struct finding *f, const char *part)
{
    const struct task *task = task_of(e);
    const struct { const char *kernel, *field; int64_t ns; } kernels[] = {
        { "survey", "d->survey_ns", task->survey_ns },
        { "polish", "d->polish_ns", task->polish_ns },
        { "build", "d->build_ns", task->build_ns },
    };
    const struct view *v = &e->yours[0];
    struct selection s = in_part(v, part, 0);
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        size_t count;
        uint32_t node = kernel_named(v, s, kernels[k].kernel, &count);
        f->call = ANY;
        if (count == 1 && costs_as_given(v, f, node, kernels[k].ns, kernels[k].field))
            continue;
        if (count == 1)
            return false;
        expected(f, "%s() is launched once", kernels[k].kernel);
        seen(f, "it was launched %zu times in part (%s)", count, part);
        blame_count(v, f, s, kernels[k].kernel, "whole_day");
        return why(
            f, "survey(), polish() and build() are all of the device's work, each of them once.");
    }
    f->call = ANY;
    size_t plans = 0, last = 0;
    for (size_t i = s.first_call; i < s.end_call; i++)
        if (label_number(v, i, PLAN) >= 0) {
            plans++;
            last = i;
        }
    if (plans != 1) {
        f->function = "whole_day";
        f->word = "plan";
        if (plans > 1)
            blame_host(v, f, last);
        expected(f, "plan() is called once");
        seen(f, "it was called %zu times", plans);
        return why(
            f,
            "The host plans with the key that survey() has found, and build() needs what plan() returns.");
    }
    return letters_filed(v, f, &s, answer_of(e));
}

bool day_key(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    const uint32_t *site = exchange_input(e->exchange, 1, NULL);
    struct selection homes = in_part(v, part, ENGINE_BIT(ENGINE_D2H));
    uint32_t key = 0, got = answer_of(e)->planned_with;
    size_t first, end;
    int64_t part_of_site = 0;
    for (int64_t i = 0; i < task_of(e)->site; i += 16) {
        part_of_site = got != 0 && key == got ? i : part_of_site;
        key += site[i];
    }
    measure_label(v->timeline, PLAN, &first, &end);
    uint32_t survey = next_kernel(v, in_part(v, part, 0), "survey", 0),
             node = next_span(v, homes, 0);
    expected(f, "plan() is called with the key that survey() found, %u, when the key is there",
             key);
    f->function = "whole_day";
    f->word = "plan";
    while (node != ANY && hb_before_call(v->order, node, v->timeline->calls, first, GUARANTEED))
        node = next_span(v, homes, node + 1);
    if (node != ANY && v->timeline->spans[node].call < first
        && call_of_node(v, node)->bytes == sizeof key) {
        f->call = v->timeline->spans[node].call;
        seen(f, "nothing had waited for %s, which brings the key, when plan(%u) was called",
             node_name(v, node).text, got);
        return why_unwaited(
            v, f, node, first,
            "The call only asks. Read the key when a call that waits for it has returned.");
    }
    if (!hb_before_call(v->order, survey, v->timeline->calls, first, GUARANTEED)) {
        f->call = v->timeline->spans[survey].call;
        seen(f, "nothing had waited for survey() when plan(%u) was called", got);
        return why_unwaited(
            v, f, survey, first,
            "The key is on the device when survey() has run, and in your variable when a copy to the "
            "host that comes after it has returned: %s.",
            next_span(v, homes, 0) == ANY ? "there is no such copy, and cudaMemcpy() would wait"
                                          : "cudaMemcpy() waits");
    }
    if (got == key && answer_of(e)->planned_quietly == key)
        return true;
    if (got == key) {
        blame_host(v, f, first);
        seen(f, "plan(%u) on a day without letters", answer_of(e)->planned_quietly);
        return why(
            f,
            "With letters plan() gets the key, without letters it does not. Probably the letters took longer than survey(): that "
            "is luck. Before plan() a call has to wait for the copy of the key, however many letters there are: "
            "cudaEventSynchronize() or cudaMemcpy().");
    }
    seen(f, "plan(%u)", got);
    if (part_of_site != 0) {
        f->call = v->timeline->spans[survey].call;
        return why(
            f,
            "That is the key of the first %lld elements of the site, and survey() takes the number of all: d->n, which is %lld.",
            (long long)part_of_site, (long long)task_of(e)->site);
    }
    return why(
        f,
        "Copy the one number at d->key to the host after survey(), and give plan() what has arrived.");
}

bool day_results(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    const uint32_t *in = exchange_input(e->exchange, 1, NULL);
    const uint32_t *house = exchange_output(e->exchange, 3, NULL),
                   *photo = exchange_output(e->exchange, 4, NULL);
    struct selection s = in_part(v, part, ENGINES_DEVICE);
    uint32_t node = never_waited_for(v, s), plan = planned(answer_of(e)->planned_with);
    if (node != ANY) {
        f->call = v->timeline->spans[node].call;
        expected(f, "everything is done when whole_day() returns");
        seen(f, "nothing had waited for %s",
             timeline_string(v->timeline, v->timeline->spans[node].name));
        return why_unwaited(
            v, f, node, s.end_call,
            "It is queued, and may still run. cudaDeviceSynchronize() returns when all is done.");
    }
    for (uint32_t i = 0; i < task_of(e)->site; i++) {
        uint32_t built = plan * (2 * i + 1), polished = 22695477u * in[i] + 1;
        if (house[i] == built && photo[i] == polished)
            continue;
        bool of_house = house[i] != built;
        f->call = v->timeline
                      ->spans[next_kernel(v, in_part(v, part, 0), of_house ? "build" : "polish", 0)]
                      .call;
        expected(f, "element %u of the %s is %u", i, of_house ? "house" : "photo",
                 of_house ? built : polished);
        seen(f, "%u", of_house ? house[i] : photo[i]);
        return why(
            f,
            of_house
                ? "build() takes what plan() returned, and a thread for each of the n elements: blocks_for(n, threads) "
                  "blocks."
                : "polish() needs a thread for each of the n elements: blocks_for(n, threads) blocks.");
    }
    return true;
}

/* ---- and no longer than it has to take ---- */

#define MS(ns) (long long)((ns) / 1000000), (long long)((ns) / 10000 % 100)

/* survey() begins late. */
static bool why_before_survey(const struct view *v, struct finding *f, const struct chain_of_day *d,
                              struct link gap)
{
    if (2 * common(d->polish, gap) > gap.to - gap.from) {
        f->call = d->t->spans[d->polish_node].call;
        return why(
            f,
            "polish() is before survey() in the queue, so the chain begins %lld.%02lld ms late, although nothing waits for "
            "polish(). Ask first for what the chain needs next.",
            MS(gap.to - gap.from));
    }
    f->call = d->t->spans[d->survey_node].call;
    if (2 * letters_in(v, d, gap) > gap.to - gap.from)
        return why(
            f,
            "The host filed letters for %lld.%02lld ms before it asked for survey(), and the device idled. Ask first for what "
            "the chain needs next.",
            MS(letters_in(v, d, gap)));
    return why(f, "survey() begins %lld.%02lld ms late. Ask for it first.", MS(gap.to - gap.from));
}

/* What the host waits in, after survey() has ended, waits for polish() as well. */
static bool why_waited_for_polish(struct finding *f, const struct chain_of_day *d)
{
    const struct call *polish = &d->t->calls[d->t->spans[d->polish_node].call], *made = NULL;
    for (size_t i = 0; i < d->t->call_count && !made; i++)
        if (d->t->calls[i].kind == CALL_STREAM_CREATE && d->t->calls[i].stream == polish->stream)
            made = &d->t->calls[i];
    if (made && made->line != 0 && !(made->flags & (STREAM_NON_BLOCKING | STREAM_LEGACY)))
        return why(
            f,
            "survey() had ended, and this call waited for polish() as well (line %u): it is in a blocking stream (made in line "
            "%u), which the default stream waits for. cudaStreamNonBlocking makes one for which it does not wait.",
            polish->line, made->line);
    return why(
        f,
        "survey() had ended, and this call waited for polish() as well, which was queued before it (line %u). Bring the key home "
        "first. What may run beside plan() is soon enough when plan() begins.",
        polish->line);
}

/* plan() is called long after survey() has ended. */
static bool why_before_plan(const struct view *v, struct finding *f, const struct chain_of_day *d,
                            struct link gap)
{
    int64_t letters = letters_in(v, d, gap);
    uint32_t home =
        next_span(v, (struct selection){ ENGINE_BIT(ENGINE_D2H), ANY, ANY, d->first, d->end }, 0);
    if (2 * letters > gap.to - gap.from) {
        f->call = home == ANY ? ANY : d->t->spans[home].call;
        return why(
            f,
            "survey() had ended, and the host filed letters for another %lld.%02lld ms before it called plan(). While survey() "
            "runs there is time for d->survey_ns of letters. Keep the others for later.",
            MS(letters));
    }
    f->call = wait_in(d, gap);
    bool was_home = home != ANY && d->t->spans[home].end <= d->polish.from;
    if (was_home && 2 * common(d->polish, gap) > gap.to - gap.from)
        return why(
            f,
            "The key was home, and this call waited for polish() as well. plan() needs nothing of polish(): let the two run side "
            "by side.");
    if (2 * common(d->polish, gap) > gap.to - gap.from)
        return why_waited_for_polish(f, d);
    return why(
        f,
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
        return why(
            f,
            "plan() had returned, and the host filed letters for %lld.%02lld ms before it launched build(). Launch first: "
            "letters can be filed while build() runs.",
            MS(letters));
    if (2 * common(d->polish, gap) > gap.to - gap.from) {
        f->call = d->t->spans[d->polish_node].call;
        return why(
            f,
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
        return why(
            f,
            "polish() runs when build() has ended. The device was idle while the host planned: it has time for polish() then.");
    }
    f->word = "file_letter";
    struct link idle = d->survey;
    uint32_t waits = wait_in(d, idle);
    if (2 * letters_in(v, d, idle) < idle.to - idle.from && waits != ANY
        && 2 * common((struct link){ d->t->calls[waits].begin, d->t->calls[waits].end }, idle)
               > idle.to - idle.from) {
        f->call = waits;
        return why(
            f,
            "When build() had ended, letters were left for %lld.%02lld ms. While survey() ran the host waited in this call, for "
            "%lld.%02lld ms: there was time for letters before it.",
            MS(letters_in(v, d, gap)),
            MS(common((struct link){ d->t->calls[waits].begin, d->t->calls[waits].end }, idle)));
    }
    return why(
        f,
        "When build() had ended, letters were left for %lld.%02lld ms. Was the host busy all the time before: while survey() "
        "ran, and while build() ran?",
        MS(letters_in(v, d, gap)));
}

bool day_pace(const struct evidence *e, struct finding *f, const char *part)
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
        "the day takes at most %u.%02u times as long as survey(), plan() and build(), one after the other: %lld.%02lld ms",
        asked / 1000, asked / 10 % 100, MS(chain * asked / 1000));
    seen(f, "%lld.%02lld ms, %lld.%02lld times as long", MS(took), (long long)(took / chain),
         (long long)(took * 100 / chain % 100));
    f->call = ANY;
    return reasons[largest](v, f, &d, gaps[largest]);
}
