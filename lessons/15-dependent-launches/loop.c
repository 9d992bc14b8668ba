/* SPDX-License-Identifier: MIT */
/*
 * (d): a loop that needs no host.
 *
 * DESIGN
 * A conditional node is one span, and its rounds are none: they are judged by what offer() counts in the caller's memory, and the order in a
 * round by what comes of it.
 */
#include "judges.h"

#include <stdlib.h>
#include <string.h>

#define NODE "conditional node"     /* what such a node is called in the log */

bool judge_loop_calls(const struct evidence *e, struct finding *f, const char *part)
{
    return few_calls(e, f, part, settings_of(e)->loops, "loop_run", "Where the host asks after each round whether there is another, the device has "
                     "nothing to do meanwhile. Make a graph once, in loop_open(), and let a kernel of it answer. A run is one cudaGraphLaunch().");
}

/* A captured launch of several blocks that has fewer threads than there are elements: what a body runs is no span. ANY: there is none. */
static uint32_t too_small(const struct view *v, const char *part, int64_t n)
{
    struct selection s = in_part(v, part, 0);
    for (size_t i = s.first_call; i < s.end_call; i++) {
        const struct call *c = &v->timeline->calls[i];
        if (c->flags & CALL_CAPTURED && strcmp(timeline_string(v->timeline, c->name), "cudaLaunchKernel") == 0 && c->grid[0] > 1
            && (int64_t)c->grid[0] * c->block[0] < n)
            return (uint32_t)i;
    }
    return ANY;
}

bool judge_loops(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    size_t all = 0;
    for (int64_t k = 0; k < settings_of(e)->loops; k++) {
        struct selection run = run_of(v, part, k);
        size_t loops = 0;
        kernel_named(v, run, NODE, &loops);
        for (uint32_t node = next_span(v, run, 0); node != ANY; node = next_span(v, run, node + 1))
            all++;
        if (loops == 1)
            continue;
        expected(f, "each run is one launch of a graph that has one conditional node");
        seen(f, "run %lld has %zu of them", (long long)k, loops);
        f->function = loops == 0 ? "loop_open" : "loop_run";
        f->word = loops == 0 ? "cudaGraphInstantiate" : "cudaGraphLaunch";
        if (loops > 1)
            return why(f, "One launch of the graph is a run: a While node goes on until a kernel of its body says that there is no other round.");
        uint32_t first = next_span(v, run, 0);
        return first == ANY ? why(f, "Nothing runs in this run. loop_run() launches the graph that loop_open() has made ready: cudaGraphLaunch().")
                            : why(f, "The kernels of this run are a fixed number of rounds: no kernel can say that there is another one. Add a conditional "
                                  "node of type cudaGraphCondTypeWhile to the graph, and put one round into its body.");
    }
    uint32_t small = too_small(v, part, settings_of(e)->n);
    if (small != ANY) {
        const struct call *c = &v->timeline->calls[small];
        f->call = small;
        expected(f, "a kernel of a round has a thread for each of %lld elements", (long long)settings_of(e)->n);
        seen(f, "%u blocks of %u threads", c->grid[0], c->block[0]);
        return why(f, "Launch spread() and merge() with BLOCKS(ring->n) blocks of THREADS threads.");
    }
    return nothing_else_runs(v, f, part, all, "loop_open");
}

bool judge_loop_order(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    const struct timeline *t = v->timeline;
    for (int64_t k = 0; k < settings_of(e)->loops; k++) {
        struct selection run = run_of(v, part, k);
        uint32_t node = kernel_named(v, run, NODE, NULL), before = ANY, after = ANY;
        for (size_t i = run.first_call; i-- > 0 && before == ANY;)
            before = t->calls[i].kind == CALL_COPY && is_in_driver(t, &t->calls[i]) ? t->calls[i].node : ANY;
        for (size_t i = run.end_call; i < t->call_count && after == ANY; i++)
            after = t->calls[i].kind == CALL_COPY && is_in_driver(t, &t->calls[i]) ? t->calls[i].node : ANY;
        bool late = before == ANY || hb_before(v->order, before, node, GUARANTEED);
        if (late && (after == ANY || hb_before(v->order, node, after, GUARANTEED)))
            continue;
        f->call = t->spans[node].call;
        for (size_t i = run.first_call; i < run.end_call; i++)
            if (t->calls[i].kind == CALL_GRAPH_LAUNCH)
                f->call = (uint32_t)i;
        expected(f, "a run is work in the caller's stream: it comes after the copy that makes `x`, and before the copy that brings it home");
        seen(f, late ? "nothing makes the caller's next copy wait for run %lld" : "nothing makes run %lld wait for the caller's copy", (long long)k);
        return why(f, "Call cudaGraphLaunch(r->ready, stream) with the stream that loop_run() is given.");
    }
    return true;
}

/* ---- how many rounds ---- */

/* What run k makes of its distances: `x`, n of them, are as they are in the end. Returns how many rounds that takes. */
static uint32_t rounds_of(const struct evidence *e, int64_t k, uint32_t *x)
{
    int64_t n = settings_of(e)->n;
    const uint32_t *toll = exchange_input(e->exchange, IN_TOLL, NULL), *begins = exchange_input(e->exchange, IN_RING, NULL);
    uint32_t *y = malloc((size_t)n * sizeof *y), rounds = 0;
    bool changed = true;
    if (!y)
        abort();
    memcpy(x, begins + k * n, (size_t)n * sizeof *x);
    for (; changed; rounds++) {
        for (int64_t i = 0; i < n; i++) {
            uint32_t left = x[(i + n - 1) % n], right = x[(i + 1) % n], least = (left < right ? left : right) + toll[i];
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
        return again ? why(f, "A While asks before each round, the first one too, and the run before has left its 0. CUDA gives the handle its "
                           "default value at each launch only with cudaGraphCondAssignDefault, the last argument. Without it, CUDA "
                           "promises no value when a run begins.")
                     : why(f, "A While asks before each round, the first one too, and the value is 0 then. Let the default value be 1, with "
                           "cudaGraphCondAssignDefault, or let a kernel ahead of the node set it.");
    }
    if (got == 1 && wanted > 2)
        return why(f, "The body has run once. Is the node a While (an If runs its body once), and does a kernel of the body set the handle of this "
                   "node to something other than 0 while changes() is not 0? A round whose nodes do not wait for one another changes nothing that "
                   "take() can see: offer(), take() and changes() have to follow one another.");
    if (got < wanted)
        return why(f, "The loop ends while elements still change. Set the value to 0 only when changes() is 0. offer(), take() and changes() of a round "
                   "have to follow one another: capture them in one stream, or give each node the one before it.");
    return why(f, "The loop goes on after a round that has changed nothing. Set the value by what changes() returns, in each round, and do that after "
               "take(): the value that stands when the body ends decides.");
}

static bool has_rounds(const struct evidence *e, struct finding *f, int64_t first, int64_t end)
{
    const uint32_t *got = exchange_output(e->exchange, OUT_ROUNDS, NULL);
    uint32_t *x = malloc((size_t)settings_of(e)->n * sizeof *x);
    bool good = true;
    if (!x)
        abort();
    for (int64_t k = first; k < end && good; k++) {
        uint32_t wanted = rounds_of(e, k, x);
        if (got[k] == wanted)
            continue;
        good = false;
        expected(f, "run %lld has %u round%s: the last one is the first that changes nothing", (long long)k, wanted, wanted == 1 ? "" : "s");
        seen(f, "it has %u", got[k]);
        why_rounds(f, wanted, got[k], k > 0);
    }
    free(x);
    return good;
}

bool judge_loop_rounds(const struct evidence *e, struct finding *f, const char *part)
{
    (void)part;
    return has_rounds(e, f, 0, 1);
}

bool judge_later_rounds(const struct evidence *e, struct finding *f, const char *part)
{
    (void)part;
    return has_rounds(e, f, 1, settings_of(e)->loops);
}

bool judge_ring(const struct evidence *e, struct finding *f, const char *part)
{
    int64_t n = settings_of(e)->n;
    const uint32_t *got = exchange_output(e->exchange, OUT_RING, NULL);
    uint32_t *x = malloc((size_t)n * sizeof *x);
    bool good = true;
    if (!x)
        abort();
    (void)part;
    for (int64_t k = 0; k < settings_of(e)->loops && good; k++, got += n) {
        rounds_of(e, k, x);
        for (int64_t i = 0; i < n && good; i++) {
            if (got[i] == x[i])
                continue;
            good = false;
            f->function = "loop_open";
            expected(f, "after run %lld element %lld is %u", (long long)k, (long long)i, x[i]);
            seen(f, "it is %u", got[i]);
            why(f, "Does each kernel of a round have BLOCKS(ring->n) blocks of THREADS threads, and does a round have offer() and take() once each, in "
                "this order?");
        }
    }
    free(x);
    return good;
}
