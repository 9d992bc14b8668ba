/* SPDX-License-Identifier: MIT */
/*
 * check.c - lesson 13: does a stream wait for what it needs, and for nothing
 * else; does memory stay until its last reader is done; are the copies ahead?
 */

#include "judges.h"

static void prepare(struct exchange *x, struct random *r)
{
    struct sizes s = { .x = random_odd(r, 17000, 20000), .block = random_odd(r, 6200, 8000),
                       .batch = random_odd(r, 17000, 22000),
                       .blocks = 2 * (int64_t)random_between(r, 3, 4) + 1,
                       .batches = 2 * (int64_t)random_between(r, 3, 4) + 1 };
    s.few = random_odd(r, 33, 99);
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
    exchange_add_output(x, (size_t)(OTHER_RUNS * s.few) * sizeof(uint32_t));
    exchange_add_output(x, (size_t)s.batches * sizeof(uint32_t));
    exchange_add_output(x, (size_t)count_before(s.blocks, OTHER_RUNS) * sizeof(uint32_t));
    exchange_add_output(x, (size_t)s.batches * sizeof(uint64_t));
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

JUDGE(side_wait);
JUDGE(side_host);
JUDGE(side_work);
JUDGE(side_input);
JUDGE(side_back);
JUDGE(side_output);
JUDGE(side_beside);
JUDGE(pool_work); JUDGE(pool_made); JUDGE(pool_back); JUDGE(pool_host); JUDGE(pool_output);
JUDGE(pool_beside); JUDGE(pool_few);
JUDGE(loader_work);
JUDGE(loader_pinned);
JUDGE(loader_order);
JUDGE(loader_host);
JUDGE(loader_output);
JUDGE(loader_ahead);

static const struct check checks[] = {
    { .id = "a-wait",
      .part = "a",
      .kind = ORDER, .points = 6, .name = "wait_stream() makes one stream wait for another",
      .judge = side_wait, .read = READ_WAIT,
      .hints = { "What marks how far a stream has come, and what can wait for that mark?",
                 "records an event in",
                 "cudaEventRecord(passed, other), then cudaStreamWaitEvent(waiter, passed, 0)." } },
    { .id = "a-host", .part = "a", .kind = ORDER, .points = 5, .name = "the host waits for nothing",
      .judge = side_host, .read = READ_WAIT,
      .hints = { "Who needs the result here, the host or a stream?", "The host does not wait",
                 "No cudaStreamSynchronize() and no cudaEventSynchronize() in either function: cudaStreamWaitEvent() instead." } },
    { .id = "a-work", .part = "a", .kind = OUTPUT, .points = 3,
      .name = "each kernel runs once, in the stream given for it", .judge = side_work,
      .read = READ_CURRENT, .hints = { "In which stream is a launch that names none?",
                 "caller of your function decides which stream",
                 "produce<<<BLOCKS, THREADS, 0, current>>>(x, n), total<<<BLOCKS, THREADS, 0, side>>>(sum, x, n), and the others in `current`." } },
    { .id = "a-input", .part = "a", .kind = ORDER, .points = 6,
      .name = "total() waits for its input", .needs = "a-wait a-work", .judge = side_input,
      .read = READ_WAIT, .hints = { "What tells `side` that x is there?", "The first comes",
                 "wait_stream(side, current) between produce() and total()." } },
    { .id = "a-back", .part = "a", .kind = ORDER, .points = 5, .name = "settle() waits for the sum",
      .needs = "a-wait a-work", .judge = side_back, .read = READ_WAIT,
      .hints = { "What tells `current` that the sum is there, and that x is no longer read?",
                 "the second wait",
                 "wait_stream(current, side) between other_work() and settle()." } },
    { .id = "a-output", .part = "a", .kind = OUTPUT, .points = 3,
      .name = "sums and elements are right", .needs = "a-input a-back", .judge = side_output,
      .read = READ_WAIT, .hints = { "Which elements does each kernel take?", "The first comes",
                 "total<<<…, side>>>(sum, x, n), and n elements in each of the other three launches." } },
    { .id = "a-beside", .part = "a", .kind = OVERLAP, .points = 5,
      .name = "the sum runs beside the other work", .needs = "a-input a-back", .judge = side_beside,
      .read = READ_WAIT, .hints = { "What comes after each wait in its queue?",
                                    "can, and the second wait as late",
                 "other_work<<<…, current>>>(y, n) before wait_stream(current, side)." } },
    { .id = "a-leaks", .part = "a", .kind = HYGIENE, .points = 1,
      .name = "part (a) gives back what it made", .judge = judge_leaks, .read = READ_CALLS,
      .hints = { "Which line destroys the event that wait_stream() made?", "`cudaEventDestroy`",
                 "cudaEventDestroy(passed) at the end of wait_stream(): the wait that was queued stays." } },
    { RACES("a", 3, "*", READ_WAIT, "The first comes") },
    { ERRORS("a", 1, "*") },

    { .id = "b-work", .part = "b", .kind = OUTPUT, .points = 3,
      .name = "each batch has a block, is filled in `current` and audited in `side`",
      .judge = pool_work, .read = READ_MEMORY,
      .hints = { "How many tensors does such a loop make?", "So the pool hands out the bytes",
                 "cudaMallocAsync() in `current`, fill<<<…, current>>>(), audit<<<…, side>>>(), once for each batch." } },
    { .id = "b-made", .part = "b", .kind = ORDER, .points = 4, .name = "audit() waits for fill()",
      .needs = "b-work", .judge = pool_made, .read = READ_WAIT,
      .hints = { "What tells `side` that the block is filled?", "The first comes",
                 "wait_stream(side, current) between fill() and audit()." } },
    { .id = "b-back",
      .part = "b", .kind = ORDER, .points = 7, .name = "a block is freed after its audit",
      .needs = "b-made", .judge = pool_back, .read = READ_MEMORY,
      .hints = { "In which stream is the block freed, and what comes before that in its queue?",
                 "PyTorch calls its own", "cudaFreeAsync(block, side), after audit()." } },
    { .id = "b-hazard", .part = "b", .kind = HAZARD, .points = 3,
      .name = "no two accesses to the same bytes without an order", .needs = "b-made b-back",
      .judge = judge_hazards, .read = READ_MEMORY,
      .hints = { "Which stream may use the block, and from which moment on?",
                 "after the allocation",
                 "cudaMallocAsync(…, current), and fill() in the same stream." } },
    { .id = "b-host", .part = "b", .kind = ORDER, .points = 2, .name = "the host waits for nothing",
      .needs = "b-work", .judge = pool_host, .read = READ_MEMORY,
      .hints = { "What must wait before the bytes are used again?", "no host waits",
                 "No cudaStreamSynchronize(), no cudaEventQuery(): cudaFreeAsync() in the right stream." } },
    { .id = "b-output", .part = "b", .kind = OUTPUT, .points = 3, .name = "every sum is right",
      .needs = "b-hazard", .judge = pool_output, .read = READ_MEMORY,
      .hints = { "Which elements, and which sum, belong to batch k?",
                 "So the pool hands out the bytes",
                 "fill(block, data + (size_t)k * n, n), audit(&sums[k], block, n)." } },
    { .id = "b-beside", .part = "b", .kind = OVERLAP, .points = 6,
      .name = "the next block is filled while this one is audited", .needs = "b-back b-host",
      .judge = pool_beside, .read = READ_MEMORY,
      .hints = { "What does `current` wait for before it takes the next block?",
                 "holds up the whole stream",
                 "cudaFreeAsync(block, side) and no wait_stream(current, side) in the loop." } },
    { .id = "b-few", .part = "b", .kind = HYGIENE, .points = 2,
      .name = "no more than three blocks are out", .judge = pool_few, .read = READ_MEMORY,
      .hints = { "When are the blocks of the first batches freed?", "in the loop",
                 "cudaFreeAsync() once in each turn of the loop." } },
    { .id = "b-leaks", .part = "b", .kind = HYGIENE, .points = 1,
      .name = "part (b) gives back what it made", .judge = judge_leaks, .read = READ_CALLS,
      .hints = { "How many blocks did you allocate, and how many did you free?", "`cudaFreeAsync`",
                 "One cudaFreeAsync() for each cudaMallocAsync()." } },
    { ERRORS("b", 1, "*") },

    { .id = "c-work", .part = "c", .kind = OUTPUT, .points = 3,
      .name = "each batch is copied once and goes through the model in `current`",
      .judge = loader_work, .read = READ_AHEAD,
      .hints = { "In which stream does the caller look for the result of loader_run()?",
                 "Keep the model",
                 "model<<<BLOCKS, THREADS, 0, current>>>(state, l->x[b], l->n), once for each batch." } },
    { .id = "c-pinned", .part = "c", .kind = HYGIENE, .points = 5,
      .name = "batches are copied from pinned memory", .judge = loader_pinned, .read = READ_AHEAD,
      .hints = { "Which memory can a copy engine read by itself?",
                 "Pinned memory makes the copy three times",
                 "cudaMallocHost((void **)&l->pinned, bytes) and memcpy() in loader_open(); copy from l->pinned." } },
    { .id = "c-order", .part = "c", .kind = ORDER, .points = 5,
      .name = "the model waits for its batch", .needs = "c-work", .judge = loader_order,
      .read = READ_AHEAD, .hints = { "What tells `current` that the batch is there?",
                 "Copies in a side stream need two events",
                 "cudaEventRecord(l->ready[b], l->side) after the copy, cudaStreamWaitEvent(current, l->ready[b], 0) before model()." } },
    { .id = "c-hazard", .part = "c", .kind = HAZARD, .points = 4,
      .name = "no batch is overwritten while the model reads it", .needs = "c-pinned c-order",
      .judge = judge_hazards, .read = READ_AHEAD,
      .hints = { "When may the next batch be written over this one?",
                 "Copies in a side stream need two events",
                 "cudaEventRecord(l->free[b], current) after model(), cudaStreamWaitEvent(l->side, l->free[b], 0) before the copy into x[b]." } },
    { .id = "c-host", .part = "c", .kind = ORDER, .points = 2, .name = "the host waits for nothing",
      .needs = "c-pinned", .judge = loader_host, .read = READ_AHEAD,
      .hints = { "What waits for the copy, the host or the model?", "host would wait",
                 "No cudaStreamSynchronize() in loader_run(): cudaStreamWaitEvent()." } },
    { .id = "c-output", .part = "c", .kind = OUTPUT, .points = 3, .name = "the state is right",
      .needs = "c-hazard", .judge = loader_output, .read = READ_AHEAD,
      .hints = { "Which elements belong to batch k?", "Keep the model",
                 "l->pinned + (size_t)k * l->n, l->n * sizeof(unsigned) bytes." } },
    { .id = "c-ahead", .part = "c", .kind = OVERLAP, .points = 5,
      .name = "the next batch is copied while the model works", .needs = "c-pinned c-order c-host",
      .judge = loader_ahead, .read = READ_AHEAD,
      .hints = { "What else is in the stream of the copies?", "There was not much to gain",
                 "cudaStreamCreateWithFlags(&l->side, cudaStreamNonBlocking), all copies in l->side, the two buffers in turn." } },
    { .id = "c-leaks", .part = "c", .kind = HYGIENE, .points = 2,
      .name = "part (c) gives back what it made", .judge = judge_leaks, .read = READ_CALLS,
      .hints = { "How many streams, events and buffers did loader_open() make?", "`cudaFreeHost`",
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
