/* SPDX-License-Identifier: MIT */
/* (d): is everything done that day, once, and right? */
#include "judges.h"

#include <stdio.h>
#include <string.h>

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

/* Where letter `number` was filed, which stands next to the one that is missing. */
static void blame_letter(const struct view *v, struct finding *f, const struct selection *s,
                         int number)
{
    for (size_t i = s->first_call; i < s->end_call; i++)
        if (label_number(v, i, LETTER) == number)
            blame_host(v, f, i);
}

/* Has the part begun a thread that has not come to its end when the part is over? */
static bool leaves_thread(const struct view *v, const struct selection *s)
{
    const struct call *calls = v->timeline->calls;
    for (size_t i = s->first_call; i < s->end_call; i++)
        if (calls[i].kind == CALL_THREAD_BEGIN && !thread_ends(v, i, s->end_call))
            return true;
    return false;
}

static bool never_filed(const struct view *v, struct finding *f, const struct selection *s,
                        int letter)
{
    uint32_t alone = lone_letter(v, s);
    seen(f, "file_letter(%d) was never called", letter);
    if (leaves_thread(v, s))
        return why(f,
                   "whole_day() begins a thread, and returns before that has come to its end: what it has not done by then is missing. Join "
                   "it (join() of a std::thread, pthread_join()) before the function returns.");
    if (alone == ANY)
        blame_letter(v, f, s, letter == LETTERS - 1 ? letter - 1 : letter + 1);
    if (alone == ANY && letter == LETTERS - 1)
        return why(f,
                   "All others were filed. The last letter is number d->letters - 1: does the last of your loops end before it?");
    if (alone == ANY)
        return why(f,
                   "If you file letters in two places, the second one goes on where the first one stopped.");
    blame_host(v, f, alone);
    return why(f,
               "This call files one letter, number %ld, and no other. Is it in the loop, and does the loop go on?",
               label_number(v, alone, LETTER));
}

/* Was the label's work done by a thread of an earlier day, if only the end of it? */
static bool is_of_earlier_day(const struct view *v, size_t call)
{
    const struct timeline *t = v->timeline;
    bool other_part = false;
    for (size_t i = label_end(v, call); i-- > 0;) {
        other_part |= t->calls[i].kind == CALL_PART;
        if (t->calls[i].kind == CALL_THREAD_BEGIN && t->calls[i].thread == t->calls[call].thread)
            return other_part;
    }
    return false;
}

/* A number that no letter has that day, in the part or on the quiet day after it. */
static bool stray_letter(const struct view *v, struct finding *f, const struct answer *a)
{
    const struct timeline *t = v->timeline;
    char label[24];
    snprintf(label, sizeof label, "%s%d", LETTER, a->stray);
    bool left = false;
    for (size_t i = t->call_count; i-- > 0;)
        if (t->calls[i].kind == CALL_LABEL
            && strcmp(timeline_string(t, t->calls[i].name), label) == 0) {
            blame_host(v, f, i);
            left |= is_of_earlier_day(v, i);
        }
    expected(f,
             "file_letter() gets the numbers from 0 to d->letters - 1, and none when d->letters is 0");
    seen(f, "file_letter(%d), which was no letter's number that day", a->stray);
    if (left)
        return why(f,
                   "A thread of an earlier day has filed it: whole_day() had begun that thread, and returned before it came to its end. Join "
                   "it (join() of a std::thread, pthread_join()) before the function returns.");
    return why(f,
               "A loop that files letters ends when none is left, even if the device is not done.");
}

#define MORE_LETTERS \
    "There may be any number of letters: d->letters says how many. Does your program have room for only a fixed number of them?"

/* On a later day, with fewer letters or with more. */
static bool filed_later(struct finding *f, const int32_t *filed, int letters)
{
    for (int k = 0; k < letters; k++)
        if (filed[k] != 1) {
            expected(f, "on a later day, with %d letters, each of them is filed once", letters);
            seen(f, "letter %d was filed %d times", k, filed[k]);
            return why(f, letters < LETTERS ? SECOND_CALL : MORE_LETTERS);
        }
    return true;
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
            return why(f,
                       "This call filed it again. If you file letters in two places, the second one goes on where the first one "
                       "stopped.");
        }
    if (a->strays != 0)
        return stray_letter(v, f, a);
    return !part_ran(v, LATER "d") || filed_later(f, a->filed_later, LATER_LETTERS);
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
        return why(f,
                   "The host plans with the key that survey() has found, and build() needs what plan() returns.");
    }
    return letters_filed(v, f, &s, answer_of(e));
}

/* The key of the days after the part. */
static uint32_t key_of_others(const struct evidence *e)
{
    const uint32_t *site = exchange_input(e->exchange, 1, NULL);
    uint32_t key = 0;
    site += task_of(e)->n - task_of(e)->site;
    for (int64_t i = 0; i < task_of(e)->site; i += 16)
        key += site[i];
    return key;
}

static bool site_left(const struct evidence *e, struct finding *f)
{
    if (answer_of(e)->site_changed == 0)
        return true;
    f->word = "site";
    expected(f, "the site holds afterwards what it held before");
    seen(f, "%d of its elements are different ones", answer_of(e)->site_changed);
    return why(f,
               "d->site is the caller's, and const: survey() reads it, and nothing writes to it.");
}

/* The day without letters, whose site is another one. */
static bool key_quietly(const struct evidence *e, struct finding *f, uint32_t key_before,
                        size_t plan)
{
    uint32_t key = key_of_others(e), got = answer_of(e)->planned_quietly;
    if (got == key)
        return true;
    expected(f, "on a day without letters plan() is called with the key of that day's site, %u",
             key);
    seen(f, "plan(%u)", got);
    if (got == key_before)
        return why(f, "That is the key of the day before. " SECOND_CALL);
    blame_host(&e->yours[0], f, plan);
    return why(f,
               "With letters plan() gets the key, without letters it does not. If nothing but the letters took as long as survey(), that "
               "is luck: before plan() a call has to wait for the copy of the key, however many letters there are, "
               "cudaEventSynchronize() or cudaMemcpy().");
}

static bool key_later(const struct evidence *e, struct finding *f)
{
    uint32_t key = key_of_others(e), got = answer_of(e)->planned_later;
    if (got == key)
        return true;
    expected(f, "on a later day plan() is called with the key of that day's site, %u", key);
    seen(f, "plan(%u)", got);
    return why(f, SECOND_CALL);
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
        return why_unwaited(v, f, node, first,
                            "The call only asks. Read the key when a call that waits for it has returned.");
    }
    if (!hb_before_call(v->order, survey, v->timeline->calls, first, GUARANTEED)) {
        f->call = v->timeline->spans[survey].call;
        seen(f, "nothing had waited for survey() when plan(%u) was called", got);
        return why_unwaited(v, f, survey, first,
                            "The key is on the device when survey() has run, and in your variable when a copy to the "
                            "host that comes after it has returned: %s.",
                            next_span(v, homes, 0) == ANY
                                ? "there is no such copy, and cudaMemcpy() would wait"
                                : "cudaMemcpy() waits");
    }
    if (got == key)
        return !part_ran(v, AGAIN "d")
               || (site_left(e, f) && key_quietly(e, f, key, first) && key_later(e, f));
    seen(f, "plan(%u)", got);
    if (part_of_site != 0) {
        f->call = v->timeline->spans[survey].call;
        return why(f,
                   "That is the key of the first %lld elements of the site, and survey() takes the number of all: d->n, which is %lld.",
                   (long long)part_of_site, (long long)task_of(e)->site);
    }
    return why(f,
               "Copy the one number at d->key to the host after survey(), and give plan() what has arrived.");
}

/* survey() has one thread, the others one for each element. */
static bool grids_fit(const struct evidence *e, struct finding *f, const char *part, int64_t n)
{
    static const char *const kernels[] = { "survey", "build", "polish" };
    const struct view *v = &e->yours[0];
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        uint32_t node = next_kernel(v, in_part(v, part, 0), kernels[k], 0);
        const struct call *c = call_of_node(v, node);
        if (node == ANY || c->kind != CALL_LAUNCH)
            continue;
        unsigned threads = c->block[0] * c->block[1] * c->block[2];
        unsigned long long blocks = v->timeline->spans[node].blocks;
        if (k > 0 && !fits_elements(v, f, node, (uint64_t)n, 0))
            return false;
        if (k > 0 || threads * blocks == 1)
            continue;
        f->call = v->timeline->spans[node].call;
        expected(f, "survey() is launched with one block of one thread");
        seen(f, "%llu %s of %u", blocks, blocks == 1 ? "block" : "blocks", threads);
        return why(f,
                   "Each thread goes over the whole site and writes the key, all of them to the same place: survey<<<1, 1>>>.");
    }
    return true;
}

/* A day with more letters than the first had. */
static bool busy_day(const struct evidence *e, struct finding *f)
{
    if (!comes_through(e, f, "d", BUSY "d", "whole_day", "letters", MORE_LETTERS))
        return false;
    f->function = "whole_day";
    f->word = "letters";
    return !part_ran(&e->yours[0], BUSY "d")
           || filed_later(f, answer_of(e)->filed_busy, (int)task_of(e)->busy_letters);
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
        return why_unwaited(v, f, node, s.end_call,
                            "It is queued, and may still run. cudaDeviceSynchronize() returns when all is done.");
    }
    for (uint32_t i = 0; i < task_of(e)->site; i++) {
        uint32_t built = plan * (2 * i + 1), polished = 22695477u * in[i] + 1;
        if (house[i] == built && photo[i] == polished)
            continue;
        bool of_house = house[i] != built;
        node = next_kernel(v, in_part(v, part, 0), of_house ? "build" : "polish", 0);
        if (node != ANY)
            f->call = v->timeline->spans[node].call;
        expected(f, "element %u of the %s is %u", i, of_house ? "house" : "photo",
                 of_house ? built : polished);
        seen(f, "%u", of_house ? house[i] : photo[i]);
        return (node == ANY || has_threads_for(v, f, node, (uint64_t)task_of(e)->site))
               && why(f,
                      of_house
                          ? "build() takes d->house, all n elements, and what plan() returned. Nothing else "
                            "writes to the house."
                          : "polish() works on d->photo, all n elements, once. Nothing else writes to the photo.");
    }
    return grids_fit(e, f, part, task_of(e)->site)
           && busy_day(e, f)
           && (!part_ran(v, BUSY "d") || grids_fit(e, f, BUSY "d", fewer(task_of(e)->site)));
}
