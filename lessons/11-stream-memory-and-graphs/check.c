/* SPDX-License-Identifier: MIT */
/*
 * check.c - lesson 11: what the parts are given, and what is asked of them.
 *
 * The judges are in memory.c (a, b) and graph.c (c, d).
 */
#include "runs.h"

static void prepare(struct exchange *x, struct random *r)
{
    struct settings s = { .frames = (int64_t)random_between(r, 7, 10), .rounds = (int64_t)random_between(r, 5, 8),
                          .relay_n = random_odd(r, 2500, 5000), .work_n = random_odd(r, 900, 1700),
                          .runs = (int64_t)random_between(r, 8, 12) };
    for (int k = 0; k < GAINS; k++)
        s.gain[k] = (uint32_t)random_next(r) | 1;
    s.threshold = (int64_t)random_between(r, 1, 4000);  /* less than any frame has */
    *(struct settings *)exchange_add_input(x, sizeof s) = s;
    int32_t *n = exchange_add_input(x, (size_t)s.frames * sizeof *n);
    int64_t all = 0;
    n[0] = (int32_t)random_odd(r, 6000, 8000);
    for (int64_t k = 0; k < s.frames; all += n[k++])
        if (k > 0)
            n[k] = (int32_t)random_odd(r, 2000, (uint64_t)n[0] - 2);
    exchange_add_elements(x, r, all);
    exchange_add_elements(x, r, s.rounds * s.relay_n);
    exchange_add_elements(x, r, s.work_n);
    exchange_add_elements(x, r, s.work_n);
    exchange_add_output(x, (size_t)all * sizeof(uint32_t));
    exchange_add_output(x, (size_t)(s.rounds * s.relay_n) * sizeof(uint32_t));
    exchange_add_output(x, (size_t)s.work_n * sizeof(uint32_t));
    exchange_add_output(x, (size_t)s.work_n * sizeof(uint32_t));
    exchange_add_output(x, sizeof(struct pool));
}

static const struct part parts[] = {
    { "a", "scratch memory, frame by frame", "frames" },
    { "b", "from one stream to another", "relay" },
    { "c", "asked for once", "replay" },
    { "d", "a gain that changes", "update" },
};

#define READ_POOL "Memory that is work"
#define READ_KEEP "What a pool keeps"
#define READ_OTHERS "Another stream"
#define READ_GRAPH "A list that is written once"
#define READ_FORK "Two streams in one graph"
#define READ_UPDATE "The same list, another number"

#define NAME_OUTPUT "every element is right"
#define NAME_LEAKS "all that was made is given back"

JUDGE(judge_frames); JUDGE(judge_by_stream); JUDGE(judge_lifetime); JUDGE(judge_between_frames);
JUDGE(judge_next_door); JUDGE(judge_kept); JUDGE(judge_threshold); JUDGE(judge_seen);
JUDGE(judge_rounds); JUDGE(judge_filled); JUDGE(judge_queues_only); JUDGE(judge_relayed);
JUDGE(judge_runs); JUDGE(judge_run_order); JUDGE(judge_beside); JUDGE(judge_one_call);
JUDGE(judge_ready_once); JUDGE(judge_result);

static const struct check checks[] = {
    { "a-work", "a", OUTPUT, 2, "every frame is worked on once", NULL, judge_frames, READ_POOL, {
      "How many frames are there, and how many kernels has each?", "what the stream does with it",
      "spread<<<BLOCKS, THREADS, 0, f->stream>>>() and gather<<<...>>>() for each frame." } },
    { "a-stream", "a", HYGIENE, 6, "scratch memory comes and goes in a stream's order", "a-work", judge_by_stream, READ_POOL, {
      "Which of your calls has no stream among its arguments?", "what the stream does with it",
      "cudaMallocAsync((void **)&scratch, bytes, f->stream) and cudaFreeAsync(scratch, f->stream)." } },
    { "a-order", "a", ORDER, 6, "scratch memory is there from the first use to the last", "a-stream", judge_lifetime, READ_POOL, {
      "In which stream is the memory freed, and what comes before that in its queue?", "Its place in the queue",
      "cudaFreeAsync(scratch, f->stream) after gather<<<...>>>()." } },
    { "a-look", "a", ORDER, 4, "each frame is looked at after it is done and its memory freed", "a-order", judge_between_frames,
      READ_POOL, {
      "What has to be true of a frame when look() is called?", "before it waits",
      "cudaFreeAsync(scratch, f->stream), cudaStreamSynchronize(f->stream), look(k)." } },
    { "a-door", "a", OVERLAP, 3, "the neighbour is not waited for", "a-stream", judge_next_door, READ_POOL, {
      "Which of your calls waits for more than your own stream?", "before it waits",
      "cudaStreamSynchronize(f->stream), no cudaDeviceSynchronize()." } },
    { "a-keeps", "a", HYGIENE, 5, "the pool keeps the memory between two frames", "a-look a-door", judge_kept, READ_KEEP, {
      "What does a pool do with free memory when the host waits?", "release threshold",
      "uint64_t all = UINT64_MAX; cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all)." } },
    { "a-found", "a", HYGIENE, 3, "the pool is left as it was found", "a-keeps", judge_threshold, READ_KEEP, {
      "Whose pool is it, and what was its threshold before?", "everybody's",
      "cudaDeviceGetMemPool(&pool, device), cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &before), and set that again at the end." } },
    { "a-output", "a", OUTPUT, 2, NAME_OUTPUT, "a-look", judge_seen, READ_POOL, {
      "Where does each frame begin in `in`?", "what the stream does with it",
      "spread<<<BLOCKS, THREADS, 0, f->stream>>>(scratch, in, f->n[k]), then in += f->n[k]." } },
    { "a-leaks", "a", HYGIENE, 1, NAME_LEAKS, "a-look", judge_leaks, READ_POOL, {
      "Which of the things that you made is never given back?", "Its place in the queue",
      "cudaFreeAsync() for each cudaMallocAsync(), cudaStreamDestroy() for each cudaStreamCreate()." } },
    { RACES("a", 2, "*", READ_POOL, "Its place in the queue") },
    { ERRORS("a", 1, "*") },

    { "b-work", "b", OUTPUT, 2, "every round is made", NULL, judge_rounds, READ_OTHERS, {
      "How many rounds are there?", "exercise's two kernels",
      "fill<<<BLOCKS, THREADS, 0, r->one>>>() and drain<<<BLOCKS, THREADS, 0, r->two>>>() for each." } },
    { "b-order", "b", ORDER, 5, "what is drained has been filled", "b-work", judge_filled, READ_OTHERS, {
      "What makes the second stream wait for the first one?", "an event after the kernel",
      "cudaEventRecord(filled, r->one) after fill(), cudaStreamWaitEvent(r->two, filled, 0) before drain()." } },
    { "b-free", "b", ORDER, 6, "scratch memory is there from the first use to the last", "b-order", judge_lifetime, READ_OTHERS, {
      "Which stream knows when drain() is over?", "after the last kernel that uses the memory",
      "cudaFreeAsync(scratch, r->two) after drain<<<...>>>()." } },
    { "b-host", "b", OVERLAP, 5, "the host only queues", "b-free", judge_queues_only, READ_OTHERS, {
      "Which calls in the loop return only when a stream is done?", "the host stands between",
      "cudaStreamWaitEvent(r->two, filled, 0) in place of cudaStreamSynchronize(r->one)." } },
    { "b-hazard", "b", HAZARD, 2, "no two touch the same bytes at once", "b-host", judge_hazards, READ_OTHERS, {
      "How many rounds are under way at once, and how many pieces of scratch memory?", "in every round",
      "A cudaMallocAsync() for each round." } },
    { "b-output", "b", OUTPUT, 2, NAME_OUTPUT, "b-hazard", judge_relayed, READ_OTHERS, {
      "Where in `in` and `out` are the elements of round k?", "exercise's two kernels",
      "drain<<<BLOCKS, THREADS, 0, r->two>>>(r->out + k * r->n, scratch, r->n)." } },
    { "b-leaks", "b", HYGIENE, 1, NAME_LEAKS, "b-free", judge_leaks, READ_OTHERS, {
      "Which of the things that you made is never given back?", "after the last kernel that uses the memory",
      "cudaFreeAsync() for each cudaMallocAsync(), cudaEventDestroy() for each event." } },
    { ERRORS("b", 1, "*") },

    { "c-work", "c", OUTPUT, 3, "a run is four kernels, and nothing runs unless it is asked for", NULL, judge_runs, READ_GRAPH, {
      "Which calls between the beginning and the end of a capture run something?", "Nothing runs",
      "All four launches between cudaStreamBeginCapture() and cudaStreamEndCapture(), one cudaGraphLaunch() for each run." } },
    { "c-order", "c", ORDER, 6, "kernels and runs come in a guaranteed order", "c-work", judge_run_order, READ_FORK, {
      "What makes each kernel of the second stream wait for the first stream, and the other way round?", "joins the capture",
      "cudaEventRecord(p->join, p->side), cudaStreamWaitEvent(p->stream, p->join, 0) before merge<<<...>>>()." } },
    { "c-fork", "c", OVERLAP, 6, "the two sides run beside each other", "c-order", judge_beside, READ_FORK, {
      "Which edges does a graph have when everything was captured in one stream?", "joins the capture",
      "cudaEventRecord(p->fork, p->stream), cudaStreamWaitEvent(p->side, p->fork, 0), to_right<<<BLOCKS, THREADS, 0, p->side>>>()." } },
    { "c-calls", "c", HYGIENE, 7, "a run costs the host a call or two", "c-order", judge_one_call, READ_GRAPH, {
      "How many calls does the host make for a run, and what does each of them cost?", "the expensive part",
      "cudaGraphInstantiate(&p->ready, p->graph, 0) in pipeline_open(), cudaGraphLaunch(p->ready, stream) in pipeline_run()." } },
    { "c-output", "c", OUTPUT, 2, NAME_OUTPUT, "c-order", judge_result, READ_GRAPH, {
      "What do the kernels get as their argument, and when is it copied?", "copied into the graph",
      "split<<<BLOCKS, THREADS, 0, p->stream>>>(p->w), and the same for the others." } },
    { "c-leaks", "c", HYGIENE, 1, NAME_LEAKS, "c-calls", judge_leaks, READ_GRAPH, {
      "What does pipeline_open() make that pipeline_close() does not give back?", "are given back",
      "cudaStreamDestroy(), cudaEventDestroy(), cudaGraphExecDestroy(), cudaGraphDestroy() in pipeline_close()." } },
    { RACES("c", 2, "*", READ_FORK, "joins the capture") },
    { ERRORS("c", 1, "*") },

    { "d-ready", "d", HYGIENE, 4, "the executable graph is changed, without a wait", "c-calls", judge_ready_once, READ_UPDATE, {
      "What may still be running when the gain changes?", "brings it up to date",
      "cudaGraphExecUpdate(p->ready, p->graph, &result) after a new capture." } },
    { "d-output", "d", OUTPUT, 5, "every run has its own gain", "d-ready c-output", judge_result, READ_UPDATE, {
      "When were the parameters of merge() copied?", "brings it up to date",
      "Capture again with the new p->w, then cudaGraphExecUpdate(p->ready, p->graph, &result)." } },
    { "d-leaks", "d", HYGIENE, 1, NAME_LEAKS, "d-ready c-leaks", judge_leaks, READ_GRAPH, {
      "What happens to the graph that you captured for the update?", "are given back",
      "cudaGraphDestroy(p->graph) after cudaGraphExecUpdate()." } },
    { RACES("d", 2, "*", READ_UPDATE, "brings it up to date") },
    { ERRORS("d", 1, "*") },
};

const struct lesson lesson_11 = {
    .number = 11,
    .folder = "11-stream-memory-and-graphs",
    .title = "Memory in a stream, work in a graph",
    .parts = parts, .part_count = sizeof parts / sizeof *parts,
    .checks = checks, .check_count = sizeof checks / sizeof *checks,
    .prepare = prepare, .simulated = "a-keeps", .pools = true,
};
