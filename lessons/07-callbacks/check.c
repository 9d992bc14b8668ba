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
 * part (a) in harvest.c, part (b) in ring.c, part (c) in both.c.
 */
#include "grader/check.h"

#include "functions.h"
#include "slots.h"

/* ---- inputs ---- */

#define LONG_ONES 3
#define GROUPS 2

/* Part (c): twice three long batches for one total, close together, and for the other as many short ones as keep it busy a little
 * longer than that. Whoever waits for the slot of a long one has nothing to do meanwhile. */
static struct plan plan_of(struct random *r)
{
    struct plan p = { .n = random_odd(r, 1000, 2000) };
    int64_t late = (int64_t)random_between(r, 0, 1);
    for (int group = 0; group < GROUPS; group++) {
        int64_t most = 0, sum = 0, longs = 0, more = (int64_t)random_between(r, 1150, 1250);
        while (longs < LONG_ONES || sum * 1000 < most * more) {
            bool is_long = longs < LONG_ONES && (longs == 0 || p.to[p.count - 1] != late || random_between(r, 0, 1));
            p.to[p.count] = is_long ? late : 1 - late;
            p.ns[p.count] = (int64_t)random_between(r, 300, 360) * (is_long ? 10000 : 1200);
            most += is_long ? p.ns[p.count] : 0;
            sum += is_long ? 0 : p.ns[p.count];
            longs += is_long;
            p.count++;
        }
    }
    return p;
}

static void prepare(struct exchange *x, struct random *r)
{
    struct sizes s = { random_odd(r, 4000, 6000), (int64_t)random_between(r, 9, 13), random_odd(r, 4000, 8000) };
    uint64_t chunks = random_between(r, 8, 10);
    uint64_t n = (chunks - 1) * (uint64_t)s.chunk + random_between(r, 1, (uint64_t)s.chunk - 1);
    exchange_add_elements(x, r, (int64_t)n);
    exchange_add_elements(x, r, s.n * s.count);
    *(struct sizes *)exchange_add_input(x, sizeof s) = s;
    struct plan p = plan_of(r);
    *(struct plan *)exchange_add_input(x, sizeof p) = p;
    exchange_add_elements(x, r, p.n * p.count);

    exchange_add_output(x, chunks * sizeof(uint32_t));
    exchange_add_output(x, (uint64_t)s.n * sizeof(uint32_t));
    exchange_add_output(x, sizeof(struct places));
    exchange_add_output(x, (uint64_t)(TOTALS * p.n) * sizeof(uint32_t));
}

/* ---- the tables ---- */

static const struct part parts[] = {
    { "a", "each chunk as it arrives", "arrived begin end" },
    { "b", "a staging ring", "empty feed" },
    { "c", "slots that come back in another order", "pool both" },
};

#define READ_END "A host function in a stream"
#define READ_INSIDE "What a function may do"
#define READ_DATA "The address you leave"
#define READ_HELD "Who is held up"
#define READ_RING "A ring of buffers"
#define READ_WOKEN "Waking a thread"
#define READ_OTHER "Slots that come back in another order"
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
JUDGE(judge_both_work); JUDGE(judge_both_turns); JUDGE(judge_both_slots); JUDGE(judge_both_totals);
JUDGE(judge_both_short); JUDGE(judge_both_asleep); JUDGE(judge_both_pace);

static const struct check checks[] = {
    { "a-inside", "a", HYGIENE, 4, INSIDE },
    { "a-work", "a", OUTPUT, 3, "every chunk goes through ripen() and comes back", "a-inside", judge_harvest_work, READ_END, {
      "Which elements does each launch and each copy name?", "After a copy, it runs when the bytes are there",
      "ripen<<<BLOCKS, THREADS, 0, h->work>>>(device, n) and cudaMemcpyAsync() of n * sizeof *home bytes, for each chunk." } },
    { "a-begin", "a", OVERLAP, 3, "the caller queues, and finishes nothing itself", NULL, judge_harvest_caller, READ_END, {
      "Which thread calls finish(), if not yours?", "the driver calls the function, in a thread of its own",
      "cudaLaunchHostFunc(h->after, chunk_arrived, &h->number[c]) in place of cudaStreamSynchronize() and finish(c)." } },
    { "a-data", "a", OUTPUT, 4, "each function finds the data meant for it", "a-work", judge_harvest_numbers, READ_DATA, {
      "What is at that address when the function runs?", "The cure is a place for each function",
      "h->number[c] = c; cudaLaunchHostFunc(..., &h->number[c]); and free(h->number) in harvest_end(), after the wait." } },
    { "a-arrived", "a", ORDER, 5, "a chunk is finished after it has arrived", "a-data", judge_harvest_arrived, READ_HELD, {
      "Which copies come before this function in its stream?", "gets an event to wait for",
      "cudaEventRecord(h->arrived, h->work), cudaStreamWaitEvent(h->after, h->arrived, 0), then cudaLaunchHostFunc(h->after, ...)." } },
    { "a-end", "a", ORDER, 3, "all chunks are finished when harvest_end() returns", "a-arrived", judge_function_ends, READ_CALLS, {
      "In which stream is the last function?", "its functions included",
      "CHECK(cudaStreamSynchronize(h->after)) as the first line of harvest_end()." } },
    { "a-output", "a", OUTPUT, 3, "the sums of the chunks are right", "a-end", judge_harvest_sums, READ_END, {
      "Which elements does each launch and each copy name?", "After a copy, it runs when the bytes are there",
      "h->device + c * h->chunk, h->home + c * h->chunk, chunk_size(h, c) elements." } },
    { "a-beside", "a", OVERLAP, 3, "the device goes on while the host finishes", "a-begin a-arrived a-end", judge_harvest_beside, READ_HELD, {
      "What comes after the function in its stream?", "Put the functions into a stream of their own",
      "cudaLaunchHostFunc(h->after, ...) after a wait for an event, so that no kernel comes after a function." } },
    { "a-leaks", "a", HYGIENE, 1, LEAKS },
    { RACES("a", 3, "* a-inside", READ_HELD, "gets an event to wait for") },
    { ERRORS("a", 1, "*") },

    { "b-turns", "b", ORDER, 3, "each batch is absorbed before the next one comes to the inbox", NULL, judge_ring_turns, READ_RING, {
      "What makes the next copy wait until this batch is absorbed?", "One stream carries it all",
      "cudaMemcpyAsync(..., stream) and absorb<<<BLOCKS, THREADS, 0, stream>>>(): the same stream for both." } },
    { "b-inside", "b", HYGIENE, 2, INSIDE },
    { "b-ring", "b", ORDER, 7, "no slot is filled while its copy may still be under way", "b-inside", judge_ring_overrun, READ_RING, {
      "How does the host know that the slot's last copy is done?", "A slot is empty when the copy out of it is done",
      "Take one from the count of empty slots before fill(), sleeping while it is 0; let a function after each copy add one." } },
    { "b-end", "b", ORDER, 3, "all is done when feed_all() returns", "b-inside", judge_function_ends, READ_CALLS, {
      "What is in the stream after the last copy?", "its functions included",
      "CHECK(cudaStreamSynchronize(stream)) after the loop." } },
    { "b-output", "b", OUTPUT, 4, "the total is right", "b-turns b-ring b-end", judge_ring_total, READ_RING, {
      "Which batch was in the slot when it was copied?", "One stream carries it all",
      "For k = 0 to f->count - 1: fill(slot, k), cudaMemcpyAsync() from that slot, absorb<<<>>>(f->total, f->inbox, f->n)." } },
    { "b-woken", "b", ORDER, 6, "the host sleeps until the stream wakes it", "b-inside b-ring", judge_ring_woken, READ_WOKEN, {
      "What does your thread do while no slot is empty?", "A semaphore is a count",
      "sem_wait(&empty) before fill(), sem_post(&empty) in the function; sem_init(&empty, 0, RING) at the beginning." } },
    { "b-beside", "b", OVERLAP, 3, "the host fills while the device absorbs", "b-ring b-woken", judge_ring_beside, READ_RING, {
      "How many batches may the host be ahead?", "all three are empty",
      "sem_init(&empty, 0, RING), and f->ring[k % RING] for batch k." } },
    { "b-leaks", "b", HYGIENE, 1, LEAKS },
    { RACES("b", 3, "* b-inside", READ_RING, "A slot is empty when the copy out of it is done") },
    { ERRORS("b", 1, "*") },

    { "c-inside", "c", HYGIENE, 2, INSIDE },
    { "c-work", "c", OUTPUT, 2, "each batch goes to its inbox and through blend(), once", "c-inside", judge_both_work, READ_RING, {
      "What does each copy bring to which inbox, and which launch comes after it?", "One stream carries it all",
      "For k = 0 to f->count - 1: cudaMemcpyAsync() to f->inbox[f->to[k]], then blend<<<>>>(..., f->n, f->ns[k])." } },
    { "c-turns", "c", ORDER, 2, "each batch is in its total before the next one comes to that inbox", "c-work", judge_both_turns, READ_RING, {
      "What makes the next copy to this inbox wait until the batch there is used?", "One stream carries it all",
      "cudaMemcpyAsync(..., stream[m]) and blend<<<BLOCKS, THREADS, 0, stream[m]>>>(): a stream for each total." } },
    { "c-slots", "c", ORDER, 6, "no slot is filled while its copy may still be under way", "c-work", judge_both_slots, READ_OTHER, {
      "When a slot has come back, how does the host know which one it was?", "A count says how many",
      "cudaLaunchHostFunc(stream[m], give_back, &of_this_slot): the function puts its slot, under a lock, where the host takes one." } },
    { "c-end", "c", ORDER, 2, "all is done when feed_both() returns", "c-inside", judge_function_ends, READ_CALLS, {
      "What is in each of the two streams after its last copy?", "its functions included",
      "CHECK(cudaStreamSynchronize(stream[m])) for both streams after the loop." } },
    { "c-output", "c", OUTPUT, 4, "both totals are right", "c-turns c-slots c-end", judge_both_totals, READ_RING, {
      "Which batch was in the slot when it was copied, and for which total was it?", "One stream carries it all",
      "fill(slot, k), a copy from that slot to f->inbox[f->to[k]], blend<<<>>>(f->total[f->to[k]], f->inbox[f->to[k]], ...)." } },
    { "c-short", "c", ORDER, 3, "a function that a stream calls returns at once", "c-inside", judge_both_short, READ_INSIDE, {
      "What does your function do besides saying which slot has come back, and which thread could do that?", "take and release short locks",
      "In the function: lock, put the slot back, signal, unlock, and nothing else. fill() belongs in your own thread." } },
    { "c-asleep", "c", ORDER, 3, "the host sleeps while it has no slot to fill", "c-slots c-short", judge_both_asleep, READ_WOKEN, {
      "What does your thread do while no slot can be filled?", "The call belongs in a `while`",
      "while (count == 0) pthread_cond_wait(&changed, &lock), and pthread_cond_signal(&changed) in the function; or a semaphore." } },
    { "c-pace", "c", OVERLAP, 6, "no batch waits while a slot could be filled", "c-output c-asleep", judge_both_pace, READ_OTHER, {
      "For which slot does your host wait, and which others can be filled at that moment?", "in the order in which the copies are done",
      "A list of the slots that have come back: give_back(), called by either stream, adds to it, and the host takes any before fill()." } },
    { "c-leaks", "c", HYGIENE, 1, LEAKS },
    { RACES("c", 2, "* c-inside", READ_RING, "A slot is empty when the copy out of it is done") },
    { ERRORS("c", 1, "*") },
};

const struct lesson lesson_07 = {
    .number = 7,
    .folder = "07-callbacks",
    .title = "Callbacks: host functions in a stream",
    .parts = parts, .part_count = sizeof parts / sizeof *parts,
    .checks = checks, .check_count = sizeof checks / sizeof *checks,
    .prepare = prepare,
    .simulated = "a-arrived a-end b-woken c-end c-pace c-short c-asleep",     /* what one host thread knows from another is in no record */
};
