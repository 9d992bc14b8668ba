/* SPDX-License-Identifier: MIT */
/* check.c - lesson 08: its inputs, its checks. */
#include "judges.h"

/* ---- inputs ---- */

static void prepare(struct exchange *x, struct random *r)
{
    struct sizes s = { .bulk = random_odd(r, 15000, 25000), .request = random_odd(r, 1000, 3000),
                       .tail = (int64_t)random_between(r, 0, 999) };
    for (int k = 1; k < REQUESTS; k++)
        s.pause[k] = (int64_t)random_between(r, 1200000, 2300000);
    s.batch = random_odd(r, 15000, 25000);
    s.setup_ns = (int64_t)random_between(r, 20, 35) * 1000;
    s.item_ns = (int64_t)random_between(r, 25, 100) * 1000;
    s.patience_ns = (int64_t)random_between(r, 1000, 1500) * 1000;
    s.rounds = 10000000 / s.item_ns;
    s.arrival[0] = (int64_t)random_between(r, 800000, 2000000);
    for (int k = 1; k < COMERS - 1; k++)
        s.arrival[k] = s.arrival[k - 1] + (int64_t)random_between(r, 2600000, 3200000);
    s.arrival[COMERS - 1] = (int64_t)random_between(r, 13500000, 14500000);
    *(struct sizes *)exchange_add_input(x, sizeof s) = s;
    exchange_add_elements(x, r, s.bulk);
    exchange_add_elements(x, r, s.request * REQUESTS);
    int32_t *wish = exchange_add_input(x, WISHES * sizeof *wish);
    const int32_t always[] = { 100, -100, -1 };
    for (size_t k = 0; k < WISHES; k++)
        wish[k] = k < 3 ? always[k] : (int32_t)random_between(r, 0, 14) - 9;
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
JUDGE(judge_begin); JUDGE(judge_latency); JUDGE(judge_bulk);
JUDGE(judge_grinds); JUDGE(judge_handed); JUDGE(judge_results); JUDGE(judge_patience); JUDGE(judge_price);

static const struct check checks[] = {
    { "a-range", "a", OUTPUT, 8, "the range is this device's, on every card", NULL, judge_levels, READ_RANGE, {
      "Which of two numbers is the greater priority, and how many are there from one to the other?",
      "The greatest priority is the lowest number",
      "cudaDeviceGetStreamPriorityRange(&l->least, &l->greatest); l->count = l->least - l->greatest + 1." } },
    { "a-granted", "a", OUTPUT, 8, "what a stream gets for any number", NULL, judge_granted, READ_RANGE, {
      "What happens to a number that the device does not have, and which call tells you?", "Nothing fails, and nothing is said",
      "cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, wish), then cudaStreamGetPriority(stream, &priority)." } },
    { "a-leaks", "a", HYGIENE, 1, "part (a) gives back its streams", NULL, judge_leaks, READ_CALLS, {
      "Who destroys the stream that granted() makes?", "`cudaStreamDestroy(stream)`",
      "cudaStreamDestroy(stream) before granted() returns." } },
    { RACES("a", 2, "*", READ_CALLS, "when all that is in `stream` is done") },
    { ERRORS("a", 1, "*") },

    { "b-work", "b", OUTPUT, 4, "the bulk and each request go to the device, on every card", NULL, judge_work, READ_PROGRAM, {
      "What does your program do on a card with least == greatest?", "no case of its own",
      "crunch<<<b->tiles, THREADS, b->shared, s->bulk>>>() and reply<<<REPLY_BLOCKS, THREADS, 0, s->urgent>>>(), with no if." } },
    { "b-order", "b", ORDER, 5, "a request's three steps come in an order that is guaranteed", "b-work", judge_order, READ_NOT, {
      "What makes the copy out wait for reply()?", "It orders nothing",
      "s->urgent in all three: cudaMemcpyAsync(), reply<<<>>>(), cudaMemcpyAsync()." } },
    { "b-wait", "b", ORDER, 5, "each request is waited for, and at the end the bulk", "b-order", judge_wait, READ_CALLS, {
      "After which call is `out` complete?", "when all that is in `stream` is done",
      "cudaStreamSynchronize(s->urgent) at the end of answer(), cudaStreamSynchronize(s->bulk) in service_close()." } },
    { "b-output", "b", OUTPUT, 6, "every element is right, on every card", "b-wait", judge_output, READ_PROGRAM, {
      "Which element is the first wrong one, and which block or copy should have made it?", "One block does one tile",
      "crunch<<<b->tiles, THREADS, b->shared, s->bulk>>>(b->out, b->in, b->n, b->tiles, 0)." } },
    { "b-begin", "b", OVERLAP, 4, "the bulk is under way when the requests come", "b-work", judge_begin, READ_PROGRAM, {
      "What does bulk_begin() have to wait for?", "comes back at once",
      "crunch<<<...>>>() and cudaGetLastError(), no cudaStreamSynchronize(), in bulk_begin()." } },
    { "b-numbers", "b", HYGIENE, 6, "the numbers asked for are the device's own", "b-work", judge_numbers, READ_RANGE, {
      "On which card is that number the greatest, and what is it on the others?", "no number that you could write into a program",
      "cudaDeviceGetStreamPriorityRange(&least, &greatest) in service_open()." } },
    { "b-latency", "b", OVERLAP, 6, "a request waits for one wave of the bulk at most", "b-numbers b-begin b-output", judge_latency,
      READ_BLOCKS, {
      "When does a block of the bulk leave its place, and which block gets that place?", "the next free place goes to",
      "cudaStreamCreateWithPriority(&s->urgent, cudaStreamNonBlocking, greatest), s->bulk with least; cudaStreamSynchronize(s->urgent) "
      "in answer()." } },
    { "b-bulk", "b", OVERLAP, 3, "the bulk is hardly slower for it", "b-begin b-wait", judge_bulk, READ_BLOCKS, {
      "How many blocks run in the last wave of a launch?", "cut the bulk into launches",
      "One crunch<<<b->tiles, ...>>>() for all tiles." } },
    { "b-leaks", "b", HYGIENE, 2, "part (b) gives back its streams", NULL, judge_leaks, READ_CALLS, {
      "Which streams does service_open() make?", "`cudaStreamDestroy(stream)`",
      "cudaStreamDestroy(s->bulk) and cudaStreamDestroy(s->urgent) in service_close()." } },
    { RACES("b", 3, "*", READ_CALLS, "when all that is in `stream` is done") },
    { ERRORS("b", 1, "*") },

    { "c-work", "c", OUTPUT, 4, "the batch and each request go to the device, on every card", NULL, judge_grinds, READ_BEHIND, {
      "How many items does one launch do, and with which item does the next begin?", "as many blocks as it has places for",
      "grind<<<blocks, THREADS, b->shared, s->bulk>>>(*b, first, each), then first += blocks * each, until first >= b->items." } },
    { "c-handed", "c", ORDER, 4, "each request is handed out when its answer is there", "c-work b-work b-order b-wait", judge_handed, READ_CALLS, {
      "After which call is `out` complete?", "when all that is in `stream` is done",
      "answer(s, &r), then hand_out(&r), for each of b->requests; cudaStreamSynchronize(s->bulk) at the end." } },
    { "c-output", "c", OUTPUT, 4, "every element is right, on every card", "c-handed b-output", judge_results, READ_BEHIND, {
      "Which item is the first that no launch does?", "as many blocks as it has places for",
      "The last launch has (b->items - first + each - 1) / each blocks, if those are fewer than b->wave." } },
    { "c-patience", "c", OVERLAP, 10, "no request waits longer for the batch than it may", "c-output b-latency", judge_patience, READ_BEHIND, {
      "When a request comes, how much of the batch can nothing overtake any more?", "Neither the card nor the driver takes back",
      "each = (b->patience_ns / 2 - b->setup_ns) / b->item_ns, and b->wave blocks a launch; queue a launch only when "
      "cudaEventQuery() says that the last but one is done, and ask request_came() in the same loop." } },
    { "c-price", "c", OVERLAP, 8, "the batch hardly takes longer for it", "c-output b-latency", judge_price, READ_BEHIND, {
      "What does each launch cost beyond its items, and what does the device do between two launches?", "Short pieces have a price",
      "grind<<<b->wave, ...>>>() in each launch, as many items for a block as patience_ns permits, and the next launch queued while one runs." } },
    { "c-leaks", "c", HYGIENE, 1, "part (c) gives back what it made", NULL, judge_leaks, READ_CALLS, {
      "What did you make in grind_all()?", "`cudaStreamDestroy(stream)`",
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
    .prepare = prepare, .divided = "grind", .run_on = run_on,
};
