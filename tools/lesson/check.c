/* SPDX-License-Identifier: MIT */
/* check.c - lesson @NN@: what its parts are given, and what is asked of them. grader/check.h has all
 * that a judge can ask. */
#include "grader/check.h"

#include "slots.h"

/* ---- inputs: any seed gives another task, and the same checks ---- */

static void prepare(struct exchange *x, struct random *r)
{
    struct task *task = exchange_add_input(x, sizeof *task);
    task->n = random_odd(r, 5000, 20000);       /* no multiple of a block size: the tail counts */
    task->kernel_ns = (int64_t)random_between(r, 20000, 60000);
    exchange_add_elements(x, r, task->n);
    exchange_add_output(x, (size_t)task->n * sizeof(uint32_t));
}

/* ---- judges ---- */

/* FILL IN: data first, then order by guaranteed edges, then overlap by shares; never a number of
 * milliseconds. */
static bool judge_output(const struct evidence *e, struct finding *f, const char *part)
{
    const struct task *task = exchange_input(e->exchange, 0, NULL);
    const uint32_t *input = exchange_input(e->exchange, 1, NULL),
                   *output = exchange_output(e->exchange, 0, NULL);
    (void)part;
    for (int64_t i = 0; i < task->n; i++)
        if (output[i] != 2 * input[i]) {
            expected(f, "each of the %lld elements is doubled: element %lld is %u",
                     (long long)task->n, (long long)i, 2 * input[i]);
            seen(f, "it is %u", output[i]);
            return why(
                f,
                "Copy all n elements both ways, and let the grid cover them all: n is no multiple of the block size.");
        }
    return true;
}

static bool judge_wait(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    uint32_t node = never_waited_for(v, in_part(v, part, ENGINES_DEVICE));
    if (node == ANY)
        return true;
    f->call = v->timeline->spans[node].call;
    expected(f, "everything that was queued has ended when the function returns");
    seen(f, "nothing waited for the %s", engine_name(v->timeline->spans[node].engine));
    return why(f, "Wait for the stream before you return.");
}

/* ---- the tables ---- */

static const struct part parts[] = {
    { "a", "FILL IN: there and back", "through" },
};

/* FILL IN: each row's section of the chapter, a question, words that are in one paragraph of it
 * alone, and what to write. */
static const struct check checks[] = {
    { .id = "a-wait", .part = "a", .kind = ORDER, .points = 40, .name = "all of it was waited for", .judge = judge_wait,
      .read = "The calls",
      .hints = { "Which line of yours knows that the last copy has ended?", "comes back when the stream is empty",
      "cudaStreamSynchronize(stream) before you return." } },
    { .id = "a-output", .part = "a", .kind = OUTPUT, .points = 38, .name = "every element is doubled", .needs = "a-wait",
      .judge = judge_output, .read = "The calls",
      .hints = { "How many elements does your grid cover?", "runs after everything queued there before it",
      "twice<<<(n + 255) / 256, 256, 0, stream>>>(data, n, kernel_ns)." } },
    { .id = "a-leaks", .part = "a", .kind = HYGIENE, .points = 10, .name = "all that part (a) made was given back",
      .judge = judge_leaks, .read = "The calls",
      .hints = { "Which of the things that you create is never destroyed?", "Give back each stream",
      "cudaStreamDestroy(stream) before you return." } },
    { RACES("a", 12, "*", "The calls", "comes back when the stream is empty") },
};

const struct lesson lesson_@NN@ = {
    .number = @N@,
    .folder = "@FOLDER@",
    .title = "FILL IN: @TITLE@",
    .parts = parts, .part_count = sizeof parts / sizeof *parts,
    .checks = checks, .check_count = sizeof checks / sizeof *checks,
    .prepare = prepare,
};
