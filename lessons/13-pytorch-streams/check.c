/* SPDX-License-Identifier: MIT */
/*
 * check.c - lesson 13: does a stream wait for what it needs, and for nothing
 * else; does memory stay until its last reader is done; are the copies ahead?
 */
#include <string.h>

#include "judges.h"

static void prepare(struct exchange *x, struct random *r)
{
    struct sizes s = { .x = random_odd(r, 20000, 30000), .block = random_odd(r, 9000, 15000), .batch = random_odd(r, 30000, 50000),
                       .blocks = (int64_t)random_between(r, 6, 9), .batches = (int64_t)random_between(r, 6, 9) };
    *(struct sizes *)exchange_add_input(x, sizeof s) = s;
    exchange_add_elements(x, r, RUNS * s.x);
    exchange_add_elements(x, r, RUNS * s.x);
    exchange_add_elements(x, r, s.block * s.blocks);
    exchange_add_elements(x, r, s.batch * s.batches);
    exchange_add_output(x, (size_t)(RUNS * s.x) * sizeof(uint32_t));
    exchange_add_output(x, (size_t)(RUNS * s.x) * sizeof(uint32_t));
    exchange_add_output(x, RUNS * sizeof(uint32_t));
    exchange_add_output(x, (size_t)s.blocks * sizeof(uint32_t));
    exchange_add_output(x, (size_t)s.batch * sizeof(uint32_t));
}

static const struct part parts[] = {
    { "a", "a sum on the side", "wait beside" },
    { "b", "memory that goes back", "audit" },
    { "c", "batches for a model", "open run close" },
};

#define READ_WAIT "Waiting for the other"
#define READ_MEMORY "Memory that goes back"
#define READ_AHEAD "Pinned, and one ahead"
#define READ_CURRENT "The current stream"
#define READ_CALLS "The calls"

JUDGE(side_wait); JUDGE(side_host); JUDGE(side_work); JUDGE(side_input); JUDGE(side_back); JUDGE(side_output);
JUDGE(side_beside);
JUDGE(pool_work); JUDGE(pool_made); JUDGE(pool_back); JUDGE(pool_host); JUDGE(pool_output);
JUDGE(pool_beside); JUDGE(pool_few);
JUDGE(loader_work); JUDGE(loader_pinned); JUDGE(loader_order); JUDGE(loader_host); JUDGE(loader_output);
JUDGE(loader_ahead);

static const struct check checks[] = {
    { "a-wait", "a", ORDER, 6, "wait_stream() makes one stream wait for another", NULL, side_wait, READ_WAIT, {
      "What marks how far a stream has come, and what can wait for that mark?", "two calls of lesson 03",
      "cudaEventRecord(passed, other), then cudaStreamWaitEvent(waiter, passed, 0)." } },
    { "a-host", "a", ORDER, 5, "the host waits for nothing", NULL, side_host, READ_WAIT, {
      "Who needs the result here, the host or a stream?", "The host does not wait",
      "No cudaStreamSynchronize() and no cudaEventSynchronize() in either function: cudaStreamWaitEvent() instead." } },
    { "a-work", "a", OUTPUT, 3, "each kernel runs once, in the stream given for it", NULL, side_work, READ_CURRENT, {
      "In which stream is a launch that names none?", "The caller decides",
      "produce<<<BLOCKS, THREADS, 0, current>>>(x, n), total<<<BLOCKS, THREADS, 0, side>>>(sum, x, n), and the others in `current`." } },
    { "a-input", "a", ORDER, 6, "total() waits for its input", "a-wait a-work", side_input, READ_WAIT, {
      "What tells `side` that x is there?", "The first wait", "wait_stream(side, current) between produce() and total()." } },
    { "a-back", "a", ORDER, 5, "settle() waits for the sum", "a-wait a-work", side_back, READ_WAIT, {
      "What tells `current` that the sum is there, and that x is no longer read?", "The second wait",
      "wait_stream(current, side) between other_work() and settle()." } },
    { "a-output", "a", OUTPUT, 3, "sums and elements are right", "a-input a-back", side_output, READ_WAIT, {
      "Which elements does each kernel take?", "The first wait",
      "total<<<…, side>>>(sum, x, n), and n elements in each of the other three launches." } },
    { "a-beside", "a", OVERLAP, 5, "the sum runs beside the other work", "a-input a-back", side_beside, READ_WAIT, {
      "What comes after each wait in its queue?", "as late as it can",
      "other_work<<<…, current>>>(y, n) before wait_stream(current, side)." } },
    { "a-leaks", "a", HYGIENE, 1, "part (a) gives back what it made", NULL, judge_leaks, READ_CALLS, {
      "Which line destroys the event that wait_stream() made?", "`cudaEventDestroy`",
      "cudaEventDestroy(passed) at the end of wait_stream(): the wait that was queued stays." } },
    { RACES("a", 3, "*", READ_WAIT, "The first wait") },
    { ERRORS("a", 1, "*") },

    { "b-work", "b", OUTPUT, 3, "each batch has a block, is filled in `current` and audited in `side`", NULL, pool_work, READ_MEMORY, {
      "How many tensors does such a loop make?", "hands out the same bytes",
      "cudaMallocAsync() in `current`, fill<<<…, current>>>(), audit<<<…, side>>>(), once for each batch." } },
    { "b-made", "b", ORDER, 4, "audit() waits for fill()", "b-work", pool_made, READ_WAIT, {
      "What tells `side` that the block is filled?", "The first wait", "wait_stream(side, current) between fill() and audit()." } },
    { "b-back", "b", ORDER, 7, "a block is freed after its audit", "b-made", pool_back, READ_MEMORY, {
      "In which stream is the block freed, and what comes before that in its queue?", "safe in its own queue",
      "cudaFreeAsync(block, side), after audit()." } },
    { "b-hazard", "b", HAZARD, 3, "no two accesses to the same bytes without an order", "b-made b-back", judge_hazards, READ_MEMORY, {
      "Which stream may use the block, and from which moment on?", "after the allocation",
      "cudaMallocAsync(…, current), and fill() in the same stream." } },
    { "b-host", "b", ORDER, 2, "the host waits for nothing", NULL, pool_host, READ_MEMORY, {
      "What must wait before the bytes are used again?", "No host has to wait",
      "No cudaStreamSynchronize(), no cudaEventQuery(): cudaFreeAsync() in the right stream." } },
    { "b-output", "b", OUTPUT, 3, "every sum is right", "b-hazard", pool_output, READ_MEMORY, {
      "Which elements, and which sum, belong to batch k?", "hands out the same bytes",
      "fill(block, data + (size_t)k * n, n), audit(&sums[k], block, n)." } },
    { "b-beside", "b", OVERLAP, 6, "the next block is filled while this one is audited", "b-back b-host", pool_beside, READ_MEMORY, {
      "What does `current` wait for before it takes the next block?", "holds up the whole stream",
      "cudaFreeAsync(block, side) and no wait_stream(current, side) in the loop." } },
    { "b-few", "b", HYGIENE, 2, "no more than three blocks are out", NULL, pool_few, READ_MEMORY, {
      "When are the blocks of the first batches freed?", "in the loop", "cudaFreeAsync() once in each turn of the loop." } },
    { "b-leaks", "b", HYGIENE, 1, "part (b) gives back what it made", NULL, judge_leaks, READ_CALLS, {
      "How many blocks did you allocate, and how many did you free?", "`cudaFreeAsync`", "One cudaFreeAsync() for each cudaMallocAsync()." } },
    { ERRORS("b", 1, "*") },

    { "c-work", "c", OUTPUT, 3, "each batch is copied once and goes through the model in `current`", NULL, loader_work, READ_AHEAD, {
      "In which stream does the caller look for the result of loader_run()?", "The model stays",
      "model<<<BLOCKS, THREADS, 0, current>>>(state, l->x[b], l->n), once for each batch." } },
    { "c-pinned", "c", HYGIENE, 5, "batches are copied from pinned memory", NULL, loader_pinned, READ_AHEAD, {
      "Which memory can a copy engine read by itself?", "is a request",
      "cudaMallocHost((void **)&l->pinned, bytes) and memcpy() in loader_open(); copy from l->pinned." } },
    { "c-order", "c", ORDER, 5, "the model waits for its batch", "c-work", loader_order, READ_AHEAD, {
      "What tells `current` that the batch is there?", "One event says",
      "cudaEventRecord(l->ready[b], l->side) after the copy, cudaStreamWaitEvent(current, l->ready[b], 0) before model()." } },
    { "c-hazard", "c", HAZARD, 4, "no batch is overwritten while the model reads it", "c-order", judge_hazards, READ_AHEAD, {
      "When may the next batch be written over this one?", "The other event says",
      "cudaEventRecord(l->free[b], current) after model(), cudaStreamWaitEvent(l->side, l->free[b], 0) before the copy into x[b]." } },
    { "c-host", "c", ORDER, 2, "the host waits for nothing", "c-pinned", loader_host, READ_AHEAD, {
      "What waits for the copy, the host or the model?", "The host waits for nothing",
      "No cudaStreamSynchronize() in loader_run(): cudaStreamWaitEvent()." } },
    { "c-output", "c", OUTPUT, 3, "the state is right", "c-hazard", loader_output, READ_AHEAD, {
      "Which elements belong to batch k?", "The model stays", "l->pinned + (size_t)k * l->n, l->n * sizeof(unsigned) bytes." } },
    { "c-ahead", "c", OVERLAP, 5, "the next batch is copied while the model works", "c-pinned c-order c-host", loader_ahead, READ_AHEAD, {
      "What else is in the stream of the copies?", "takes the gain away",
      "cudaStreamCreateWithFlags(&l->side, cudaStreamNonBlocking), all copies in l->side, the two buffers in turn." } },
    { "c-leaks", "c", HYGIENE, 2, "part (c) gives back what it made", NULL, judge_leaks, READ_CALLS, {
      "How many streams, events and buffers did loader_open() make?", "`cudaFreeHost`",
      "cudaStreamDestroy(), cudaFreeHost(), cudaFree() and cudaEventDestroy() for each in loader_close()." } },
    { ERRORS("c", 1, "*") },
};

static const char *const cards[] = { "h200", "rtx2070s", NULL };

const struct lesson lesson_13 = {
    .number = 13,
    .folder = "13-pytorch-streams",
    .title = "What PyTorch does with streams",
    .parts = parts, .part_count = sizeof parts / sizeof *parts,
    .checks = checks, .check_count = sizeof checks / sizeof *checks,
    .prepare = prepare, .cards = cards, .pools = true,
};
