/* SPDX-License-Identifier: MIT */
/* (a), (b): what came of it. */
#include "runs.h"

/* The first element that is not right of n; n for none. */
static int64_t first_wrong(const uint32_t *got, int64_t n,
                           uint32_t (*want)(const uint32_t *in, int64_t n, int64_t i),
                           const uint32_t *in)
{
    int64_t i = 0;
    while (i < n && got[i] == want(in, n, i))
        i++;
    return i;
}

static uint32_t gathered(const uint32_t *in, int64_t n, int64_t i)
{
    int64_t next = (i + 1) % n;
    return 2654435761u * in[n - 1 - i] + 2654435761u * in[n - 1 - next];
}

static uint32_t drained(const uint32_t *in, int64_t n, int64_t i)
{
    int64_t next = (i + 1) % n;
    return 3 * (5 * in[n - 1 - i] + 1) + (5 * in[n - 1 - next] + 1);
}

#define MORE \
    "The first call was right. Is there a fixed size, room for only a fixed number of frames or rounds, or a static variable that keeps something of that call?"

static bool seen_again(const struct evidence *e, struct finding *f)
{
    const uint32_t *in = exchange_input(e->exchange, IN_FRAMES, NULL),
                   *got = exchange_output(e->exchange, OUT_FRAMES_AGAIN, NULL);
    int64_t frames = settings_of(e)->more, n;
    if (!comes_through(e, f, "a", AGAIN "a", "frames_all", "count", MORE))
        return false;
    bool ran = part_ran(&e->yours[0], AGAIN "a");
    for (int64_t k = 0; ran && k < frames; in += n, got += n, k++) {
        n = size_again(k);
        int64_t i = first_wrong(got, n, gathered, in);
        if (i == n)
            continue;
        f->call = ANY;
        f->function = "frames_all";
        f->word = "count";
        expected(f, "called again, with %lld frames, element %lld of frame %lld is %u",
                 (long long)frames, (long long)i, (long long)k, gathered(in, n, i));
        seen(f, "look() saw %u", got[i]);
        return why(f, MORE);
    }
    return true;
}

static bool relayed_again(const struct evidence *e, struct finding *f)
{
    const uint32_t *in = exchange_input(e->exchange, IN_RELAY, NULL),
                   *got = exchange_output(e->exchange, OUT_RELAY_AGAIN, NULL);
    int64_t rounds = settings_of(e)->more;
    if (!comes_through(e, f, "b", AGAIN "b", "relay_all", "rounds", MORE))
        return false;
    bool ran = part_ran(&e->yours[0], AGAIN "b");
    for (int64_t k = 0; ran && k < rounds; k++, in += MORE_N, got += MORE_N) {
        int64_t i = first_wrong(got, MORE_N, drained, in);
        if (i == MORE_N)
            continue;
        f->call = ANY;
        f->function = "relay_all";
        f->word = "rounds";
        expected(f, "called again, with %lld rounds, element %lld of round %lld is %u",
                 (long long)rounds, (long long)i, (long long)k, drained(in, MORE_N, i));
        seen(f, "it is %u", got[i]);
        return why(f, MORE);
    }
    return true;
}

bool judge_seen(const struct evidence *e, struct finding *f, const char *part)
{
    const int32_t *n = exchange_input(e->exchange, IN_SIZES, NULL);
    const uint32_t *in = exchange_input(e->exchange, IN_FRAMES, NULL),
                   *got = exchange_output(e->exchange, OUT_FRAMES, NULL);
    for (int64_t k = 0; k < settings_of(e)->frames; in += n[k], got += n[k], k++) {
        int64_t i = first_wrong(got, n[k], gathered, in);
        if (i == n[k])
            continue;
        uint32_t node = kernel_named(&e->yours[0], in_part(&e->yours[0], part, 0), "gather", NULL);
        f->call = node == ANY ? ANY : e->yours[0].timeline->spans[node].call;
        expected(f, "element %lld of frame %lld is %u", (long long)i, (long long)k,
                 gathered(in, n[k], i));
        seen(f, "look() saw %u", got[i]);
        return why(f,
                   "spread(scratch, in, n) and gather(out, scratch, n), with the frame's own place in `in` and its own size.");
    }
    return seen_again(e, f);
}

/* From which element of all rounds' `in` on are these results what drain() makes of n? -1: of none.
 */
static int64_t made_of(const uint32_t *got, const uint32_t *in, int64_t n, int64_t rounds)
{
    for (int64_t from = 0; from <= n * (rounds - 1); from++)
        if (first_wrong(got, n, drained, in + from) == n)
            return from;
    return -1;
}

bool judge_relayed(const struct evidence *e, struct finding *f, const char *part)
{
    const struct settings *s = settings_of(e);
    const uint32_t *in = exchange_input(e->exchange, IN_RELAY, NULL),
                   *got = exchange_output(e->exchange, OUT_RELAY, NULL);
    for (int64_t k = 0; k < s->rounds; k++, in += s->relay_n, got += s->relay_n) {
        int64_t i = first_wrong(got, s->relay_n, drained, in);
        if (i == s->relay_n)
            continue;
        uint32_t node = kernel_named(&e->yours[0], in_part(&e->yours[0], part, 0), "drain", NULL);
        f->call = node == ANY ? ANY : e->yours[0].timeline->spans[node].call;
        expected(f, "element %lld of round %lld is %u", (long long)i, (long long)k,
                 drained(in, s->relay_n, i));
        seen(f, "it is %u", got[i]);
        int64_t from = made_of(got, exchange_input(e->exchange, IN_RELAY, NULL), s->relay_n,
                               s->rounds);
        if (from >= 0) {
            struct selection fills = in_part(&e->yours[0], part, 0);
            uint32_t fill = next_kernel(&e->yours[0], fills, "fill", 0);
            f->call = call_number(&e->yours[0], fill);
            return why(f,
                       "The result is that of the elements from r->in + %lld on, and round %lld begins at r->in + %lld * r->n, which is "
                       "r->in + %lld.",
                       (long long)from, (long long)k, (long long)k, (long long)(k * s->relay_n));
        }
        return why(f,
                   "Each round has n elements of its own in `in` and in `out`: r->in + k * r->n, r->out + k * r->n.");
    }
    return relayed_again(e, f);
}
