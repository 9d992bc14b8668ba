/* SPDX-License-Identifier: MIT */
/* (c), (d): runs of a pipeline; what comes of them is in results.c. */
#include "runs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum stage { SPLIT, LEFT, RIGHT, MERGE, STAGES };
static const char *const stage_name[STAGES] = { "split", "to_left", "to_right", "merge" };

/* The run's four kernels; false if it has not just these, or copies or memsets besides. */
static bool stages_of(const struct view *v, struct selection run, uint32_t node[STAGES])
{
    size_t count[STAGES], all = 0;
    for (int k = 0; k < STAGES; k++)
        node[k] = kernel_named(v, run, stage_name[k], &count[k]);
    EACH_SPAN(i, v, run)
        all++;
    return all == STAGES && count[SPLIT] == 1 && count[LEFT] == 1 && count[RIGHT] == 1
           && count[MERGE] == 1;
}

/* The first copy or memset of a run; ANY: there is none. */
static uint32_t other_work(const struct view *v, struct selection run)
{
    uint32_t node = next_span(v, run, 0);
    while (node != ANY && v->timeline->spans[node].engine == ENGINE_KERNEL)
        node = next_span(v, run, node + 1);
    return node;
}

/* Is the part's graph made by a capture? */
static bool captures(const struct view *v, const char *part)
{
    struct selection s = in_part(v, part, 0);
    for (size_t i = s.first_call; i < s.end_call; i++)
        if (v->timeline->calls[i].flags & CALL_CAPTURED)
            return true;
    return false;
}

/* Is it made in one of the runs? */
static bool in_a_run(const struct view *v, const char *part, int64_t runs, uint32_t call)
{
    for (int64_t k = 0; k < runs; k++) {
        struct selection run = labelled(v, part, RUN, k);
        if (call >= run.first_call && call < run.end_call)
            return true;
    }
    return false;
}

bool judge_runs(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    int64_t runs = runs_of(e, part);
    uint32_t node[STAGES];
    size_t kernels = 0;
    for (int64_t k = 0; k < runs; k++) {
        struct selection run = labelled(v, part, RUN, k);
        if (stages_of(v, run, node))
            continue;
        f->call = call_number(v, next_span(v, run, 0));
        expected(f, "each run has split(), to_left(), to_right() and merge(), once each");
        uint32_t other = other_work(v, run);
        if (other != ANY) {
            f->call = v->timeline->spans[other].call;
            expected(f, "each run is split(), to_left(), to_right() and merge(), and nothing else");
            seen(f, "run %lld has %s, too", (long long)k, node_name(v, other).text);
            return why(f,
                       "The four kernels are all that a run does. A copy or memset that is in the graph is done again in each run.");
        }
        size_t count[STAGES];
        for (int i = 0; i < STAGES; i++)
            kernel_named(v, run, stage_name[i], &count[i]);
        seen(f, "in run %lld split(): %zu, to_left(): %zu, to_right(): %zu, merge(): %zu",
             (long long)k, count[SPLIT], count[LEFT], count[RIGHT], count[MERGE]);
        f->function = "pipeline_run";
        f->word = "cudaGraphLaunch";
        for (int i = 0; i < STAGES; i++) {
            uint32_t lone = kernel_named(v, in_part(v, part, 0), stage_name[i], NULL);
            if (count[i] > 0 || lone == ANY || call_of_node(v, lone)->flags & GRAPH_NODE)
                continue;
            f->call = v->timeline->spans[lone].call;
            return why(f,
                       "This launch runs at once and is not in the graph. Only what is queued between cudaStreamBeginCapture() and "
                       "cudaStreamEndCapture() is captured.");
        }
        uint32_t second = second_launch(v, run);
        if (second != ANY) {
            f->call = second;
            return why(f,
                       "Each cudaGraphLaunch() starts a run of all that is in the graph, and this is the second one in a single run.");
        }
        for (int i = 0; i < STAGES; i++) {
            uint32_t again = count[i] > 1
                                 ? next_kernel(v, run, stage_name[i],
                                               kernel_named(v, run, stage_name[i], NULL) + 1)
                                 : ANY;
            f->call = again != ANY ? v->timeline->spans[again].call : count[i] == 0 ? ANY : f->call;
            if (again != ANY || count[i] == 0)
                break;
        }
        return captures(v, part)
                   ? why(f,
                         "The work between cudaStreamBeginCapture() and cudaStreamEndCapture() is one run. cudaGraphLaunch() starts one run.")
                   : why(f,
                         "The nodes of the graph are one run: one for each of the four kernels. cudaGraphLaunch() starts one run.");
    }
    struct selection s = in_part(v, part, ENGINES_DEVICE);
    uint32_t outside = ANY;
    for (uint32_t i = next_span(v, s, 0); i != ANY; i = next_span(v, s, i + 1), kernels++)
        if (outside == ANY && !in_a_run(v, part, runs, v->timeline->spans[i].call))
            outside = i;
    if ((int64_t)kernels == STAGES * runs)
        return true;
    f->call = call_number(v, outside);
    expected(f, "%lld runs of four kernels, and nothing else", (long long)runs);
    seen(f, "%zu kernels, copies and memsets in all", kernels);
    return why(f,
               "This runs outside of pipeline_run(). Making a graph runs nothing: the first run is the first that the caller asks for.");
}

/* In which stream does the part's caller ask for runs? */
static uint32_t callers_stream(const struct view *v, const char *part)
{
    struct selection before = { 0, ANY, ANY, 0, in_part(v, part, 0).first_call };
    uint32_t stream = ANY;
    EACH_KERNEL(node, v, before, "caller")
        stream = v->timeline->spans[node].stream;
    return stream;
}

bool judge_run_order(const struct evidence *e, struct finding *f, const char *part)
{
    static const struct { enum stage one, two; } edges[] = { { SPLIT, LEFT }, { SPLIT, RIGHT },
                                                             { LEFT, MERGE }, { RIGHT, MERGE } };
    const struct view *v = &e->yours[0];
    uint32_t node[STAGES], stream = callers_stream(v, part);
    for (int64_t k = 0; k < runs_of(e, part); k++) {
        stages_of(v, labelled(v, part, RUN, k), node);
        for (size_t i = 0; i < sizeof edges / sizeof *edges; i++) {
            if (hb_before(v->order, node[edges[i].one], node[edges[i].two], GUARANTEED))
                continue;
            f->call = v->timeline->spans[node[edges[i].two]].call;
            expected(f, "%s() comes after %s(), in an order that is guaranteed",
                     stage_name[edges[i].two], stage_name[edges[i].one]);
            seen(f, "nothing makes it wait");
            char names[2][16];
            snprintf(names[0], sizeof names[0], "%s()", stage_name[edges[i].one]);
            snprintf(names[1], sizeof names[1], "%s()", stage_name[edges[i].two]);
            if (!captures(v, part))
                return why(f,
                           "A node waits for the nodes that are named when it is added, and for no other: in whatever order the nodes are added, "
                           "without an edge they run side by side. Name the node of %s among the dependencies of that of %s.",
                           names[0], names[1]);
            return why_unordered(v, f, node[edges[i].one], names[0], node[edges[i].two], names[1],
                                 "A graph has the edges that the capture saw: the order within a stream, and waits for events. Record an "
                                 "event after %s, and let the stream of %s wait for it before the launch.",
                                 names[0], names[1]);
        }
        if (v->timeline->spans[node[MERGE]].stream != stream) {
            f->call = v->timeline->spans[node[MERGE]].call;
            for (uint32_t i = f->call; i-- > 0 && call_of_node(v, node[MERGE])->flags & GRAPH_NODE;)
                if (v->timeline->calls[i].kind == CALL_GRAPH_LAUNCH) {
                    f->call = i;
                    break;
                }
            expected(f,
                     "a run is work in the caller's stream: after what is in it, and before what comes later");
            seen(f, "run %lld is in another stream", (long long)k);
            return why(f,
                       "A graph runs in the stream of its launch, wherever it was captured. Call cudaGraphLaunch(p->ready, stream) "
                       "with the stream that pipeline_run() is given.");
        }
    }
    return true;
}

bool judge_beside(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    uint32_t node[STAGES];
    for (int64_t k = 0; k < runs_of(e, part); k++) {
        stages_of(v, labelled(v, part, RUN, k), node);
        bool left_first = hb_before(v->order, node[LEFT], node[RIGHT], OBSERVED);
        if (!left_first && !hb_before(v->order, node[RIGHT], node[LEFT], OBSERVED))
            continue;
        enum stage one = left_first ? LEFT : RIGHT, two = left_first ? RIGHT : LEFT;
        f->call = v->timeline->spans[node[two]].call;
        expected(f,
                 "to_left() and to_right() have nothing between them, so that they can run beside each other");
        seen(f, "in run %lld %s() has to wait for %s()", (long long)k, stage_name[two],
             stage_name[one]);
        if (!captures(v, part))
            return why(f,
                       "The node of one is among those that the other one waits for. Both wait for split() alone, and merge() waits for both.");
        return why(f,
                   "What is captured in one stream is a chain in the graph, and an event stands for everything before it in its stream. "
                   "Fork with an event that is recorded right after split(). A second stream that waits for it joins the capture. Join "
                   "again with another event, before merge().");
    }
    return true;
}

/* Does the host call the runtime here? What belongs to a graph's launch is one call. */
static bool is_call(const struct call *c)
{
    return c->kind >= CALL_LAUNCH && c->kind <= CALL_OTHER && c->kind != CALL_HOST_WORK
           && c->kind != CALL_GRAPH_EDGE && c->kind != CALL_GRAPH_EMPTY && c->kind != CALL_GRAPH_END
           && !(c->flags & GRAPH_NODE);
}

static bool makes_ready(const struct view *v, size_t call)
{
    static const char name[] = "cudaGraphInstantiate";      /* and what begins like this */
    return strncmp(timeline_string(v->timeline, v->timeline->calls[call].name), name,
                   sizeof name - 1)
           == 0;
}

#define CALLS 2
#define GAIN_IN_RUN \
    "A run is one cudaGraphLaunch(), the first one with a new gain, too. pipeline_gain() changes the executable graph itself, with " \
    "cudaGraphExecUpdate() or cudaGraphExecKernelNodeSetParams(): both wait for nothing, and runs queued before keep their gain."

bool judge_one_call(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    for (int64_t k = 0; k < runs_of(e, part); k++) {
        struct selection run = labelled(v, part, RUN, k);
        size_t calls = 0;
        int64_t time = 0;
        uint32_t wait = first_standstill(v, run);
        for (size_t call = run.first_call; call < run.end_call; call++) {
            const struct call *c = &v->timeline->calls[call];
            if (!is_call(c))
                continue;
            if (makes_ready(v, call)) {
                f->call = (uint32_t)call;
                expected(f, "the graph is instantiated once, before the first run");
                seen(f, "run %lld instantiates one", (long long)k);
                if (part[0] == 'd')
                    return why(f, GAIN_IN_RUN);
                return why(f,
                           "Instantiation is the expensive part of a graph, and it is the same each time. Call "
                           "cudaGraphInstantiate() in pipeline_open(). pipeline_run() is one cudaGraphLaunch().");
            }
            time += c->end - c->begin;
            if (calls++ == CALLS)
                f->call = (uint32_t)call;
        }
        if (calls <= CALLS && wait == ANY)
            continue;
        if (wait != ANY) {
            f->call = wait;
            expected(f, "pipeline_run() queues a run and returns");
            seen(f, "in run %lld the host is held up here, or polls", (long long)k);
            return why(f,
                       "The host need not wait: the stream runs one run after the other. The caller waits when it needs the result.");
        }
        expected(f, "a run takes at most %d calls", CALLS);
        seen(f,
             "%zu calls in run %lld, for which the host needs %lld.%lld us; this is the first that is too many",
             calls, (long long)k, (long long)time / 1000, (long long)time % 1000 / 100);
        if (part[0] == 'd')
            return why(f, GAIN_IN_RUN);
        return why(f,
                   "The four kernels take less time than the calls that queue them, so the device waits for the host. Capture and "
                   "instantiate once, in pipeline_open(). pipeline_run() is one cudaGraphLaunch().");
    }
    f->call = ANY;
    return true;
}

bool judge_ready_once(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    for (int64_t k = 1; k < GAINS; k++) {
        struct selection gain = labelled(v, part, GAIN, k);
        uint32_t wait = first_standstill(v, gain);
        for (size_t call = gain.first_call; call < gain.end_call; call++) {
            if (!makes_ready(v, call))
                continue;
            f->call = (uint32_t)call;
            expected(f, "pipeline_gain() changes the executable graph");
            seen(f, "it makes a new one");
            return why(f,
                       "Instantiation is the expensive part, and the old graph may still be running. cudaGraphExecUpdate() takes "
                       "over the parameters of another graph with the same nodes and edges. cudaGraphExecKernelNodeSetParams() "
                       "changes those of one node.");
        }
        if (wait == ANY)
            continue;
        f->call = wait;
        expected(f,
                 "pipeline_gain() does not wait: earlier runs keep the gain with which they were launched");
        seen(f, "the host is held up here");
        return why(f,
                   "A launch keeps the parameters that it was made with. A change of the executable graph holds only for later launches.");
    }
    return judge_one_call(e, f, part);
}
