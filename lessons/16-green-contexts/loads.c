/* SPDX-License-Identifier: MIT */
/* (c): does each share keep both promises, and is there none where none can? */
#include "judges.h"

#include <stdio.h>
#include <string.h>

/* Where a promise is looked at; one that is not belongs beside the other. */
#define ASKS_REQUEST "->request_due_ns ->bulk_due_ns"
#define ASKS_BULK "->bulk_due_ns ->request_due_ns"

static struct selection load_calls(const struct view *v, int k)
{
    char text[32];
    struct selection s = { 0, ANY, ANY, 0, 0 };
    snprintf(text, sizeof text, "%s%d", LOAD, k);
    measure_label(v->timeline, text, &s.first_call, &s.end_call);
    return s;
}

/* urgent_share() found no split, and there is one: it misjudges the promise for which it finds none
 * either when the other is easy to keep. Fills f->word. */
static void name_promise(const struct answers *a, struct finding *f, int k)
{
    bool request = a->alone[k][REQUEST_ALONE] <= 0, bulk = a->alone[k][BULK_ALONE] <= 0;
    if (!request && !bulk) /* not the promises, but the counts that are tried */
        f->word = "split_device cuDevSmResourceSplitByCount " ASKS_REQUEST;
    if (request == bulk)
        return;
    f->word = request ? ASKS_REQUEST : ASKS_BULK;
    size_t used = strlen(f->why);
    snprintf(f->why + used, sizeof f->why - used,
             " If the %s may take %d times as long, it returns 0 as well: how do you tell how long the %s takes?",
             request ? "bulk" : "request", EASILY, request ? "request" : "bulk");
}

/* A side has too few SMs for its kernel: how many waves that makes, and whether the answer is the
 * one that rounding down gives. */
static bool why_more_waves(const struct view *v, struct finding *f, uint32_t node, int sms,
                           int64_t took, int64_t waves, bool request, bool whole)
{
    int64_t blocks = v->timeline->spans[node].blocks, per_sm = blocks_an_sm(v, node);
    const char *fits = blocks / (sms * per_sm) <= waves
                           ? " Rounded down it would be no more than the promise allows. Round up: "
                             "a last wave that is not full takes as long as a full one."
                           : "";
    const char *rest =
        !whole && took == waves + 1
            ? " The promise is no whole number of waves: what is left of it after the last whole "
              "one has room for none."
            : "";
    int64_t needed = waves_on(blocks, sms, per_sm);
    if (took > needed) {
        f->function = "sides_open";
        f->word = "cuGreenCtxStreamCreate";
        return why(f,
                   "On %d SMs, %lld blocks each, %lld blocks are %lld %s: the kernel ran on fewer SMs than the device gives this side. Each "
                   "sides_open() makes contexts and streams anew, of a split for just the `sms` that it is given.",
                   sms, (long long)per_sm, (long long)blocks, (long long)needed,
                   needed == 1 ? "wave" : "waves");
    }
    if (request)
        return why(f,
                   "On %d SMs, %lld blocks each, %lld blocks are %lld waves.%s%s Return a count only if the request's side keeps "
                   "request_due_ns with it.",
                   sms, (long long)per_sm, (long long)blocks, (long long)took, fits, rest);
    return why(f,
               "On %d SMs, %lld blocks each, %lld blocks are %lld waves.%s%s The urgent side's SMs are gone for the bulk. Ask for no more "
               "than the request needs, and count what is left after the device has rounded up.",
               sms, (long long)per_sm, (long long)blocks, (long long)took, fits, rest);
}

/* Is the answer the same for every load, whatever it asks for? If it is right for the first one, it
 * may have been kept. */
static bool always_the_same(const struct answers *a)
{
    for (int k = 1; k < LOADS; k++)
        if (a->share[k] != a->share[0])
            return false;
    return true;
}

/* One of the two promises, of the loads for which a split keeps both. */
static bool judge_promise(const struct evidence *e, struct finding *f, bool request)
{
    for (size_t view = 0; view < e->views; view++) {
        const struct view *v = &e->yours[view];
        const struct split d = card_split(v->card);
        for (int k = 0; k < FITTING; k++) {
            const struct needs n = needs_of(d, sizes_of(e), k);
            int asked = answers_of(e, view)->share[k],
                part = asked > 0 && asked <= d.sms ? part_of(d, asked) : 0;
            struct selection s = load_calls(v, k);
            uint32_t bulk = next_kernel(v, s, "hold", 0),
                     urgent = bulk == ANY ? ANY : next_kernel(v, s, "hold", bulk + 1);
            uint32_t node = request ? urgent : bulk;
            int64_t waves = request ? sizes_of(e)->request_waves[k] : sizes_of(e)->bulk_waves[k];
            int64_t took =
                node == ANY ? 0 : waves_of(v, node, request ? REQUEST_BLOCK_NS : BULK_BLOCK_NS);
            if (node != ANY ? took <= waves : !request && asked <= 0)
                continue;
            f->view = view;
            f->function = "urgent_share";
            f->word = request ? ASKS_REQUEST : ASKS_BULK;
            expected(f, "load %d: the %s is done in %lld %s, for which it needs %d SMs of %d", k,
                     request ? "request" : "bulk", (long long)waves, waves == 1 ? "wave" : "waves",
                     request ? n.need : n.rest, d.sms);
            if (asked <= 0) {
                seen(f, "urgent_share() returned %d", asked);
                why(f,
                    "A split keeps both promises: with %d SMs asked for, the urgent side has %d and the bulk side %d. %sTry every count, "
                    "and look at what the device gives for it.",
                    n.need, part_of(d, n.need), d.sms - part_of(d, n.need),
                    is_exact(k)
                        ? "Each kernel then takes exactly what its promise allows, and that is in time. "
                        : "");
                name_promise(answers_of(e, view), f, k);
                return false;
            }
            if (node == ANY) {
                seen(f, "urgent_share() returned %d, and %s", asked,
                     part == d.sms ? "all SMs are the urgent side's then"
                                   : "there are no more SMs than that");
                return request || why(f, "The bulk needs a side, too.");
            }
            seen(f,
                 "urgent_share() returned %d: the urgent side has %d SMs and the bulk side %d. The %s took %lld waves",
                 asked, part, d.sms - part, request ? "request" : "bulk", (long long)took);
            if (k > 0 && always_the_same(answers_of(e, view))) {
                f->word = "static return";
                return why(f,
                           "It returns %d for each of the %d loads, although they ask for different things. Is it a constant? Does something keep the first answer, "
                           "such as a static variable? Compute it anew each time, from *l and from what the device gives.",
                           asked, LOADS);
            }
            return why_more_waves(v, f, node, request ? part : d.sms - part, took, waves, request,
                                  is_exact(k));
        }
    }
    return true;
}

/* Says of a load with long blocks which it is, and what may be amiss. */
static bool why_long(struct finding *f, int k, int asked)
{
    f->function = "urgent_share";
    seen(f,
         "of load %d with blocks of %.1f s for the bulk and %.1f s for the request, %d an SM, urgent_share() returned %d",
         k, LONG_BULK_BLOCK_NS / 1e9, LONG_REQUEST_BLOCK_NS / 1e9, LONG_PER_SM, asked);
    return why(f,
               "Its answer for short blocks is right. An int holds no more than 2.1 s in nanoseconds: keep times, and what is computed "
               "from them, in a long long, as struct load does. Or is a block's time, or how many fit on an SM, written down "
               "as a number? *l says both.");
}

/* Likewise of the loads with long blocks, which are not run: what the device gives is known. */
static bool judge_long_promise(const struct evidence *e, struct finding *f, bool request)
{
    for (size_t view = 0; view < e->views; view++) {
        const struct split d = card_split(e->yours[view].card);
        for (int k = 0; k < FITTING; k++) {
            const struct needs n = needs_of(d, sizes_of(e), k);
            int asked = answers_of(e, view)->long_share[k],
                part = asked > 0 && asked <= d.sms ? part_of(d, asked) : 0;
            if (request ? part == 0 || part >= n.need : part > 0 && d.sms - part >= n.rest)
                continue;
            f->view = view;
            f->word = request ? ASKS_REQUEST : ASKS_BULK;
            expected(f,
                     "a count with which the %s is done in time: with %d asked for, both promises are kept",
                     request ? "request" : "bulk", n.need);
            return why_long(f, k, asked);
        }
    }
    return true;
}

bool judge_request_promise(const struct evidence *e, struct finding *f, const char *part)
{
    (void)part;
    return judge_promise(e, f, true) && judge_long_promise(e, f, true);
}

bool judge_bulk_promise(const struct evidence *e, struct finding *f, const char *part)
{
    (void)part;
    return judge_promise(e, f, false) && judge_long_promise(e, f, false);
}

/* Is the answer 0 where not even the numbers of SMs that the two need add up? */
static bool gives_up(const struct evidence *e, size_t view)
{
    return answers_of(e, view)->share[FITTING + 1] == 0;
}

bool judge_no_split(const struct evidence *e, struct finding *f, const char *part)
{
    (void)part;
    for (size_t view = 0; view < e->views; view++) {
        const struct split d = card_split(e->yours[view].card);
        for (int k = FITTING; k < LOADS; k++) {
            const struct needs n = needs_of(d, sizes_of(e), k);
            int asked = answers_of(e, view)->share[k];
            if (asked == 0)
                continue;
            f->view = view;
            int part_sms = asked > 0 && asked <= d.sms ? part_of(d, asked) : d.sms;
            f->function = "urgent_share";
            f->word = part_sms < n.need ? ASKS_REQUEST : ASKS_BULK;
            expected(f,
                     "load %d: 0, for no split keeps both promises: the request needs %d SMs and the bulk %d, of %d",
                     k, n.need, n.rest, d.sms);
            seen(f, "urgent_share() returned %d", asked);
            if (asked < 0 || asked > d.sms)
                return why(f, "No side can have that many SMs.");
            if (part_sms < n.need)
                return why(f,
                           "With %d asked for, the urgent side has %d SMs, too few for the request. Return a count only if both promises hold with "
                           "it.",
                           asked, part_sms);
            return why(f,
                       "With %d asked for, the urgent side has %d SMs, and the %d that are left are too few for the bulk. %s",
                       asked, part_sms, d.sms - part_sms,
                       asked < part_sms && d.sms - asked >= n.rest && gives_up(e, view)
                           ? "Look at what a split gives, not at what was asked for."
                           : "Return a count only if both promises hold with it.");
        }
        for (int k = FITTING; k < LOADS; k++) {
            int asked = answers_of(e, view)->long_share[k];
            if (asked == 0)
                continue;
            f->view = view;
            f->word = ASKS_BULK;
            expected(f, "0, for no split keeps both promises");
            return why_long(f, k, asked);
        }
    }
    return true;
}
