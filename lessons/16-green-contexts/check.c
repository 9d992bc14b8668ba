/* SPDX-License-Identifier: MIT */
/* check.c - lesson 16: its inputs, its checks. The judges are in sides.c (a), service.c (b) and
 * loads.c (c). */
#include "judges.h"

/* ---- inputs ---- */

static void prepare(struct exchange *x, struct random *r)
{
    struct sizes s = { .bulk = random_odd(r, 15000, 25000),
                       .again = random_odd(r, 5000, 10000), .request = random_odd(r, 1000, 3000),
                       .sms = 9 + 2 * (int64_t)random_between(r, 0, 3),
                       .urgent = (int64_t)random_between(r, 9, 24),
                       .waves = 5, /* odd: two halves take one more */
                       .tail = (int64_t)random_between(r, 200, 999) };
    for (int k = 1; k < REQUESTS - 1; k++)
        s.pause[k] = (int64_t)random_between(r, 100000, 250000);
    for (int k = 0; k < LOADS - 1; k++) {
        s.bulk_waves[k] = (int64_t)random_between(r, 3, 6);
        s.request_waves[k] = (int64_t)random_between(r, 1, 3);
        s.seed[k] = (int64_t)random_between(r, 0, 1000000);
    }
    s.bulk_waves[LOADS - 1] = s.request_waves[LOADS - 1] = 2;
    *(struct sizes *)exchange_add_input(x, sizeof s) = s;
    exchange_add_elements(x, r, s.bulk);
    exchange_add_elements(x, r, s.request * ALL_REQUESTS);
    exchange_add_elements(x, r, s.again);
    exchange_add_output(x, sizeof(struct answers));
    exchange_add_output(x, (size_t)s.bulk * sizeof(uint32_t));
    exchange_add_output(x, (size_t)(s.request * ALL_REQUESTS) * sizeof(uint32_t));
    exchange_add_output(x, (size_t)s.again * sizeof(uint32_t));
}

/* ---- the tables ---- */

static const struct part parts[] = {
    { "a", "two sides of a device", "open close" },
    { "b", "requests that wait for no bulk", "begin answer end" },
    { "c", "how many SMs?", "share" },
};

#define READ_SPLIT "Splitting a device"
#define READ_STREAM "Contexts and streams"
#define READ_END "Streams before contexts"
#define READ_ACROSS "Across contexts"
#define READ_BESIDE "A request beside the bulk"
#define READ_COUNT "How many SMs"

JUDGE(judge_device_split);
JUDGE(judge_urgent_side);
JUDGE(judge_bulk_side);
JUDGE(judge_sides_closed);
JUDGE(judge_side_work);
JUDGE(judge_request_order);
JUDGE(judge_table_first);
JUDGE(judge_side_waits);
JUDGE(judge_side_output);
JUDGE(judge_side_begin);
JUDGE(judge_side_latency);
JUDGE(judge_side_pace);
JUDGE(judge_request_promise);
JUDGE(judge_bulk_promise);
JUDGE(judge_no_split);

static const struct check checks[] = {
    { .id = "a-split", .part = "a", .kind = OUTPUT, .points = 5,
      .name = "the urgent side has what the device gives, the bulk side all others",
      .judge = judge_device_split, .read = READ_SPLIT,
      .hints = { "How many SMs does the device give when you ask for that many, and who says so?",
                 "rounds the count of a group up",
                 "urgent.sm.smCount and bulk.sm.smCount, after cuDevSmResourceSplitByCount(&urgent, &groups, &all, &bulk, 0, sms) with groups 1." } },
    { .id = "a-urgent", .part = "a", .kind = ORDER, .points = 5,
      .name = "work in s->urgent runs on the urgent side alone", .needs = "a-split",
      .judge = judge_urgent_side, .read = READ_STREAM,
      .hints = { "Which call makes a stream that has the SMs of a context?",
                 "belongs to the context that made it",
                 "cuGreenCtxStreamCreate(&s->urgent, s->urgent_context, CU_STREAM_NON_BLOCKING, 0)." } },
    { .id = "a-bulk", .part = "a", .kind = ORDER, .points = 5,
      .name = "work in s->bulk runs on the bulk side alone", .needs = "a-split",
      .judge = judge_bulk_side, .read = READ_STREAM,
      .hints = { "What keeps a kernel of an ordinary stream off the urgent side's SMs?",
                 "may use the whole device",
                 "cuGreenCtxStreamCreate(&s->bulk, s->bulk_context, CU_STREAM_NON_BLOCKING, 0)." } },
    { .id = "a-done", .part = "a", .kind = ORDER, .points = 4,
      .name = "all work is done when sides_close() returns", .judge = judge_sides_closed,
      .read = READ_END, .hints = { "What does destroying a stream wait for?",
                                   "nor `cuGreenCtxDestroy` waits",
                 "cudaStreamSynchronize(s->urgent) and cudaStreamSynchronize(s->bulk) first in sides_close()." } },
    { .id = "a-leaks", .part = "a", .kind = HYGIENE, .points = 2,
      .name = "both streams and both contexts are given back", .judge = judge_leaks,
      .read = READ_END, .hints = { "What happens to a stream whose context is gone?",
                                   "The streams go first",
                 "cudaStreamDestroy() for both streams, then cuGreenCtxDestroy() for both contexts." } },
    { RACES("a", 3, "*", READ_END, "nor `cuGreenCtxDestroy` waits") },
    { ERRORS("a", 1, "*") },

    { .id = "b-work", .part = "b", .kind = OUTPUT, .points = 3,
      .name = "the table, the bulk and each request are done on the device",
      .judge = judge_side_work, .read = READ_BESIDE,
      .hints = { "Which kernels does the bulk have, and how many blocks?",
                 "the bulk is two kernels",
                 "tune<<<1, THREADS, 0, s->bulk>>>(b->table), then crunch<<<b->tiles, THREADS, b->shared, s->bulk>>>(...)." } },
    { .id = "b-order", .part = "b", .kind = ORDER, .points = 3,
      .name = "a request's three steps come in an order that is guaranteed", .needs = "b-work",
      .judge = judge_request_order, .read = READ_ACROSS,
      .hints = { "What makes the copy out wait for reply()?", "impose no order",
                 "s->urgent in all three: cudaMemcpyAsync(), reply<<<>>>(), cudaMemcpyAsync()." } },
    { .id = "b-table", .part = "b", .kind = ORDER, .points = 6,
      .name = "the table is filled before it is read", .needs = "b-order",
      .judge = judge_table_first, .read = READ_ACROSS,
      .hints = { "What makes a kernel of one context wait for one of another?",
                 "know nothing of contexts",
                 "cudaEventRecord(s->tuned, s->bulk) between tune() and crunch(), cudaStreamWaitEvent(s->urgent, s->tuned, 0) before reply()." } },
    { .id = "b-wait", .part = "b", .kind = ORDER, .points = 4,
      .name = "each request is waited for, and at the end the bulk", .needs = "b-table",
      .judge = judge_side_waits, .read = READ_ACROSS,
      .hints = { "After which call is `out` complete, and after which one the bulk?",
                 "waits for one stream",
                 "cudaStreamSynchronize(s->urgent) at the end of answer(), cudaStreamSynchronize(s->bulk) in bulk_end()." } },
    { .id = "b-output",
      .part = "b",
      .kind = OUTPUT,
      .points = 4,
      .name = "every element is right, on every card",
      .needs = "b-wait",
      .judge = judge_side_output,
      .read = READ_BESIDE,
      .hints = { "Which element is the first wrong one, and which block or copy should have made it?",
                 "the bulk is two kernels",
                 "crunch<<<b->tiles, THREADS, b->shared, s->bulk>>>(b->out, b->in, b->table, b->n, b->tiles, 0)." } },
    { .id = "b-begin", .part = "b", .kind = OVERLAP, .points = 4,
      .name = "the bulk is under way when the requests come", .needs = "b-work",
      .judge = judge_side_begin, .read = READ_BESIDE,
      .hints = { "What does bulk_begin() have to wait for?", "the host only queues",
                 "No cudaStreamSynchronize() in bulk_begin()." } },
    { .id = "b-latency",
      .part = "b",
      .kind = OVERLAP,
      .points = 12,
      .name = "no request waits for the bulk",
      .needs = "b-begin b-output a-urgent a-bulk",
      .judge = judge_side_latency,
      .read = READ_BESIDE,
      .hints = { "On which SMs may blocks of crunch() be, and for what does reply() wait besides tune()?",
                 "neither waits for a wave",
                 "crunch() in s->bulk, reply() in s->urgent, the event recorded before crunch()." } },
    { .id = "b-pace", .part = "b", .kind = OVERLAP, .points = 6,
      .name = "the bulk uses all of its side", .needs = "b-begin b-wait a-bulk",
      .judge = judge_side_pace, .read = READ_COUNT,
      .hints = { "How many blocks run in the last wave of a launch?", "is rounded up",
                 "One crunch<<<b->tiles, ...>>>() for all tiles, in s->bulk." } },
    { .id = "b-leaks", .part = "b", .kind = HYGIENE, .points = 1,
      .name = "part (b) gives back what it made", .judge = judge_leaks, .read = READ_ACROSS,
      .hints = { "What did bulk_begin() make?", "know nothing of contexts",
                 "cudaEventDestroy(s->tuned) in bulk_end()." } },
    { RACES("b", 3, "* a-hazard", READ_ACROSS, "know nothing of contexts") },
    { ERRORS("b", 1, "* a-errors") },

    { .id = "c-request", .part = "c", .kind = OVERLAP, .points = 7,
      .name = "where both promises can be kept, the request's is",
      .needs = "a-urgent a-bulk a-done", .judge = judge_request_promise, .read = READ_COUNT,
      .hints = { "How many waves does the request need on that many SMs?", "is rounded up",
                 "(blocks + sms * per_sm - 1) / (sms * per_sm) waves of request_block_ns each, at most request_due_ns." } },
    { .id = "c-bulk", .part = "c", .kind = OVERLAP, .points = 7, .name = "and the bulk's is, too",
      .needs = "c-request", .judge = judge_bulk_promise, .read = READ_COUNT,
      .hints = { "How many SMs are left for the bulk when the urgent side has its share?",
                 "It is not enough",
                 "Return the least count that will do: time_of() with bulk.sm.smCount is at most l->bulk_due_ns." } },
    { .id = "c-none", .part = "c", .kind = OUTPUT, .points = 10,
      .name = "where no split keeps both, the answer is 0", .needs = "c-request",
      .judge = judge_no_split, .read = READ_COUNT,
      .hints = { "What does the device make of the count that you ask for?", "try the split",
                 "For each count: cuDevSmResourceSplitByCount(), and both promises with the smCount of its two resources; 0 when none will do." } },
    { .id = "c-leaks", .part = "c", .kind = HYGIENE, .points = 1, .needs = "a-leaks",
      .name = "part (c) gives back what it made", .judge = judge_leaks, .read = READ_END,
      .hints = { "What does a split make, and what a context?", "The streams go first",
                 "urgent_share() needs resources alone: a split makes nothing that has to be given back." } },
    { RACES("c", 2, "* a-hazard", READ_COUNT, "try the split") },
    { ERRORS("c", 1, "* a-errors b-errors") },
};

/* They split in eights, in twos from four on, and in twos. */
static const char *const run_on[] = { "h200", "rtx3090", "rtx2070s", NULL };

const struct lesson lesson_16 = {
    .number = 16,
    .folder = "16-green-contexts",
    .title = "Green contexts: sharing a device",
    .parts = parts, .part_count = sizeof parts / sizeof *parts,
    .checks = checks, .check_count = sizeof checks / sizeof *checks,
    .prepare = prepare, .run_on = run_on, .partitions = true, .explain = explain_lost,
};
