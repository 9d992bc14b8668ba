/* SPDX-License-Identifier: MIT */
/*
 * check.c - lesson 11: what the parts are given, and what is asked of them.
 *
 * The judges are in memory.c (a, b) and graph.c (c, d).
 */
#include "runs.h"

static void prepare(struct exchange *x, struct random *r)
{
    struct settings s = { .frames = (int64_t)random_between(r, 7, 10),
                          .rounds = (int64_t)random_between(r, 5, 8),
                          .relay_n = random_odd(r, 2500, 5000),
                          .work_n = { random_odd(r, 1200, 1700), random_odd(r, 600, 1100) },
                          .runs = (int64_t)random_between(r, 4, 6) };
    for (int k = 0; k < GAINS; k++)
        s.gain[k] = (uint32_t)random_next(r) | 1;
    s.first[0] = (uint32_t)random_next(r) | 1;
    s.gain[2] = 1;      /* no gain is special: the second pipeline is opened with 0 */
    s.gain[3] = 0;
    s.threshold = (int64_t)random_between(r, 1, 4000);  /* less than any frame has */
    s.more = (int64_t)random_between(r, 11, MORE_MOST);
    *(struct settings *)exchange_add_input(x, sizeof s) = s;
    int32_t *n = exchange_add_input(x, (size_t)s.frames * sizeof *n);
    int64_t all = 0;
    n[0] = (int32_t)random_odd(r, 6000, 8000);
    for (int64_t k = 0; k < s.frames; all += n[k++])
        if (k > 0)
            n[k] = (int32_t)random_odd(r, 2000, (uint64_t)n[0] - 2);
    exchange_add_elements(x, r, all);
    exchange_add_elements(x, r, s.rounds * s.relay_n);
    int64_t work = s.work_n[0] + s.work_n[1];
    exchange_add_elements(x, r, work);
    exchange_add_elements(x, r, work);
    exchange_add_output(x, (size_t)all * sizeof(uint32_t));
    exchange_add_output(x, (size_t)(s.rounds * s.relay_n) * sizeof(uint32_t));
    exchange_add_output(x, (size_t)work * sizeof(uint32_t));
    exchange_add_output(x, (size_t)work * sizeof(uint32_t));
    exchange_add_output(x, sizeof(struct pool));
    for (int k = 0; k < 2; k++)
        exchange_add_output(x, MORE_MOST * MORE_N * sizeof(uint32_t));
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
JUDGE(judge_rounds);
JUDGE(judge_filled);
JUDGE(judge_queues_only);
JUDGE(judge_own_scratch);
JUDGE(judge_relayed);
JUDGE(judge_runs); JUDGE(judge_run_order); JUDGE(judge_beside); JUDGE(judge_one_call);
JUDGE(judge_ready_once); JUDGE(judge_result);

static const struct check checks[] = {
    { .id = "a-work", .part = "a", .kind = OUTPUT, .points = 2,
      .name = "every frame is worked on once", .judge = judge_frames, .read = READ_POOL,
      .hints = { "How many frames are there, and how many kernels does each have?",
                 "what the stream does with it",
                 "spread<<<BLOCKS, THREADS, 0, f->stream>>>() and gather<<<...>>>() for each frame." } },
    { .id = "a-stream", .part = "a", .kind = HYGIENE, .points = 6,
      .name = "scratch memory comes and goes in a stream's order", .needs = "a-work",
      .judge = judge_by_stream, .read = READ_POOL,
      .hints = { "Which of your calls has no stream among its arguments?",
                 "what the stream does with it",
                 "cudaMallocAsync((void **)&scratch, bytes, f->stream) and cudaFreeAsync(scratch, f->stream)." } },
    { .id = "a-order", .part = "a", .kind = ORDER, .points = 6,
      .name = "scratch memory is there from the first use to the last", .needs = "a-stream",
      .judge = judge_lifetime, .read = READ_POOL,
      .hints = { "In which stream is the memory freed, and what comes before that in its queue?",
                 "place in the queue is the whole",
                 "cudaFreeAsync(scratch, f->stream) after gather<<<...>>>()." } },
    { .id = "a-look", .part = "a", .kind = ORDER, .points = 4,
      .name = "each frame is looked at after it is done and its memory freed", .needs = "a-order",
      .judge = judge_between_frames, .read = READ_POOL,
      .hints = { "What has to be true of a frame when look() is called?", "before it waits",
                 "cudaFreeAsync(scratch, f->stream), cudaStreamSynchronize(f->stream), look(k)." } },
    { .id = "a-door", .part = "a", .kind = OVERLAP, .points = 3,
      .name = "the neighbour is not waited for", .needs = "a-stream", .judge = judge_next_door,
      .read = READ_POOL, .hints = { "Which of your calls waits for more than your own stream?",
                                    "before it waits",
                 "cudaStreamSynchronize(f->stream), no cudaDeviceSynchronize()." } },
    { .id = "a-keeps", .part = "a", .kind = HYGIENE, .points = 5,
      .name = "the pool keeps the memory between two frames", .needs = "a-look a-door",
      .judge = judge_kept, .read = READ_KEEP,
      .hints = { "What does a pool do with free memory when the host waits?", "release threshold",
                 "uint64_t all = UINT64_MAX; cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all)." } },
    { .id = "a-found", .part = "a", .kind = HYGIENE, .points = 3,
      .name = "the pool is left as it was found", .needs = "a-keeps", .judge = judge_threshold,
      .read = READ_KEEP, .hints = { "Whose pool is it, and what was its threshold before?",
                                    "The default pool",
                 "cudaDeviceGetMemPool(&pool, device), cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &before), and set that again at the end." } },
    { .id = "a-output", .part = "a", .kind = OUTPUT, .points = 2, .name = NAME_OUTPUT,
      .needs = "a-look", .judge = judge_seen, .read = READ_POOL,
      .hints = { "Where does each frame begin in `in`?", "what the stream does with it",
                 "spread<<<BLOCKS, THREADS, 0, f->stream>>>(scratch, in, f->n[k]), then in += f->n[k]." } },
    { .id = "a-leaks", .part = "a", .kind = HYGIENE, .points = 1, .name = NAME_LEAKS,
      .needs = "a-look", .judge = judge_leaks, .read = READ_POOL,
      .hints = { "Which of the things that you made is never given back?",
                 "place in the queue is the whole",
                 "cudaFreeAsync() for each cudaMallocAsync(), cudaStreamDestroy() for each cudaStreamCreate()." } },
    { RACES("a", 2, "*", READ_POOL, "place in the queue is the whole") },
    { ERRORS("a", 1, "*") },

    { .id = "b-work", .part = "b", .kind = OUTPUT, .points = 2, .name = "every round is made",
      .judge = judge_rounds, .read = READ_OTHERS,
      .hints = { "How many rounds are there?", "stream allocates and fills the memory",
                 "fill<<<BLOCKS, THREADS, 0, r->one>>>() and drain<<<BLOCKS, THREADS, 0, r->two>>>() for each." } },
    { .id = "b-order", .part = "b", .kind = ORDER, .points = 5,
      .name = "what is drained has been filled", .needs = "b-work", .judge = judge_filled,
      .read = READ_OTHERS, .hints = { "What makes the second stream wait for the first one?",
                 "For the first, record an event after",
                 "cudaEventRecord(filled, r->one) after fill(), cudaStreamWaitEvent(r->two, filled, 0) before drain()." } },
    { .id = "b-free", .part = "b", .kind = ORDER, .points = 5,
      .name = "scratch memory is there from the first use to the last", .needs = "b-order",
      .judge = judge_lifetime, .read = READ_OTHERS,
      .hints = { "Which stream knows when drain() is over?",
                 "after the last kernel that uses the memory",
                 "cudaFreeAsync(scratch, r->two) after drain<<<...>>>()." } },
    { .id = "b-host", .part = "b", .kind = OVERLAP, .points = 5, .name = "the host only queues",
      .needs = "b-free", .judge = judge_queues_only, .read = READ_OTHERS,
      .hints = { "Which calls in the loop return only when a stream is done?",
                 "stream allocates and fills the memory",
                 "cudaStreamWaitEvent(r->two, filled, 0) in place of cudaStreamSynchronize(r->one)." } },
    { .id = "b-hazard",
      .part = "b", .kind = HAZARD, .points = 2, .name = "no two touch the same bytes at once",
      .needs = "b-host", .judge = judge_hazards, .read = READ_OTHERS,
      .hints = { "How many rounds are under way at once, and how many pieces of scratch memory?",
                 "stream allocates and fills the memory", "A cudaMallocAsync() for each round." } },
    { .id = "b-scratch", .part = "b", .kind = HYGIENE, .points = 1,
      .name = "each round has scratch memory of its own", .needs = "b-hazard",
      .judge = judge_own_scratch, .read = READ_OTHERS,
      .hints = { "How much memory is allocated, how often, and for which round?",
                 "stream allocates and fills the memory",
                 "cudaMallocAsync((void **)&scratch, r->n * sizeof *scratch, r->one) in the loop, and cudaFreeAsync(scratch, r->two) at its end." } },
    { .id = "b-output", .part = "b", .kind = OUTPUT, .points = 2, .name = NAME_OUTPUT,
      .needs = "b-hazard", .judge = judge_relayed, .read = READ_OTHERS,
      .hints = { "Where in `in` and `out` are the elements of round k?",
                 "stream allocates and fills the memory",
                 "drain<<<BLOCKS, THREADS, 0, r->two>>>(r->out + k * r->n, scratch, r->n)." } },
    { .id = "b-leaks", .part = "b", .kind = HYGIENE, .points = 1, .name = NAME_LEAKS,
      .needs = "b-free", .judge = judge_leaks, .read = READ_OTHERS,
      .hints = { "Which of the things that you made is never given back?",
                 "after the last kernel that uses the memory",
                 "cudaFreeAsync() for each cudaMallocAsync(), cudaEventDestroy() for each event." } },
    { ERRORS("b", 1, "*") },

    { .id = "c-work",
      .part = "c",
      .kind = OUTPUT,
      .points = 3, .name = "a run is four kernels, and nothing runs unless it is asked for",
      .judge = judge_runs, .read = READ_GRAPH,
      .hints = { "Which calls between the beginning and the end of a capture run something?",
                 "Since nothing runs during the capture",
                 "All four launches between cudaStreamBeginCapture() and cudaStreamEndCapture(), one cudaGraphLaunch() for each run." } },
    { .id = "c-order",
      .part = "c",
      .kind = ORDER,
      .points = 6,
      .name = "kernels and runs come in a guaranteed order",
      .needs = "c-work",
      .judge = judge_run_order,
      .read = READ_FORK,
      .hints = { "What makes each kernel of the second stream wait for the first stream, and the other way round?",
                 "joins the capture",
                 "cudaEventRecord(p->join, p->side), cudaStreamWaitEvent(p->stream, p->join, 0) before merge<<<...>>>()." } },
    { .id = "c-fork",
      .part = "c", .kind = OVERLAP, .points = 6, .name = "the two sides run beside each other",
      .needs = "c-order", .judge = judge_beside, .read = READ_FORK,
      .hints = { "Which edges does a graph have when everything was captured in one stream?",
                 "joins the capture",
                 "cudaEventRecord(p->fork, p->stream), cudaStreamWaitEvent(p->side, p->fork, 0), to_right<<<BLOCKS, THREADS, 0, p->side>>>()." } },
    { .id = "c-calls",
      .part = "c", .kind = HYGIENE, .points = 7, .name = "a run costs the host a call or two",
      .needs = "c-order", .judge = judge_one_call, .read = READ_GRAPH,
      .hints = { "How many calls does the host make for a run, and what does each of them cost?",
                 "the expensive part",
                 "cudaGraphInstantiate(&p->ready, p->graph, 0) in pipeline_open(), cudaGraphLaunch(p->ready, stream) in pipeline_run()." } },
    { .id = "c-output", .part = "c", .kind = OUTPUT, .points = 2, .name = NAME_OUTPUT,
      .needs = "c-order", .judge = judge_result, .read = READ_GRAPH,
      .hints = { "What do the kernels get as their argument, and when is it copied?",
                 "copied into the graph",
                 "split<<<BLOCKS, THREADS, 0, p->stream>>>(p->w), and the same for the others." } },
    { .id = "c-leaks", .part = "c", .kind = HYGIENE, .points = 1, .name = NAME_LEAKS,
      .needs = "c-calls", .judge = judge_leaks, .read = READ_GRAPH,
      .hints = { "What does pipeline_open() make that pipeline_close() does not give back?",
                 "At the end give both back",
                 "cudaStreamDestroy(), cudaEventDestroy(), cudaGraphExecDestroy(), cudaGraphDestroy() in pipeline_close()." } },
    { RACES("c", 2, "*", READ_FORK, "joins the capture") },
    { ERRORS("c", 1, "*") },

    { .id = "d-ready", .part = "d", .kind = HYGIENE, .points = 4,
      .name = "the executable graph is changed, without a wait", .needs = "c-calls",
      .judge = judge_ready_once, .read = READ_UPDATE,
      .hints = { "What may still be running when the gain changes?",
                 "again and update the executable",
                 "cudaGraphExecUpdate(p->ready, p->graph, &result) after a new capture." } },
    { .id = "d-output", .part = "d", .kind = OUTPUT, .points = 5,
      .name = "every run has its own gain", .needs = "d-ready c-output", .judge = judge_result,
      .read = READ_UPDATE, .hints = { "When were the parameters of merge() copied?",
                                      "again and update the executable",
                 "Capture again with the new p->w, then cudaGraphExecUpdate(p->ready, p->graph, &result)." } },
    { .id = "d-leaks", .part = "d", .kind = HYGIENE, .points = 1, .name = NAME_LEAKS,
      .needs = "d-ready c-leaks", .judge = judge_leaks, .read = READ_GRAPH,
      .hints = { "What happens to the graph that you captured for the update?",
                 "At the end give both back",
                 "cudaGraphDestroy(p->graph) after cudaGraphExecUpdate()." } },
    { RACES("d", 2, "*", READ_UPDATE, "again and update the executable") },
    { ERRORS("d", 1, "*") },
};

const struct lesson lesson_11 = {
    .number = 11,
    .folder = "11-stream-memory-and-graphs",
    .title = "Stream-ordered memory and graphs",
    .parts = parts, .part_count = sizeof parts / sizeof *parts,
    .checks = checks, .check_count = sizeof checks / sizeof *checks,
    .prepare = prepare, .simulated = "a-keeps", .pools = true,
};
