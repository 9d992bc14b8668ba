/* SPDX-License-Identifier: MIT */
/*
 * check.c - lesson 05: what the parts are given, and what is asked of them.
 *
 * The judges are in classified.c (a), frames.c and lanes.c (b).
 */
#include "judges.h"

static void prepare(struct exchange *x, struct random *r)
{
    struct sizes s = { random_odd(r, 9000, 20000), (int64_t)random_between(r, 9, 14) };
    *(struct sizes *)exchange_add_input(x, sizeof s) = s;
    exchange_add_elements(x, r, s.n * s.count);
    uint32_t *gain = exchange_add_elements(x, r, s.count);
    for (int64_t k = 0; k < s.count; k++)
        gain[k] |= 1;

    struct library *library = exchange_add_input(x, sizeof *library);
    for (int k = 0; k < LIBRARY_COUNT; k++) {       /* each in turn, at a place of its own */
        int place = (int)random_between(r, 0, (uint64_t)k);
        library->call[k] = library->call[place];
        library->call[place] = k % LIBRARY_WAYS;
    }

    static const int free_of_waits[] = { 0, 4, 6, 9 }; /* MALLOC and the three in B */
    library->slow = free_of_waits[random_between(r, 0, 3)];
    exchange_add_output(x, sizeof(struct answers));
    exchange_add_output(x, (size_t)(s.n * s.count) * sizeof(uint32_t));
    exchange_add_output(x, (size_t)(s.n * s.count) * sizeof(uint32_t));
    exchange_add_output(x, (size_t)s.count * sizeof(uint64_t));
    exchange_add_output(x, 2 * FRAMES_AGAIN * ELEMENTS_AGAIN * sizeof(uint32_t));
}

static const struct part parts[] = {
    { "a", "what does each call hold up?", "classify" },
    { "b", "five waits too many", "open close frame" },
};

#define READ_MEASURED "What an H200 does"
#define READ_CURES "The cures"
#define READ_NEEDED "The waits that are needed"

JUDGE(classified_tried); JUDGE(classified_host); JUDGE(classified_device);
JUDGE(frames_work);
JUDGE(frames_order);
JUDGE(frames_handed);
JUDGE(frames_output);
JUDGE(lanes_width);

static const struct check checks[] = {
    { .id = "a-tried", .part = "a", .kind = ORDER, .points = 2, .name = "each call is tried",
      .judge = classified_tried, .read = READ_MEASURED,
      .hints = { "For which of the calls does your program make no experiment?",
                 "runs on whatever device the grader",
                 "make_call((enum subject)k, b) for each k from 0 to SUBJECTS - 1, beside a long_one() in the other stream." } },
    { .id = "a-host", .part = "a", .kind = OUTPUT, .points = 17,
      .name = "which calls hold the host up", .needs = "a-tried",
      .judge = classified_host,
      .read = READ_MEASURED,
      .hints = { "Which of these calls cannot return before something else is done, and what is it?",
                 "Memory cannot go back while the device",
                 "long_one<<<1, 1, 0, a>>>(), make_call((enum subject)k, b), and at once cudaStreamQuery(a) == cudaSuccess." } },
    { .id = "a-device",
      .part = "a", .kind = OUTPUT, .points = 17, .name = "which calls make other streams wait",
      .needs = "a-tried", .judge = classified_device, .read = READ_MEASURED,
      .hints = { "In which stream is the call's own work, and which streams wait for that one?",
                 "What goes to the default stream makes the device wait",
                 "After make_call(): short_one<<<1, 1, 0, b>>>(), cudaStreamSynchronize(b), then cudaStreamQuery(a) == cudaSuccess." } },
    { .id = "a-leaks", .part = "a", .kind = HYGIENE, .points = 1,
      .name = "all that was made is given back", .needs = "a-tried", .judge = judge_leaks, .read = READ_CURES,
      .hints = { "What does classify() make to measure with, and where does it go?",
                 "every round needs memory, take it once",
                 "cudaStreamDestroy() for both streams, after the loop." } },
    { RACES("a", 2, "*", READ_NEEDED, "rule the loop needs one wait") },
    { ERRORS("a", 1, "*") },

    { .id = "b-work", .part = "b", .kind = OUTPUT, .points = 4,
      .name = "every frame is developed, copied back and handed over once", .judge = frames_work,
      .read = READ_CURES, .hints = { "Which call did you take out, and which work was in it?",
                 "Nearly every call that goes to",
                 "For each frame: cudaMemsetAsync(), cudaMemcpyToSymbolAsync(), develop_frame<<<>>>(), two cudaMemcpyAsync()." } },
    { .id = "b-order", .part = "b", .kind = ORDER, .points = 8,
      .name = "in a lane, memory is filled, used and read in an order that is guaranteed",
      .needs = "b-work", .judge = frames_order, .read = READ_CURES,
      .hints = { "What makes this operation wait for the one that filled its memory?",
                 "the order of the work is the order of the lines",
                 "lane->stream in all five: cudaMemcpyAsync(..., lane->stream), cudaMemsetAsync(..., lane->stream), develop_frame<<<BLOCKS, THREADS, 0, lane->stream>>>()." } },
    { .id = "b-handed", .part = "b", .kind = ORDER, .points = 8,
      .name = "a frame is handed over when it has arrived", .needs = "b-order",
      .judge = frames_handed, .read = READ_NEEDED,
      .hints = { "When does the host read lane->result, and when has the copy into it ended?",
                 "rule the loop needs one wait",
                 "CHECK(cudaStreamSynchronize(lane->stream)) before hand_over()." } },
    { .id = "b-output", .part = "b", .kind = OUTPUT, .points = 10,
      .name = "every element is right, on the host and in the archive", .needs = "b-handed",
      .judge = frames_output, .read = READ_CURES,
      .hints = { "What was in the buffer, in the lane's gain and in the result when each was used?",
                 "the order of the work is the order of the lines",
                 "cudaMemsetAsync(), cudaMemcpyToSymbolAsync(), develop_frame<<<>>>(), cudaMemcpyAsync() twice: in this order." } },
    { .id = "b-overlap",
      .part = "b", .kind = OVERLAP, .points = 21, .name = "the lanes do not wait for each other",
      .needs = "b-handed", .judge = lanes_width, .read = READ_CURES,
      .hints = { "Which call between two launches affects more than its own lane?",
                 "Nearly every call that goes to the default",
                 "cudaMallocHost() and cudaMalloc() once in open_lane(); cudaMemsetAsync(), cudaMemcpyToSymbolAsync() and "
                 "cudaMemcpyAsync() with lane->stream in queue_frame()." } },
    { .id = "b-leaks", .part = "b", .kind = HYGIENE, .points = 3,
      .name = "all that was made is given back", .judge = judge_leaks, .read = READ_CURES,
      .hints = { "What does open_lane() take that close_lane() does not give back?",
                 "every round needs memory, take it once",
                 "cudaFree(lane->out) and cudaFreeHost(lane->result) in close_lane()." } },
    { RACES("b", 5, "* b-overlap", READ_NEEDED, "rule the loop needs one wait") },
    { ERRORS("b", 1, "*") },
};

static const char *const cards[] = { "h200", "rtx2070s", "k20c", NULL };

const struct lesson lesson_05 = {
    .number = 5,
    .folder = "05-implicit-sync",
    .title = "Implicit synchronization",
    .parts = parts, .part_count = sizeof parts / sizeof *parts,
    .checks = checks, .check_count = sizeof checks / sizeof *checks,
    .prepare = prepare, .cards = cards,
};
