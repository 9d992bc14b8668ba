/* SPDX-License-Identifier: MIT */
/*
 * check.c - lesson 08: are the numbers the device's, and does a request go before the bulk?
 *
 * DESIGN
 * What a program asks a device for its range, and does with the answer, shows
 * only where it runs: the lesson is run on cards with the ranges [0, -5],
 * [0, -1] and [0, 0], and each judge looks at every one of them. Lengths are
 * taken from the same timeline: a wave is the kernel that the driver runs
 * before part (b), a request's own time that of the solution's request 0, made
 * while the device is idle.
 */
#include <stdio.h>

#include "grader/check.h"

#include "slots.h"

#define SLACK_PERMILLE 1100     /* of a wave, for a request; of the bulk's time */

/* ---- inputs ---- */

static void prepare(struct exchange *x, struct random *r)
{
    struct sizes s = { .bulk = random_odd(r, 15000, 25000), .request = random_odd(r, 1000, 3000),
                       .tail = (int64_t)random_between(r, 0, 999) };
    for (int k = 1; k < REQUESTS; k++)
        s.pause[k] = (int64_t)random_between(r, 1200000, 2300000);
    *(struct sizes *)exchange_add_input(x, sizeof s) = s;
    exchange_add_elements(x, r, s.bulk);
    exchange_add_elements(x, r, s.request * REQUESTS);
    int32_t *wish = exchange_add_input(x, WISHES * sizeof *wish);
    const int32_t always[] = { 100, -100, -1 };
    for (size_t k = 0; k < WISHES; k++)
        wish[k] = k < 3 ? always[k] : (int32_t)random_between(r, 0, 14) - 9;

    exchange_add_output(x, sizeof(struct answers));
    exchange_add_output(x, (size_t)s.bulk * sizeof(uint32_t));
    exchange_add_output(x, (size_t)(s.request * REQUESTS) * sizeof(uint32_t));
}

static const struct sizes *sizes_of(const struct evidence *e)
{
    return exchange_input(e->exchange, IN_SIZES, NULL);
}

static uint32_t crunched(uint32_t x) { return 1664525u * x + 1013904223u; }
static uint32_t replied(uint32_t x) { return 5 * x + 1; }

/* ---- (a) ---- */

static bool judge_levels(const struct evidence *e, struct finding *f, const char *part)
{
    (void)part;
    for (size_t view = 0; view < e->views; view++) {
        const struct card *card = e->yours[view].card;
        const struct answers *a = exchange_output_of(e->exchange, view, OUT_ANSWERS, NULL);
        int least = (int)card->priority_least, greatest = (int)card->priority_greatest, count = least - greatest + 1;
        if (a->least == least && a->greatest == greatest && a->count == count)
            continue;
        f->view = view;
        expected(f, "least %d, greatest %d, and that is %d %s", least, greatest, count, count == 1 ? "priority" : "priorities");
        seen(f, "least %d, greatest %d, %d", a->least, a->greatest, a->count);
        if (a->least == greatest && a->greatest == least && least != greatest)
            return why(f, "The two are the wrong way round: the greatest priority is the lowest number.");
        if (a->least == least && a->greatest == greatest)
            return why(f, "Count both ends: from 0 to -1 there are two, and where both are 0 there is one.");
        return why(f, "Every device has a range of its own, and this one says so when it is asked: "
                   "cudaDeviceGetStreamPriorityRange(&least, &greatest).");
    }
    return true;
}

static bool judge_granted(const struct evidence *e, struct finding *f, const char *part)
{
    (void)part;
    const int32_t *wish = exchange_input(e->exchange, IN_WISHES, NULL);
    for (size_t view = 0; view < e->views; view++) {
        const struct card *card = e->yours[view].card;
        const struct answers *a = exchange_output_of(e->exchange, view, OUT_ANSWERS, NULL);
        for (int k = 0; k < WISHES; k++) {
            int gets = card_priority(card, wish[k]);
            if (a->granted[k] == gets)
                continue;
            f->view = view;
            expected(f, "asked for %d, a stream gets %d: the range is %d to %d", wish[k], gets, (int)card->priority_least,
                     (int)card->priority_greatest);
            seen(f, "granted(%d) returned %d", wish[k], a->granted[k]);
            return why(f, a->granted[k] == wish[k]
                           ? "A number outside the range is no error: it is moved to the nearest end, and nothing says so. "
                             "Make the stream and ask it with cudaStreamGetPriority()."
                           : "Make a stream with that number and ask the stream what it has: cudaStreamGetPriority().");
        }
    }
    return true;
}

/* ---- (b): what was queued ---- */

/* The calls of request k; none if it never came. */
static struct selection request_calls(const struct view *v, int k, uint32_t engines)
{
    char label[32];
    struct selection s = { engines, ANY, ANY, 0, 0 };
    snprintf(label, sizeof label, "%s%d", REQUEST, k);
    measure_label(v->timeline, label, &s.first_call, &s.end_call);
    return s;
}

/* Blocks that fit on the card at once. */
static uint32_t wave_span(const struct view *v)
{
    return next_kernel(v, (struct selection){ 0, ANY, ANY, 0, v->timeline->call_count }, "crunch", 0);
}

static int64_t wave_blocks(const struct view *v)
{
    return v->timeline->spans[wave_span(v)].blocks;
}

static int64_t wave_ns(const struct view *v)
{
    const struct span *s = &v->timeline->spans[wave_span(v)];
    return s->end - s->start;
}

static bool judge_work(const struct evidence *e, struct finding *f, const char *part)
{
    for (size_t view = 0; view < e->views; view++) {
        const struct view *v = &e->yours[view];
        int64_t tiles = tiles_of(sizes_of(e), wave_blocks(v)), blocks = 0;
        f->view = view;
        f->call = ANY;
        for (uint32_t node = next_kernel(v, in_part(v, part, 0), "crunch", 0); node != ANY;
             node = next_kernel(v, in_part(v, part, 0), "crunch", node + 1)) {
            blocks += v->timeline->spans[node].blocks;
            f->call = v->timeline->spans[node].call;
        }
        if (blocks != tiles) {
            expected(f, "crunch() is launched with as many blocks as there are tiles: %lld", (long long)tiles);
            seen(f, "%lld blocks in part (%s)", (long long)blocks, part);
            return why(f, blocks ? "One block does one tile: in how many launches is yours to say, but each tile is done once."
                                 : "The bulk has to be done on every card: one without priorities only has no stream that goes "
                                   "before another.");
        }
        for (int k = 0; k < REQUESTS; k++)
            if (next_kernel(v, request_calls(v, k, 0), "reply", 0) == ANY) {
                f->call = ANY;
                expected(f, "each request goes through reply() on the device");
                seen(f, "request %d: reply() was not launched", k);
                return why(f, "answer() has to work on every card, also on one that has no priorities.");
            }
    }
    return true;
}

/* Does one copy touch device memory that the other one does? */
static bool meet(const struct call *in, const struct call *out)
{
    return in->dst < out->src + out->bytes && out->src < in->dst + in->bytes;
}

/* A request's copy in before a kernel before its copy out. */
static bool judge_order(const struct evidence *e, struct finding *f, const char *part)
{
    (void)part;
    const struct view *v = &e->yours[0];
    for (int k = 0; k < REQUESTS; k++) {
        struct selection ins = request_calls(v, k, ENGINE_BIT(ENGINE_H2D)), outs = ins, kernels = ins;
        outs.engines = ENGINE_BIT(ENGINE_D2H);
        for (uint32_t out = next_span(v, outs, 0); out != ANY; out = next_span(v, outs, out + 1))
            for (uint32_t in = next_span(v, ins, 0); in != ANY; in = next_span(v, ins, in + 1)) {
                uint32_t kernel = next_kernel(v, kernels, "reply", 0);
                while (kernel != ANY && !(order_before(v->order, in, kernel, GUARANTEED)
                                          && order_before(v->order, kernel, out, GUARANTEED)))
                    kernel = next_kernel(v, kernels, "reply", kernel + 1);
                if (kernel != ANY || !meet(call_of_node(v, in), call_of_node(v, out)))
                    continue;
                f->call = v->timeline->spans[out].call;
                expected(f, "copy in, reply(), copy out, each bound to wait for the one before");
                seen(f, "no reply() that waits for the copy in (line %u) and that this copy out waits for", call_of_node(v, in)->line);
                return why(f, "A priority orders nothing: it says who goes first among those that could go. A request's three steps "
                           "belong in one stream.");
            }
    }
    return true;
}

static bool judge_wait(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    for (int k = 0; k <= REQUESTS; k++) {
        struct selection s = k < REQUESTS ? request_calls(v, k, ENGINE_BIT(ENGINE_D2H)) : in_part(v, part, ENGINES_DEVICE);
        uint32_t node = never_waited_for(v, s);
        if (node == ANY)
            continue;
        f->call = v->timeline->spans[node].call;
        expected(f, k < REQUESTS ? "answer() returns when `out` is complete" : "all work is waited for before service_close() returns");
        seen(f, "nothing waited for this");
        return why(f, "The greatest priority is no promise of a time, and cudaStreamDestroy() waits for nothing. "
                   "cudaStreamSynchronize() returns when all that is in the stream is done.");
    }
    return true;
}

static bool judge_output(const struct evidence *e, struct finding *f, const char *part)
{
    static const struct { int in, out; uint32_t (*result)(uint32_t); const char *what; const char *kernel; } sets[] = {
        { IN_BULK, OUT_BULK, crunched, "the bulk", "crunch" }, { IN_REQUESTS, OUT_REQUESTS, replied, "the requests", "reply" },
    };
    for (size_t view = 0; view < e->views; view++)
        for (size_t k = 0; k < 2; k++) {
            size_t bytes;
            const uint32_t *in = exchange_input(e->exchange, sets[k].in, &bytes);
            const uint32_t *out = exchange_output_of(e->exchange, view, sets[k].out, NULL);
            uint32_t n = (uint32_t)(bytes / sizeof *in), wrong = 0, first = 0;
            for (uint32_t i = 0; i < n; i++)
                if (out[i] != sets[k].result(in[i]) && !wrong++)
                    first = i;
            if (!wrong)
                continue;
            const struct view *v = &e->yours[view];
            uint32_t node = next_kernel(v, in_part(v, part, 0), sets[k].kernel, 0);
            f->view = view;
            f->call = node == ANY ? ANY : v->timeline->spans[node].call;
            expected(f, "each of the %u elements of %s went through %s() once: element %u is %u", n, sets[k].what, sets[k].kernel,
                     first, sets[k].result(in[first]));
            seen(f, "%u %s wrong, the first is element %u: %u", wrong, wrong == 1 ? "is" : "are", first, out[first]);
            return why(f, k ? "Do the kernel and both copies cover all n elements of the request?"
                            : "Does each block get its own tile? The launch's tiles are first, first + 1, … up to its count of blocks.");
        }
    return true;
}

/* ---- (b): the numbers ---- */

static bool judge_numbers(const struct evidence *e, struct finding *f, const char *part)
{
    for (size_t view = 0; view < e->views; view++) {
        const struct view *v = &e->yours[view];
        const struct timeline *t = v->timeline;
        int least = (int)v->card->priority_least, greatest = (int)v->card->priority_greatest;
        struct selection s = in_part(v, part, 0);
        for (size_t i = s.first_call; i < s.end_call; i++) {
            const struct call *c = &t->calls[i];
            if (c->kind != CALL_STREAM_CREATE || c->status != 0 || (c->flags & (STREAM_LEGACY | STREAM_PER_THREAD))
                || c->priority == least || c->priority == greatest)
                continue;
            int gets = card_priority(v->card, c->priority);
            f->view = view;
            f->call = (uint32_t)i;
            expected(f, "a priority that is asked for is one end of this device's range: %d or %d", least, greatest);
            if (gets != c->priority) {
                seen(f, "%d was asked for, and %d was given, without a word", c->priority, gets);
                if (c->priority > least)
                    return why(f, "The higher the number, the lower the priority: this asks for less than the least. The greatest is "
                               "the lowest number, as cudaDeviceGetStreamPriorityRange() gives it.");
                return why(f, "That number comes from another card. It is moved into the range here, and on a card with more "
                           "priorities it would be one in the middle. Ask the device: cudaDeviceGetStreamPriorityRange().");
            }
            seen(f, "%d was asked for: there are %d before it and %d behind it", gets, gets - greatest, least - gets);
            return why(f, "On a card with two priorities this number is the greatest, on this one others go before it. Ask the "
                       "device: cudaDeviceGetStreamPriorityRange().");
        }
    }
    return true;
}

/* ---- (b): when it happened ---- */

/* Where the bulk begins to be queued. */
static struct selection bulk_calls(const struct view *v)
{
    struct selection s = { ENGINES_DEVICE, ANY, ANY, 0, 0 };
    measure_label(v->timeline, BULK, &s.first_call, &s.end_call);
    return s;
}

/* The part's crunch() that ends last. */
static uint32_t last_crunch(const struct view *v, const char *part)
{
    uint32_t last = ANY;
    for (uint32_t node = next_kernel(v, in_part(v, part, 0), "crunch", 0); node != ANY;
         node = next_kernel(v, in_part(v, part, 0), "crunch", node + 1))
        if (last == ANY || v->timeline->spans[node].end > v->timeline->spans[last].end)
            last = node;
    return last;
}

static int64_t bulk_end(const struct view *v, const char *part)
{
    return v->timeline->spans[last_crunch(v, part)].end;
}

static int64_t latency(const struct view *v, int k)
{
    struct selection s = request_calls(v, k, 0);
    return v->timeline->calls[s.end_call].begin - v->timeline->calls[s.first_call].end;
}

static bool judge_begin(const struct evidence *e, struct finding *f, const char *part)
{
    for (size_t view = 0; view < e->views; view++) {
        const struct view *v = &e->yours[view];
        struct selection s = bulk_calls(v);
        uint32_t first = next_kernel(v, in_part(v, part, 0), "crunch", 0);
        f->view = view;
        expected(f, "bulk_begin() queues the bulk and comes back while it is under way");
        if (v->timeline->spans[first].call >= s.end_call) {
            f->call = v->timeline->spans[first].call;
            seen(f, "when it came back nothing of the bulk was queued; its first launch is this one");
            return why(f, "A device that idles between the requests is no better than one that makes them wait. Queue it all in "
                       "bulk_begin().");
        }
        if (v->timeline->calls[s.end_call].begin >= bulk_end(v, part)) {
            f->call = first_standstill(v, s);
            seen(f, "when it came back the bulk was done");
            return why(f, "A request that comes meanwhile finds nobody to take it. Waiting for the bulk is for service_close().");
        }
    }
    return true;
}

/* What kept request k waiting. */
static bool why_late(const struct view *v, struct finding *f, const char *part, int k)
{
    const struct timeline *t = v->timeline;
    struct selection s = request_calls(v, k, ENGINES_DEVICE);
    uint32_t held = measure_longest_wait(t, s.first_call, s.end_call), stray = in_default_stream(v, s);
    uint32_t reply = next_kernel(v, s, "reply", 0), crunch = next_kernel(v, in_part(v, part, 0), "crunch", 0);
    if (stray != ANY) {
        f->call = stray;
        return why(f, "This is in the default stream, which has no priority but 0, and where a stream is a blocking one waits for it. "
                   "cudaMemcpyAsync() and a launch take the stream that is to go first.");
    }
    if (reply == ANY)
        return why(f, "Look in the timeline for what the request waited for.");
    const struct span *mine = &t->spans[reply], *other = &t->spans[crunch];
    f->call = mine->call;
    if (mine->stream == other->stream)
        return why(f, "The request stands in the bulk's own stream, behind all of it. A priority is a stream's: within one stream "
                   "nothing goes before what was queued earlier.");
    if (held != ANY && t->calls[held].end - mine->end > wave_ns(v)) {
        f->call = held;
        return why(f, "The request was done long before: this call waits for the bulk as well. Wait for the request's own stream.");
    }
    const struct call *mine_made = NULL, *other_made = NULL;
    for (size_t i = 0; i < t->call_count; i++)
        if (t->calls[i].kind == CALL_STREAM_CREATE) {
            mine_made = t->calls[i].stream == mine->stream ? &t->calls[i] : mine_made;
            other_made = t->calls[i].stream == other->stream ? &t->calls[i] : other_made;
        }
    if (!mine_made || !other_made)
        return why(f, "Look in the timeline for what the request waited for.");
    int urgent = card_priority(v->card, mine_made->priority), bulk = card_priority(v->card, other_made->priority);
    f->call = (uint32_t)(mine_made - t->calls);
    if (urgent == bulk && bulk == v->card->priority_greatest)
        return why(f, "Both streams have priority %d. A priority is a rank and not a speed: where all are first nobody is, and the "
                   "older work goes before the younger. Give the bulk the least.", urgent);
    if (urgent == bulk)
        return why(f, "Both streams have priority %d, so the bulk's blocks, which were here first, all go first. Make this one with "
                   "cudaStreamCreateWithPriority() and the greatest priority.", urgent);
    if (urgent > bulk)
        return why(f, "The request's stream has priority %d and the bulk's %d, and the lower number goes first: this is the wrong way "
                   "round.", urgent, bulk);
    f->call = held != ANY ? held : mine->call;
    return why(f, "The priorities are right (%d before %d). What else had the request to wait for?", urgent, bulk);
}

static bool judge_latency(const struct evidence *e, struct finding *f, const char *part)
{
    for (size_t view = 0; view < e->views; view++) {
        const struct view *v = &e->yours[view];
        /* Where there are no priorities, or one kernel at a time, no gain is asked. */
        if (v->card->priority_least == v->card->priority_greatest || v->card->concurrent_grids < 2)
            continue;
        int64_t wave = wave_ns(v), alone = latency(&e->reference[view], 0);
        for (int k = 1; k < REQUESTS; k++) {
            int64_t late = latency(v, k) - alone, best = latency(&e->reference[view], k) - alone;
            /* On a real card, where the bulk's waves do not end all at once, the reference takes longer, too, and now and then
             * one wave more: on an H200 right answers took up to 1.9, wrong ones 16 and more. */
            int64_t most = best > wave ? best : wave;
            if (late <= (on_real_card(v) ? most + wave : most * SLACK_PERMILLE / 1000))
                continue;
            int64_t tenths = late * 10 / wave, theirs = (latency(&e->reference[view], k) - alone) * 10 / wave;
            f->view = view;
            expected(f, "beside the bulk a request takes at most one wave of the bulk longer than on an idle device");
            seen(f, "request %d took %lld.%lld waves longer (%lld.%lld in the reference solution)", k, (long long)(tenths / 10),
                 (long long)(tenths % 10), (long long)(theirs / 10), (long long)(theirs % 10));
            return why_late(v, f, part, k);
        }
    }
    return true;
}

static bool judge_bulk(const struct evidence *e, struct finding *f, const char *part)
{
    for (size_t view = 0; view < e->views; view++) {
        const struct view *v = &e->yours[view];
        int64_t blocks = wave_blocks(v), tiles = tiles_of(sizes_of(e), blocks), wave = wave_ns(v);
        int64_t begin = v->timeline->calls[bulk_calls(v).first_call].end, end = bulk_end(v, part), took = end - begin;
        int64_t alone = latency(&e->reference[view], 0), own = (tiles + blocks - 1) / blocks * wave;
        for (int k = 1; k < REQUESTS; k++)
            if (v->timeline->calls[request_calls(v, k, 0).first_call].end < end)
                own += alone;
        if (took * 1000 <= own * SLACK_PERMILLE)
            continue;
        size_t launches;
        kernel_named(v, in_part(v, part, 0), "crunch", &launches);
        f->view = view;
        f->call = v->timeline->spans[last_crunch(v, part)].call;
        expected(f, "the bulk takes at most 1.1 x the time of its waves and of the requests that came meanwhile");
        seen(f, "%lld.%02lld x, in %zu %s", (long long)(took / own), (long long)(took * 100 / own % 100), launches,
             launches == 1 ? "launch" : "launches");
        if (launches > 1)
            return why(f, "In a stream each launch waits for all blocks of the one before, so that every launch ends in a wave with "
                       "empty places. Where the card has priorities one launch will do: requests get in between its waves.");
        return why(f, "Something else was in its way: look in the timeline for the time when no crunch() runs.");
    }
    return true;
}

/* ---- the tables ---- */

static const struct part parts[] = {
    { "a", "what has this device?", "levels granted" },
    { "b", "a request beside the bulk", "open answer" },
};

#define READ_RANGE "Which end is up"
#define READ_BLOCKS "Between two waves"
#define READ_CALLS "The calls"
#define READ_PROGRAM "A request beside the bulk"
#define READ_NOT "What a priority does not do"

static const struct check checks[] = {
    { "a-range", "a", OUTPUT, 15, "the range is this device's, on every card", NULL, judge_levels, READ_RANGE, {
      "Which of two numbers is the greater priority, and how many are there from one to the other?",
      "The greatest priority is the lowest number",
      "cudaDeviceGetStreamPriorityRange(&l->least, &l->greatest); l->count = l->least - l->greatest + 1." } },
    { "a-granted", "a", OUTPUT, 15, "what a stream gets that asked for any number", NULL, judge_granted, READ_RANGE, {
      "What happens to a number that the device does not have, and who tells you?", "Nothing fails, and nothing is said",
      "cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, wish), then cudaStreamGetPriority(stream, &priority)." } },
    { "a-leaks", "a", HYGIENE, 5, "part (a) gives back its streams", NULL, judge_leaks, READ_CALLS, {
      "Who destroys the stream that granted() makes?", "`cudaStreamDestroy(stream)`",
      "cudaStreamDestroy(stream) before granted() returns." } },

    { "b-work", "b", OUTPUT, 5, "the bulk and each request go to the device, on every card", NULL, judge_work, READ_PROGRAM, {
      "What does your program do on a card with least == greatest?", "no case of its own",
      "crunch<<<b->tiles, THREADS, b->shared, s->bulk>>>() and reply<<<REPLY_BLOCKS, THREADS, 0, s->urgent>>>(), with no if." } },
    { "b-order", "b", ORDER, 8, "a request's three steps come in an order that is guaranteed", "b-work", judge_order, READ_NOT, {
      "What makes the copy out wait for reply()?", "It orders nothing",
      "s->urgent in all three: cudaMemcpyAsync(), reply<<<>>>(), cudaMemcpyAsync()." } },
    { "b-wait", "b", ORDER, 8, "a request is waited for, and in the end the bulk", "b-work", judge_wait, READ_CALLS, {
      "After which call is `out` complete?", "when all that is in `stream` is done",
      "cudaStreamSynchronize(s->urgent) at the end of answer(), cudaStreamSynchronize(s->bulk) in service_close()." } },
    { "b-output", "b", OUTPUT, 9, "every element is right, on every card", "b-order b-wait", judge_output, READ_PROGRAM, {
      "Which element is the first wrong one, and which block or copy should have made it?", "One block does one tile",
      "crunch<<<b->tiles, THREADS, b->shared, s->bulk>>>(b->out, b->in, b->n, b->tiles, 0)." } },
    { "b-begin", "b", OVERLAP, 5, "the bulk is under way when the requests come", "b-work", judge_begin, READ_PROGRAM, {
      "What has bulk_begin() to wait for?", "comes back at once",
      "crunch<<<...>>>() and cudaGetLastError(), no cudaStreamSynchronize(), in bulk_begin()." } },
    { "b-numbers", "b", HYGIENE, 8, "the numbers asked for are the device's own", "b-work", judge_numbers, READ_RANGE, {
      "On which card is that number the greatest, and what is it on the others?", "no number that you could write into a program",
      "cudaDeviceGetStreamPriorityRange(&least, &greatest) in service_open()." } },
    { "b-latency", "b", OVERLAP, 12, "a request waits for one wave of the bulk at most", "b-numbers b-begin b-wait", judge_latency,
      READ_BLOCKS, {
      "When does a block of the bulk leave its place, and who gets it?", "the next free place goes to",
      "cudaStreamCreateWithPriority(&s->urgent, cudaStreamNonBlocking, greatest), s->bulk with least; cudaStreamSynchronize(s->urgent) "
      "in answer()." } },
    { "b-bulk", "b", OVERLAP, 5, "the bulk is hardly slower for it", "b-begin b-wait", judge_bulk, READ_BLOCKS, {
      "How many blocks run in the last wave of a launch?", "cut the bulk into launches",
      "One crunch<<<b->tiles, ...>>>() for all tiles." } },
    { "b-leaks", "b", HYGIENE, 5, "part (b) gives back its streams", NULL, judge_leaks, READ_CALLS, {
      "Which streams does service_open() make?", "`cudaStreamDestroy(stream)`",
      "cudaStreamDestroy(s->bulk) and cudaStreamDestroy(s->urgent) in service_close()." } },
};

/* With the ranges [0, -5], [0, -1] and [0, 0]. */
static const char *const run_on[] = { "h200", "k20c", "c2050", NULL };

const struct lesson lesson_08 = {
    .number = 8,
    .folder = "08-priorities",
    .title = "One stream before another",
    .parts = parts, .part_count = sizeof parts / sizeof *parts,
    .checks = checks, .check_count = sizeof checks / sizeof *checks,
    .prepare = prepare, .run_on = run_on,
};
