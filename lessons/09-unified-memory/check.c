/* SPDX-License-Identifier: MIT */
/*
 * check.c - lesson 09: what the parts are given, and what is asked of them.
 *
 * The judges are in managed.c (all parts, a), prefetch.c (b) and plate.c (c).
 */
#include "pages.h"

/* ---- inputs ---- */

static void prepare(struct exchange *x, struct random *r)
{
    /* Odd: the tail is no whole block. */
    int64_t n[] = { random_odd(r, 60000, 90000), random_odd(r, 140000, 200000), 0 };
    struct settings s = { (int64_t)random_between(r, 17, 23), random_odd(r, 12000, 15000),
                          (int64_t)random_between(r, 5, 7), (int64_t)(random_next(r) | 1) & UINT32_MAX };
    n[SLOT_PLATE] = s.probes * s.stride + (int64_t)random_between(r, 1, 5000);
    for (int slot = SLOT_CALIBRATE; slot <= SLOT_PLATE; slot++)
        exchange_add_elements(x, r, n[slot]);
    *(struct settings *)exchange_add_input(x, sizeof s) = s;
    for (int slot = SLOT_CALIBRATE; slot <= SLOT_PLATE; slot++)
        exchange_add_output(x, (uint64_t)n[slot] * sizeof(uint32_t));
    exchange_add_output(x, sizeof(struct places));
}

/* ---- the tables ---- */

static const struct part parts[] = {
    { "a", "one array instead of two", "calibrate" },
    { "b", "no page fault left", "prefetch" },
    { "c", "only what the host needs", "control" },
};

#define READ_ONE "One address, two places"
#define READ_WAIT "Who may touch what, and when"
#define READ_PREFETCH "Prefetching"
#define READ_THRASH "Ping-pong"
#define READ_MISTAKES "Porting a program"

#define LEAKS "all that was made is given back", NULL, judge_leaks, READ_MISTAKES, { \
      "Which allocation has no line that gives it back?", "It goes back with `cudaFree`", \
      "cudaFree() for each cudaMallocManaged(), after the last wait." }
#define NAME_OUTPUT "every element is right"

JUDGE(managed_waited); JUDGE(managed_output); JUDGE(managed_arrays); JUDGE(managed_grid);
JUDGE(prefetch_passes); JUDGE(prefetch_order); JUDGE(prefetch_device); JUDGE(prefetch_host);
JUDGE(prefetch_thrift);
JUDGE(plate_rounds); JUDGE(plate_home); JUDGE(plate_stays);

static const struct check checks[] = {
    { "a-managed", "a", HYGIENE, 6, "host and kernel use the same memory", NULL, managed_arrays, READ_ONE, {
      "How many arrays does the explicit program have, and how many are needed when both sides may use one?",
      "the same pointer on both sides",
      "cudaMallocManaged((void **)&in, bytes) and the same for `out`, cudaFree() for each; no cudaMemcpy()." } },
    { "a-grid", "a", OUTPUT, 7, "every element has a thread", NULL, managed_grid, READ_MISTAKES, {
      "What is 10,000 divided by 128, in C, times 128?", "rounds down",
      "calibrate<<<(n + THREADS - 1) / THREADS, THREADS>>>(in, out, n)." } },
    { "a-wait", "a", ORDER, 9, "the results are read after they have arrived", "a-grid", managed_waited, READ_WAIT, {
      "Which line of the explicit program made the host wait, and what does that now?", "was also the wait",
      "CHECK(cudaDeviceSynchronize()) before take_results()." } },
    { "a-output", "a", OUTPUT, 6, NAME_OUTPUT, "a-managed a-grid a-wait", managed_output, READ_ONE, {
      "Which array does the kernel write, and which one does the host read?", "the same pointer on both sides",
      "calibrate<<<...>>>(in, out, n), then take_results(out, n)." } },
    { "a-leaks", "a", HYGIENE, 2, LEAKS },
    { RACES("a", 3, "* a-managed", READ_WAIT, "was also the wait") },
    { ERRORS("a", 1, "*") },

    { "b-work", "b", OUTPUT, 3, "all passes run, and nothing is copied", NULL, prefetch_passes, READ_PREFETCH, {
      "What does a prefetch change in a program, and what does it leave as it is?", "A prefetch changes nothing",
      "PASSES times accumulate<<<BLOCKS, THREADS>>>(), as in the starter." } },
    { "b-order", "b", ORDER, 3, "prefetches and kernels come in a guaranteed order", "b-work", prefetch_order,
      READ_PREFETCH, {
      "In which stream is the prefetch, and in which one is the kernel?", "It takes its turn in a stream",
      "prefetch(s->in, bytes, 0, stream) with the stream of accumulate<<<BLOCKS, THREADS, 0, stream>>>()." } },
    { "b-wait", "b", ORDER, 5, "the results are read after they have arrived", "b-work", managed_waited, READ_WAIT, {
      "What is still in the stream when take_results() begins to read?", "was also the wait",
      "CHECK(cudaDeviceSynchronize()) after the last prefetch, before take_results()." } },
    { "b-output", "b", OUTPUT, 4, NAME_OUTPUT, "b-wait b-order", managed_output, READ_PREFETCH, {
      "What did the last pass leave in `out`?", "A prefetch changes nothing",
      "accumulate<<<BLOCKS, THREADS>>>(s->in, s->out, s->n, pass), pass from 0 to PASSES - 1." } },
    { "b-device", "b", HYGIENE, 6, "no kernel has a page fault", "b-order", prefetch_device, READ_PREFETCH, {
      "On which side is each page of `in` and of `out` when the first kernel starts?", "a page that nothing has touched",
      "CHECK(prefetch(s->in, bytes, 0, NULL)) and CHECK(prefetch(s->out, bytes, 0, NULL)) before the first launch." } },
    { "b-home", "b", HYGIENE, 5, "the host has no page fault", "b-wait b-order", prefetch_host, READ_PREFETCH, {
      "On which side is `out` when take_results() reads it?", "And home again",
      "CHECK(prefetch(s->out, bytes, cudaCpuDeviceId, NULL)) after the last launch, before cudaDeviceSynchronize()." } },
    { "b-thrift", "b", HYGIENE, 3, "nothing else travels", "b-device b-home", prefetch_thrift, READ_PREFETCH, {
      "Who reads this page after it has arrived?", "And home again",
      "prefetch() `in` and `out` to the device, and only `out` back to the host." } },
    { "b-leaks", "b", HYGIENE, 1, LEAKS },
    { RACES("b", 3, "*", READ_WAIT, "was also the wait") },
    { ERRORS("b", 1, "*") },

    { "c-work", "c", OUTPUT, 2, "every round is made", NULL, plate_rounds, READ_THRASH, {
      "How often is step() launched, and how often is steer() called?", "What the host needs",
      "One step<<<BLOCKS, THREADS>>>() and one steer() for each round." } },
    { "c-wait", "c", ORDER, 6, "the controller reads values that have arrived", "c-work", managed_waited, READ_WAIT, {
      "What has to be done before steer() may read?", "was also the wait",
      "CHECK(cudaDeviceSynchronize()) after collect() and the prefetch(), before steer()." } },
    { "c-hazard", "c", HAZARD, 4, "host and device do not touch the same bytes at once", "c-wait", judge_hazards, READ_WAIT, {
      "What else may be using these bytes when this line runs?", "Between launch and wait",
      "CHECK(cudaDeviceSynchronize()) before the host reads or writes what a kernel uses." } },
    { "c-output", "c", OUTPUT, 4, NAME_OUTPUT, "c-hazard", managed_output, READ_THRASH, {
      "Which gain did each round have, and from which cells did it come?", "What the host needs",
      "collect<<<1, THREADS>>>(probe, p->cell, p->probes, p->stride) after step(), and gain = steer(probe, p->probes)." } },
    { "c-home", "c", HYGIENE, 7, "only the probes travel to the host", "c-work", plate_home, READ_THRASH, {
      "How many bytes does steer() read, and how many travel to the host for it?", "What the host needs",
      "collect<<<1, THREADS>>>() into a small array from cudaMallocManaged(), made once, outside the loop. prefetch() it to the host, "
      "and call steer() with it." } },
    { "c-stays", "c", HYGIENE, 6, "the plate travels once", "c-home", plate_stays, READ_THRASH, {
      "Where is the plate while the rounds go on?", "What the host needs",
      "CHECK(prefetch(p->cell, p->n * sizeof *p->cell, 0, NULL)) once, before the loop." } },
    { "c-leaks", "c", HYGIENE, 2, LEAKS },
    { ERRORS("c", 1, "*") },
};

static const char *const cards[] = { "h200", "rtx2070s", NULL };

const struct lesson lesson_09 = {
    .number = 9,
    .folder = "09-unified-memory",
    .title = "Unified memory",
    .parts = parts, .part_count = sizeof parts / sizeof *parts,
    .checks = checks, .check_count = sizeof checks / sizeof *checks,
    .prepare = prepare, .cards = cards, .concurrent_managed = true,
};
