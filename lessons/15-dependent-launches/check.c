/* SPDX-License-Identifier: MIT */
/*
 * check.c - lesson 15: what the parts are given, and what is asked of them.
 *
 * The judges are in chain.c (a), steps.c (b), graph.c (c) and loop.c (d); early.c has what they
 * share.
 */
#include "judges.h"

#include <string.h>

/* One more than fills the blocks: few, since the threads of many kernels are there at once. */
static int64_t some_elements(struct random *r)
{
    return (int64_t)random_between(r, 2, 3) * 64 + 1;
}

/* ---- the rings of (d) ---- */

enum { FAR = 1 << 30, TOLL_MAX = 1000, WALL = 1 << 20 };

/* A ring, as its runs begin. One toll is higher than all others together: the way to its element is
 * the long one round. */
struct ring_input {
    int64_t n, wall;
    uint32_t *toll;
};

static uint32_t *place(const struct ring_input *ring, uint32_t *begins, int64_t from_wall)
{
    return &begins[(ring->wall + from_wall) % ring->n];
}

/* Some gaps, the longest of which ends at the wall: that side has one element to change in each of
 * the last rounds. */
static void begin_with_some(const struct ring_input *ring, uint32_t *begins, struct random *r)
{
    int64_t longest = (int64_t)random_between(r, 40, 60), at = 1;
    for (; at < ring->n - longest; at += (int64_t)random_between(r, 20, 39))
        *place(ring, begins, at) = 0;
    *place(ring, begins, ring->n - longest) = 0;
}

/* The first round changes 256 elements, two beside each source, and is not the last: one gap at
 * least has a third. */
static void begin_with_many(const struct ring_input *ring, uint32_t *begins, struct random *r)
{
    enum { SOURCES = 128, GAP = 3 };
    int64_t left = ring->n - SOURCES * GAP;
    for (int64_t at = 0, k = 0; k < SOURCES; k++, at += GAP) {
        *place(ring, begins, at) = 0;
        int64_t more =
            left > 0 ? (int64_t)random_between(r, k == 0, left < 3 ? (uint64_t)left : 3) : 0;
        at += more;
        left -= more;
    }
}

/* As a run ends that begins like this: twice round, each way, and nothing is nearer. */
static void go_to_the_end(const struct ring_input *ring, uint32_t *x)
{
    int64_t n = ring->n;
    for (int64_t i = 0; i < 2 * n; i++) {
        int64_t there = i % n, back = n - 1 - there;
        uint32_t left = x[(there + n - 1) % n] + ring->toll[there],
                 right = x[(back + 1) % n] + ring->toll[back];
        x[there] = left < x[there] ? left : x[there];
        x[back] = right < x[back] ? right : x[back];
    }
}

/* The first ring's runs begin with some sources; where that run has ended, but for one element,
 * which makes two rounds; and where that one has ended, which makes one. The second ring's begin
 * with many sources, and with one: about as many rounds as there are elements. */
static void prepare_rings(struct exchange *x, struct random *r, const struct settings *s)
{
    struct ring_input rings[RINGS];
    int64_t all = 0;
    for (int k = 0; k < RINGS; k++)
        all += s->ring_n[k];
    uint32_t *toll = exchange_add_input(x, (size_t)all * sizeof *toll), *before = NULL;
    uint32_t *begins = exchange_add_input(x, ring_elements(s) * sizeof *begins);
    for (int64_t i = 0; i < all; i++)
        toll[i] = (uint32_t)random_between(r, 1, TOLL_MAX);
    for (int k = 0; k < RINGS; toll += s->ring_n[k++]) {
        rings[k] =
            (struct ring_input){ s->ring_n[k],
                                 (int64_t)random_between(r, 0, (uint64_t)s->ring_n[k] - 1), toll };
        toll[rings[k].wall] = WALL;
    }
    for (int64_t k = 0; k < s->loops; begins += s->ring_n[k++ % RINGS]) {
        const struct ring_input *ring = &rings[k % RINGS];
        for (int64_t i = 0; i < ring->n; i++)
            begins[i] = FAR;
        if (k == 0)
            begin_with_some(ring, begins, r);
        if (k == 1)
            begin_with_many(ring, begins, r);
        if (k == 3)
            *place(ring, begins, 1) = 0;
        if (k % RINGS == 0 && before) {
            memcpy(begins, before, (size_t)ring->n * sizeof *begins);
            go_to_the_end(ring, begins);
        }
        if (k == 2) {
            int64_t moved = (int64_t)random_between(r, 0, (uint64_t)ring->n - 1);
            while (begins[moved] == 0)
                moved = (moved + 1) % ring->n;
            begins[moved]++;
        }
        before = k % RINGS == 0 ? begins : before;
    }
}

static void prepare(struct exchange *x, struct random *r)
{
    struct settings s = { .layers = (int64_t)random_between(r, 36, 44), .n = some_elements(r),
                          .runs = (int64_t)random_between(r, 3, 5),
                          .steps = (int64_t)random_between(r, 8, 11), .step_n = some_elements(r),
                          .loops = 5, .ring_n = { some_elements(r),
                                      (int64_t)random_between(r, 6, 8) * 64 + 1 } };
    s.tap = (int64_t)random_between(r, 10, (uint64_t)s.layers / 2);
    *(struct settings *)exchange_add_input(x, sizeof s) = s;
    exchange_add_elements(x, r, s.layers * s.n);
    exchange_add_elements(x, r, s.n);
    exchange_add_elements(x, r, s.step_n);
    exchange_add_elements(x, r, s.step_n);
    exchange_add_elements(x, r, s.steps * s.step_n);
    prepare_rings(x, r, &s);
    exchange_add_output(x, (size_t)s.n * sizeof(uint32_t));
    exchange_add_output(x, (size_t)(s.steps * s.step_n) * sizeof(uint32_t));
    exchange_add_output(x, (size_t)s.n * sizeof(uint32_t));
    exchange_add_output(x, (size_t)s.n * sizeof(uint32_t));
    exchange_add_output(x, ring_elements(&s) * sizeof(uint32_t));
    exchange_add_output(x, (size_t)s.loops * COUNTS * sizeof(uint32_t));
}

static const struct part parts[] = {
    { "a", "a chain of small kernels", "launch layer" },
    { "b", "what may move", "sense mix settle" },
    { "c", "the chain as a graph", "open close" },
    { "d", "a loop that needs no host", "decide loop" },
};

#define READ_ASK "A launch that may begin early"
#define READ_SAY "Trigger and wait"
#define READ_MOVE "What may move before the wait"
#define READ_AFTER "What comes after a dependent launch"
#define READ_GRAPH "In a graph"
#define READ_LOOP "A loop that needs no host"

#define NAME_ORDER "each kernel comes after the one before it, in an order that is guaranteed"
#define NAME_HOST "the host only queues"
#define NAME_HAZARD "nothing is touched before it is there, or while another kernel uses it"
#define NAME_OUTPUT "every element is right"
#define NAME_LEAKS "all that was made is given back"

JUDGE(judge_layers);
JUDGE(judge_in_order);
JUDGE(judge_forward_queues);
JUDGE(judge_beneath);
JUDGE(judge_chain_pace);
JUDGE(judge_last_row);
JUDGE(judge_steps);
JUDGE(judge_step_order);
JUDGE(judge_steps_queue);
JUDGE(judge_step_pace);
JUDGE(judge_outs);
JUDGE(judge_replays);
JUDGE(judge_replay_order);
JUDGE(judge_audit_beside);
JUDGE(judge_a_call_or_two);
JUDGE(judge_replay_pace);
JUDGE(judge_audits);
JUDGE(judge_loop_calls);
JUDGE(judge_loops);
JUDGE(judge_loop_order);
JUDGE(judge_loop_rounds);
JUDGE(judge_later_rounds);
JUDGE(judge_ring);

static const struct check checks[] = {
    { .id = "a-work", .part = "a", .kind = OUTPUT, .points = 3,
      .name = "every layer is launched once", .judge = judge_layers, .read = READ_ASK,
      .hints = { "How many layers are there, and how many launches?",
                 "the template takes the kernel's",
                 "launch(stream, net->n, layer, *net, k) for each k from 0 to net->layers - 1." } },
    { .id = "a-order", .part = "a", .kind = ORDER, .points = 3, .name = NAME_ORDER,
      .needs = "a-work", .judge = judge_in_order, .read = READ_AFTER,
      .hints = { "Which stream has the first row in it, and who reads the last one?",
                 "A dependent launch keeps its place",
                 "how.stream = stream, with the stream that forward() is given." } },
    { .id = "a-host", .part = "a", .kind = HYGIENE, .points = 2, .name = NAME_HOST,
      .needs = "a-order", .judge = judge_forward_queues, .read = READ_AFTER,
      .hints = { "What does the host have to know between two layers?",
                 "A dependent launch keeps its place",
                 "No cudaStreamSynchronize() in forward() or launch()." } },
    { .id = "a-hazard",
      .part = "a",
      .kind = HAZARD,
      .points = 6,
      .name = NAME_HAZARD,
      .needs = "a-host",
      .judge = judge_hazards,
      .read = READ_SAY,
      .hints = { "What does a layer read that the layer before it writes, and what makes it wait for that?",
                 "returns when all kernels ahead",
                 "cudaGridDependencySynchronize() in layer(), after load() and before apply()." } },
    { .id = "a-output", .part = "a", .kind = OUTPUT, .points = 2, .name = NAME_OUTPUT,
      .needs = "a-hazard", .judge = judge_last_row, .read = READ_SAY,
      .hints = { "Which pieces does a layer have, and does each thread call each of them?",
                 "returns when all kernels ahead",
                 "load(own, net, k), the wait, apply(net, k, own)." } },
    { .id = "a-beside",
      .part = "a",
      .kind = OVERLAP,
      .points = 5,
      .name = "each layer begins while the one before it is at work",
      .needs = "a-hazard",
      .judge = judge_beneath,
      .read = READ_ASK,
      .hints = { "Which two things have to be said before a kernel may begin early, and who says each?",
                 "Two sides have to agree",
                 "cudaLaunchKernelEx() with cudaLaunchAttributeProgrammaticStreamSerialization in launch(), and "
                 "cudaTriggerProgrammaticLaunchCompletion() as the first statement of layer()." } },
    { .id = "a-pace", .part = "a", .kind = OVERLAP, .points = 5,
      .name = "the chain is done nearly as soon as in the reference solution",
      .needs = "a-beside a-output", .judge = judge_chain_pace, .read = READ_SAY,
      .hints = { "What does a layer do between its beginning and its wait?",
                 "What stands before the wait",
                 "cudaTriggerProgrammaticLaunchCompletion(), load(), cudaGridDependencySynchronize(), apply()." } },
    { .id = "a-leaks", .part = "a", .kind = HYGIENE, .points = 1, .name = NAME_LEAKS,
      .needs = "a-work", .judge = judge_leaks, .read = READ_AFTER,
      .hints = { "What did you make that a launch does not need?",
                 "A dependent launch keeps its place",
                 "cudaStreamDestroy() for each cudaStreamCreate(), cudaEventDestroy() for each event." } },
    { ERRORS("a", 1, "*") },

    { .id = "b-work",
      .part = "b", .kind = OUTPUT, .points = 2, .name = "every step has its three kernels",
      .judge = judge_steps, .needs = "a-work", .read = READ_MOVE,
      .hints = { "How many steps are there, and how many kernels does each have?",
                 "whether it may move",
                 "launch(stream, s->n, sense, *s), and the same for mix and settle, for each step." } },
    { .id = "b-order", .part = "b", .kind = ORDER, .points = 3,
      .name = "each copy and kernel comes after what is ahead of it", .needs = "b-work a-order",
      .judge = judge_step_order, .read = READ_AFTER,
      .hints = { "What does a copy that comes after a dependent launch have to wait for?",
                 "A dependent launch keeps its place",
                 "cudaMemcpyAsync(..., stream) for both copies, and launch(stream, ...) for all kernels, of each step." } },
    { .id = "b-host", .part = "b", .kind = HYGIENE, .points = 2, .name = NAME_HOST,
      .needs = "b-order a-host", .judge = judge_steps_queue, .read = READ_AFTER,
      .hints = { "Which of your calls returns only when the device has done something?",
                 "A dependent launch keeps its place",
                 "cudaMemcpyAsync(), and no wait in all_steps()." } },
    { .id = "b-hazard",
      .part = "b",
      .kind = HAZARD,
      .points = 7,
      .name = NAME_HAZARD,
      .needs = "b-host a-hazard",
      .judge = judge_hazards,
      .read = READ_MOVE,
      .hints = { "Which kernels may still be at work when this piece runs, and what do they read and write?",
                 "Two kernels ahead",
                 "cudaGridDependencySynchronize() before blend() in mix(), and before recall(), mark() and finish() in settle()." } },
    { .id = "b-output", .part = "b", .kind = OUTPUT, .points = 3, .name = NAME_OUTPUT,
      .needs = "b-hazard", .judge = judge_outs, .read = READ_MOVE,
      .hints = { "Which pieces does each kernel have?", "whether it may move",
                 "collect() in sense(); tune(), weigh(), blend() in mix(); tune(), recall(), mark(), finish() in settle()." } },
    { .id = "b-pace", .part = "b", .kind = OVERLAP, .points = 9,
      .name = "all steps are done nearly as soon as in the reference solution",
      .needs = "b-output a-beside", .judge = judge_step_pace, .read = READ_MOVE,
      .hints = { "Which piece that waits touches nothing that a kernel of this step writes?",
                 "What was over before the chain",
                 "tune() and weigh() before the wait of mix(), tune() before that of settle(); cudaTriggerProgrammaticLaunchCompletion() first in sense() and "
                 "mix()." } },
    { .id = "b-leaks", .part = "b", .kind = HYGIENE, .points = 1, .name = NAME_LEAKS,
      .needs = "b-work a-leaks", .judge = judge_leaks, .read = READ_AFTER,
      .hints = { "What did you make that a launch does not need?",
                 "A dependent launch keeps its place",
                 "cudaStreamDestroy() for each cudaStreamCreate(), cudaEventDestroy() for each event." } },
    { ERRORS("b", 1, "b-work a-errors") },

    { .id = "c-work", .part = "c", .kind = OUTPUT, .points = 2,
      .name = "a run has every layer and the audit, and nothing runs unasked", .needs = "a-order",
      .judge = judge_replays, .read = READ_GRAPH,
      .hints = { "What runs between the beginning and the end of a capture?",
                 "captured like any other",
                 "launch() for each layer and audit<<<...>>>() once, between cudaStreamBeginCapture() and cudaStreamEndCapture()." } },
    { .id = "c-order", .part = "c", .kind = ORDER, .points = 3,
      .name = "the audit comes after its layer, and a run after the run before it",
      .needs = "c-work a-order", .judge = judge_replay_order, .read = READ_GRAPH,
      .hints = { "What makes the stream of the audit wait for its layer?",
                 "with an event after layer",
                 "cudaEventRecord(r->fork, r->stream) after the launch of layer `tap`, cudaStreamWaitEvent(r->side, r->fork, 0), audit<<<..., r->side>>>()." } },
    { .id = "c-beside",
      .part = "c", .kind = ORDER, .points = 5, .name = "no layer waits for the audit",
      .needs = "c-order", .judge = judge_audit_beside, .read = READ_GRAPH,
      .hints = { "Where does the second stream come back, and what is captured after that?",
                 "with an event after layer",
                 "cudaStreamWaitEvent(r->stream, r->join, 0) after the last layer." } },
    { .id = "c-calls", .part = "c", .kind = HYGIENE, .points = 3,
      .name = "a run costs the host a call or two", .needs = "c-order",
      .judge = judge_a_call_or_two, .read = READ_GRAPH,
      .hints = { "What has to be done once, and what for each run?", "captured like any other",
                 "cudaGraphInstantiate() in replay_open(), cudaGraphLaunch(r->ready, stream) in replay_run()." } },
    { .id = "c-hazard", .part = "c", .kind = HAZARD, .points = 2, .name = NAME_HAZARD,
      .needs = "c-beside c-calls a-hazard", .judge = judge_hazards, .read = READ_GRAPH,
      .hints = { "Which two nodes use the same row, and what orders them?",
                 "with an event after layer",
                 "audit() after the wait for the event; no other launch touches `tally`." } },
    { .id = "c-output", .part = "c", .kind = OUTPUT, .points = 1, .name = NAME_OUTPUT,
      .needs = "c-hazard a-output", .judge = judge_last_row, .read = READ_GRAPH,
      .hints = { "Which layers does the graph have, and in which order?", "captured like any other",
                 "launch(r->stream, net->n, layer, *net, k) for each k." } },
    { .id = "c-tally", .part = "c", .kind = OUTPUT, .points = 1,
      .name = "every run is audited once", .needs = "c-output", .judge = judge_audits,
      .read = READ_GRAPH, .hints = { "Which row does the audit read?", "with an event after layer",
                 "audit<<<BLOCKS(net->n), THREADS, 0, r->side>>>(*net, tap, tally)." } },
    { .id = "c-pace", .part = "c", .kind = OVERLAP, .points = 3,
      .name = "each layer begins early, and a run is done as soon as in the reference solution",
      .needs = "c-output a-pace", .judge = judge_replay_pace, .read = READ_GRAPH,
      .hints = { "Which layers of the graph wait for one kernel, and how were they launched?",
                 "may begin with the trigger of the node",
                 "launch() for the layers of the capture, too, and nothing between two of them in r->stream but cudaEventRecord()." } },
    { .id = "c-leaks", .part = "c", .kind = HYGIENE, .points = 1, .name = NAME_LEAKS,
      .needs = "c-work", .judge = judge_leaks, .read = READ_GRAPH,
      .hints = { "What does replay_open() make that replay_close() does not give back?",
                 "captured like any other",
                 "cudaStreamDestroy(r->side), cudaEventDestroy(r->fork), cudaEventDestroy(r->join) in replay_close()." } },
    { ERRORS("c", 1, "c-work a-errors") },

    { .id = "d-calls", .part = "d", .kind = HYGIENE, .points = 3,
      .name = "a run costs the host a call or two, however many rounds it has",
      .judge = judge_loop_calls, .read = READ_LOOP,
      .hints = { "Who has to know after each round whether there is another one?",
                 "the host has queued one launch",
                 "cudaGraphLaunch(r->ready, stream) alone in loop_run()." } },
    { .id = "d-work", .part = "d", .kind = OUTPUT, .points = 4,
      .name = "a run is a graph with a conditional node, and nothing runs unasked",
      .needs = "d-calls", .judge = judge_loops, .read = READ_LOOP,
      .hints = { "Which kind of node runs its body as often as a kernel says?",
                 "as long as its value is not 0",
                 "add_graph_node(&node, r->graph, NULL, 0, &params) in loop_open(), with params.type = cudaGraphNodeTypeConditional and params.conditional.type = "
                 "cudaGraphCondTypeWhile; capture the round into params.conditional.phGraph_out[0]." } },
    { .id = "d-order", .part = "d", .kind = ORDER, .points = 2,
      .name = "a run keeps its place in the caller's stream", .needs = "d-work",
      .judge = judge_loop_order, .read = READ_LOOP,
      .hints = { "Which stream has the copy in it that makes `x`?",
                 "the host has queued one launch",
                 "cudaGraphLaunch(r->ready, stream), not r->stream." } },
    { .id = "d-rounds", .part = "d", .kind = ORDER, .points = 4,
      .name = "each round asks once, and the first that changes nothing is the last",
      .needs = "d-order", .judge = judge_loop_rounds, .read = READ_LOOP,
      .hints = { "Which number says whether this round was the last, and which kernel has it?",
                 "Only the value that stands",
                 "cudaGraphSetConditional(more, changes(ring) != 0) in decide(), which comes after merge() in the body." } },
    { .id = "d-again", .part = "d", .kind = ORDER, .points = 4,
      .name = "every later run has its own number of rounds", .needs = "d-rounds",
      .judge = judge_later_rounds, .read = READ_LOOP,
      .hints = { "What is the handle's value when the second run begins?",
                 "default value anew at each launch",
                 "cudaGraphConditionalHandleCreate(&r->more, r->graph, 1, cudaGraphCondAssignDefault)." } },
    { .id = "d-hazard", .part = "d", .kind = HAZARD, .points = 2, .name = NAME_HAZARD,
      .needs = "d-again", .judge = judge_hazards, .read = READ_LOOP,
      .hints = { "Who else uses the ring while a run is under way?",
                 "the host has queued one launch",
                 "cudaGraphLaunch(r->ready, stream) alone in loop_run(): nothing but the graph's nodes touches the ring's memory." } },
    { .id = "d-output", .part = "d", .kind = OUTPUT, .points = 1, .name = NAME_OUTPUT,
      .needs = "d-hazard", .judge = judge_ring, .read = READ_LOOP,
      .hints = { "Which kernels does a round have, and how many threads has each?",
                 "captures one round",
                 "spread<<<BLOCKS(ring->n), THREADS, 0, r->stream>>>(*ring), and the same for merge()." } },
    { .id = "d-leaks", .part = "d", .kind = HYGIENE, .points = 1, .name = NAME_LEAKS,
      .needs = "d-work", .judge = judge_leaks, .read = READ_LOOP,
      .hints = { "What does loop_open() make that loop_close() does not give back?",
                 "captures one round",
                 "cudaGraphDestroy(r->graph) and cudaGraphExecDestroy(r->ready). The body is the node's, and needs no call." } },
    { ERRORS("d", 1, "d-work a-errors") },
};

const struct lesson lesson_15 = {
    .number = 15,
    .folder = "15-dependent-launches",
    .title = "Dependent launches",
    .parts = parts, .part_count = sizeof parts / sizeof *parts,
    .checks = checks, .check_count = sizeof checks / sizeof *checks,
    .prepare = prepare, .simulated = "a-beside a-pace b-pace c-pace d-work d-order",
    .dependents = true, .explain = explain_hazard,
    .divided = "layer sense mix settle",        /* as_fast() compares what they cost */
};
