/* SPDX-License-Identifier: MIT */
/* check.c - lesson 14: is everything done, in order, soon enough, and how fast? By the plant, and
 * by the archive. */
#include "judges.h"

static void prepare(struct exchange *x, struct random *r)
{
    struct sizes s = { .frames = (int64_t)random_between(r, 28, 32),
                       .request = random_odd(r, 1000, 3000),
                       .tail = (int64_t)random_between(r, 250, 400) };
    int64_t all = 0;
    for (int64_t k = 0; k < s.frames; k++) {
        s.frame[k] = random_odd(r, 6300, 7100);     /* just more than what bypasses the engine */
        s.longest = s.frame[k] > s.longest ? s.frame[k] : s.longest;
        all += s.frame[k];
    }
    /* At any moment of a develop(), which takes some 120 us from its first wave to its last. */
    for (int k = 1; k < REQUESTS; k++)
        s.pause[k] = (int64_t)random_between(r, 30000, 154000);
    s.other_long = random_odd(r, 66000, 70000);
    s.other_short = random_odd(r, 1, 900);
    *(struct sizes *)exchange_add_input(x, sizeof s) = s;
    exchange_add_elements(x, r, all);
    exchange_add_elements(x, r, s.request * REQUESTS);
    struct script *script = exchange_add_input(x, sizeof *script);
    archive_script(script, r);
    int64_t edited = script->edits * script->n;
    exchange_add_elements(x, r, edited > 2 * OTHER_SHEET ? edited : 2 * OTHER_SHEET);
    exchange_add_elements(x, r, (int64_t)ROUNDS * TABLE_ELEMENTS);
    exchange_add_output(x, sizeof(struct answers));
    exchange_add_output(x, (size_t)(s.longest * s.frames) * sizeof(uint32_t));
    exchange_add_output(x, (size_t)(s.request * REQUESTS) * sizeof(uint32_t));
    exchange_add_output(x, (size_t)(script->shows * script->n) * sizeof(uint32_t));
    exchange_add_output(x, (size_t)(s.other_long + s.other_short) * sizeof(uint32_t));
    exchange_add_output(x, 2 * OTHER_SHEET * sizeof(uint32_t));
    exchange_add_output(x, (size_t)s.other_long * sizeof(uint32_t));
}

static const struct part parts[] = {
    { "a", "a plant of your own", "plant" },
    { "b", "an archive on whatever devices there are", "archive" },
};

#define READ_STAGES "Who waits for whom"
#define READ_RING "Room"
#define READ_URGENT "In between"
#define READ_PACE "What the pace is made of"
#define READ_CALLS "The calls"
#define READ_SIDES "A sheet and its sides"
#define READ_ARCHIVE "What the archive's time is made of"

JUDGE(plant_leaks);
JUDGE(plant_work); JUDGE(plant_order); JUDGE(plant_wait); JUDGE(plant_sealed); JUDGE(plant_pages);
JUDGE(plant_answers);
JUDGE(plant_queues); JUDGE(plant_latency); JUDGE(plant_begins); JUDGE(plant_keeps_up);
JUDGE(archive_work);
JUDGE(archive_ends);
JUDGE(archive_output);
JUDGE(archive_copies);
JUDGE(archive_faults);
JUDGE(archive_queues);
JUDGE(archive_begins);
JUDGE(archive_keeps_up);
JUDGE(archive_leaks);

static const struct check checks[] = {
    { .id = "a-work", .part = "a", .kind = OUTPUT, .points = 4,
      .name = "every frame goes through every stage, every request through its own",
      .judge = plant_work, .read = READ_STAGES,
      .hints = { "How many launches of each kernel does one frame need?", "three stages",
                 "develop<<<j->tiles, THREADS, j->shared, …>>>(), gather<<<GATHER_BLOCKS, …>>>() and seal() for each plant_frame()." } },
    { .id = "a-order",
      .part = "a",
      .kind = ORDER,
      .points = 5,
      .name = "a frame's stages, and the frames in the total, come in an order that is guaranteed",
      .needs = "a-work",
      .judge = plant_order,
      .read = READ_STAGES,
      .hints = { "What makes gather() of a frame wait for its develop() and for the gather() of the frame before?",
                 "Before you make the first stream",
                 "One stream for all gather(); cudaEventRecord() after develop(), cudaStreamWaitEvent() before gather()." } },
    { .id = "a-wait", .part = "a", .kind = ORDER, .points = 5,
      .name = "a request is waited for, and at the end every page", .needs = "a-work",
      .judge = plant_wait, .read = READ_URGENT,
      .hints = { "After which call is `out` complete, and after which the last page?",
                 "The host must not wait for anything else",
                 "cudaStreamSynchronize(p->urgent) in plant_answer(); cudaStreamSynchronize() on the stream with the functions in plant_close()." } },
    { .id = "a-hazard",
      .part = "a",
      .kind = HAZARD,
      .points = 7,
      .name = "no two accesses to the same bytes without an order",
      .needs = "a-order a-wait",
      .judge = judge_hazards,
      .read = READ_RING,
      .hints = { "What may still read or write a room, its device memory and its result when the camera gets the room again?",
                 "free when the last",
                 "sem_post() in the function after the copy of the result, sem_wait() in plant_room()." } },
    { .id = "a-sealed", .part = "a", .kind = ORDER, .points = 4,
      .name = "pages are sealed once, in the order of their frames", .needs = "a-hazard",
      .judge = plant_sealed, .read = READ_STAGES,
      .hints = { "In what order are the functions of several streams called?",
                 "Before you make the first stream",
                 "cudaLaunchHostFunc() for every page in one stream, after the copy of its result." } },
    { .id = "a-pages",
      .part = "a", .kind = OUTPUT, .points = 5, .name = "every element of every page is right",
      .needs = "a-sealed", .judge = plant_pages, .read = READ_STAGES,
      .hints = { "What is in the total before the first frame, and what before the second?",
                 "three stages",
                 "cudaMemsetAsync(total, 0, j->frame * sizeof *total, stream) in plant_open(); n, and not j->frame, in copies and kernels." } },
    { .id = "a-answers",
      .part = "a", .kind = OUTPUT, .points = 3, .name = "every element of every answer is right",
      .needs = "a-hazard", .judge = plant_answers, .read = READ_URGENT,
      .hints = { "Does each of the three steps of a request cover all n elements?",
                 "The host must not wait for anything else",
                 "n * sizeof(unsigned) bytes in both cudaMemcpyAsync(), n in reply<<<>>>()." } },
    { .id = "a-queues",
      .part = "a",
      .kind = ORDER,
      .points = 3,
      .name = "the camera's thread sleeps until there is a room, and waits for nothing else",
      .needs = "a-order",
      .judge = plant_queues,
      .read = READ_PACE,
      .hints = { "Which of your calls in plant_room() and plant_frame() return only when something is done, and is it the room?",
                 "all stages add up",
                 "cudaMemcpyAsync(), cudaStreamWaitEvent() and cudaLaunchHostFunc() queue; no cudaStreamSynchronize() and no cudaEventSynchronize()." } },
    { .id = "a-latency",
      .part = "a",
      .kind = OVERLAP,
      .points = 8,
      .name = "a request hardly waits for the frames",
      .needs = "a-wait",
      .judge = plant_latency,
      .read = READ_URGENT,
      .hints = { "Which blocks are ahead of the request's when it comes, and which of them may it overtake?",
                 "the greatest priority",
                 "cudaStreamCreateWithPriority(&p->urgent, cudaStreamNonBlocking, greatest), the frames' streams with least; cudaMallocAsync(), no cudaFree()." } },
    { .id = "a-begins", .part = "a", .kind = OVERLAP, .points = 4,
      .name = "the pace is 0.6 of the reference's", .needs = "a-wait a-queues",
      .judge = plant_begins, .read = READ_PACE,
      .hints = { "What does the device do while a page is sealed?", "all stages add up",
                 "Several rooms, and no cudaStreamSynchronize() in plant_frame(): cudaLaunchHostFunc() calls the function that seals." } },
    { .id = "a-keeps-up", .part = "a", .kind = OVERLAP, .points = 7,
      .name = "the pace is 0.9 of the reference's", .needs = "a-begins a-latency a-sealed",
      .judge = plant_keeps_up, .read = READ_PACE,
      .hints = { "When the longest stage is idle, what does it wait for?",
                 "You can compute how many rooms",
                 "A few rooms more, and cudaMemcpyAsync() of the next frame in a stream of its own, while develop<<<>>>() runs." } },
    { .id = "a-inside", .part = "a", .kind = HYGIENE, .points = 2,
      .name = "functions make no CUDA call", .judge = judge_function_calls, .read = READ_CALLS,
      .hints = { "Who is waiting while your function runs?", "a CUDA call inside",
                 "Take the call out. A function may call seal(), sem_post() and pthread_cond_signal(), and do host work." } },
    { .id = "a-leaks", .part = "a", .kind = HYGIENE, .points = 2,
      .name = "the plant gives back what it made", .judge = plant_leaks, .read = READ_CALLS,
      .hints = { "What do plant_open() and plant_answer() make?", "`cudaFreeHost(p)`",
                 "cudaStreamDestroy(), cudaEventDestroy(), cudaFree(), cudaFreeHost() for each in plant_close(); cudaFreeAsync() in plant_answer()." } },
    { ERRORS("a", 1, "*") },

    { .id = "b-work", .part = "b", .kind = OUTPUT, .points = 4,
      .name = "every retouching is its passes, every blending its kernel, each with all its blocks",
      .judge = archive_work, .read = READ_SIDES,
      .hints = { "How many launches of pass() is one call of archive_retouch()?",
                 "order, because each reads what the one",
                 "pass<<<j->blocks, ARCHIVE_THREADS, j->shared, …>>>(x, j->table, j->n, k) for k from 0 to PASSES - 1; blend<<<…>>>(to, from, j->n) once." } },
    { .id = "b-hazard",
      .part = "b",
      .kind = HAZARD,
      .points = 5,
      .name = "no two accesses to the same bytes without an order",
      .needs = "b-work",
      .judge = judge_hazards,
      .read = READ_SIDES,
      .hints = { "What reads or writes the two sheets of a blending before it, and what comes after it?",
                 "If two sheets",
                 "cudaStreamWaitEvent() both ways: the stream of `to` waits for `from`, and later work on `from` waits for what has read it." } },
    { .id = "b-wait", .part = "b", .kind = ORDER, .points = 2,
      .name = "at the end of a round all is done", .needs = "b-hazard",
      .judge = archive_ends, .read = READ_SIDES,
      .hints = { "Which streams has something been queued in since archive_begin(), on each device?",
                 "A round ends with",
                 "cudaStreamSynchronize() in archive_end() for every stream of every device, the ones of the prefetches too." } },
    { .id = "b-output", .part = "b", .kind = OUTPUT, .points = 7,
      .name = "every sheet that is shown is right, on all three machines", .needs = "b-hazard",
      .judge = archive_output, .read = READ_SIDES,
      .hints = { "Where is the newest version of a sheet after each of the four calls?",
                 "The newest version",
                 "A state for each sheet: archive_edit() leaves the newest at the host, archive_retouch() and archive_blend() on a device." } },
    { .id = "b-copies", .part = "b", .kind = OUTPUT, .points = 4,
      .name = "no copy is needless, and each names its devices",
      .needs = "b-output", .judge = archive_copies, .read = READ_SIDES,
      .hints = { "Which calls change a sheet, and which only read it?", "The newest version",
                 "cudaMemcpyAsync() in archive_show() and archive_edit() only if a device has a newer version; to a device only after archive_edit()." } },
    { .id = "b-faults",
      .part = "b", .kind = OVERLAP, .points = 3, .name = "no kernel waits for pages of the table",
      .needs = "b-work", .judge = archive_faults, .read = READ_ARCHIVE,
      .hints = { "Where are the table's pages after the caller has written it?",
                 "The caller has just written the table",
                 "prefetch(j->table, TABLE * sizeof(unsigned), device, stream) in archive_begin(), and every stream of the passes waits for it." } },
    { .id = "b-queues", .part = "b", .kind = ORDER, .points = 3,
      .name = "only showing, editing and the end of a round wait for a device", .needs = "b-hazard",
      .judge = archive_queues, .read = READ_ARCHIVE,
      .hints = { "Which calls of yours return only when a device has done something?",
                 "time of a round",
                 "cudaMemcpyAsync() and cudaStreamWaitEvent(); no cudaMemcpy(), cudaEventSynchronize() or cudaFree() in archive_begin(), archive_retouch() and archive_blend()." } },
    { .id = "b-begins", .part = "b", .kind = OVERLAP, .points = 4,
      .name = "on all three machines a round takes at most 1.67 times as long as the reference's",
      .needs = "b-queues b-faults", .judge = archive_begins, .read = READ_ARCHIVE,
      .hints = { "What does each device do while the host queues, and while it waits?",
                 "time of a round",
                 "cudaSetDevice() and a stream for every device; no cudaStreamSynchronize() in archive_retouch() and archive_blend()." } },
    { .id = "b-keeps-up", .part = "b", .kind = OVERLAP, .points = 5,
      .name = "on all three machines a round takes at most 1.18 times as long as the reference's",
      .needs = "b-begins", .judge = archive_keeps_up, .read = READ_ARCHIVE,
      .hints = { "How long does the host take to queue what a device does in 50 µs?",
                 "time of a round",
                 "The passes of a sheet as a graph: cudaGraphInstantiate() in archive_open(), cudaGraphLaunch() in archive_retouch()." } },
    { .id = "b-leaks", .part = "b", .kind = HYGIENE, .points = 2,
      .name = "the archive gives back what it made", .judge = archive_leaks, .read = READ_CALLS,
      .hints = { "What do archive_open() and archive_blend() make?", "`cudaFreeHost(p)`",
                 "cudaGraphExecDestroy(), cudaStreamDestroy(), cudaEventDestroy(), cudaFree(), cudaFreeHost() in archive_close(); cudaFreeAsync() in archive_blend()." } },
    { ERRORS("b", 1, "*") },
};

/* What threads know of each other, and how long the host was held up, the simulator alone can say.
 */
static const char simulated[] = "a-order a-wait a-queues b-wait b-queues";
/* One device, two that reach each other, and two that do not. */
static const char *const run_on[] = { "h200", "dual", "strangers", NULL };

const struct lesson lesson_14 = {
    .number = 14,
    .folder = "14-capstone",
    .title = "Capstone: a pipeline with urgent work",
    .parts = parts, .part_count = sizeof parts / sizeof *parts,
    .checks = checks, .check_count = sizeof checks / sizeof *checks,
    .prepare = prepare, .explain = plant_explain, .simulated = simulated, .run_on = run_on,
    .concurrent_managed = true, .pools = true,
    .paced = true,
};
