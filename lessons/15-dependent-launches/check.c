/* SPDX-License-Identifier: MIT */
/*
 * check.c - lesson 15: what the parts are given, and what is asked of them.
 *
 * The judges are in chain.c (a), steps.c (b) and graph.c (c); early.c has what they share.
 */
#include "judges.h"

/* One more than fills the blocks: few, since the threads of many kernels are there at once. */
static int64_t some_elements(struct random *r)
{
    return (int64_t)random_between(r, 2, 3) * 64 + 1;
}

static void prepare(struct exchange *x, struct random *r)
{
    struct settings s = { .layers = (int64_t)random_between(r, 36, 44), .n = some_elements(r), .runs = (int64_t)random_between(r, 3, 5),
                          .steps = (int64_t)random_between(r, 8, 11), .step_n = some_elements(r) };
    s.tap = (int64_t)random_between(r, 10, (uint64_t)s.layers / 2);
    *(struct settings *)exchange_add_input(x, sizeof s) = s;
    exchange_add_elements(x, r, s.layers * s.n);
    exchange_add_elements(x, r, s.n);
    exchange_add_elements(x, r, s.step_n);
    exchange_add_elements(x, r, s.step_n);
    exchange_add_elements(x, r, s.steps * s.step_n);
    exchange_add_output(x, (size_t)s.n * sizeof(uint32_t));
    exchange_add_output(x, (size_t)(s.steps * s.step_n) * sizeof(uint32_t));
    exchange_add_output(x, (size_t)s.n * sizeof(uint32_t));
    exchange_add_output(x, (size_t)s.n * sizeof(uint32_t));
}

static const struct part parts[] = {
    { "a", "a chain of small kernels", "launch layer" },
    { "b", "what may move", "sense mix settle" },
    { "c", "the chain as a graph", "open close" },
};

#define READ_ASK "A launch that may begin early"
#define READ_SAY "Trigger and wait"
#define READ_MOVE "What may move before the wait"
#define READ_AFTER "What comes after a dependent launch"
#define READ_GRAPH "In a graph"

#define NAME_ORDER "each kernel comes after the one before it, in an order that is guaranteed"
#define NAME_HOST "the host only queues"
#define NAME_HAZARD "nothing is touched before it is there, or while another kernel uses it"
#define NAME_OUTPUT "every element is right"
#define NAME_LEAKS "all that was made is given back"

JUDGE(judge_layers); JUDGE(judge_in_order); JUDGE(judge_forward_queues); JUDGE(judge_beneath); JUDGE(judge_chain_pace); JUDGE(judge_last_row);
JUDGE(judge_steps); JUDGE(judge_step_order); JUDGE(judge_steps_queue); JUDGE(judge_step_pace); JUDGE(judge_outs);
JUDGE(judge_replays); JUDGE(judge_replay_order); JUDGE(judge_audit_beside); JUDGE(judge_a_call_or_two); JUDGE(judge_replay_pace); JUDGE(judge_audits);

static const struct check checks[] = {
    { .id = "a-work", .part = "a", .kind = OUTPUT, .points = 3, .name = "every layer is launched once", .judge = judge_layers,
      .read = READ_ASK, .hints = {
      "How many layers are there, and how many launches?", "the template takes the kernel's",
      "launch(stream, net->n, layer, *net, k) for each k from 0 to net->layers - 1." } },
    { .id = "a-order", .part = "a", .kind = ORDER, .points = 4, .name = NAME_ORDER, .needs = "a-work", .judge = judge_in_order,
      .read = READ_AFTER, .hints = {
      "Which stream has the first row in it, and who reads the last one?", "A dependent launch keeps its place",
      "how.stream = stream, with the stream that forward() is given." } },
    { .id = "a-host", .part = "a", .kind = HYGIENE, .points = 3, .name = NAME_HOST, .needs = "a-order", .judge = judge_forward_queues,
      .read = READ_AFTER, .hints = {
      "What does the host have to know between two layers?", "A dependent launch keeps its place",
      "No cudaStreamSynchronize() in forward() or launch()." } },
    { .id = "a-hazard", .part = "a", .kind = HAZARD, .points = 7, .name = NAME_HAZARD, .needs = "a-host", .judge = judge_hazards,
      .read = READ_SAY, .hints = {
      "What does a layer read that the layer before it writes, and what makes it wait for that?", "returns when all kernels ahead",
      "cudaGridDependencySynchronize() in layer(), after load() and before apply()." } },
    { .id = "a-output", .part = "a", .kind = OUTPUT, .points = 3, .name = NAME_OUTPUT, .needs = "a-hazard", .judge = judge_last_row,
      .read = READ_SAY, .hints = {
      "Which pieces does a layer have, and does each thread call each of them?", "returns when all kernels ahead",
      "load(own, net, k), the wait, apply(net, k, own)." } },
    { .id = "a-beside", .part = "a", .kind = OVERLAP, .points = 7, .name = "each layer begins while the one before it is at work",
      .needs = "a-hazard", .judge = judge_beneath, .read = READ_ASK, .hints = {
      "Which two things have to be said before a kernel may begin early, and who says each?", "Two sides have to agree",
      "cudaLaunchKernelEx() with cudaLaunchAttributeProgrammaticStreamSerialization in launch(), and "
      "cudaTriggerProgrammaticLaunchCompletion() as the first statement of layer()." } },
    { .id = "a-pace", .part = "a", .kind = OVERLAP, .points = 6, .name = "the chain is done nearly as soon as in the reference solution",
      .needs = "a-beside a-output", .judge = judge_chain_pace, .read = READ_SAY, .hints = {
      "What does a layer do between its beginning and its wait?", "What stands before the wait",
      "cudaTriggerProgrammaticLaunchCompletion(), load(), cudaGridDependencySynchronize(), apply()." } },
    { .id = "a-leaks", .part = "a", .kind = HYGIENE, .points = 1, .name = NAME_LEAKS, .needs = "a-work", .judge = judge_leaks,
      .read = READ_AFTER, .hints = {
      "What did you make that a launch does not need?", "A dependent launch keeps its place",
      "cudaStreamDestroy() for each cudaStreamCreate(), cudaEventDestroy() for each event." } },
    { ERRORS("a", 1, "*") },

    { .id = "b-work", .part = "b", .kind = OUTPUT, .points = 2, .name = "every step has its three kernels", .judge = judge_steps,
      .needs = "a-work", .read = READ_MOVE, .hints = {
      "How many steps are there, and how many kernels does each have?", "whether it may move",
      "launch(stream, s->n, sense, *s), and the same for mix and settle, for each step." } },
    { .id = "b-order", .part = "b", .kind = ORDER, .points = 4, .name = "each copy and kernel comes after what is ahead of it",
      .needs = "b-work a-order", .judge = judge_step_order, .read = READ_AFTER, .hints = {
      "What does a copy that comes after a dependent launch have to wait for?", "A dependent launch keeps its place",
      "cudaMemcpyAsync(..., stream) for both copies, and launch(stream, ...) for all kernels, of each step." } },
    { .id = "b-host", .part = "b", .kind = HYGIENE, .points = 3, .name = NAME_HOST, .needs = "b-order a-host", .judge = judge_steps_queue,
      .read = READ_AFTER, .hints = {
      "Which of your calls returns only when the device has done something?", "A dependent launch keeps its place",
      "cudaMemcpyAsync(), and no wait in all_steps()." } },
    { .id = "b-hazard", .part = "b", .kind = HAZARD, .points = 9, .name = NAME_HAZARD, .needs = "b-host a-hazard", .judge = judge_hazards,
      .read = READ_MOVE, .hints = {
      "Which kernels may still be at work when this piece runs, and what do they read and write?", "Two kernels ahead",
      "cudaGridDependencySynchronize() before blend() in mix(), and before recall(), mark() and finish() in settle()." } },
    { .id = "b-output", .part = "b", .kind = OUTPUT, .points = 4, .name = NAME_OUTPUT, .needs = "b-hazard", .judge = judge_outs,
      .read = READ_MOVE, .hints = {
      "Which pieces does each kernel have?", "whether it may move",
      "collect() in sense(); tune(), weigh(), blend() in mix(); tune(), recall(), mark(), finish() in settle()." } },
    { .id = "b-pace", .part = "b", .kind = OVERLAP, .points = 11, .name = "all steps are done nearly as soon as in the reference solution",
      .needs = "b-output a-beside", .judge = judge_step_pace, .read = READ_MOVE, .hints = {
      "Which piece that waits touches nothing that a kernel of this step writes?", "What was over before the chain",
      "tune() and weigh() before the wait of mix(), tune() before that of settle(); cudaTriggerProgrammaticLaunchCompletion() first in sense() and "
      "mix()." } },
    { .id = "b-leaks", .part = "b", .kind = HYGIENE, .points = 1, .name = NAME_LEAKS, .needs = "b-work a-leaks", .judge = judge_leaks,
      .read = READ_AFTER, .hints = {
      "What did you make that a launch does not need?", "A dependent launch keeps its place",
      "cudaStreamDestroy() for each cudaStreamCreate(), cudaEventDestroy() for each event." } },
    { ERRORS("b", 1, "b-work a-errors") },

    { .id = "c-work", .part = "c", .kind = OUTPUT, .points = 3, .name = "a run has every layer and the audit, and nothing runs unasked",
      .needs = "a-order", .judge = judge_replays, .read = READ_GRAPH, .hints = {
      "What runs between the beginning and the end of a capture?", "captured like any other",
      "launch() for each layer and audit<<<...>>>() once, between cudaStreamBeginCapture() and cudaStreamEndCapture()." } },
    { .id = "c-order", .part = "c", .kind = ORDER, .points = 5, .name = "the audit comes after its layer, and a run after the run before it",
      .needs = "c-work a-order", .judge = judge_replay_order, .read = READ_GRAPH, .hints = {
      "What makes the stream of the audit wait for its layer?", "with an event after layer",
      "cudaEventRecord(r->fork, r->stream) after the launch of layer `tap`, cudaStreamWaitEvent(r->side, r->fork, 0), audit<<<..., r->side>>>()." } },
    { .id = "c-beside", .part = "c", .kind = ORDER, .points = 6, .name = "no layer waits for the audit", .needs = "c-order",
      .judge = judge_audit_beside, .read = READ_GRAPH, .hints = {
      "Where does the second stream come back, and what is captured after that?", "with an event after layer",
      "cudaStreamWaitEvent(r->stream, r->join, 0) after the last layer." } },
    { .id = "c-calls", .part = "c", .kind = HYGIENE, .points = 4, .name = "a run costs the host a call or two", .needs = "c-order",
      .judge = judge_a_call_or_two, .read = READ_GRAPH, .hints = {
      "What has to be done once, and what for each run?", "captured like any other",
      "cudaGraphInstantiate() in replay_open(), cudaGraphLaunch(r->ready, stream) in replay_run()." } },
    { .id = "c-hazard", .part = "c", .kind = HAZARD, .points = 2, .name = NAME_HAZARD, .needs = "c-beside c-calls a-hazard", .judge = judge_hazards,
      .read = READ_GRAPH, .hints = {
      "Which two nodes use the same row, and what orders them?", "with an event after layer",
      "audit() after the wait for the event; no other launch touches `tally`." } },
    { .id = "c-output", .part = "c", .kind = OUTPUT, .points = 1, .name = NAME_OUTPUT, .needs = "c-hazard a-output", .judge = judge_last_row,
      .read = READ_GRAPH, .hints = {
      "Which layers does the graph have, and in which order?", "captured like any other",
      "launch(r->stream, net->n, layer, *net, k) for each k." } },
    { .id = "c-tally", .part = "c", .kind = OUTPUT, .points = 1, .name = "every run is audited once", .needs = "c-output", .judge = judge_audits,
      .read = READ_GRAPH, .hints = {
      "Which row does the audit read?", "with an event after layer", "audit<<<BLOCKS(net->n), THREADS, 0, r->side>>>(*net, tap, tally)." } },
    { .id = "c-pace", .part = "c", .kind = OVERLAP, .points = 6, .name = "a run is done nearly as soon as in the reference solution",
      .needs = "c-output a-pace", .judge = judge_replay_pace, .read = READ_GRAPH, .hints = {
      "Which layers of the graph wait for one kernel, and how were they launched?", "may begin with the trigger of the node",
      "launch() for the layers of the capture, too, and nothing between two of them in r->stream but cudaEventRecord()." } },
    { .id = "c-leaks", .part = "c", .kind = HYGIENE, .points = 1, .name = NAME_LEAKS, .needs = "c-work", .judge = judge_leaks,
      .read = READ_GRAPH, .hints = {
      "What does replay_open() make that replay_close() does not give back?", "captured like any other",
      "cudaStreamDestroy(r->side), cudaEventDestroy(r->fork), cudaEventDestroy(r->join) in replay_close()." } },
    { ERRORS("c", 1, "c-work a-errors") },
};

const struct lesson lesson_15 = {
    .number = 15,
    .folder = "15-dependent-launches",
    .title = "Launches that say more",
    .parts = parts, .part_count = sizeof parts / sizeof *parts,
    .checks = checks, .check_count = sizeof checks / sizeof *checks,
    .prepare = prepare, .simulated = "a-beside a-pace b-pace c-pace", .dependents = true, .explain = explain_hazard,
    .divided = "layer sense mix settle",        /* as_fast() compares what they cost */
};
