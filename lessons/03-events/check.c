/* SPDX-License-Identifier: MIT */
/*
 * check.c - lesson 03: what the parts are given, and what is asked of them.
 *
 * The judges are in timing.c (a), diamond.c (b) and slices.c (c). Kernels are
 * known by their names; the kernel's time is the timeline's.
 */
#include "judges.h"

static void prepare(struct exchange *x, struct random *r)
{
    struct task *task = exchange_add_input(x, sizeof *task);
    /* The copies of (a) take a tenth of the kernel's time, at least; B and C of (b) have room
     * beside one another on any card. */
    *task = (struct task){
        .a_n = random_odd(r, 200000, 260000),
        .b_n = random_odd(r, 2000, 4000),
        .c_n = random_odd(r, 3000, 6000),
        .kernel_ns = (int64_t)random_between(r, 150000, 250000),
        .ns = { (int64_t)random_between(r, 300000, 500000),
                (int64_t)random_between(r, 1500000, 2500000),
                (int64_t)random_between(r, 1500000, 2500000),
                (int64_t)random_between(r, 300000, 500000) },
        .scramble_ns = (int64_t)random_between(r, 2000000, 3000000),
        .clear_ns = (int64_t)random_between(r, 2000000, 3000000),
        .slice_ns = (int64_t)random_between(r, 80000, 120000),
    };
    /* So few that a grid which is enough for any first call is too large for the second; of (a)
     * more than what bypasses the engine. */
    task->a_again_n = random_odd(r, 9000, 12000);
    task->again_n = random_odd(r, 500, 900);
    const int64_t n[] = { task->a_n, task->b_n, task->c_n };
    for (int i = 0; i < 3; i++)
        exchange_add_elements(x, r, n[i]);
    exchange_add_output(x, sizeof(struct answer));
    for (int i = 0; i < 3; i++)
        exchange_add_output(x, (uint64_t)n[i] * sizeof(uint32_t));
    exchange_add_output(x, (uint64_t)task->c_n * sizeof(uint32_t));
    exchange_add_output(x, 4 * (uint64_t)task->b_n * sizeof(uint32_t));
    for (int i = 0; i < 3; i++)
        exchange_add_output(x, (uint64_t)(i == 0 ? task->a_again_n : task->again_n)
                                   * sizeof(uint32_t));
}

#define READ_QUEUE "A marker in a queue"
#define READ_TIMING "Timing a kernel"
#define READ_FORK "Fork and join"
#define READ_PART "Waiting for a part of the queue"
#define NAME_LEAKS "every event is given back"
#define HINTS_LEAKS "The calls", { "Which call gives back what cudaEventCreate() made, and when may you make it?", \
      "at once, though the event may be pending", \
      "cudaEventDestroy(event) for each event, in the same function; it may still be pending." }

static const struct part parts[] = {
    { "a", "how long did the kernel take?", "timing" },
    { "b", "fork and join", "diamond" },
    { "c", "work until a part of the queue is done", "slices" },
};

JUDGE(timing_order);
JUDGE(timing_wait);
JUDGE(timing_output);
JUDGE(timing_time);
JUDGE(timing_host);
JUDGE(diamond_work);
JUDGE(diamond_fork);
JUDGE(diamond_join);
JUDGE(diamond_host);
JUDGE(diamond_output);
JUDGE(diamond_overlap);
JUDGE(slices_order);
JUDGE(slices_known);
JUDGE(slices_output);
JUDGE(slices_part);
JUDGE(slices_overlap);
JUDGE(slices_stop); JUDGE(slices_count);

static const struct check checks[] = {
    { .id = "a-order", .part = "a", .kind = ORDER, .points = 3,
      .name = "copy, kernel and copy follow one another", .judge = timing_order, .read = READ_QUEUE,
      .hints = { "What makes the kernel wait for the copy in, and the copy back for the kernel?",
                 "put into a stream, among the operations",
                 "`stream` in all three: scramble<<<blocks_for(n), THREADS, 0, stream>>>() and both cudaMemcpyAsync()." } },
    { .id = "a-wait", .part = "a", .kind = ORDER, .points = 4,
      .name = "when the function returns the copy back has ended", .needs = "a-order",
      .judge = timing_wait, .read = READ_PART,
      .hints = { "Which of your waits knows that the copy back has ended?",
                 "nothing of what comes after it",
                 "cudaStreamSynchronize(stream) after the cudaMemcpyAsync() to `out`." } },
    { .id = "a-output", .part = "a", .kind = OUTPUT, .points = 4,
      .name = "every element went through the kernel once", .needs = "a-wait",
      .judge = timing_output, .read = READ_TIMING,
      .hints = { "How many elements does your grid cover, and how often?",
                 "warm-up launch is a good habit, because",
                 "scramble<<<blocks_for(n), THREADS, 0, stream>>>(data, n, kernel_ns), once." } },
    { .id = "a-time", .part = "a", .kind = OUTPUT, .points = 8,
      .name = "the time is that of the kernel alone", .needs = "a-output", .judge = timing_time,
      .read = READ_TIMING, .hints = { "What is in the queue between your two events?",
                 "launch's own stream, on the lines before",
                 "cudaEventRecord(begin, stream) on the line before the launch, cudaEventRecord(end, stream) on the line after it; "
                 "after the wait cudaEventElapsedTime(&ms, begin, end)." } },
    { .id = "a-host", .part = "a", .kind = OVERLAP, .points = 4,
      .name = "the host waits once, when all is queued", .needs = "a-output", .judge = timing_host,
      .read = READ_TIMING, .hints = { "What does the device do while the host waits in that call?",
                 "Ask for the time only when the second event",
                 "One cudaStreamSynchronize(stream), after the copy to `out`." } },
    { .id = "a-leaks", .part = "a", .kind = HYGIENE, .points = 1, .name = NAME_LEAKS,
      .judge = judge_leaks, .read = HINTS_LEAKS },
    { RACES("a", 3, "*", READ_TIMING, "Ask for the time only when the second event") },
    { ERRORS("a", 1, "*") },

    { .id = "b-work", .part = "b", .kind = HYGIENE, .points = 2,
      .name = "each stage is launched once", .judge = diamond_work, .read = READ_FORK,
      .hints = { "How often is each stage launched, and was one refused?",
                 "Each is one launch over all n",
                 "stage_a<<<blocks, THREADS, 0, one>>>(*x) and so on, each once; CHECK(cudaGetLastError()) after them." } },
    { .id = "b-fork", .part = "b", .kind = ORDER, .points = 7,
      .name = "A follows what was in the stream, B and C follow A", .needs = "b-work",
      .judge = diamond_fork, .read = READ_FORK,
      .hints = { "Which record, in which stream, stands for A when C's stream waits?",
                 "The fork takes two calls",
                 "A in `one`; cudaEventRecord(forked, one) after it; cudaStreamWaitEvent(two, forked, 0); then C in `two`." } },
    { .id = "b-join", .part = "b", .kind = ORDER, .points = 7,
      .name = "D follows B and C, and the stream goes on after D", .needs = "b-work",
      .judge = diamond_join, .read = READ_FORK,
      .hints = { "Which call makes D wait for the branch in the other stream?",
                 "The join is the same",
                 "cudaEventRecord(joined, two) after C, cudaStreamWaitEvent(one, joined, 0), then D in `one`." } },
    { .id = "b-host", .part = "b", .kind = OVERLAP, .points = 4, .name = "the host only queues",
      .needs = "b-fork b-join", .judge = diamond_host, .read = READ_FORK,
      .hints = { "Who has to wait for A: the host, or a stream?", "The host never stopped",
                 "cudaStreamWaitEvent() where the host waits now, and no wait at the end: the caller has one." } },
    { .id = "b-output", .part = "b", .kind = OUTPUT, .points = 4, .name = "every element is right",
      .needs = "b-fork b-join", .judge = diamond_output, .read = READ_FORK,
      .hints = { "How many elements does each of your grids cover?",
                 "Each is one launch over all n",
                 "stage_a<<<blocks_for(x->n), THREADS, 0, one>>>(*x), and the same grid for the other three." } },
    { .id = "b-overlap", .part = "b", .kind = OVERLAP, .points = 8, .name = "B and C run at once",
      .needs = "b-host b-output", .judge = diamond_overlap, .read = READ_FORK,
      .hints = { "What is in each stream between A and D?", "If you record",
                 "cudaEventRecord(forked, one) right after stage_a, before stage_b is launched; stage_b in `one`, stage_c in `two`." } },
    { .id = "b-leaks", .part = "b", .kind = HYGIENE, .points = 2, .name = NAME_LEAKS,
      .judge = judge_leaks, .read = HINTS_LEAKS },
    { RACES("b", 3, "* b-work", READ_FORK, "If you record") },
    { ERRORS("b", 1, "*") },

    { .id = "c-order",
      .part = "c",
      .kind = ORDER, .points = 2, .name = "scramble, copy and clear follow one another",
      .judge = slices_order, .read = READ_QUEUE,
      .hints = { "What makes the copy wait for scramble, and clear for the copy?",
                 "put into a stream, among the operations",
                 "job->stream in all three: clear<<<blocks, THREADS, 0, job->stream>>>() and so on." } },
    { .id = "c-known", .part = "c", .kind = ORDER, .points = 6,
      .name = "the host knows that `result` has arrived", .needs = "c-order", .judge = slices_known,
      .read = "Never recorded, recorded again",
      .hints = { "Which answer told you that the copy had ended, and what had been recorded by then?",
                 "counts as passed",
                 "cudaEventRecord(arrived, job->stream) right after the cudaMemcpyAsync(), before you ask "
                 "cudaEventQuery(arrived) for the first time." } },
    { .id = "c-output", .part = "c", .kind = OUTPUT, .points = 4,
      .name = "result, sum and data are right", .needs = "c-known", .judge = slices_output,
      .read = READ_PART, .hints = { "What did `result` hold when you added it up?",
                                    "may the host read",
                 "The sum after the loop that ends when cudaEventQuery() says cudaSuccess." } },
    { .id = "c-part", .part = "c", .kind = ORDER, .points = 6,
      .name = "the host does not wait for clear", .needs = "c-known", .judge = slices_part,
      .read = READ_PART,
      .hints = { "Up to which place in the queue did you have to wait?", "to the end of the stream",
                 "cudaEventRecord(arrived, job->stream) between the cudaMemcpyAsync() and clear. Wait with cudaEventQuery(arrived) and nothing "
                 "else." } },
    { .id = "c-slices", .part = "c", .kind = OVERLAP, .points = 6,
      .name = "the host works while it waits", .needs = "c-part", .judge = slices_overlap,
      .read = READ_PART,
      .hints = { "What did the host do while the kernel ran?", "one status that you do not put",
                 "while (cudaEventQuery(arrived) == cudaErrorNotReady) host_work(job->slice_ns);" } },
    { .id = "c-stop", .part = "c", .kind = ORDER, .points = 4, .name = "no slice begins too late",
      .needs = "c-slices", .judge = slices_stop, .read = READ_PART,
      .hints = { "Did you ask before this slice, and what was the answer?", "Ask before each slice",
                 "cudaEventQuery() in the loop's condition, before each host_work()." } },
    { .id = "c-count", .part = "c", .kind = OUTPUT, .points = 1, .name = "the slices are counted",
      .needs = "c-slices", .judge = slices_count, .read = READ_PART,
      .hints = { "When does your counter go up?", "Ask before each slice",
                 "p->slices = 0 first, then p->slices++ next to each host_work()." } },
    { .id = "c-leaks", .part = "c", .kind = HYGIENE, .points = 1, .name = NAME_LEAKS,
      .judge = judge_leaks, .read = HINTS_LEAKS },
    { RACES("c", 3, "*", READ_PART, "may the host read") },
    { ERRORS("c", 1, "*") },
};

static const char *const cards[] = { "h200", "rtx2070s", "c1060", "c2050", "k20c", NULL };

const struct lesson lesson_03 = {
    .number = 3, .folder = "03-events", .title = "Events",
    .parts = parts, .part_count = sizeof parts / sizeof *parts,
    .checks = checks, .check_count = sizeof checks / sizeof *checks,
    .prepare = prepare, .cards = cards,
};
