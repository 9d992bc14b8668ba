/* SPDX-License-Identifier: MIT */
/*
 * check.c - lesson 07: did the stream call, in time, with data that was still
 * there, and did nobody wait who had better things to do?
 *
 * DESIGN
 * What the host does, and in which function, the driver's labels say. Shares
 * of overlap are judged on the card that the program ran on: whom a function
 * wakes, and when, is settled in the log, and a replay on another card would
 * not change it. What functions and parts have in common is in functions.c,
 * part (a) in harvest.c, part (b) in ring.c.
 */
#include "grader/check.h"

#include "functions.h"
#include "slots.h"

/* ---- inputs ---- */

static void prepare(struct exchange *x, struct random *r)
{
    struct sizes s = { random_odd(r, 4000, 6000), (int64_t)random_between(r, 9, 13), random_odd(r, 4000, 8000) };
    uint64_t chunks = random_between(r, 8, 10);
    uint64_t n = (chunks - 1) * (uint64_t)s.chunk + random_between(r, 1, (uint64_t)s.chunk - 1);
    exchange_add_elements(x, r, n);
    exchange_add_elements(x, r, s.n * s.count);
    *(struct sizes *)exchange_add_input(x, sizeof s) = s;

    exchange_add_output(x, chunks * sizeof(uint32_t));
    exchange_add_output(x, (uint64_t)s.n * sizeof(uint32_t));
    exchange_add_output(x, sizeof(struct places));
}

/* ---- the tables ---- */

static const struct part parts[] = {
    { "a", "each chunk as it arrives", "arrived begin end" },
    { "b", "a staging ring", "empty feed" },
};

#define READ_END "A host function in a stream"
#define READ_INSIDE "What a function may do"
#define READ_DATA "The address you leave"
#define READ_HELD "Who is held up"
#define READ_RING "A ring of buffers"
#define READ_WOKEN "Waking a thread"
#define READ_CALLS "The calls"

#define INSIDE "functions make no CUDA call", NULL, judge_function_calls, READ_INSIDE, { \
    "Who is waiting while your function runs?", "must make no call of the runtime", \
    "Take the call out. A function may call finish(), sem_post() and pthread_cond_signal(), and do host work." }
#define LEAKS "all that was made is given back", NULL, judge_leaks, READ_CALLS, { \
    "Which call gives back what cudaStreamCreate() made?", "does not wait for functions either", \
    "A cudaStreamDestroy() for each cudaStreamCreate(), a cudaEventDestroy() for each cudaEventCreateWithFlags()." }

JUDGE(judge_function_calls); JUDGE(judge_function_ends);
JUDGE(judge_harvest_work); JUDGE(judge_harvest_caller); JUDGE(judge_harvest_numbers);
JUDGE(judge_harvest_arrived); JUDGE(judge_harvest_sums); JUDGE(judge_harvest_beside);
JUDGE(judge_ring_turns); JUDGE(judge_ring_overrun); JUDGE(judge_ring_woken); JUDGE(judge_ring_beside);
JUDGE(judge_ring_total);

static const struct check checks[] = {
    { "a-inside", "a", HYGIENE, 6, INSIDE },
    { "a-work", "a", OUTPUT, 4, "every chunk goes through ripen() and comes back", "a-inside", judge_harvest_work, READ_END, {
      "Which elements does each launch and each copy name?", "After a copy, it runs when the bytes are there",
      "ripen<<<BLOCKS, THREADS, 0, h->work>>>(device, n) and cudaMemcpyAsync() of n * sizeof *home bytes, for each chunk." } },
    { "a-begin", "a", OVERLAP, 5, "the caller queues, and finishes nothing itself", NULL, judge_harvest_caller, READ_END, {
      "Which thread calls finish(), if not yours?", "the driver calls the function, in a thread of its own",
      "cudaLaunchHostFunc(h->after, chunk_arrived, &h->number[c]) in place of cudaStreamSynchronize() and finish(c)." } },
    { "a-data", "a", OUTPUT, 6, "each function finds the data meant for it", "a-work", judge_harvest_numbers, READ_DATA, {
      "What is at that address when the function runs?", "The cure is a place for each function",
      "h->number[c] = c; cudaLaunchHostFunc(..., &h->number[c]); and free(h->number) in harvest_end(), after the wait." } },
    { "a-arrived", "a", ORDER, 7, "a chunk is finished after it has arrived", "a-data", judge_harvest_arrived, READ_HELD, {
      "Which copies come before this function in its stream?", "gets an event to wait for",
      "cudaEventRecord(h->arrived, h->work), cudaStreamWaitEvent(h->after, h->arrived, 0), then cudaLaunchHostFunc(h->after, ...)." } },
    { "a-end", "a", ORDER, 4, "all chunks are finished when harvest_end() returns", "a-arrived", judge_function_ends, READ_CALLS, {
      "In which stream is the last function?", "its functions included",
      "CHECK(cudaStreamSynchronize(h->after)) as the first line of harvest_end()." } },
    { "a-output", "a", OUTPUT, 4, "the sums of the chunks are right", "a-end", judge_harvest_sums, READ_END, {
      "Which elements does each launch and each copy name?", "After a copy, it runs when the bytes are there",
      "h->device + c * h->chunk, h->home + c * h->chunk, chunk_size(h, c) elements." } },
    { "a-beside", "a", OVERLAP, 6, "the device goes on while the host finishes", "a-begin a-arrived a-end", judge_harvest_beside, READ_HELD, {
      "What comes after the function in its stream?", "Put the functions into a stream of their own",
      "cudaLaunchHostFunc(h->after, ...) after a wait for an event, so that no kernel comes after a function." } },
    { "a-leaks", "a", HYGIENE, 3, LEAKS },
    { RACES("a", 4, "* a-inside", READ_HELD, "gets an event to wait for") },
    { ERRORS("a", 1, "*") },

    { "b-turns", "b", ORDER, 4, "each batch is absorbed before the next one comes to the inbox", NULL, judge_ring_turns, READ_RING, {
      "What makes the next copy wait until this batch is absorbed?", "One stream carries it all",
      "cudaMemcpyAsync(..., stream) and absorb<<<BLOCKS, THREADS, 0, stream>>>(): the same stream for both." } },
    { "b-inside", "b", HYGIENE, 4, INSIDE },
    { "b-ring", "b", ORDER, 11, "no slot is filled while its copy may still be under way", "b-inside", judge_ring_overrun, READ_RING, {
      "How does the host know that the slot's last copy is done?", "A slot is empty when the copy out of it is done",
      "Take one from the count of empty slots before fill(), sleeping while it is 0; let a function after each copy add one." } },
    { "b-end", "b", ORDER, 4, "all is done when feed_all() returns", "b-inside", judge_function_ends, READ_CALLS, {
      "What is in the stream after the last copy?", "its functions included",
      "CHECK(cudaStreamSynchronize(stream)) after the loop." } },
    { "b-output", "b", OUTPUT, 6, "the total is right", "b-turns b-ring b-end", judge_ring_total, READ_RING, {
      "Which batch was in the slot when it was copied?", "One stream carries it all",
      "For k = 0 to f->count - 1: fill(slot, k), cudaMemcpyAsync() from that slot, absorb<<<>>>(f->total, f->inbox, f->n)." } },
    { "b-woken", "b", ORDER, 9, "the host sleeps until the stream wakes it", "b-inside b-ring", judge_ring_woken, READ_WOKEN, {
      "What does your thread do while no slot is empty?", "A semaphore is a count",
      "sem_wait(&empty) before fill(), sem_post(&empty) in the function; sem_init(&empty, 0, RING) at the beginning." } },
    { "b-beside", "b", OVERLAP, 4, "the host fills while the device absorbs", "b-ring b-woken", judge_ring_beside, READ_RING, {
      "How many batches may the host be ahead?", "all three are empty",
      "sem_init(&empty, 0, RING), and f->ring[k % RING] for batch k." } },
    { "b-leaks", "b", HYGIENE, 3, LEAKS },
    { RACES("b", 4, "* b-inside", READ_RING, "A slot is empty when the copy out of it is done") },
    { ERRORS("b", 1, "*") },
};

const struct lesson lesson_07 = {
    .number = 7,
    .folder = "07-callbacks",
    .title = "Callbacks: host functions in a stream",
    .parts = parts, .part_count = sizeof parts / sizeof *parts,
    .checks = checks, .check_count = sizeof checks / sizeof *checks,
    .prepare = prepare,
    .simulated = "a-arrived a-end b-woken",     /* what one host thread knows from another is in no record */
};
