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

/* Of the second harvest: more chunks than a program takes for most when it takes a fixed number. */
#define CHUNKS_AGAIN 560
#define CHUNK_AGAIN 7

#define LONG_ONES 3
#define GROUPS 2

/* Part (c): twice three long batches for one total, close together, and for the other as many short
 * ones as keep it busy a little longer than that. Whoever waits for the slot of a long one has
 * nothing to do meanwhile. In the second call the long ones are for the other total: who has
 * divided the slots between the two unevenly stands still in one of the calls. */
static struct plan plan_of(struct random *r)
{
    struct plan p = { .n = random_odd(r, 1000, 2000) };
    int64_t late = (int64_t)random_between(r, 0, 1);
    for (int group = 0; group < GROUPS; group++) {
        int64_t most = 0, sum = 0, longs = 0, more = (int64_t)random_between(r, 1150, 1250);
        while (longs < LONG_ONES || sum * 1000 < most * more) {
            bool is_long = longs < LONG_ONES
                           && (longs == 0 || p.to[p.count - 1] != late || random_between(r, 0, 1));
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
    struct sizes s = { random_odd(r, 1000, 1500), (int64_t)random_between(r, 9, 13),
                       random_odd(r, 1000, 2000), CHUNK_AGAIN, 0 };
    uint64_t chunks = random_between(r, 8, 10);
    uint64_t n = (chunks - 1) * (uint64_t)s.chunk + random_between(r, 1, (uint64_t)s.chunk - 1);
    uint64_t again = random_between(r, CHUNKS_AGAIN, CHUNKS_AGAIN + 40);
    s.n_again = (int64_t)again * CHUNK_AGAIN - 2;
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
    exchange_add_output(x, again * sizeof(uint32_t));
    exchange_add_output(x, (uint64_t)s.count * sizeof(uint32_t));
    exchange_add_output(x, (uint64_t)(TOTALS * p.count) * sizeof(uint32_t));
    exchange_add_output(x, (uint64_t)(s.n / SMALLER) * sizeof(uint32_t));
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

#define INSIDE .name = "functions make no CUDA call", .judge = judge_function_calls, .read = READ_INSIDE, .hints = { \
    "Who is waiting while your function runs?", "must make no call of the runtime", \
    "Take the call out. A function may call finish(), sem_post() and pthread_cond_signal(), and do host work." }
#define LEAKS .name = "all that was made is given back", .judge = judge_leaks, .read = READ_CALLS, .hints = { \
    "Which call gives back what cudaStreamCreate() made?", "does not wait for functions either", \
    "A cudaStreamDestroy() for each cudaStreamCreate(), a cudaEventDestroy() for each cudaEventCreateWithFlags()." }

JUDGE(judge_function_ends); JUDGE(judge_function_short);
JUDGE(judge_harvest_work); JUDGE(judge_harvest_caller); JUDGE(judge_harvest_numbers);
JUDGE(judge_harvest_arrived); JUDGE(judge_harvest_asleep); JUDGE(judge_harvest_sums);
JUDGE(judge_harvest_beside);
JUDGE(judge_ring_turns);
JUDGE(judge_ring_overrun);
JUDGE(judge_ring_woken);
JUDGE(judge_ring_beside);
JUDGE(judge_ring_total);
JUDGE(judge_both_work); JUDGE(judge_both_turns); JUDGE(judge_both_slots); JUDGE(judge_both_totals);
JUDGE(judge_both_asleep); JUDGE(judge_both_pace);

static const struct check checks[] = {
    { .id = "a-inside", .part = "a", .kind = HYGIENE, .points = 3, INSIDE },
    { .id = "a-work", .part = "a", .kind = OUTPUT, .points = 3,
      .name = "every chunk goes through ripen() and comes back", .needs = "a-inside",
      .judge = judge_harvest_work, .read = READ_END,
      .hints = { "Which elements does each launch and each copy name?",
                 "After a copy, the function runs when",
                 "ripen<<<BLOCKS, THREADS, 0, h->work>>>(device, n) and cudaMemcpyAsync() of n * sizeof *home bytes, for each chunk." } },
    { .id = "a-begin", .part = "a", .kind = OVERLAP, .points = 3,
      .name = "the caller queues, and finishes nothing itself", .judge = judge_harvest_caller,
      .read = READ_END, .hints = { "Which thread calls finish(), if not yours?",
                 "driver calls the function in a thread",
                 "cudaLaunchHostFunc(h->after, chunk_arrived, &h->number[c]) in place of cudaStreamSynchronize() and finish(c)." } },
    { .id = "a-data", .part = "a", .kind = OUTPUT, .points = 4,
      .name = "each function finds the data meant for it", .needs = "a-work",
      .judge = judge_harvest_numbers, .read = READ_DATA,
      .hints = { "What is at that address when the function runs?",
                 "each function a place that stays until",
                 "h->number[c] = c; cudaLaunchHostFunc(..., &h->number[c]); and free(h->number) in harvest_end(), after the wait." } },
    { .id = "a-arrived", .part = "a", .kind = ORDER, .points = 4,
      .name = "a chunk is finished after it has arrived", .needs = "a-data",
      .judge = judge_harvest_arrived, .read = READ_HELD,
      .hints = { "Which copies come before this function in its stream?",
                 "event is enough for all, because a wait",
                 "cudaEventRecord(h->arrived, h->work), cudaStreamWaitEvent(h->after, h->arrived, 0), then cudaLaunchHostFunc(h->after, ...)." } },
    { .id = "a-asleep", .part = "a", .kind = ORDER, .points = 2,
      .name = "no thread polls for a chunk", .needs = "a-begin a-arrived",
      .judge = judge_harvest_asleep, .read = READ_WOKEN,
      .hints = { "What does your thread do until the next chunk has arrived?", "is a count",
                 "A function does without a thread. With one: sem_wait() before each finish(), and sem_post() in a function after each copy." } },
    { .id = "a-end", .part = "a", .kind = ORDER, .points = 3,
      .name = "all chunks are finished when harvest_end() returns", .needs = "a-arrived",
      .judge = judge_function_ends, .read = READ_CALLS,
      .hints = { "In which stream is the last function?", "its functions included",
                 "CHECK(cudaStreamSynchronize(h->after)) as the first line of harvest_end()." } },
    { .id = "a-output", .part = "a", .kind = OUTPUT, .points = 3,
      .name = "the sums of the chunks are right", .needs = "a-end", .judge = judge_harvest_sums,
      .read = READ_END, .hints = { "Which elements does each launch and each copy name?",
                 "After a copy, the function runs when",
                 "h->device + c * h->chunk, h->home + c * h->chunk, chunk_size(h, c) elements." } },
    { .id = "a-beside", .part = "a", .kind = OVERLAP, .points = 3,
      .name = "the device goes on while the host finishes", .needs = "a-begin a-arrived a-end",
      .judge = judge_harvest_beside, .read = READ_HELD,
      .hints = { "What comes after the function in its stream?",
                 "Put the functions into a stream of their own",
                 "cudaLaunchHostFunc(h->after, ...) after a wait for an event, so that no kernel comes after a function." } },
    { .id = "a-leaks", .part = "a", .kind = HYGIENE, .points = 1, LEAKS },
    { RACES("a", 3, "* a-inside", READ_HELD, "event is enough for all, because a wait") },
    { ERRORS("a", 1, "*") },

    { .id = "b-turns", .part = "b", .kind = ORDER, .points = 3,
      .name = "each batch is absorbed before the next one comes to the inbox",
      .judge = judge_ring_turns, .read = READ_RING,
      .hints = { "What makes the next copy wait until this batch is absorbed?",
                 "one stream carries copies, functions and kernels",
                 "cudaMemcpyAsync(..., stream) and absorb<<<BLOCKS, THREADS, 0, stream>>>(): the same stream for both." } },
    { .id = "b-inside", .part = "b", .kind = HYGIENE, .points = 2, INSIDE },
    { .id = "b-ring", .part = "b", .kind = ORDER, .points = 5,
      .name = "no slot is filled while its copy may still be under way", .needs = "b-inside",
      .judge = judge_ring_overrun, .read = READ_RING,
      .hints = { "How does the host know that the slot's last copy is done?",
                 "A slot is empty when the copy out of it is done",
                 "Take one from the count of empty slots before fill(), sleeping while it is 0; let a function after each copy add one." } },
    { .id = "b-end", .part = "b", .kind = ORDER, .points = 3,
      .name = "all is done when feed_all() returns", .needs = "b-inside",
      .judge = judge_function_ends, .read = READ_CALLS,
      .hints = { "What is in the stream after the last copy?", "its functions included",
                 "CHECK(cudaStreamSynchronize(stream)) after the loop." } },
    { .id = "b-output", .part = "b", .kind = OUTPUT, .points = 4, .name = "the total is right",
      .needs = "b-turns b-ring b-end", .judge = judge_ring_total, .read = READ_RING,
      .hints = { "Which batch was in the slot when it was copied?",
                 "one stream carries copies, functions and kernels",
                 "For k = 0 to f->count - 1: fill(slot, k), cudaMemcpyAsync() from that slot, absorb<<<>>>(f->total, f->inbox, f->n)." } },
    { .id = "b-short",
      .part = "b",
      .kind = ORDER,
      .points = 2,
      .name = "a function that a stream calls returns at once",
      .needs = "b-inside",
      .judge = judge_function_short,
      .read = READ_INSIDE,
      .hints = { "What does your function do besides saying that a slot is empty, and which thread could do that?",
                 "short time, and wake threads",
                 "In the function: sem_post(&empty), or lock, add one, signal, unlock, and nothing else." } },
    { .id = "b-woken", .part = "b", .kind = ORDER, .points = 6,
      .name = "the host sleeps until the stream wakes it", .needs = "b-ring b-short",
      .judge = judge_ring_woken, .read = READ_WOKEN,
      .hints = { "What does your thread do while no slot is empty?", "is a count",
                 "sem_wait(&empty) before fill(), sem_post(&empty) in the function; sem_init(&empty, 0, RING) at the beginning." } },
    { .id = "b-beside", .part = "b", .kind = OVERLAP, .points = 3,
      .name = "the host fills while the device absorbs", .needs = "b-ring b-woken",
      .judge = judge_ring_beside, .read = READ_RING,
      .hints = { "How many batches may the host be ahead?", "All three are empty at first, so",
                 "sem_init(&empty, 0, RING), and f->ring[k % RING] for batch k." } },
    { .id = "b-leaks", .part = "b", .kind = HYGIENE, .points = 1, LEAKS },
    { RACES("b", 3, "* b-inside", READ_RING, "A slot is empty when the copy out of it is done") },
    { ERRORS("b", 1, "*") },

    { .id = "c-inside", .part = "c", .kind = HYGIENE, .points = 2, INSIDE },
    { .id = "c-work", .part = "c", .kind = OUTPUT, .points = 2,
      .name = "each batch goes to its inbox and through blend(), once", .needs = "c-inside",
      .judge = judge_both_work, .read = READ_RING,
      .hints = { "What does each copy bring to which inbox, and which launch comes after it?",
                 "one stream carries copies, functions and kernels",
                 "For k = 0 to f->count - 1: cudaMemcpyAsync() to f->inbox[f->to[k]], then blend<<<>>>(..., f->n, f->ns[k])." } },
    { .id = "c-turns", .part = "c", .kind = ORDER, .points = 2,
      .name = "each batch is in its total before the next one comes to that inbox",
      .needs = "c-work", .judge = judge_both_turns, .read = READ_RING,
      .hints = { "What makes the next copy to this inbox wait until the batch there is used?",
                 "one stream carries copies, functions and kernels",
                 "cudaMemcpyAsync(..., stream[m]) and blend<<<BLOCKS, THREADS, 0, stream[m]>>>(): a stream for each total." } },
    { .id = "c-slots", .part = "c", .kind = ORDER, .points = 6,
      .name = "no slot is filled while its copy may still be under way", .needs = "c-work",
      .judge = judge_both_slots, .read = READ_OTHER,
      .hints = { "When a slot has come back, how does the host know which one it was?",
                 "A count does",
                 "cudaLaunchHostFunc(stream[m], give_back, &of_this_slot): the function puts its slot, under a lock, where the host takes one." } },
    { .id = "c-end", .part = "c", .kind = ORDER, .points = 2,
      .name = "all is done when feed_both() returns", .needs = "c-inside",
      .judge = judge_function_ends, .read = READ_CALLS,
      .hints = { "What is in each of the two streams after its last copy?",
                 "its functions included",
                 "CHECK(cudaStreamSynchronize(stream[m])) for both streams after the loop." } },
    { .id = "c-output", .part = "c", .kind = OUTPUT, .points = 4, .name = "both totals are right",
      .needs = "c-turns c-slots c-end", .judge = judge_both_totals, .read = READ_RING,
      .hints = { "Which batch was in the slot when it was copied, and for which total was it?",
                 "one stream carries copies, functions and kernels",
                 "fill(slot, k), a copy from that slot to f->inbox[f->to[k]], blend<<<>>>(f->total[f->to[k]], f->inbox[f->to[k]], ...)." } },
    { .id = "c-short",
      .part = "c",
      .kind = ORDER,
      .points = 3,
      .name = "a function that a stream calls returns at once",
      .needs = "c-inside",
      .judge = judge_function_short,
      .read = READ_INSIDE,
      .hints = { "What does your function do besides saying which slot has come back, and which thread could do that?",
                 "short time, and wake threads",
                 "In the function: lock, put the slot back, signal, unlock, and nothing else. fill() belongs in your own thread." } },
    { .id = "c-asleep", .part = "c", .kind = ORDER, .points = 3,
      .name = "the host sleeps while it has no slot to fill", .needs = "c-slots c-short",
      .judge = judge_both_asleep, .read = READ_WOKEN,
      .hints = { "What does your thread do while no slot can be filled?",
                 "The call belongs in a `while`",
                 "while (count == 0) pthread_cond_wait(&changed, &lock), and pthread_cond_signal(&changed) in the function; or a semaphore." } },
    { .id = "c-pace",
      .part = "c",
      .kind = OVERLAP,
      .points = 6,
      .name = "no batch waits while a slot could be filled",
      .needs = "c-output c-asleep",
      .judge = judge_both_pace,
      .read = READ_OTHER,
      .hints = { "For which slot does your host wait, and which others can be filled at that moment?",
                 "in the order in which the copies are done",
                 "A list of the slots that have come back: give_back(), called by either stream, adds to it, and the host takes any before fill()." } },
    { .id = "c-leaks", .part = "c", .kind = HYGIENE, .points = 1, LEAKS },
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
    .simulated = "a-arrived a-asleep a-end b-short b-woken c-end c-pace c-short c-asleep",
        /* what one host thread knows from another is in no record */
};
