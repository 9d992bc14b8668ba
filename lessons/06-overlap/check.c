/* SPDX-License-Identifier: MIT */
/* check.c - lesson 06: its inputs, its checks. */
#include "grader/check.h"

#include "chunks.h"
#include "lesson.h"

/* ---- inputs and outputs ---- */

/* A number that no usual number of chunks divides, `rest` or some more beyond a multiple of blocks
 * for each of `chunks`. If the number of chunks divides `chunks`, chunks are a few pixels longer
 * than whole blocks, and not all of them by as many: a grid that is one block too small loses
 * those, and so does a last chunk of one pixel more. */
static uint64_t awkward(struct random *r, uint64_t low, uint64_t high, uint64_t chunks,
                        uint64_t rest, uint64_t most)
{
    const uint64_t whole = chunks * BLOCK;
    uint64_t n = 0;
    for (uint64_t divisor = 2; divisor <= 64; divisor++)
        if (n % divisor == 0) {
            n = random_between(r, low / whole, high / whole - 1) * whole;
            n += random_between(r, rest, most);
            divisor = 1;
        }
    return n;
}

static void prepare(struct exchange *x, struct random *r)
{
    /* Of four chunks in part a three pixels are left over, and in part b one, with every seed:
     * where the last chunk takes one of them, part a loses two, and where the size is rounded up by
     * one too little, part b loses its one. In part c each learner chooses the number of chunks,
     * and what that costs beside the reference's depends on the size: above 1.89 million pixels
     * seven chunks are more than a full H200 each, and 15 to 18 chunks were right with some seeds.
     * So its blocks are the same with every seed. */
    uint64_t n[] = {
        [SLOT_A] = awkward(r, 1000000, 1040000, 12, 7, 7),
        [SLOT_B] = awkward(r, 1000000, 1040000, 12, 5, 5),
        [SLOT_C] = awkward(r, 1751040, 1781760, 120, 7, 53),
        [SLOT_D] = CHAINS * (BLOCK - 1 - 2 * random_between(r, 0, 2)),      /* nearly a block */
    };
    /* Of part a's fourths the first three are whole blocks: a grid that is enough for them loses
     * the three pixels that are left over. */
    n[SLOT_A] += 4 * BLOCK - 4;
    for (int slot = SLOT_A; slot <= SLOT_D; slot++) {
        float *value = exchange_add_input(x, n[slot] * sizeof *value);
        for (uint64_t i = 0; i < n[slot]; i++)
            value[i] = random_float(r);
        exchange_add_output(x, n[slot] * sizeof *value);
    }
    exchange_add_output(x, SLOT_D * sizeof(struct buffers));
}

/* ---- the table ---- */

#define NAME_ORDER "each chunk is copied in, brightened and copied out in an order that is guaranteed"
#define NAME_WAIT "everything has arrived when the function returns"
#define NAME_HAZARD "no two chunks touch the same pixels"
#define NAME_OUTPUT "every pixel is brightened once"
#define NAME_WORK "the device does all of the work, and no more than the work"
#define NAME_LEAKS "every stream, event and buffer is given back"
#define READ_CHUNKS "Chunks"
#define READ_ORDERS "Depth first, breadth first"
#define READ_QUEUES "Shared queues"
#define READ_CALLS "The calls"

#define HINTS_ORDER READ_CALLS, { \
    "What makes this chunk's kernel wait for its copy in, and its copy out for the kernel?", \
    "One stream per chunk does that, because", \
    "One stream for all three: cudaMemcpyAsync(..., cudaMemcpyHostToDevice, stream[k]), brighten<<<blocks(count), " \
    "BLOCK, 0, stream[k]>>>(...), cudaMemcpyAsync(..., cudaMemcpyDeviceToHost, stream[k])." }
#define HINTS_WAIT READ_CALLS, { \
    "Which call makes the host wait until the last copy out is done?", \
    "your next line after it", \
    "CHECK(cudaStreamSynchronize(stream[k])) for every stream, in a loop of its own after those that queue." }
#define HINTS_HAZARD READ_CHUNKS, { \
    "Which pixels does each launch work on, and what has brought them there?", \
    "then no pixel is lost or done", \
    "The same first and count in all three of a chunk's calls: cudaMemcpyAsync() to device + first, brighten<<<...>>>(device, " \
    "first, count), cudaMemcpyAsync() from device + first." }
#define HINTS_OUTPUT READ_CHUNKS, { \
    "Which pixels does each of the three operations of the last chunk touch?", \
    "then no pixel is lost or done", \
    "int first = k * n / chunks, count = (k + 1) * n / chunks - first; copy from in + first to device + first, " \
    "brighten<<<...>>>(device, first, count), copy from device + first to out + first." }
#define HINTS_WORK READ_CHUNKS, { \
    "Add up the bytes of your copies: is it four for each pixel, each way?", \
    "It belongs in every address", \
    "For each chunk one cudaMemcpyAsync() of count * sizeof(float) bytes each way, and one brighten<<<>>>() of count pixels." }
#define HINTS_LEAKS READ_CALLS, { \
    "Which call gives back what cudaStreamCreate() made?", \
    "two per chunk, never destroyed", \
    "CHECK(cudaStreamDestroy(stream[k])) for every stream, cudaEventDestroy() for every event, before you return." }
#define ASK_BUSY "What could run at this moment, and what is ahead of it in its queue?"

JUDGE(chains_order);
JUDGE(chains_wait);
JUDGE(chains_output);
JUDGE(chains_work);
JUDGE(chains_apart);
JUDGE(chains_width);
JUDGE(chunks_pinned); JUDGE(chunks_in_order); JUDGE(chunks_waited); JUDGE(chunks_right_pixels);
JUDGE(chunks_all_work); JUDGE(chunks_queued); JUDGE(chunks_few_enough); JUDGE(chunks_busy);

static const struct check checks[] = {
    { .id = "pinned", .part = "a", .kind = HYGIENE, .points = 4,
      .name = "the host buffers are pinned", .judge = chunks_pinned, .read = "Pinned memory",
      .hints = { "Which memory can a copy engine reach by itself?",
                 "both ends of a copy stay where",
                 "cudaMallocHost(&buffer, n * sizeof(float)) in host_buffer(), cudaFreeHost(buffer) in free_host_buffer()." } },
    { .id = "a-order", .part = "a", .kind = ORDER, .points = 3, .name = NAME_ORDER,
      .judge = chunks_in_order, .read = HINTS_ORDER },
    { .id = "a-wait", .part = "a", .kind = ORDER, .points = 3, .name = NAME_WAIT,
      .needs = "a-order", .judge = chunks_waited,
      .read = HINTS_WAIT },
    { .id = "a-hazard", .part = "a", .kind = HAZARD, .points = 3, .name = NAME_HAZARD,
      .needs = "a-order a-wait", .judge = judge_hazards, .read = HINTS_HAZARD },
    { .id = "a-output", .part = "a", .kind = OUTPUT, .points = 3, .name = NAME_OUTPUT,
      .needs = "a-hazard", .judge = chunks_right_pixels, .read = HINTS_OUTPUT },
    { .id = "a-work", .part = "a", .kind = HYGIENE, .points = 2, .name = NAME_WORK,
      .needs = "a-output", .judge = chunks_all_work,
      .read = HINTS_WORK },
    { .id = "a-queue", .part = "a", .kind = ORDER, .points = 2,
      .name = "STREAMS chunks are queued, one chunk after the other", .needs = "a-work",
      .judge = chunks_queued, .read = READ_ORDERS,
      .hints = { "What is queued between a chunk's copy in and its copy out?",
                 "You can issue these operations by chunk",
                 "for (int k = 0; k < STREAMS; k++) { cudaMemcpyAsync() in, brighten<<<>>>(), cudaMemcpyAsync() out, all in stream[k] }" } },
    { .id = "a-busy", .part = "a", .kind = OVERLAP, .points = 3,
      .name = "depth first overlaps as it should, on all five cards", .needs = "pinned a-queue",
      .judge = chunks_busy, .read = READ_ORDERS,
      .hints = { ASK_BUSY, "You can issue these operations by chunk",
                 "One loop over the STREAMS chunks. In it, all in stream[k]: cudaMemcpyAsync() in, brighten<<<>>>(), "
                 "cudaMemcpyAsync() out. No call in it that waits." } },
    { .id = "a-leaks", .part = "a", .kind = HYGIENE, .points = 1, .name = NAME_LEAKS,
      .judge = judge_leaks, .read = HINTS_LEAKS },
    { ERRORS("a", 1, "*") },

    { .id = "b-order", .part = "b", .kind = ORDER, .points = 3, .name = NAME_ORDER,
      .judge = chunks_in_order, .read = HINTS_ORDER },
    { .id = "b-wait", .part = "b", .kind = ORDER, .points = 3, .name = NAME_WAIT,
      .needs = "b-order", .judge = chunks_waited,
      .read = HINTS_WAIT },
    { .id = "b-hazard", .part = "b", .kind = HAZARD, .points = 3, .name = NAME_HAZARD,
      .needs = "b-order b-wait", .judge = judge_hazards, .read = HINTS_HAZARD },
    { .id = "b-output", .part = "b", .kind = OUTPUT, .points = 3, .name = NAME_OUTPUT,
      .needs = "b-hazard", .judge = chunks_right_pixels, .read = HINTS_OUTPUT },
    { .id = "b-work", .part = "b", .kind = HYGIENE, .points = 2, .name = NAME_WORK,
      .needs = "b-output", .judge = chunks_all_work,
      .read = HINTS_WORK },
    { .id = "b-queue",
      .part = "b", .kind = ORDER, .points = 2, .name = "STREAMS chunks are queued, kind by kind",
      .needs = "b-work", .judge = chunks_queued, .read = READ_ORDERS,
      .hints = { "What is queued before the first kernel, and what before the first copy out?",
                 "and by kind, *breadth first*",
                 "Three loops over k: cudaMemcpyAsync() in, brighten<<<>>>(), cudaMemcpyAsync() out, in stream[k]." } },
    { .id = "b-busy", .part = "b", .kind = OVERLAP, .points = 5,
      .name = "breadth first overlaps as it should, on all five cards", .needs = "pinned b-queue",
      .judge = chunks_busy, .read = READ_ORDERS,
      .hints = { ASK_BUSY, "and by kind, *breadth first*",
                 "Three loops over the same chunks: cudaMemcpyAsync() in for all, brighten<<<>>>() for all, cudaMemcpyAsync() out "
                 "for all; chunk k always in stream[k]." } },
    { .id = "b-leaks", .part = "b", .kind = HYGIENE, .points = 1, .name = NAME_LEAKS,
      .judge = judge_leaks, .read = HINTS_LEAKS },
    { ERRORS("b", 1, "*") },

    { .id = "c-order", .part = "c", .kind = ORDER, .points = 3, .name = NAME_ORDER,
      .judge = chunks_in_order, .read = HINTS_ORDER },
    { .id = "c-wait", .part = "c", .kind = ORDER, .points = 3, .name = NAME_WAIT,
      .needs = "c-order", .judge = chunks_waited,
      .read = HINTS_WAIT },
    { .id = "c-hazard", .part = "c", .kind = HAZARD, .points = 3, .name = NAME_HAZARD,
      .needs = "c-order c-wait", .judge = judge_hazards, .read = HINTS_HAZARD },
    { .id = "c-output", .part = "c", .kind = OUTPUT, .points = 4, .name = NAME_OUTPUT,
      .needs = "c-hazard", .judge = chunks_right_pixels, .read = HINTS_OUTPUT },
    { .id = "c-work", .part = "c", .kind = HYGIENE, .points = 2, .name = NAME_WORK,
      .needs = "c-output", .judge = chunks_all_work,
      .read = HINTS_WORK },
    { .id = "c-chunks", .part = "c", .kind = OVERLAP, .points = 4,
      .name = "the chunks are large enough for their start-up cost", .needs = "pinned c-work",
      .judge = chunks_few_enough, .read = "How many chunks",
      .hints = { "How long does the copy of one chunk take, and how much of that is start-up?",
                 "Choose by size rather than number",
                 "A cudaMemcpyAsync() of about 1 MB: seven to ten chunks for an image of this size." } },
    { .id = "c-busy", .part = "c", .kind = OVERLAP, .points = 9,
      .name = "the image is done nearly as soon as in the reference solution, on all five cards",
      .needs = "c-chunks", .judge = chunks_busy, .read = "An order for both",
      .hints = { "On the card that the report names: which operation could run already, and what is ahead of it in its queue?",
                 "How many chunks ahead do the copies",
                 "One loop, one chunk ahead: in round k queue the cudaMemcpyAsync() in of chunk k, then brighten<<<>>>() and the "
                 "cudaMemcpyAsync() out of chunk k - 1." } },
    { .id = "c-leaks", .part = "c", .kind = HYGIENE, .points = 1, .name = NAME_LEAKS,
      .judge = judge_leaks, .read = HINTS_LEAKS },
    { ERRORS("c", 1, "*") },

    { .id = "d-order", .part = "d", .kind = ORDER, .points = 3,
      .name = "the three steps of each chain are in a guaranteed order", .judge = chains_order,
      .read = READ_CALLS, .hints = { "What makes a chain's second step wait for its first?",
                 "One stream per chunk does that, because",
                 "chain_step<<<1, BLOCK, 0, stream[chain]>>>(rows, count, chain, step): one stream for each chain." } },
    { .id = "d-wait", .part = "d", .kind = ORDER, .points = 3,
      .name = "all steps are done when the function returns", .needs = "d-order",
      .judge = chains_wait, .read = READ_CALLS,
      .hints = { "Which call makes the host wait for the last step?", "your next line after it",
                 "CHECK(cudaStreamSynchronize(stream[chain])) for every chain, after the last launch." } },
    { .id = "d-output", .part = "d", .kind = OUTPUT, .points = 3,
      .name = "every row has gone through its three steps", .needs = "d-order d-wait",
      .judge = chains_output, .read = READ_QUEUES,
      .hints = { "Which row and which step did each launch get?",
                 "each with three kernels of one block",
                 "chain_step<<<1, BLOCK, 0, stream[chain]>>>(rows, count, chain, step) with steps 0, 1 and 2 of every chain, in "
                 "that order." } },
    { .id = "d-work", .part = "d", .kind = HYGIENE, .points = 2,
      .name = "each step of each chain is one launch of one block", .needs = "d-output",
      .judge = chains_work, .read = READ_QUEUES,
      .hints = { "How many launches are 32 chains of three?",
                 "each with three kernels of one block",
                 "chain_step<<<1, BLOCK, 0, stream[chain]>>>(...), CHAINS * STEPS times." } },
    { .id = "d-apart", .part = "d", .kind = ORDER, .points = 2,
      .name = "no chain waits for another", .needs = "d-work", .judge = chains_apart,
      .read = READ_CALLS, .hints = { "Which call makes a step wait for another chain?",
                 "One stream per chunk does that, because",
                 "chain_step<<<1, BLOCK, 0, stream[chain]>>>(rows, count, chain, step) for all of them, and no wait in between." } },
    { .id = "d-width", .part = "d", .kind = OVERLAP, .points = 4,
      .name = "all chains run at once on cards with eight hardware queues", .needs = "d-apart",
      .judge = chains_width, .read = READ_QUEUES,
      .hints = { "Which kernel waits at the head of a queue while others behind it could run?",
                 "all the first kernels are at the front",
                 "The loop over the steps outside, the loop over the chains inside, chain_step<<<1, BLOCK, 0, stream[chain]>>>() in it." } },
    { .id = "d-leaks", .part = "d", .kind = HYGIENE, .points = 1, .name = NAME_LEAKS,
      .judge = judge_leaks, .read = HINTS_LEAKS },
    { RACES("d", 3, "* d-work", READ_CALLS, "One stream per chunk does that, because") },
    { ERRORS("d", 1, "*") },
};

static const struct part parts[] = {
    { "a", "depth first", "buffers depth_first" },
    { "b", "breadth first", "breadth_first" },
    { "c", "pipeline", "pipeline" },
    { "d", "chains", "chains" },
};

static const char *const cards[] = { "h200", "rtx2070s", "c1060", "c2050", "k20c", NULL };

const struct lesson lesson_06 = {
    .number = 6, .folder = "06-overlap", .title = "Overlap",
    .parts = parts, .part_count = sizeof parts / sizeof *parts,
    .checks = checks, .check_count = sizeof checks / sizeof *checks,
    .prepare = prepare, .explain = chunks_explain, .cards = cards,
};
