/* SPDX-License-Identifier: MIT */
/*
 * check.c - lesson 01: what the parts are given, and what is asked of them.
 *
 * The judges are in launch.c (a, b), moments.c (a), meanwhile.c (b), jobs.c (c), day.c and pace.c
 * (d).
 */
#include "judges.h"

#define ELEMENTS_MIN 9000
#define ELEMENTS_MAX 36000

/* ---- inputs ---- */

static void prepare(struct exchange *x, struct random *r)
{
    struct task *task = exchange_add_input(x, sizeof *task);
    /* Odd, and no multiple of any block size. */
    task->n = random_odd(r, ELEMENTS_MIN, ELEMENTS_MAX);
    task->a_kernel_ns = (int64_t)random_between(r, 1500000, 3000000);
    task->b_kernel_ns = (int64_t)random_between(r, 1500000, 3000000);
    task->b_host_ns = task->b_kernel_ns * (int64_t)random_between(r, 700, 1400) / 1000;
    /* Work that ends with the device is too little in the second call, and work that goes on until
     * then too much in the third. */
    task->again_host_ns = task->b_kernel_ns / 4 * 1400 / 1000;
    task->later_host_ns = task->b_kernel_ns / 4 * 700 / 1000;
    task->c_kernel_ns = (int64_t)random_between(r, 100000, 200000);

    /* Two bad launches, of too many threads and of no block, at least one good one after them, and
     * the fault at the end. */
    for (int k = 0; k < JOBS; k++)
        task->threads[k] = 32 * (int64_t)random_between(r, 2, 8);
    int first = (int)random_between(r, 0, JOBS - 3), second = (int)random_between(r, 0, JOBS - 4);
    second += second >= first;
    for (int k = 0; k < JOBS; k++)
        task->elements[k] = k == second ? 0 : task->n;
    task->threads[first] = BAD_THREADS;
    task->jobs_before = (int64_t)random_between(r, 1, 4);
    task->wild = 4 * random_between(r, 64, 8192);

    /* All letters together take less than survey() and build(), and far more than either. */
    task->site = random_odd(r, 4000, 6000);
    task->survey_ns = (int64_t)random_between(r, 900000, 1100000);
    task->build_ns = (int64_t)random_between(r, 900000, 1100000);
    task->plan_ns = (int64_t)random_between(r, 1200000, 1600000);
    task->polish_ns = task->plan_ns * (int64_t)random_between(r, 650, 900) / 1000;
    /* The first letter is the longest, so leaving it out costs most. The first half of the letters
     * takes far longer than survey(), and the second half, with which a later day begins, far less:
     * a fixed number of letters before plan() is too many on one day, or too few on the other. */
    int64_t weight[LETTERS] = { 125 }, sum = 125;
    for (int k = 1; k < LETTERS; k++)
        sum += weight[k] = k < LETTERS / 2 ? (int64_t)random_between(r, 85, 120)
                                           : (int64_t)random_between(r, 6, 10);
    for (int k = 0; k < LETTERS; k++)
        task->letter_ns[k] = (task->survey_ns + task->build_ns) * 90 / 100 * weight[k] / sum;

    task->busy_letters = (int64_t)random_between(r, 41, BUSY_MOST);

    exchange_add_elements(x, r, task->n);
    exchange_add_output(x, sizeof(struct answer));
    for (int k = 0; k < 5; k++)
        exchange_add_output(x,
                            (uint64_t)(k == 2 || k == 3 ? task->site : task->n) * sizeof(uint32_t));
}

/* ---- the tables ---- */

static const struct part parts[] = {
    { "a", "when did it return, when was it done?", "moments" },
    { "b", "work while the kernel runs", "overlap" },
    { "c", "which call met the error?", "errors" },
    { "d", "what first, and what meanwhile?", "day" },
};

#define ASK_GRID "How many elements does your grid cover, and how often?"
#define PARAGRAPH_GRID "The commonest slip is in the first"
#define ASK_LEAKS "What did you create and never destroy?"
#define PARAGRAPH_LEAKS "Write the calls"
#define CALL_LEAKS "A cudaEventDestroy() for each cudaEventCreate() and a cudaFree() for each cudaMalloc(), before you return."

JUDGE(launch_output); JUDGE(launch_waited);
JUDGE(moments_read); JUDGE(moments_returned); JUDGE(moments_done);
JUDGE(meanwhile_work); JUDGE(meanwhile_overlap); JUDGE(meanwhile_sum);
JUDGE(jobs_launched); JUDGE(jobs_refused); JUDGE(jobs_fine); JUDGE(jobs_fault); JUDGE(jobs_place);
JUDGE(day_work); JUDGE(day_key); JUDGE(day_results); JUDGE(day_pace);

static const struct check checks[] = {
    { .id = "a-output", .part = "a", .kind = OUTPUT, .points = 3,
      .name = "the kernel ran once, over every element", .judge = launch_output,
      .read = "The four parameters of a launch", .hints = { ASK_GRID, PARAGRAPH_GRID,
                 "scramble<<<blocks_for(n, THREADS), THREADS>>>(data, n, kernel_ns), once." } },
    { .id = "a-clock", .part = "a", .kind = OUTPUT, .points = 3,
      .name = "the three moments are what now_ns() returned", .needs = "a-output",
      .judge = moments_read, .read = "Eight milliseconds",
      .hints = { "What did the clock say when the part began, and what do your three numbers say?",
                 "`now_ns()` reads the host's clock",
                 "m->returned = now_ns(), and likewise the other two: the readings themselves, in nanoseconds, no differences." } },
    { .id = "a-returned", .part = "a", .kind = ORDER, .points = 5,
      .name = "before and returned are taken right before and after the launch", .needs = "a-clock",
      .judge = moments_returned, .read = "Asking and getting",
      .hints = { "What comes between the launch and your second reading of the clock?",
                 "Nothing need have happened yet",
                 "m->before = now_ns() on the line before the launch, m->returned = now_ns() on the line after it." } },
    { .id = "a-wait", .part = "a", .kind = ORDER, .points = 3, .name = "the kernel was waited for",
      .needs = "a-output", .judge = launch_waited, .read = "Which calls wait",
      .hints = { "Which line of yours knows that the kernel has ended?",
                 "when everything queued has ended",
                 "CHECK(cudaDeviceSynchronize()) after the launch, before m->done is taken." } },
    { .id = "a-done", .part = "a", .kind = ORDER, .points = 5,
      .name = "done was taken at the kernel's end", .needs = "a-clock a-wait",
      .judge = moments_done, .read = "Asking and getting",
      .hints = { "Had the wait returned when you read the clock?",
                 "the work has ended, and you know",
                 "CHECK(cudaDeviceSynchronize()), and on the very next line m->done = now_ns()." } },
    { .id = "a-leaks", .part = "a", .kind = HYGIENE, .points = 1,
      .name = "all that part (a) made was given back", .judge = judge_leaks,
      .read = "What to give back", .hints = { ASK_LEAKS, PARAGRAPH_LEAKS, CALL_LEAKS } },
    { RACES("a", 3, "*", "Asking and getting", "the work has ended, and you know") },
    { ERRORS("a", 1, "*") },

    { .id = "b-output", .part = "b", .kind = OUTPUT, .points = 3, .name = "every element is right",
      .judge = launch_output, .read = "The four parameters of a launch",
      .hints = { ASK_GRID, PARAGRAPH_GRID,
                 "scramble<<<blocks_for(n, THREADS), THREADS>>>(data, n, kernel_ns) once, then "
                 "cudaMemcpyAsync(result, data, n * sizeof *result, cudaMemcpyDeviceToHost)." } },
    { .id = "b-work", .part = "b", .kind = OUTPUT, .points = 2, .name = "the host did its work",
      .judge = meanwhile_work, .read = "Work between asking and getting",
      .hints = { "How long did host_work() take, and in which unit?", "do your own work,",
                 "host_work(host_ns): its argument and what you are given are both in nanoseconds." } },
    { .id = "b-overlap", .part = "b", .kind = OVERLAP, .points = 8,
      .name = "the host worked while the kernel ran", .needs = "b-output b-work",
      .judge = meanwhile_overlap, .read = "Work between asking and getting",
      .hints = { "What was the device doing when host_work() began, and which call had held up the host?",
                 "wait, as late as you can",
                 "In this order: scramble<<<>>>(), cudaMemcpyAsync(), host_work(host_ns), cudaDeviceSynchronize()." } },
    { .id = "b-wait", .part = "b", .kind = ORDER, .points = 4,
      .name = "kernel and copy were waited for", .needs = "b-output", .judge = launch_waited,
      .read = "Which calls wait", .hints = { "Which line of yours knows that the copy has ended?",
                                             "host side too early",
                 "CHECK(cudaDeviceSynchronize()) after host_work(host_ns): one wait is enough for the kernel and the copy." } },
    { .id = "b-sum", .part = "b", .kind = OUTPUT, .points = 3,
      .name = "the sum is that of the finished result", .needs = "b-output b-wait",
      .judge = meanwhile_sum, .read = "Asking and getting",
      .hints = { "What did `result` hold at the moment you read it?", "the result is not there",
                 "CHECK(cudaDeviceSynchronize()), and only after it the loop that adds up all n of result[i], in 64 bits." } },
    { .id = "b-hazard", .part = "b", .kind = HAZARD, .points = 3,
      .name = "the host keeps to its own memory", .needs = "b-wait b-sum", .judge = judge_hazards,
      .read = "Asking and getting",
      .hints = { "In which memory does this line read: the host's or the device's?",
                 "means nothing to the host",
                 "sum += result[i], to which cudaMemcpyAsync() has copied: `data` is device memory." } },
    { .id = "b-leaks", .part = "b", .kind = HYGIENE, .points = 2,
      .name = "all that part (b) made was given back", .judge = judge_leaks,
      .read = "What to give back", .hints = { ASK_LEAKS, PARAGRAPH_LEAKS, CALL_LEAKS } },
    { ERRORS("b", 1, "*") },

    { .id = "c-jobs", .part = "c", .kind = OUTPUT, .points = 2,
      .name = "each job was launched as given", .judge = jobs_launched,
      .read = "Where an error comes up",
      .hints = { "What decides which launches a card refuses: your program or the card?",
                 "So compare with `cudaSuccess`, and print the name.",
                 "scramble<<<blocks, job->threads>>>(job->data, job->n, job->kernel_ns), for every job." } },
    { .id = "c-launch", .part = "c", .kind = OUTPUT, .points = 3,
      .name = "a refused launch is reported", .needs = "c-jobs", .judge = jobs_refused,
      .read = "Where an error comes up",
      .hints = { "A launch returns nothing: which call tells you how it went?",
                 "launch knows at once",
                 "r->error = cudaGetLastError() on the line after the launch; if it is not cudaSuccess, AT_LAUNCH, and return." } },
    { .id = "c-fine", .part = "c", .kind = OUTPUT, .points = 3,
      .name = "a job that went well is reported so", .needs = "c-jobs", .judge = jobs_fine,
      .read = "Where an error comes up",
      .hints = { "Which job's error is still there when the next job begins?", "does not clear it",
                 "cudaGetLastError() after every launch, not cudaPeekAtLastError(): it takes the error away." } },
    { .id = "c-fault", .part = "c", .kind = OUTPUT, .points = 4,
      .name = "a fault that shows later is reported", .needs = "c-jobs c-fine", .judge = jobs_fault,
      .read = "Where an error comes up",
      .hints = { "When did the kernel run, and which call learns how it went?",
                 "The next call that waits",
                 "r->error = cudaDeviceSynchronize(); if it is not cudaSuccess, r->place = AT_WAIT." } },
    { .id = "c-place", .part = "c", .kind = OUTPUT, .points = 4,
      .name = "the call that met the error is named", .needs = "c-launch c-fine c-fault",
      .judge = jobs_place, .read = "Where an error comes up",
      .hints = { "Could this call have known of that error?", "perhaps thousands of lines later",
                 "First cudaGetLastError(), right after the launch: AT_LAUNCH. Then what cudaDeviceSynchronize() returns: AT_WAIT." } },
    { .id = "c-leaks", .part = "c", .kind = HYGIENE, .points = 1,
      .name = "all that part (c) made was given back", .judge = judge_leaks,
      .read = "What to give back", .hints = { ASK_LEAKS, PARAGRAPH_LEAKS,
                 "A cudaEventDestroy() for each cudaEventCreate(), and on each way out of run_job(): after a launch that was refused, too." } },
    { RACES("c", 2, "*", "Where an error comes up", "The next call that waits") },
    { ERRORS("c", 1, "*") },

    { .id = "d-work",
      .part = "d",
      .kind = OUTPUT, .points = 4, .name = "kernels, plan and letters: all of it, once",
      .judge = day_work, .read = "The longest chain",
      .hints = { "What has a day to do, and what did yours do twice, or never?",
                 "The rest has to fit beside it",
                 "One launch each of survey(), polish() and build(), plan(key) once, file_letter(k) once for each k below d->letters." } },
    { .id = "d-key", .part = "d", .kind = ORDER, .points = 5,
      .name = "plan() gets the survey's key, when it is there", .needs = "d-work", .judge = day_key,
      .read = "Asking and getting",
      .hints = { "Which line of yours knows that the key is home?", "the result is not there",
                 "CHECK(cudaMemcpy(&key, d->key, sizeof key, cudaMemcpyDeviceToHost)) before plan(key): it returns when the key is there." } },
    { .id = "d-results", .part = "d", .kind = OUTPUT, .points = 4,
      .name = "everything is done, and right", .needs = "d-key", .judge = day_results,
      .read = "Which calls wait", .hints = { "What is still queued when your function returns?",
                 "when everything queued has ended",
                 "CHECK(cudaDeviceSynchronize()) as the last line." } },
    { .id = "d-pace", .part = "d", .kind = OVERLAP, .points = 12,
      .name = "nothing is in the way of the longest chain", .needs = "d-results", .judge = day_pace,
      .read = "The longest chain",
      .hints = { "At each moment: what does the chain wait for, and who has nothing to do for it?",
                 "what the chain needs next, and ask",
                 "survey<<<1, 1>>>(); letters of d->survey_ns in all; cudaMemcpy() of the key; polish<<<>>>(); plan(key); build<<<>>>(); the other "
                 "letters; cudaDeviceSynchronize()." } },
    { .id = "d-leaks", .part = "d", .kind = HYGIENE, .points = 1,
      .name = "all that part (d) made was given back", .judge = judge_leaks,
      .read = "What to give back", .hints = { ASK_LEAKS, PARAGRAPH_LEAKS, CALL_LEAKS } },
    { RACES("d", 3, "*", "Asking and getting", "the work has ended, and you know") },
    { ERRORS("d", 1, "*") },
};

const struct lesson lesson_01 = {
    .number = 1,
    .folder = "01-sync-vs-async",
    .title = "Sync and async: two moments",
    .parts = parts, .part_count = sizeof parts / sizeof *parts,
    .checks = checks, .check_count = sizeof checks / sizeof *checks,
    .prepare = prepare,
    .reports_errors = "c",
    .instead_of_check = "In this part errors are expected, and run_job() reports them: CHECK ends the program instead. Put what the call "
                        "returns into r->error, and look at that.",
};
