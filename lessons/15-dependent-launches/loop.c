/* SPDX-License-Identifier: MIT */
/*
 * (d): a loop that needs no host.
 *
 * DESIGN
 * A conditional node is one span, and its rounds are none: they are judged by what the pieces count
 * in the caller's memory, and the order in a round by what comes of it.
 */
#include "judges.h"

#include <stdlib.h>
#include <string.h>

/* What nodes that repeat their body, and those that do not, are called in the log. */
#define NODE "conditional node"
#define IF_NODE "conditional node (If)"

bool judge_loop_calls(const struct evidence *e, struct finding *f, const char *part)
{
    return few_calls(
        e, f, part, settings_of(e)->loops, "loop_run",
        "If the host asks after each round whether there is another, the device is "
        "idle in the meantime. Make a graph once, in loop_open(), and let a kernel of it answer. A run is one cudaGraphLaunch().");
}

static int64_t elements_of(const struct evidence *e, int64_t run)
{
    return settings_of(e)->ring_n[run % RINGS];
}

static const uint32_t *counts_of(const struct evidence *e, int64_t run)
{
    return (const uint32_t *)exchange_output(e->exchange, OUT_COUNTS, NULL) + run * COUNTS;
}

/* The first captured launch of so many threads in these calls, but for one of one thread; ANY:
 * there is none. What a body runs is no span. */
static uint32_t launch_in(const struct view *v, struct selection s, uint64_t threads)
{
    for (size_t i = s.first_call; i < s.end_call && threads > 1; i++) {
        const struct call *c = &v->timeline->calls[i];
        if (c->flags & CALL_CAPTURED
            && strcmp(timeline_string(v->timeline, c->name), "cudaLaunchKernel") == 0
            && (uint64_t)c->grid[0] * c->block[0] == threads)
            return (uint32_t)i;
    }
    return ANY;
}

static uint32_t launch_of(const struct view *v, const char *part, uint64_t threads)
{
    return launch_in(v, in_part(v, part, 0), threads);
}

/* The last such launch of a capture: what asks comes at the end of a round. */
static uint32_t last_launch_of(const struct view *v, const char *part, uint64_t threads)
{
    struct selection s = in_part(v, part, 0);
    uint32_t last = launch_in(v, s, threads);
    for (size_t i = s.first_call; i < s.end_call && last != ANY; i++)
        if (i > last && strcmp(timeline_string(v->timeline, v->timeline->calls[i].name),
                               "cudaStreamEndCapture") == 0)
            s.end_call = i;
    for (uint32_t next = last; next != ANY; next = launch_in(v, s, threads)) {
        last = next;
        s.first_call = next + 1;
    }
    return last;
}

/* The call that adds a body's node, the `last`-th from its end, where the nodes are added by hand;
 * ANY: not known. */
static uint32_t added_node(const struct view *v, const char *part, size_t last)
{
    struct selection s = in_part(v, part, 0);
    uint32_t adds[32];
    size_t count = 0;
    for (size_t i = s.first_call; i < s.end_call && count < sizeof adds / sizeof *adds; i++)
        if (strncmp(timeline_string(v->timeline, v->timeline->calls[i].name), "cudaGraphAdd", 12)
            == 0)
            adds[count++] = (uint32_t)i;
    return count / RINGS > last ? adds[count / RINGS - 1 - last] : ANY;
}

/* Blames the launch of so many threads, or else the statement of that function. */
static void blame_launch(const struct view *v, struct finding *f, const char *part,
                         uint64_t threads, const char *function, const char *word)
{
    f->call = launch_of(v, part, threads);
    f->function = f->call == ANY ? function : NULL;
    f->word = f->call == ANY ? word : NULL;
}

/* Have offer() and take() been called by a thread for each element, and by no block more, in each
 * round? */
static bool has_threads_each(const struct evidence *e, struct finding *f, const char *part)
{
    static const struct { const char *piece,
                          *kernel; int count; } pieces[] = { { "offer", "spread", COUNT_OFFERS },
                                                             { "take", "merge", COUNT_TAKES } };
    for (int64_t k = 0; k < settings_of(e)->loops; k++) {
        const uint32_t *counts = counts_of(e, k);
        for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
            uint32_t rounds = counts[COUNT_ROUNDS],
                     blocks = (uint32_t)((elements_of(e, k) + BLOCK - 1) / BLOCK),
                     got = counts[pieces[i].count];
            if (got == rounds * blocks * BLOCK)
                continue;
            blame_launch(&e->yours[0], f, part, rounds > 0 ? got / rounds : 0, "loop_open",
                         pieces[i].kernel);
            expected(f,
                     "in run %lld %u threads call %s() in each round: BLOCKS(n) blocks of THREADS for %lld elements",
                     (long long)k, blocks * BLOCK, pieces[i].piece, (long long)elements_of(e, k));
            seen(f, "in %u round%s %u threads have called it", rounds, rounds == 1 ? "" : "s", got);
            for (size_t j = 0; j < sizeof pieces / sizeof *pieces; j++) {
                struct selection run = run_of(&e->yours[0], part, k);
                uint32_t beside = next_kernel(&e->yours[0], run, pieces[j].kernel, 0);
                if (beside == ANY)
                    continue;
                f->call = e->yours[0].timeline->spans[beside].call;
                f->function = NULL;
                return why(f,
                           "This %s() is not in the body of the conditional node. It is beside the node, runs once in each run, and belongs to no "
                           "round. All kernels of a round belong in the body, and nowhere else.",
                           pieces[j].kernel);
            }
            return why(f,
                       "Launch %s() with BLOCKS(ring->n) blocks of THREADS threads, once a round: each ring has a size of its own.",
                       pieces[i].kernel);
        }
    }
    return true;
}

/* The graph that a run launches; 0: not known. */
static uint64_t graph_of(const struct view *v, struct selection run)
{
    for (size_t i = run.first_call; i < run.end_call; i++)
        if (v->timeline->calls[i].kind == CALL_GRAPH_LAUNCH)
            return v->timeline->calls[i].src;
    return 0;
}

/* Does each run launch the graph of its own ring? */
static bool has_own_graph(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    for (int64_t k = 1; k < settings_of(e)->loops; k++) {
        struct selection run = run_of(v, part, k), before = run_of(v, part, k - 1);
        if (graph_of(v, run) == 0 || graph_of(v, run) != graph_of(v, before))
            continue;
        for (size_t i = run.first_call; i < run.end_call; i++)
            if (v->timeline->calls[i].kind == CALL_GRAPH_LAUNCH)
                f->call = (uint32_t)i;
        expected(
            f, "two loops are open, each with a ring and a graph of its own, and are run in turn");
        seen(f, "run %lld launches the same executable graph as run %lld", (long long)k,
             (long long)k - 1);
        return why(f,
                   "A static or global variable exists only once, for all loops. Keep what belongs to a loop in "
                   "`*r`: loop_run() launches r->ready.");
    }
    return true;
}

bool judge_loops(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    size_t all = 0;
    for (int64_t k = 0; k < settings_of(e)->loops; k++) {
        struct selection run = run_of(v, part, k);
        size_t loops = 0;
        kernel_named(v, run, NODE, &loops);
        EACH_SPAN(node, v, run)
            all++;
        if (loops == 1)
            continue;
        expected(f, "each run is one launch of a graph that has one While node");
        uint32_t once = loops == 0 ? kernel_named(v, run, IF_NODE, NULL) : ANY;
        if (once != ANY) {
            f->call = v->timeline->spans[once].call;
            seen(f, "run %lld has an If node", (long long)k);
            return why(f,
                       "An If runs its body once, if the value is not 0. A While goes on until a kernel of its body sets the value to 0: let the "
                       "node's conditional.type be cudaGraphCondTypeWhile.");
        }
        seen(f, "run %lld has %zu of them", (long long)k, loops);
        f->function = loops == 0 ? "loop_open" : "loop_run";
        f->word = loops == 0 ? "cudaGraphInstantiate" : "cudaGraphLaunch";
        if (loops > 1)
            return why(f,
                       "One launch of the graph is a run: a While node goes on until a kernel of its body says that there is no other round.");
        uint32_t first = next_span(v, run, 0);
        return first == ANY
                   ? why(f,
                         "Nothing runs in this run. loop_run() launches the graph that loop_open() has instantiated: cudaGraphLaunch().")
                   : why(f,
                         "The kernels of this run are a fixed number of rounds: no kernel can say that there is another one. Add a conditional "
                         "node of type cudaGraphCondTypeWhile to the graph, and put one round into its body.");
    }
    if (!nothing_else_runs(v, f, part, all, "loop_open"))
        return false;
    return has_own_graph(e, f, part) && has_threads_each(e, f, part);
}

bool judge_loop_order(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    const struct timeline *t = v->timeline;
    for (int64_t k = 0; k < settings_of(e)->loops; k++) {
        struct selection run = run_of(v, part, k);
        uint32_t node = kernel_named(v, run, NODE, NULL), before = ANY, after = ANY;
        for (size_t i = run.first_call; i-- > 0 && before == ANY;)
            before = t->calls[i].kind == CALL_COPY && is_in_driver(t, &t->calls[i])
                         ? t->calls[i].node
                         : ANY;
        for (size_t i = run.end_call; i < t->call_count && after == ANY; i++)
            after = t->calls[i].kind == CALL_COPY && is_in_driver(t, &t->calls[i])
                        ? t->calls[i].node
                        : ANY;
        bool late = before == ANY || hb_before(v->order, before, node, GUARANTEED);
        if (late && (after == ANY || hb_before(v->order, node, after, GUARANTEED)))
            continue;
        f->call = t->spans[node].call;
        for (size_t i = run.first_call; i < run.end_call; i++)
            if (t->calls[i].kind == CALL_GRAPH_LAUNCH)
                f->call = (uint32_t)i;
        expected(f,
                 "a run is work in the caller's stream: it comes after the copy that makes `x`, and before the copy that brings it home");
        seen(f,
             late ? "nothing makes the caller's next copy wait for run %lld"
                  : "nothing makes run %lld wait for the caller's copy",
             (long long)k);
        return why(
            f, "Call cudaGraphLaunch(r->ready, stream) with the stream that loop_run() is given.");
    }
    return true;
}

/* ---- how many rounds ---- */

/* A run's place in what stands one run after the other: elements. */
static int64_t place_of(const struct evidence *e, int64_t run)
{
    int64_t at = 0;
    while (run-- > 0)
        at += elements_of(e, run);
    return at;
}

/* What run k makes of its distances: `x` is as they are in the end. Returns how many rounds that
 * takes. */
static uint32_t rounds_of(const struct evidence *e, int64_t k, uint32_t *x)
{
    int64_t n = elements_of(e, k);
    const uint32_t *toll = exchange_input(e->exchange, IN_TOLL, NULL),
                   *begins = exchange_input(e->exchange, IN_RING, NULL);
    uint32_t *y = malloc((size_t)n * sizeof *y), rounds = 0;
    bool changed = true;
    if (!y)
        abort();
    toll += k % RINGS == 0 ? 0 : settings_of(e)->ring_n[0];
    memcpy(x, begins + place_of(e, k), (size_t)n * sizeof *x);
    for (; changed; rounds++) {
        for (int64_t i = 0; i < n; i++) {
            uint32_t left = x[(i + n - 1) % n], right = x[(i + 1) % n],
                     least = (left < right ? left : right) + toll[i];
            y[i] = least < x[i] ? least : x[i];
        }
        changed = memcmp(x, y, (size_t)n * sizeof *x) != 0;
        memcpy(x, y, (size_t)n * sizeof *x);
    }
    free(y);
    return rounds;
}

/* The wrong number of rounds: why that may be. */
static bool why_rounds(struct finding *f, uint32_t wanted, uint32_t got, bool again)
{
    f->function = "decide";
    f->word = "cudaGraphSetConditional";
    if (got == 0) {
        f->function = "loop_open";
        f->word = "cudaGraphConditionalHandleCreate";
        return again
                   ? why(f,
                         "A While asks before each round, the first one too, and the run before has left its 0. CUDA gives the handle its "
                         "default value at each launch only with cudaGraphCondAssignDefault, the last argument. Without it, CUDA "
                         "promises no value when a run begins.")
                   : why(f,
                         "A While asks before each round, the first one too, and the value is 0 then. Let the default value be 1, with "
                         "cudaGraphCondAssignDefault, or let a kernel ahead of the node set it.");
    }
    if (got == 1 && wanted > 2 && !again)
        return why(f,
                   "There was one round. Does a kernel of the body set the handle of this "
                   "node to something other than 0 while changes() is not 0? A round whose nodes do not wait for one another changes nothing that "
                   "take() can see: offer(), take() and changes() have to follow one another. If a kernel ahead of the node sets the handle, does "
                   "the node wait for that kernel?");
    if (got < wanted)
        return why(f,
                   "The loop ends while elements still change. Set the value to 0 only when changes() is 0: not after some number of rounds, and not when "
                   "some bits of it are 0. offer(), take() and changes() of a round have to follow one another: capture them in one stream, or give "
                   "each node the one before it.");
    return why(f,
               "The loop goes on after a round that has changed nothing. Set the value by what changes() returns, in each round, and do that after "
               "take(): the value that stands when the body ends decides.");
}

/* Has one thread called changes(), once in each round of run k? */
static bool asks_once(const struct evidence *e, struct finding *f, const char *part, int64_t k)
{
    uint32_t rounds = counts_of(e, k)[COUNT_ROUNDS], asked = counts_of(e, k)[COUNT_ASKED];
    if (rounds == asked || rounds == 0)
        return true;
    blame_launch(&e->yours[0], f, part, asked / rounds, "decide", "changes");
    f->call = last_launch_of(&e->yours[0], part, asked / rounds);
    expected(f, "one thread calls changes(), once in each round");
    seen(f, "run %lld has %u round%s, and changes() was called %u time%s", (long long)k, rounds,
         rounds == 1 ? "" : "s", asked, asked == 1 ? "" : "s");
    return asked > rounds
               ? why(f,
                     "changes() sets the number to 0 for the next round: a second call in the same round returns 0. Let one thread of one "
                     "block call it, and keep what it returns.")
               : why(f,
                     "A round in which changes() is not called leaves its number to the next one. Call it once in each round.");
}

/* Kernel launch `call` was captured, and the next one of its stream has so many threads: the order
 * of the two is the other way round. */
static bool is_followed_by(const struct view *v, struct selection s, uint32_t call,
                           uint64_t threads)
{
    const struct timeline *t = v->timeline;
    for (size_t i = call + 1; i < s.end_call; i++) {
        const struct call *c = &t->calls[i];
        if (!(c->flags & CALL_CAPTURED) || c->stream != t->calls[call].stream)
            continue;
        if (strcmp(timeline_string(t, c->name), "cudaLaunchKernel") == 0)
            return (uint64_t)c->grid[0] * c->block[0] == threads
                   && !(c->flags & LAUNCH_DEPENDENT);
        if (strcmp(timeline_string(t, c->name), "cudaStreamEndCapture") == 0)
            return false;
    }
    return false;
}

/* The captured launch of so many threads after which the next one in its stream has `then` threads,
 * and begins when it has ended; ANY. */
static uint32_t captured_before(const struct evidence *e, const char *part, uint64_t threads,
                                uint64_t then)
{
    const struct view *v = &e->yours[0];
    struct selection s = in_part(v, part, 0);
    for (size_t i = s.first_call; i < s.end_call; i++) {
        const struct call *c = &v->timeline->calls[i];
        if (c->flags & CALL_CAPTURED
            && strcmp(timeline_string(v->timeline, c->name), "cudaLaunchKernel") == 0
            && (uint64_t)c->grid[0] * c->block[0] == threads
            && is_followed_by(v, s, (uint32_t)i, then))
            return (uint32_t)i;
    }
    return ANY;
}

/* Does each piece of run k come when all blocks have called the one before it? */
static bool follow_one_another(const struct evidence *e, struct finding *f, const char *part,
                               int64_t k)
{
    const uint32_t *counts = counts_of(e, k);
    bool take = counts[COUNT_TAKES_SOON] > 0;
    if (!take && counts[COUNT_ASKED_SOON] == 0)
        return true;
    f->call = added_node(&e->yours[0], part, take ? 1 : 0);
    f->function = f->call == ANY ? "loop_open" : NULL;
    f->word = take ? "spread" : "decide";
    expected(f, "%s comes when all blocks have called %s in that round",
             take ? "take()" : "changes()", take ? "offer()" : "take()");
    uint32_t times = take ? counts[COUNT_TAKES_SOON] : counts[COUNT_ASKED_SOON],
             rounds = counts[COUNT_ROUNDS];
    seen(f, "in run %lld it came too soon %u time%s, in %u round%s", (long long)k, times,
         times == 1 ? "" : "s", rounds, rounds == 1 ? "" : "s");
    uint64_t threads = (uint64_t)((elements_of(e, k) + BLOCK - 1) / BLOCK * BLOCK);
    uint32_t early = captured_before(e, part, take ? threads : 1, threads);
    if (early != ANY) {
        f->call = early;
        f->function = NULL;
        return take
                   ? why(f,
                         "Two kernels with a thread for each element are captured here, one after the other in one stream, and the one that calls "
                         "take() is the first: they run in that order. Launch the one that calls offer() first.")
                   : why(f,
                   "changes() counts what take() has changed. The kernel that calls it is captured here, and the one that calls take() after it in "
                   "the same stream: they run in that order. Launch this one last.");
    }
    return why(
        f, "%s Capture the kernels in one stream, or give each node the one before it.",
        take
            ? "A block changes `x` in take(), which others still have to read in offer(). Only the end of a kernel says that all of its blocks "
              "have called something: __syncthreads() waits for the threads of one block. So take() is called in a second kernel, after the first."
            : "changes() counts what take() has changed. Only the end of a kernel, or a counter of blocks, says that all blocks have called take().");
}

static bool has_rounds(const struct evidence *e, struct finding *f, const char *part, int64_t first,
                       int64_t end)
{
    uint32_t *x = malloc(ring_elements(settings_of(e)) * sizeof *x);
    bool good = true;
    if (!x)
        abort();
    for (int64_t k = first; k < end && good; k++) {
        uint32_t wanted = rounds_of(e, k, x), got = counts_of(e, k)[COUNT_ROUNDS];
        good = follow_one_another(e, f, part, k) && asks_once(e, f, part, k);
        if (!good || got == wanted)
            continue;
        good = false;
        expected(f, "run %lld has %u round%s: the last one is the first that changes nothing",
                 (long long)k, wanted, wanted == 1 ? "" : "s");
        seen(f, "it has %u", got);
        why_rounds(f, wanted, got, k > 0);
    }
    free(x);
    return good;
}

bool judge_loop_rounds(const struct evidence *e, struct finding *f, const char *part)
{
    return has_rounds(e, f, part, 0, 1);
}

bool judge_later_rounds(const struct evidence *e, struct finding *f, const char *part)
{
    return has_rounds(e, f, part, 1, settings_of(e)->loops);
}

bool judge_ring(const struct evidence *e, struct finding *f, const char *part)
{
    const uint32_t *got = exchange_output(e->exchange, OUT_RING, NULL);
    uint32_t *x = malloc(ring_elements(settings_of(e)) * sizeof *x);
    bool good = true;
    if (!x)
        abort();
    (void)part;
    for (int64_t k = 0; k < settings_of(e)->loops && good; got += elements_of(e, k++)) {
        rounds_of(e, k, x);
        for (int64_t i = 0; i < elements_of(e, k) && good; i++) {
            if (got[i] == x[i])
                continue;
            good = false;
            f->function = "loop_open";
            expected(f, "after run %lld element %lld is %u", (long long)k, (long long)i, x[i]);
            seen(f, "it is %u", got[i]);
            why(f,
                "Does each kernel of a round have BLOCKS(ring->n) blocks of THREADS threads, and does a round have offer() and take() once each, in "
                "this order?");
        }
    }
    free(x);
    return good;
}
