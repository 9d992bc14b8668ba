/* SPDX-License-Identifier: MIT */
/* Programmatic dependent launch: when the second of two kernels begins, what it sees before and after it synchronises, and
 * what a chain of small ones gains, live and as a graph. */
#include <stdio.h>

#include "measure.h"

struct stamps { unsigned long long begin, trigger, end, second_begin, prologue_end, synced, second_end, third_begin; };
struct seen { unsigned at_begin, at_prologue_end, synced; };       /* 1: the new value was there */
struct record { struct stamps at; struct seen before_trigger, at_end, cached; };

static cudaLaunchAttribute programmatic()
{
    cudaLaunchAttribute a = {};
    a.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    a.val.programmaticStreamSerializationAllowed = 1;
    return a;
}

static __device__ void until(unsigned long long t)
{
    while (device_ns() < t)
        ;
}

/* Words: 0 is written before the trigger, with a fence; 1 and 2 at the end. The first `triggers` blocks trigger. */
static __global__ void primary(long long ns, long long trigger, unsigned triggers, unsigned *words, unsigned value, struct record *r)
{
    unsigned long long begin = device_ns();
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        r->at.begin = begin;
        *(volatile unsigned *)&words[0] = value;
        __threadfence();
    }
    __syncthreads();
    if (trigger >= 0 && blockIdx.x < triggers) {
        until(begin + trigger);
        if (blockIdx.x == 0 && threadIdx.x == 0)
            r->at.trigger = device_ns();
        cudaTriggerProgrammaticLaunchCompletion();
    }
    until(begin + ns);
    if (threadIdx.x == 0) {
        if (blockIdx.x == 0) {
            *(volatile unsigned *)&words[32] = value;
            *(volatile unsigned *)&words[64] = value;
        }
        atomicMax(&r->at.end, device_ns());
    }
}

static __global__ void secondary(long long prologue, long long rest, bool synchronises, const unsigned *words, unsigned value,
                                 struct record *r)
{
    unsigned long long begin = device_ns();
    const volatile unsigned *now = words;
    struct seen zero, one, two;
    zero.at_begin = now[0] == value, one.at_begin = now[32] == value, two.at_begin = words[64] == value;
    until(begin + prologue);
    zero.at_prologue_end = now[0] == value, one.at_prologue_end = now[32] == value, two.at_prologue_end = words[64] == value;
    unsigned long long prologue_end = device_ns();
    if (synchronises)
        cudaGridDependencySynchronize();
    unsigned long long synced = device_ns();
    zero.synced = now[0] == value, one.synced = now[32] == value, two.synced = words[64] == value;
    until(synced + rest);
    if (threadIdx.x == 0 && blockIdx.x == 0) {
        r->at.second_begin = begin, r->at.prologue_end = prologue_end, r->at.synced = synced, r->at.second_end = device_ns();
        r->before_trigger = zero, r->at_end = one, r->cached = two;
    }
}

static __global__ void third(struct record *r) { r->at.third_begin = device_ns(); }

static double us(unsigned long long from, unsigned long long to) { return ((double)to - (double)from) / 1e3; }

struct shape {
    const char *name;
    long long ns, trigger;
    unsigned blocks, threads, triggers;
    bool attribute, synchronises, graph;
};

static void ask(const struct shape &w, cudaStream_t s, unsigned *words, struct record *on_card)
{
    enum { TIMES = 20 };
    values v[7];
    int seen[9] = { 0 };
    unsigned value = 0;
    std::vector<cudaLaunchAttribute> with;
    if (w.attribute)
        with.push_back(programmatic());
    for (int i = 0; i < TIMES; i++) {
        struct record r = {};
        value++;
        CHECK(cudaMemset(on_card, 0, sizeof r));
        CHECK(cudaMemset(words, 0, 96 * sizeof *words));
        CHECK(cudaDeviceSynchronize());
        auto work = [&] {
            primary<<<w.blocks, w.threads, 0, s>>>(w.ns, w.trigger, w.triggers, words, value, on_card);
            CHECK(launch_with(
                s, 1, 32, with, secondary, 50000, w.synchronises ? 50000 : 10000, w.synchronises, words, value, on_card));
            third<<<1, 1, 0, s>>>(on_card);
            CHECK(cudaGetLastError());
        };
        if (w.graph) {
            cudaGraph_t graph;
            cudaGraphExec_t executable;
            CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
            work();
            CHECK(cudaStreamEndCapture(s, &graph));
            CHECK(cudaGraphInstantiate(&executable, graph, 0));
            CHECK(cudaGraphLaunch(executable, s));
            CHECK(cudaStreamSynchronize(s));
            CHECK(cudaGraphExecDestroy(executable));
            CHECK(cudaGraphDestroy(graph));
        } else {
            last<<<1, 32, 0, s>>>(100000);      /* all is queued before the first begins */
            work();
        }
        CHECK(cudaStreamSynchronize(s));
        CHECK(cudaMemcpy(&r, on_card, sizeof r, cudaMemcpyDefault));
        const unsigned long long begin = r.at.begin;
        const unsigned long long ends[] = { r.at.trigger ? r.at.trigger : begin, r.at.end, r.at.second_begin, r.at.prologue_end,
                                            r.at.synced, r.at.second_end, r.at.third_begin };
        for (int n = 0; n < 7; n++)
            v[n].push_back(us(begin, ends[n]));
        const struct seen *three[] = { &r.before_trigger, &r.at_end, &r.cached };
        for (int n = 0; n < 3; n++)
            seen[3 * n] += three[n]->at_begin, seen[3 * n + 1] += three[n]->at_prologue_end, seen[3 * n + 2] += three[n]->synced;
    }
    static const char *const whats[] = { "primary triggers", "primary ends", "secondary begins", "prologue ends", "secondary synchronised",
                                         "secondary ends", "third (plain) begins" };
    for (int n = 0; n < 7; n++)
        row(std::string(w.name) + ": " + whats[n], v[n], "us");
    static const char *const words_are[] = { "written before the trigger", "written at the end", "written at the end, plain load" };
    static const char *const when[] = { "at the secondary's begin", "at its prologue's end", "after it synchronised" };
    for (int n = 0; n < 9; n++)
        row(std::string(w.name) + ": word " + words_are[n / 3] + ", seen " + when[n % 3], seen[n], "of 20");
}

void edge()
{
    static const struct shape shapes[] = {
        { "no attribute, trigger at 100", 200000, 100000, 1, 128, 1, false, true, false },
        { "trigger at 100", 200000, 100000, 1, 128, 1, true, true, false },
        { "trigger at once", 200000, 0, 1, 128, 1, true, true, false },
        { "never triggers", 200000, -1, 1, 128, 1, true, true, false },
        { "trigger at once, secondary never synchronises", 200000, 0, 1, 128, 1, true, false, false },
        { "trigger at 190", 200000, 190000, 1, 128, 1, true, true, false },
        { "one of two blocks triggers at once", 200000, 0, 2, 128, 1, true, true, false },
        { "full card triggers at once", 200000, 0, 264, 1024, 264, true, true, false },
        { "two waves trigger at once", 100000, 0, 528, 1024, 528, true, true, false },
        { "graph, no attribute", 200000, 100000, 1, 128, 1, false, true, true },
        { "graph, trigger at 100", 200000, 100000, 1, 128, 1, true, true, true },
        { "graph, trigger at once", 200000, 0, 1, 128, 1, true, true, true },
        { "graph, never triggers", 200000, -1, 1, 128, 1, true, true, true },
    };
    cudaStream_t s = new_stream();
    unsigned *words;
    struct record *r;
    CHECK(cudaMalloc((void **)&words, 96 * sizeof *words));
    CHECK(cudaMalloc((void **)&r, sizeof *r));
    warm_up();
    for (const struct shape &w : shapes)
        ask(w, s, words, r);
}

/* ---- a chain ---- */

enum { LINKS = 200, NEVER = 0, FIRST = 1, AFTER = 2 };
struct link { unsigned long long begin, synced, end; };

static __global__ void member(long long prologue, long long work, int trigger, struct link *at)
{
    unsigned long long begin = device_ns();
    if (trigger == FIRST)
        cudaTriggerProgrammaticLaunchCompletion();
    until(begin + prologue);
    cudaGridDependencySynchronize();
    unsigned long long synced = device_ns();
    if (trigger == AFTER)
        cudaTriggerProgrammaticLaunchCompletion();
    until(synced + work);
    if (threadIdx.x == 0)
        at->begin = begin, at->synced = synced, at->end = device_ns();
}

struct way { const char *name; bool attribute; int trigger; };
static const struct way ways[] = { { "plain", false, NEVER }, { "attribute, no trigger", true, NEVER },
                                   { "attribute, trigger first", true, FIRST }, { "attribute, trigger after the sync", true, AFTER } };
struct size { const char *name; long long prologue, work; };
static const struct size sizes[] = { { "4 + 6 us", 4000, 6000 }, { "0 us", 0, 0 } };

static void queue_chain(cudaStream_t s, const struct way &w, const struct size &z, struct link *links, values *calls)
{
    std::vector<cudaLaunchAttribute> with;
    if (w.attribute)
        with.push_back(programmatic());
    for (int i = 0; i < LINKS; i++) {
        double one = us_of([&] {
            CHECK(launch_with(s, 1, 32, with, member, z.prologue, z.work, w.trigger, links + i));
        });
        if (calls)
            calls->push_back(one);
    }
}

/* Total from the first one's begin to the last one's end, the gap from one's end to the next one's sync, and its begin. */
static void read_chain(const struct link *on_card, values *total, values *gaps, values *begins)
{
    static struct link l[LINKS];
    CHECK(cudaMemcpy(l, on_card, sizeof l, cudaMemcpyDefault));
    total->push_back(us(l[0].begin, l[LINKS - 1].end));
    for (int i = 1; i < LINKS; i++)
        gaps->push_back(us(l[i - 1].end, l[i].synced)), begins->push_back(us(l[i - 1].end, l[i].begin));
}

void chain()
{
    cudaStream_t s = new_stream();
    struct link *links;
    CHECK(cudaMalloc((void **)&links, LINKS * sizeof *links));
    warm_up();
    for (const struct size &z : sizes)
        for (const struct way &w : ways) {
            values total, gaps, begins, calls, host, host_calls;
            for (int i = 0; i < 6; i++) {
                last<<<1, 32, 0, s>>>(3000000);
                queue_chain(s, w, z, links, i ? &calls : NULL);
                CHECK(cudaStreamSynchronize(s));
                if (i)
                    read_chain(links, &total, &gaps, &begins);
                double one = us_of([&] {
                    queue_chain(s, w, z, links, i ? &host_calls : NULL);
                    CHECK(cudaStreamSynchronize(s));
                });
                if (i)
                    host.push_back(one);
            }
            std::string name = std::string("200 of ") + z.name + ", " + w.name + ": ";
            row(name + "all queued before, first begin to last end", total, "us");
            row(name + "end of one to sync of next", gaps, "us");
            row(name + "end of one to begin of next", begins, "us");
            row(name + "launch call, queue held", calls, "us");
            row(name + "nothing queued before, first call to host's end of wait", host, "us");
            row(name + "launch call, queue empty", host_calls, "us");
        }
    values plain;
    for (int i = 0; i < 200; i++)
        plain.push_back(us_of([&] { last<<<1, 32, 0, s>>>(0); }));
    CHECK(cudaDeviceSynchronize());
    row("launch call <<<>>>", plain, "us");
}

void chain_graph()
{
    cudaStream_t s = new_stream();
    struct link *links;
    CHECK(cudaMalloc((void **)&links, LINKS * sizeof *links));
    warm_up();
    for (const struct size &z : sizes)
        for (const struct way &w : ways) {
            cudaGraph_t graph;
            cudaGraphExec_t executable;
            values total, gaps, begins, host;
            CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
            queue_chain(s, w, z, links, NULL);
            CHECK(cudaStreamEndCapture(s, &graph));
            size_t edges = 0, nodes = 0, programmatic_edges = 0;
            CHECK(cudaGraphGetNodes(graph, NULL, &nodes));
            CHECK(cudaGraphGetEdges(graph, NULL, NULL, NULL, &edges));
            std::vector<cudaGraphNode_t> from(edges), to(edges);
            std::vector<cudaGraphEdgeData> data(edges);
            CHECK(cudaGraphGetEdges(graph, from.data(), to.data(), data.data(), &edges));
            for (const cudaGraphEdgeData &d : data)
                programmatic_edges += d.type == cudaGraphDependencyTypeProgrammatic;
            CHECK(cudaGraphInstantiate(&executable, graph, 0));
            for (int i = 0; i < 6; i++) {
                double one = us_of([&] {
                    CHECK(cudaGraphLaunch(executable, s));
                    CHECK(cudaStreamSynchronize(s));
                });
                if (i) {
                    host.push_back(one);
                    read_chain(links, &total, &gaps, &begins);
                }
            }
            std::string name = std::string("graph of 200 of ") + z.name + ", " + w.name + ": ";
            row(name + "programmatic edges", (double)programmatic_edges, "edges");
            row(name + "edges", (double)edges, "edges");
            row(name + "first begin to last end", total, "us");
            row(name + "end of one to sync of next", gaps, "us");
            row(name + "end of one to begin of next", begins, "us");
            row(name + "launch call to host's end of wait", host, "us");
            CHECK(cudaGraphExecDestroy(executable));
            CHECK(cudaGraphDestroy(graph));
        }
}
