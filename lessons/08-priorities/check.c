/* SPDX-License-Identifier: MIT */
/* check.c - lesson 08: its inputs, its checks. */
#include "batch.h"

/* ---- inputs ---- */

static void prepare(struct exchange *x, struct random *r)
{
    struct sizes s = { .bulk = random_odd(r, 15000, 25000), .request = random_odd(r, 1000, 3000),
                       .tail = (int64_t)random_between(r, 0, 999) };
    for (int k = 1; k < REQUESTS; k++)
        s.pause[k] = (int64_t)random_between(r, 1200000, 2300000);
    s.batch = random_odd(r, 75000, 80000); /* an element at least for each item, on any card */
    /* What the one kind's patience permits costs too much on the other, and what that needs is more
     * than the first can bear: no number of items, and no patience, is right for both. Half of the
     * patience is a number of items, so that no rounding makes room for a set-up left out. */
    s.setup_ns[0] = (int64_t)random_between(r, 106, 110) * 1000;
    s.setup_ns[1] = (int64_t)random_between(r, 4, 6) * 1000;
    s.item_ns[0] = (int64_t)random_between(r, 225, 235) * 100;
    s.item_ns[1] = (int64_t)random_between(r, 300, 310) * 100;
    s.patience_ns[0] = 2 * (int64_t)random_between(r, 60, 62) * s.item_ns[0];
    s.patience_ns[1] = 2 * 10 * s.item_ns[1];
    /* A request comes when the one before it has been answered, at the latest. */
    s.arrival[0] = (int64_t)random_between(r, 600000, 1000000);
    for (int k = 1; k < COMERS - 1; k++)
        s.arrival[k] = s.arrival[k - 1] + (int64_t)random_between(r, 3200000, 3500000);
    s.last[0] = (int64_t)random_between(r, 14500000, 15500000);
    s.last[1] = s.arrival[COMERS - 2] + (int64_t)random_between(r, 1600000, 2000000);
    *(struct sizes *)exchange_add_input(x, sizeof s) = s;
    exchange_add_elements(x, r, s.bulk);
    exchange_add_elements(x, r, s.request * REQUESTS);
    int32_t *wish = exchange_add_input(x, WISHES * sizeof *wish);
    const int32_t always[] = { 100, -100, -1, -1 };
    for (size_t k = 0; k < WISHES; k++)
        wish[k] =
            k < sizeof always / sizeof *always ? always[k] : (int32_t)random_between(r, 0, 14) - 9;
    exchange_add_elements(x, r, s.batch);
    exchange_add_elements(x, r, s.request * COMERS);

    exchange_add_output(x, sizeof(struct answers));
    exchange_add_output(x, (size_t)s.bulk * sizeof(uint32_t));
    exchange_add_output(x, (size_t)(s.request * REQUESTS) * sizeof(uint32_t));
    exchange_add_output(x, (size_t)s.batch * sizeof(uint32_t));
    exchange_add_output(x, (size_t)(s.request * COMERS) * sizeof(uint32_t));
    exchange_add_output(x, sizeof(struct places));
}

/* ---- the tables ---- */

static const struct part parts[] = {
    { "a", "what has this device?", "levels granted" },
    { "b", "a request beside the bulk", "open answer" },
    { "c", "a batch that nothing overtakes", "batch" },
};

#define READ_RANGE "The range of a device"
#define READ_BLOCKS "Between two waves"
#define READ_CALLS "The calls"
#define READ_PROGRAM "A request beside the bulk"
#define READ_BEHIND "What a request waits for"
#define READ_NOT "What a priority does not do"

JUDGE(judge_levels); JUDGE(judge_granted); JUDGE(judge_numbers);
JUDGE(judge_work); JUDGE(judge_order); JUDGE(judge_wait); JUDGE(judge_output);
JUDGE(judge_begin); JUDGE(judge_latency); JUDGE(judge_apart); JUDGE(judge_bulk);
JUDGE(judge_grinds);
JUDGE(judge_handed);
JUDGE(judge_results);
JUDGE(judge_patience);
JUDGE(judge_price);

static const struct check checks[] = {
    { .id = "a-range",
      .part = "a",
      .kind = OUTPUT,
      .points = 8,
      .name = "the range is this device's, on every card",
      .judge = judge_levels,
      .read = READ_RANGE,
      .hints = { "Which of two numbers is the greater priority, and how many are there from one to the other?",
                 "The greatest priority is the lowest number",
                 "cudaDeviceGetStreamPriorityRange(&l->least, &l->greatest); l->count = l->least - l->greatest + 1." } },
    { .id = "a-granted",
      .part = "a",
      .kind = OUTPUT,
      .points = 8,
      .name = "what a stream gets for any number",
      .judge = judge_granted,
      .read = READ_RANGE,
      .hints = { "What happens to a number that the device does not have, and which call tells you?",
                 "A number outside the range",
                 "cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, wish), then cudaStreamGetPriority(stream, &priority)." } },
    { .id = "a-leaks", .part = "a", .kind = HYGIENE, .points = 1,
      .name = "part (a) gives back its streams", .judge = judge_leaks, .read = READ_CALLS,
      .hints = { "Who destroys the stream that granted() makes?", "`cudaStreamDestroy(stream)`",
                 "cudaStreamDestroy(stream) before granted() returns." } },
    { RACES("a", 2, "*", READ_CALLS, "when all that is in `stream` is done") },
    { ERRORS("a", 1, "*") },

    { .id = "b-work",
      .part = "b",
      .kind = OUTPUT,
      .points = 4, .name = "the bulk and each request go to the device, on every card",
      .judge = judge_work, .read = READ_PROGRAM,
      .hints = { "What does your program do on a card with least == greatest?",
                 "no case of its own",
                 "crunch<<<b->tiles, THREADS, b->shared, s->bulk>>>() and reply<<<REPLY_BLOCKS, THREADS, 0, s->urgent>>>(), with no if." } },
    { .id = "b-order", .part = "b", .kind = ORDER, .points = 5,
      .name = "a request's three steps come in an order that is guaranteed", .needs = "b-work",
      .judge = judge_order, .read = READ_NOT,
      .hints = { "What makes the copy out wait for reply()?", "It orders nothing",
                 "s->urgent in all three: cudaMemcpyAsync(), reply<<<>>>(), cudaMemcpyAsync()." } },
    { .id = "b-wait", .part = "b", .kind = ORDER, .points = 5,
      .name = "each request is waited for, and at the end the bulk", .needs = "b-order",
      .judge = judge_wait, .read = READ_CALLS,
      .hints = { "After which call is `out` complete?", "when all that is in `stream` is done",
                 "cudaStreamSynchronize(s->urgent) at the end of answer(), cudaStreamSynchronize(s->bulk) in service_close()." } },
    { .id = "b-output",
      .part = "b",
      .kind = OUTPUT,
      .points = 5,
      .name = "every element is right, on every card",
      .needs = "b-wait",
      .judge = judge_output,
      .read = READ_PROGRAM,
      .hints = { "Which element is the first wrong one, and which block or copy should have made it?",
                 "One block does one tile",
                 "crunch<<<b->tiles, THREADS, b->shared, s->bulk>>>(b->out, b->in, b->n, b->tiles, 0)." } },
    { .id = "b-begin", .part = "b", .kind = OVERLAP, .points = 4,
      .name = "the bulk is under way when the requests come", .needs = "b-work",
      .judge = judge_begin, .read = READ_PROGRAM,
      .hints = { "What does bulk_begin() have to wait for?", "one launch, which returns at once",
                 "crunch<<<...>>>() and cudaGetLastError(), no cudaStreamSynchronize(), in bulk_begin()." } },
    { .id = "b-numbers", .part = "b", .kind = HYGIENE, .points = 5,
      .name = "the numbers asked for are the device's own", .needs = "b-work",
      .judge = judge_numbers, .read = READ_RANGE,
      .hints = { "On which card is that number the greatest, and what is it on the others?",
                 "So write no number into a program",
                 "cudaDeviceGetStreamPriorityRange(&least, &greatest) in service_open()." } },
    { .id = "b-latency", .part = "b", .kind = OVERLAP, .points = 6,
      .name = "a request waits for one wave of the bulk at most",
      .needs = "b-numbers b-begin b-output", .judge = judge_latency, .read = READ_BLOCKS,
      .hints = { "When does a block of the bulk leave its place, and which block gets that place?",
                 "When a block ends, its place goes",
                 "cudaStreamCreateWithPriority(&s->urgent, cudaStreamNonBlocking, greatest), s->bulk with least; cudaStreamSynchronize(s->urgent) "
                 "in answer()." } },
    { .id = "b-apart",
      .part = "b", .kind = HYGIENE, .points = 2, .name = "no request waits for the default stream",
      .needs = "b-latency", .judge = judge_apart, .read = READ_CALLS,
      .hints = { "Which streams wait for the default stream, whatever their priority?",
                 "For urgent work take",
                 "cudaStreamCreateWithPriority(&s->urgent, cudaStreamNonBlocking, greatest)." } },
    { .id = "b-bulk", .part = "b", .kind = OVERLAP, .points = 3,
      .name = "the bulk is hardly slower for it", .needs = "b-begin b-wait", .judge = judge_bulk,
      .read = READ_BLOCKS, .hints = { "How many blocks run in the last wave of a launch?",
                 "people cut the bulk into several launches",
                 "One crunch<<<b->tiles, ...>>>() for all tiles." } },
    { .id = "b-leaks", .part = "b", .kind = HYGIENE, .points = 2,
      .name = "part (b) gives back its streams", .judge = judge_leaks, .read = READ_CALLS,
      .hints = { "Which streams does service_open() make?", "`cudaStreamDestroy(stream)`",
                 "cudaStreamDestroy(s->bulk) and cudaStreamDestroy(s->urgent) in service_close()." } },
    { RACES("b", 3, "*", READ_CALLS, "when all that is in `stream` is done") },
    { ERRORS("b", 1, "*") },

    { .id = "c-work",
      .part = "c",
      .kind = OUTPUT,
      .points = 4, .name = "the batch and each request go to the device, on every card",
      .judge = judge_grinds, .read = READ_BEHIND,
      .hints = { "How many items does one launch do, and with which item does the next begin?",
                 "because half a wave takes just",
                 "grind<<<blocks, THREADS, b->shared, s->bulk>>>(*b, first, each), then first += blocks * each, until first >= b->items." } },
    { .id = "c-handed", .part = "c", .kind = ORDER, .points = 4,
      .name = "each request is handed out when its answer is there",
      .needs = "c-work b-work b-order b-wait", .judge = judge_handed, .read = READ_CALLS,
      .hints = { "After which call is `out` complete?", "when all that is in `stream` is done",
                 "answer(s, &r), then hand_out(&r), for each of b->requests; cudaStreamSynchronize(s->bulk) at the end." } },
    { .id = "c-output", .part = "c", .kind = OUTPUT, .points = 4,
      .name = "every element is right, on every card", .needs = "c-handed b-output",
      .judge = judge_results, .read = READ_BEHIND,
      .hints = { "Which item is the first that no launch does?", "because half a wave takes just",
                 "The last launch has (b->items - first + each - 1) / each blocks, if those are fewer than b->wave." } },
    { .id = "c-patience", .part = "c", .kind = OVERLAP, .points = 10,
      .name = "no request waits longer for the batch than it may", .needs = "c-output b-latency",
      .judge = judge_patience, .read = READ_BEHIND,
      .hints = { "When a request comes, how much of the batch can nothing overtake any more?",
                 "has been queued is not taken back",
                 "each = (b->patience_ns / 2 - b->setup_ns) / b->item_ns, and b->wave blocks a launch; queue a launch only when "
                 "cudaEventQuery() says that the last but one is done, and ask request_came() in the same loop." } },
    { .id = "c-price",
      .part = "c",
      .kind = OVERLAP,
      .points = 8,
      .name = "the batch hardly takes longer for it",
      .needs = "c-output b-latency",
      .judge = judge_price,
      .read = READ_BEHIND,
      .hints = { "What does each launch cost beyond its items, and what does the device do between two launches?",
                 "Short pieces have a price",
                 "grind<<<b->wave, ...>>>() in each launch, as many items for a block as patience_ns permits, and the next launch queued while one runs." } },
    { .id = "c-leaks", .part = "c", .kind = HYGIENE, .points = 1,
      .name = "part (c) gives back what it made", .judge = judge_leaks, .read = READ_CALLS,
      .hints = { "What did you make in grind_all()?", "`cudaStreamDestroy(stream)`",
                 "A cudaEventDestroy() for each cudaEventCreate(), a cudaStreamDestroy() for each stream, before grind_all() returns." } },
    { RACES("c", 3, "*", READ_CALLS, "when all that is in `stream` is done") },
    { ERRORS("c", 1, "*") },
};

/* With the ranges [0, -5], [0, -1] and [0, 0]. */
static const char *const run_on[] = { "h200", "k20c", "c2050", NULL };

const struct lesson lesson_08 = {
    .number = 8,
    .folder = "08-priorities",
    .title = "Stream priorities",
    .parts = parts, .part_count = sizeof parts / sizeof *parts,
    .checks = checks, .check_count = sizeof checks / sizeof *checks,
    .prepare = prepare, .explain = batch_explain, .divided = "grind", .run_on = run_on,
};
