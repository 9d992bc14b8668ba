/* SPDX-License-Identifier: MIT */
/* (b): what runs, in which order, and how long a request takes beside the bulk. */
#include "judges.h"

#include <stdio.h>
#include <stdlib.h>

#define LATE_PERMILLE 1250      /* of a request's time on an idle device: the contract's */
/* On a real card, where each call takes longer: halfway to the least that a mistake costs. reply()
 * is one wave, and on too few SMs it is two, which is 1.9 times the request in the simulator; who
 * waits for blocks of the bulk waits for more. A right answer that makes a graph of each request
 * took up to 1.44 on an H200 (facts/h200-agreement.md). */
#define LATE_ON_CARD 1500
#define SLOW_PERMILLE 1100      /* of the bulk's waves */
#define BULK_BLOCK 2000000      /* ns: BULK_NS of lesson.h */
#define REPLY_SOON 100000       /* ns: a kernel that waits for nothing has begun by then */

static struct selection label_of(const struct view *v, const char *text)
{
    struct selection s = { 0, ANY, ANY, 0, 0 };
    measure_label(v->timeline, text, &s.first_call, &s.end_call);
    return s;
}

/* The driver's own launch of that kernel, before the parts. */
static uint32_t own_launch(const struct view *v, const char *kernel)
{
    return next_kernel(v, (struct selection){ 0, ANY, ANY, 0, v->timeline->call_count }, kernel, 0);
}

/* What is called in the part and, `again`, for the second bulk after it. */
static struct selection round_of(const struct view *v, const char *part, bool again)
{
    return again ? label_of(v, AGAIN) : in_part(v, part, 0);
}

/* Places for blocks of crunch() on the bulk side; tiles that it has. */
static int64_t wave_blocks(const struct evidence *e, const struct view *v)
{
    const struct split d = card_split(v->card);
    return (d.sms - part_of(d, (int)sizes_of(e)->urgent))
           * blocks_an_sm(v, own_launch(v, "crunch"));
}

static int64_t tiles(const struct evidence *e, const struct view *v)
{
    return tiles_of(sizes_of(e), (int)wave_blocks(e, v));
}

bool judge_side_work(const struct evidence *e, struct finding *f, const char *part)
{
    for (size_t turn = 0; turn < 2 * e->views; turn++) {
        size_t view = turn % e->views;
        bool again = turn >= e->views;
        const char *when = again ? "when all is called for a second bulk" : "in part (b)";
        const struct view *v = &e->yours[view];
        struct selection s = round_of(v, part, again);
        int64_t all = again ? tiles_again((int)wave_blocks(e, v)) : tiles(e, v);
        size_t tunes;
        int64_t blocks = 0;
        f->view = view;
        f->function = "bulk_begin";
        uint32_t tune = kernel_named(v, s, "tune", &tunes);
        if (tunes != 1) {
            f->word = "tune";
            f->call = tune == ANY ? ANY : v->timeline->spans[tune].call;
            expected(f, "tune() fills the table once");
            seen(f, "it was launched %zu times %s", tunes, when);
            return why(f,
                       "crunch() and reply() read the table. bulk_begin() queues tune() before crunch().");
        }
        if (v->timeline->spans[tune].blocks != 1) {
            f->call = v->timeline->spans[tune].call;
            expected(f, "tune() has one block");
            seen(f, "it has %u", v->timeline->spans[tune].blocks);
            return why(f,
                       "Each block of tune() fills all of the table: two blocks write the same elements, and nothing orders them.");
        }
        EACH_KERNEL(node, v, s, "crunch") {
            blocks += v->timeline->spans[node].blocks;
            f->call = v->timeline->spans[node].call;
            if (!has_its_shared(v, f, node, own_launch(v, "crunch"), "b->shared"))
                return false;
        }
        if (blocks != all) {
            f->word = "crunch";
            expected(f, "crunch() is launched with as many blocks as there are tiles: %lld",
                     (long long)all);
            seen(f, "%lld blocks %s", (long long)blocks, when);
            return why(
                f, "One block does one tile, and each tile is done once: b->tiles blocks in all.");
        }
        f->call = ANY;
        f->function = "answer";
        for (int k = again ? REQUESTS : 0; k < (again ? ALL_REQUESTS : REQUESTS); k++) {
            uint32_t reply = next_kernel(v, side_request(v, k, 0), "reply", 0);
            bool to = next_span(v, side_request(v, k, ENGINE_BIT(ENGINE_H2D)), 0) != ANY;
            bool from = next_span(v, side_request(v, k, ENGINE_BIT(ENGINE_D2H)), 0) != ANY;
            f->word = reply == ANY ? "reply" : "cudaMemcpyAsync";
            expected(f,
                     "each request goes to the device, through reply() and back, inside its answer()");
            if (reply == ANY || !to || !from) {
                seen(f, "request %d: %s while answer() ran", k,
                     reply == ANY ? "reply() was not launched"
                     : !to        ? "nothing was copied to the device"
                                  : "nothing was copied from the device");
                return why(f,
                           "cudaMemcpyAsync() brings `in` to `device`, reply() works there, and cudaMemcpyAsync() brings `device` to `out`.");
            }
            f->call = v->timeline->spans[reply].call;
            if (!has_its_shared(v, f, reply, own_launch(v, "reply"), "r->shared"))
                return false;
            f->call = ANY;
        }
    }
    return true;
}

/* Which of a request's copies is in the stream of crunch() and not in that of reply(); ANY. */
static uint32_t copy_among_bulk(const struct view *v, const char *part, int k, uint32_t in,
                                uint32_t out)
{
    const struct span *spans = v->timeline->spans;
    uint32_t crunch = next_kernel(v, in_part(v, part, 0), "crunch", 0),
             reply = next_kernel(v, side_request(v, k, 0), "reply", 0);
    if (crunch == ANY || reply == ANY || spans[reply].stream == spans[crunch].stream)
        return ANY;
    return spans[in].stream == spans[crunch].stream    ? in
           : spans[out].stream == spans[crunch].stream ? out
                                                       : ANY;
}

bool judge_request_order(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    for (int k = 0; k < REQUESTS; k++) {
        uint32_t in = next_span(v, side_request(v, k, ENGINE_BIT(ENGINE_H2D)), 0);
        uint32_t out = next_span(v, side_request(v, k, ENGINE_BIT(ENGINE_D2H)), 0);
        struct chain *chain;
        size_t count = chains_of(v, side_request(v, k, ENGINE_BIT(ENGINE_KERNEL)), &chain);
        bool good = chain_between(v->order, chain, count, in, out);
        if (!good) {
            f->call = v->timeline->spans[out].call;
            expected(f, "copy in, reply(), copy out, each bound to wait for the one before");
            seen(f,
                 "no reply() of request %d waits for its copy in and is waited for by its copy out",
                 k);
            why_unchained(
                v, f, chain, count, in, "the copy in", out, "the copy out",
                "SMs of its own order nothing. A request's three steps belong in one stream.");
            uint32_t among = copy_among_bulk(v, part, k, in, out);
            if (among != ANY) {
                f->call = v->timeline->spans[among].call;
                why(f,
                    "This copy is in the bulk's stream, behind crunch(), and reply() is in another. A request's three steps belong in one "
                    "stream, s->urgent.");
            }
        }
        free(chain);
        if (!good)
            return false;
    }
    return true;
}

/* The first of the selection's calls by which the learner makes a stream wait; ANY: none does. */
static uint32_t first_stream_wait(const struct view *v, struct selection s)
{
    const struct timeline *t = v->timeline;
    for (size_t i = s.first_call; i < s.end_call; i++)
        if (t->calls[i].kind == CALL_STREAM_WAIT && !is_in_driver(t, &t->calls[i]))
            return (uint32_t)i;
    return ANY;
}

bool judge_table_first(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    for (int turn = 0; turn < 4; turn++) {
        int kind = turn % 2;
        struct selection all = round_of(v, part, turn >= 2);
        uint32_t tune = next_kernel(v, all, "tune", 0);
        const char *name = kind == 0 ? "crunch" : "reply";
        EACH_KERNEL(node, v, all, name) {
            if (hb_before(v->order, tune, node, GUARANTEED))
                continue;
            f->call = v->timeline->spans[node].call;
            expected(f, "%s() comes after tune(), which fills the table", name);
            seen(f, "nothing makes %s wait for %s%s", node_name(v, node).text,
                 node_name(v, tune).text, turn >= 2 ? " when all is called for a second bulk" : "");
            uint32_t reply = next_kernel(v, all, "reply", 0);
            if (kind == 0 && reply != ANY
                && v->timeline->spans[node].stream == v->timeline->spans[reply].stream)
                return why(f,
                           "crunch() is in the requests' stream, and tune() in another. Both are the bulk's: launch crunch() into s->bulk.");
            uint32_t once = turn >= 2 && kind == 1 && first_stream_wait(v, all) == ANY
                                ? first_stream_wait(v, round_of(v, part, false))
                                : ANY;
            if (once != ANY) {
                f->call = once;
                return why(f,
                           "This was called in part (b), and is not for the second bulk. tune() fills the table anew each time, and a wait "
                           "holds for what was recorded when it was called. Let each answer() make the urgent stream wait.");
            }
            return why_unordered(
                v, f, tune, "tune()", node, kind == 0 ? "crunch()" : "reply()",
                kind == 0
                    ? "The two are in streams of two contexts, and nothing orders these. Both are the bulk's: a stream "
                      "does one thing after the other."
                    : "The two are in streams of two contexts, and nothing orders these. An event does, in green contexts as "
                      "elsewhere: record one after tune(), and let the urgent stream wait for it.");
        }
    }
    return true;
}

static uint32_t filled(uint32_t i) { return 2654435761u * (i % 64) + 1u; }
static uint32_t crunched(uint32_t x, uint32_t i) { return 1664525u * x + filled(i); }
static uint32_t replied(uint32_t x, uint32_t i) { return 5 * x + filled(i); }

static bool judge_set(const struct evidence *e, struct finding *f, const char *part, size_t view,
                      int set)
{
    const struct view *v = &e->yours[view];
    bool bulk = set != IN_REQUESTS;
    size_t bytes;
    const uint32_t *in = exchange_input(e->exchange, set, &bytes);
    const uint32_t *out = exchange_output_of(e->exchange, view, set, NULL); /* the same numbers */
    uint32_t n = (uint32_t)(bytes / sizeof *in), of = bulk ? n : (uint32_t)sizes_of(e)->request,
             wrong = 0, first = 0;
    for (uint32_t i = 0; i < n; i++)
        if (out[i] != (bulk ? crunched(in[i], i) : replied(in[i], i % of)) && !wrong++)
            first = i;
    if (wrong == 0)
        return true;
    uint32_t node =
        next_kernel(v, round_of(v, part, set == IN_AGAIN), bulk ? "crunch" : "reply", 0);
    f->view = view;
    f->call = node == ANY ? ANY : v->timeline->spans[node].call;
    expected(f, "each of the %u elements of the %s went through %s() once: element %u is %u", n,
             set == IN_AGAIN ? "second bulk"
             : bulk          ? "bulk"
                             : "requests",
             bulk ? "crunch" : "reply", first,
             bulk ? crunched(in[first], first) : replied(in[first], first % of));
    seen(f, "%u %s wrong, the first is element %u: %u", wrong, wrong == 1 ? "is" : "are", first,
         out[first]);
    if (!bulk && why_short_copy(v, f, side_request(v, (int)(first / of), 0), of * sizeof *in))
        return false;
    return why(
        f,
        bulk
            ? "crunch() gets b->n, all elements, and b->tiles, all tiles. A launch does the tiles first, first + 1, …, one for each "
              "of its blocks."
            : "Do the kernel and both copies cover all n elements of the request?");
}

bool judge_side_output(const struct evidence *e, struct finding *f, const char *part)
{
    for (size_t view = 0; view < e->views; view++) {
        for (int set = IN_BULK; set <= IN_AGAIN; set++)
            if (!judge_set(e, f, part, view, set))
                return false;
        const struct answers *a = answers_of(e, view);
        if (!a->changed_request && !a->changed_bulk)
            continue;
        f->view = view;
        f->function = a->changed_request ? "answer" : "bulk_begin";
        f->word = a->changed_request ? "->in" : "b->in";
        expected(f, "`in` is the caller's, and is only read");
        if (a->changed_request)
            seen(f, "`in` of request %d is no longer what it was", a->changed_request - 1);
        else
            seen(f, "the bulk's `in` is no longer what it was");
        return why(f, "The caller may need it once more. What you make belongs in `%s`.",
                   a->changed_request ? "device` and `out" : "out");
    }
    return true;
}

/* When the last crunch() of the part ends. */
static int64_t bulk_end(const struct view *v, const char *part)
{
    int64_t end = 0;
    EACH_KERNEL(node, v, in_part(v, part, 0), "crunch")
        end = v->timeline->spans[node].end > end ? v->timeline->spans[node].end : end;
    return end;
}

bool judge_side_begin(const struct evidence *e, struct finding *f, const char *part)
{
    for (size_t view = 0; view < e->views; view++) {
        const struct view *v = &e->yours[view];
        struct selection s = label_of(v, BULK),
                         later = { 0, ANY, ANY, s.end_call, in_part(v, part, 0).end_call };
        uint32_t late = next_kernel(v, later, "crunch", 0), held_up = first_standstill(v, s);
        f->view = view;
        expected(f, "bulk_begin() queues the bulk, and comes back while it is under way");
        if (late != ANY) {
            f->call = v->timeline->spans[late].call;
            seen(f, "this launch of crunch() came when bulk_begin() had returned");
            return why(
                f, "Queue all of the bulk in bulk_begin(). Queued work needs no host to begin.");
        }
        if (held_up != ANY) {
            f->call = held_up;
            seen(f, "this call held the host up inside bulk_begin()");
            return why(f,
                       "The host cannot take a request meanwhile. Queue the bulk, and wait for it in bulk_end().");
        }
    }
    return true;
}

/* How long answer() took for request k. */
static int64_t length(const struct view *v, int k)
{
    struct selection s = side_request(v, k, 0);
    return v->timeline->calls[s.end_call].begin - v->timeline->calls[s.first_call].end;
}

/* The call of the request that took longest. */
static uint32_t longest_call(const struct view *v, int k)
{
    struct selection s = side_request(v, k, 0);
    const struct call *calls = v->timeline->calls;
    size_t longest = s.first_call + 1;
    for (size_t i = longest; i < s.end_call; i++)
        if (calls[i].end - calls[i].begin > calls[longest].end - calls[longest].begin)
            longest = i;
    return (uint32_t)longest;
}

/* The call of request k before `launch` at whose end the host knew that node was done, and before
 * it did not; ANY: it did not wait for that there. */
static uint32_t host_waited(const struct view *v, int k, uint32_t node, size_t launch)
{
    struct selection s = side_request(v, k, 0);
    const struct call *calls = v->timeline->calls;
    if (hb_before_call(v->order, node, calls, s.first_call, GUARANTEED))
        return ANY;
    for (size_t i = s.first_call + 1; i <= launch; i++)
        if (hb_before_call(v->order, node, calls, i, GUARANTEED))
            return (uint32_t)i - 1;
    return ANY;
}

static int64_t length_of(const struct view *v, uint32_t node)
{
    return node == ANY ? INT64_MAX / LATE_PERMILLE
                       : v->timeline->spans[node].end - v->timeline->spans[node].start;
}

/* Why request k is late, by what its kernel waited for. */
static bool why_late(const struct view *v, const struct view *r, struct finding *f,
                     const char *part, int k, int64_t tuned, int64_t alone)
{
    const struct timeline *t = v->timeline;
    uint32_t reply = next_kernel(v, side_request(v, k, 0), "reply", 0),
             crunch = next_kernel(v, in_part(v, part, 0), "crunch", 0);
    uint32_t last = crunch;
    for (uint32_t node = crunch; node != ANY;
         node = next_kernel(v, in_part(v, part, 0), "crunch", node + 1))
        last = node;
    f->call = t->spans[reply].call;
    uint32_t held_up = host_waited(v, k, crunch, t->spans[reply].call);
    if (held_up != ANY) {
        f->call = held_up;
        return why(f,
                   "Here the host waits for crunch(), and launches reply() afterwards. What a request needs of the bulk is tune() alone: let "
                   "the urgent stream wait for an event that is recorded between tune() and crunch().");
    }
    if (hb_before(v->order, crunch, reply, GUARANTEED)) {
        uint32_t by = stream_wait_between(v, in_part(v, part, 0), crunch, reply);
        f->call = by != ANY ? by : f->call;
        if (t->spans[reply].stream == t->spans[crunch].stream)
            return why(f,
                       "reply() is in the bulk's stream, and a stream does one thing after the other. Launch it into s->urgent.");
        return why(f,
                   "reply() is bound to wait for crunch(): the event was recorded after it, or recorded again. What a request needs is tune() "
                   "alone. Record the event between tune() and crunch().");
    }
    int64_t could = t->calls[f->call].end > tuned ? t->calls[f->call].end : tuned;
    if (t->spans[reply].start >= t->spans[last].end || t->spans[reply].start < could + REPLY_SOON) {
        size_t replies;
        kernel_named(v, side_request(v, k, 0), "reply", &replies);
        if (replies > 1)
            return why(f,
                       "answer() launches reply() %zu times, and each of these kernels takes the time of one. One launch does all n elements.",
                       replies);
        uint32_t model = next_kernel(r, side_request(r, k, 0), "reply", 0);
        int64_t takes = length_of(v, reply), theirs = length_of(r, model);
        uint32_t blocks = t->spans[reply].blocks,
                 fit = model != ANY ? r->timeline->spans[model].blocks : blocks;
        if (blocks > fit && takes * 1000 > theirs * LATE_PERMILLE)
            return why(f,
                       "reply() is launched with %u blocks, and %u fit on the urgent side at once: the others begin when those have ended, and "
                       "take as long again. r->blocks is as many as fit.",
                       blocks, fit);
        if (model != ANY && blocks == fit
            && takes * 1000 > theirs * LATE_PERMILLE)
            return why(f,
                       "reply() itself takes %lld us, and in the reference solution %lld: it has fewer SMs than the split gives the urgent side. "
                       "s->urgent is a stream of the context that this sides_open() has made of its own split.",
                       (long long)takes / 1000, (long long)theirs / 1000);
        f->call = longest_call(v, k);
        int64_t here = t->calls[f->call].end - t->calls[f->call].begin;
        return why(f,
                   "reply() began as soon as it was queued and tune() was done. %s. answer() queues a copy, reply() and a copy, and waits for the "
                   "request's own stream alone.",
                   here > alone ? "The host was here for longer than a whole request needs"
                                : "Of all calls of answer() this one took longest");
    }
    return why(f,
               "reply() waited for blocks of crunch(), which are not interrupted. Its blocks find places at once only on SMs that the bulk "
               "does not use: the bulk belongs in s->bulk, and the request in s->urgent.");
}

bool judge_side_latency(const struct evidence *e, struct finding *f, const char *part)
{
    for (size_t view = 0; view < e->views; view++) {
        const struct view *v = &e->yours[view];
        int64_t alone = length(&e->reference[view], REQUESTS - 1);
        unsigned asked = on_real_card(v) ? LATE_ON_CARD : LATE_PERMILLE;
        int64_t tuned = v->timeline->spans[next_kernel(v, in_part(v, part, 0), "tune", 0)].end;
        for (int k = 0; k < REQUESTS - 1; k++) {
            struct selection s = side_request(v, k, 0);
            int64_t from = v->timeline->calls[s.first_call].end,
                    end = v->timeline->calls[s.end_call].begin;
            from = from > tuned ? from : tuned;
            if ((end - from) * 1000 <= alone * asked)
                continue;
            int64_t hundredths = ((end - from) * 100 + alone - 1) / alone;
            f->view = view;
            expected(f,
                     "beside the bulk a request takes at most %u.%02u x the reference solution's time on an idle device, %lld.%02lld ms, from "
                     "the end of tune() on",
                     asked / 1000, asked / 10 % 100, (long long)(alone / 1000000),
                     (long long)(alone / 10000 % 100));
            seen(f, "request %d takes %lld.%02lld x as long: %lld.%02lld ms", k,
                 (long long)(hundredths / 100), (long long)(hundredths % 100),
                 (long long)((end - from) / 1000000), (long long)((end - from) / 10000 % 100));
            return why_late(v, &e->reference[view], f, part, k, tuned, alone);
        }
    }
    return true;
}

bool judge_side_pace(const struct evidence *e, struct finding *f, const char *part)
{
    for (size_t view = 0; view < e->views; view++) {
        const struct view *v = &e->yours[view];
        uint32_t first = next_kernel(v, in_part(v, part, 0), "crunch", 0);
        int64_t took = bulk_end(v, part)
                       - v->timeline->spans[next_kernel(v, in_part(v, part, 0), "tune", 0)].end;
        int64_t waves = waves_on(tiles(e, v), wave_blocks(e, v), 1);
        unsigned asked = time_asked(v, SLOW_PERMILLE);
        if (took * 1000 <= waves * BULK_BLOCK * asked)
            continue;
        f->view = view;
        f->call = v->timeline->spans[first].call;
        expected(f,
                 "from the end of tune() on the bulk takes the %lld waves that its side needs for %lld tiles",
                 (long long)waves, (long long)tiles(e, v));
        seen(f, "as long as %lld.%lld waves", (long long)(took / BULK_BLOCK),
             (long long)(took * 10 / BULK_BLOCK % 10));
        return why(f,
                   "How many places did the bulk have, and were all of them filled? A launch's last wave may leave places empty, and the next "
                   "launch of the stream waits for its end. One launch does all tiles, on all SMs of the bulk side.");
    }
    return true;
}
