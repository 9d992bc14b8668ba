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
    /* Odd: the tail is no whole block. The last element of (b) begins a page: a prefetch that is
     * short by anything leaves one out. */
    int64_t n[] = { random_odd(r, 4000, 8000),
                    (int64_t)(random_between(r, 5, 7) * (PAGE / sizeof(uint32_t))) + 1, 0 };
    struct settings s = { (int64_t)random_between(r, 9, 13), random_odd(r, 12000, 15000),
                          (int64_t)random_between(r, 4, 5),
                          (int64_t)(random_next(r) | 1) & UINT32_MAX };
    n[SLOT_PLATE] = s.probes * s.stride + (int64_t)random_between(r, 1, 5000);
    for (int slot = SLOT_CALIBRATE; slot <= SLOT_PLATE; slot++)
        exchange_add_elements(x, r, n[slot]);
    *(struct settings *)exchange_add_input(x, sizeof s) = s;
    /* A grid or an array that is enough for the second call of (a) is more than is allowed in the
     * first; and what has room for the probes of the first call of (c) has none for the second's.
     */
    struct again again = { .n = random_odd(r, 33000, 40000),
                           .plate = { (int64_t)random_between(r, 1100, 1600),
                                      (int64_t)random_between(r, 2, 3),
                                      (int64_t)random_between(r, 2, 3),
                                      (int64_t)(random_next(r) | 1) & UINT32_MAX } };
    again.cells = again.plate.probes * again.plate.stride + (int64_t)random_between(r, 1, 99);
    *(struct again *)exchange_add_input(x, sizeof again) = again;
    for (int slot = SLOT_CALIBRATE; slot <= SLOT_PLATE; slot++)
        exchange_add_output(x, (uint64_t)n[slot] * sizeof(uint32_t));
    exchange_add_output(x, sizeof(struct places));
    exchange_add_output(x, (uint64_t)again.n * sizeof(uint32_t));
    exchange_add_output(x, (uint64_t)again.cells * sizeof(uint32_t));
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

#define LEAKS .name = "all that was made is given back", .judge = judge_leaks, .read = READ_MISTAKES, .hints = { \
      "Which allocation has no line that gives it back?", "freed once with", \
      "cudaFree() for each cudaMallocManaged(), after the last wait." }
#define NAME_OUTPUT "every element is right"

JUDGE(managed_waited); JUDGE(managed_output); JUDGE(managed_arrays); JUDGE(managed_grid);
JUDGE(prefetch_passes); JUDGE(prefetch_order); JUDGE(prefetch_device); JUDGE(prefetch_host);
JUDGE(prefetch_thrift);
JUDGE(plate_rounds); JUDGE(plate_home); JUDGE(plate_stays);

static const struct check checks[] = {
    { .id = "a-managed",
      .part = "a",
      .kind = HYGIENE,
      .points = 6,
      .name = "host and kernel use the same memory",
      .judge = managed_arrays,
      .read = READ_ONE,
      .hints = { "How many arrays does the explicit program have, and how many are needed when both sides may use one?",
                 "One pointer serves host code and kernels",
                 "cudaMallocManaged((void **)&in, bytes) and the same for `out`, cudaFree() for each; no cudaMemcpy()." } },
    { .id = "a-grid", .part = "a", .kind = OUTPUT, .points = 7,
      .name = "every element has a thread", .judge = managed_grid, .read = READ_MISTAKES,
      .hints = { "What is 10,000 divided by 128, in C, times 128?", "rounds down",
                 "calibrate<<<(n + THREADS - 1) / THREADS, THREADS>>>(in, out, n)." } },
    { .id = "a-wait", .part = "a", .kind = ORDER, .points = 9,
      .name = "the results are read after they have arrived", .needs = "a-grid",
      .judge = managed_waited, .read = READ_WAIT,
      .hints = { "Which line of the explicit program made the host wait, and what does that now?",
                 "was also the wait", "CHECK(cudaDeviceSynchronize()) before take_results()." } },
    { .id = "a-output", .part = "a", .kind = OUTPUT, .points = 6, .name = NAME_OUTPUT,
      .needs = "a-managed a-grid a-wait", .judge = managed_output, .read = READ_ONE,
      .hints = { "Which array does the kernel write, and which one does the host read?",
                 "One pointer serves host code and kernels",
                 "calibrate<<<...>>>(in, out, n), then take_results(out, n)." } },
    { .id = "a-leaks", .part = "a", .kind = HYGIENE, .points = 2, LEAKS },
    { RACES("a", 3, "* a-managed", READ_WAIT, "was also the wait") },
    { ERRORS("a", 1, "*") },

    { .id = "b-work",
      .part = "b", .kind = OUTPUT, .points = 3, .name = "all passes run, and nothing is copied",
      .judge = prefetch_passes, .read = READ_PREFETCH,
      .hints = { "What does a prefetch change in a program, and what does it leave as it is?",
                 "A prefetch takes",
                 "PASSES times accumulate<<<BLOCKS, THREADS>>>(), as in the starter." } },
    { .id = "b-order", .part = "b", .kind = ORDER, .points = 3,
      .name = "prefetches and kernels come in a guaranteed order", .needs = "b-work",
      .judge = prefetch_order, .read = READ_PREFETCH,
      .hints = { "In which stream is the prefetch, and in which one is the kernel?",
                 "takes its turn in a stream, like",
                 "prefetch(s->in, bytes, 0, stream) with the stream of accumulate<<<BLOCKS, THREADS, 0, stream>>>()." } },
    { .id = "b-wait", .part = "b", .kind = ORDER, .points = 5,
      .name = "the results are read after they have arrived", .needs = "b-work",
      .judge = managed_waited, .read = READ_WAIT,
      .hints = { "What is still in the stream when take_results() begins to read?",
                 "was also the wait",
                 "CHECK(cudaDeviceSynchronize()) after the last prefetch, before take_results()." } },
    { .id = "b-output", .part = "b", .kind = OUTPUT, .points = 4, .name = NAME_OUTPUT,
      .needs = "b-wait b-order", .judge = managed_output, .read = READ_PREFETCH,
      .hints = { "What did the last pass leave in `out`?", "A prefetch takes",
                 "accumulate<<<BLOCKS, THREADS>>>(s->in, s->out, s->n, pass), pass from 0 to PASSES - 1." } },
    { .id = "b-device",
      .part = "b", .kind = HYGIENE, .points = 6, .name = "no kernel has a page fault",
      .needs = "b-order", .judge = prefetch_device, .read = READ_PREFETCH,
      .hints = { "On which side is each page of `in` and of `out` when the first kernel starts?",
                 "Prefetch untouched pages as well",
                 "CHECK(prefetch(s->in, bytes, 0, NULL)) and CHECK(prefetch(s->out, bytes, 0, NULL)) before the first launch." } },
    { .id = "b-home", .part = "b", .kind = HYGIENE, .points = 5,
      .name = "the host has no page fault", .needs = "b-wait b-order", .judge = prefetch_host,
      .read = READ_PREFETCH, .hints = { "On which side is `out` when take_results() reads it?",
                                        "On the way home",
                 "CHECK(prefetch(s->out, bytes, cudaCpuDeviceId, NULL)) after the last launch, before cudaDeviceSynchronize()." } },
    { .id = "b-thrift", .part = "b", .kind = HYGIENE, .points = 3, .name = "nothing else travels",
      .needs = "b-device b-home", .judge = prefetch_thrift, .read = READ_PREFETCH,
      .hints = { "Who reads this page after it has arrived?", "On the way home",
                 "prefetch() `in` and `out` to the device, and only `out` back to the host." } },
    { .id = "b-leaks", .part = "b", .kind = HYGIENE, .points = 1, LEAKS },
    { RACES("b", 3, "*", READ_WAIT, "was also the wait") },
    { ERRORS("b", 1, "*") },

    { .id = "c-work", .part = "c", .kind = OUTPUT, .points = 2, .name = "every round is made",
      .judge = plate_rounds, .read = READ_THRASH,
      .hints = { "How often is step() launched, and how often is steer() called?",
                 "host needs only 32 numbers, 128 bytes",
                 "One step<<<BLOCKS, THREADS>>>() and one steer() for each round." } },
    { .id = "c-wait", .part = "c", .kind = ORDER, .points = 6,
      .name = "the controller reads values that have arrived", .needs = "c-work",
      .judge = managed_waited, .read = READ_WAIT,
      .hints = { "What has to be done before steer() may read?", "was also the wait",
                 "CHECK(cudaDeviceSynchronize()) after collect() and the prefetch(), before steer()." } },
    { .id = "c-hazard", .part = "c", .kind = HAZARD, .points = 4,
      .name = "host and device do not touch the same bytes at once", .needs = "c-wait",
      .judge = judge_hazards, .read = READ_WAIT,
      .hints = { "What else may be using these bytes when this line runs?",
                 "Between launch and wait",
                 "CHECK(cudaDeviceSynchronize()) before the host reads or writes what a kernel uses." } },
    { .id = "c-output", .part = "c", .kind = OUTPUT, .points = 4, .name = NAME_OUTPUT,
      .needs = "c-hazard", .judge = managed_output, .read = READ_THRASH,
      .hints = { "Which gain did each round have, and from which cells did it come?",
                 "host needs only 32 numbers, 128 bytes",
                 "collect<<<1, THREADS>>>(probe, p->cell, p->probes, p->stride) after step(), and gain = steer(probe, p->probes)." } },
    { .id = "c-home",
      .part = "c", .kind = HYGIENE, .points = 7, .name = "only the probes travel to the host",
      .needs = "c-hazard", .judge = plate_home, .read = READ_THRASH,
      .hints = { "How many bytes does steer() read, and how many travel to the host for it?",
                 "host needs only 32 numbers, 128 bytes",
                 "collect<<<1, THREADS>>>() into a small array from cudaMallocManaged(), made once, outside the loop. prefetch() it to the host, "
                 "and call steer() with it." } },
    { .id = "c-stays", .part = "c", .kind = HYGIENE, .points = 6, .name = "the plate travels once",
      .needs = "c-home", .judge = plate_stays, .read = READ_THRASH,
      .hints = { "Where is the plate while the rounds go on?",
                 "host needs only 32 numbers, 128 bytes",
                 "CHECK(prefetch(p->cell, p->n * sizeof *p->cell, 0, NULL)) once, before the loop." } },
    { .id = "c-leaks", .part = "c", .kind = HYGIENE, .points = 2, LEAKS },
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
