/* SPDX-License-Identifier: MIT */
/* What graphs cost the host: making them ready, launching them for the first time and again, giving them back. */
#include "facts.h"

enum { BRANCHES = 8, STEPS = 24, FEW = 2 };

static struct { cudaStream_t s[BRANCHES]; cudaEvent_t meet; } forked;

struct graph_us { double make, first, again, drop; };

/* `branches` branches of `steps` kernels that do nothing, or of a copy to the device, a kernel, a copy home, and so on. */
static cudaGraph_t capture(int branches, int steps, bool copies)
{
    cudaGraph_t graph;
    CHECK(cudaStreamBeginCapture(forked.s[0], cudaStreamCaptureModeThreadLocal));
    CHECK(cudaEventRecord(forked.meet, forked.s[0]));
    for (int i = 1; i < branches; i++)
        CHECK(cudaStreamWaitEvent(forked.s[i], forked.meet, 0));
    for (int step = 0; step < steps; step++)
        for (int i = 0; i < branches; i++) {
            char *device = t.device + i * (size_t)MIB, *host = t.pinned + i * (size_t)MIB;
            if (!copies || step % 3 == 1)
                busy<<<1, 1, 0, forked.s[i]>>>(0);
            else if (step % 3 == 0)
                CHECK(cudaMemcpyAsync(device, host, 256 * KIB, cudaMemcpyHostToDevice, forked.s[i]));
            else
                CHECK(cudaMemcpyAsync(host, device, 256 * KIB, cudaMemcpyDeviceToHost, forked.s[i]));
        }
    for (int i = 1; i < branches; i++) {
        CHECK(cudaEventRecord(forked.meet, forked.s[i]));
        CHECK(cudaStreamWaitEvent(forked.s[0], forked.meet, 0));
    }
    CHECK(cudaStreamEndCapture(forked.s[0], &graph));
    return graph;
}

static struct graph_us graph_calls(int branches, int steps, bool copies)
{
    cudaGraphExec_t exec;
    cudaGraph_t graph = capture(branches, steps, copies);
    struct graph_us us;
    us.make = ns_of([&] { CHECK(cudaGraphInstantiate(&exec, graph, 0)); }) / 1e3;
    for (double *call : { &us.first, &us.again }) {
        *call = ns_of([=] { CHECK(cudaGraphLaunch(exec, forked.s[0])); }) / 1e3;
        CHECK(cudaDeviceSynchronize());
    }
    us.drop = ns_of([=] { CHECK(cudaGraphExecDestroy(exec)); }) / 1e3;
    CHECK(cudaGraphDestroy(graph));
    return us;
}

void measure_graph_calls(void)
{
    enum { TIMES = 15, VALUES = 8 };
    static double found[VALUES][TIMES];
    for (auto &s : forked.s)
        CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    CHECK(cudaEventCreateWithFlags(&forked.meet, cudaEventDisableTiming));
    for (int i = -2; i < TIMES; i++) {      /* the first ones take memory for them */
        struct graph_us few = graph_calls(1, FEW, false), row = graph_calls(1, STEPS, false);
        struct graph_us wide = graph_calls(BRANCHES, STEPS / BRANCHES, false), copies = graph_calls(1, STEPS, true);
        if (i < 0)
            continue;
        double node = (row.make - few.make) / (STEPS - FEW), dropped = (row.drop - few.drop) / (STEPS - FEW);
        found[0][i] = few.make - FEW * node - value_of("call_other");
        found[1][i] = node;
        found[2][i] = (wide.make - row.make) / (BRANCHES - 1);
        found[3][i] = (row.first - row.again - few.first + few.again) / (STEPS - FEW);
        found[4][i] = (wide.again - row.again) / (BRANCHES - 1);
        found[5][i] = (copies.again - row.again) / (STEPS - STEPS / 3);
        found[6][i] = dropped;
        found[7][i] = (wide.drop - row.drop) / (BRANCHES - 1);
    }
    static const char *const keys[VALUES][2] = {
        { "graph_make", "cudaGraphInstantiate, 2 and 24 kernels in a row: what does not grow with them, less call_other" },
        { "graph_make_node", "likewise: for each further kernel" },
        { "graph_make_root", "24 kernels in 8 branches beside a row: for each further branch" },
        { "graph_load_kernel", "the first launch beside the second, 2 and 24 kernels in a row: for each further kernel" },
        { "graph_call_root", "cudaGraphLaunch again, 24 kernels in 8 branches beside a row: for each further branch" },
        { "graph_call_copy", "likewise, a row of 16 copies and 8 kernels beside 24 kernels: for each further copy" },
        { "graph_drop_node", "cudaGraphExecDestroy, 2 and 24 kernels in a row: for each further kernel" },
        { "graph_drop_root", "likewise, in 8 branches beside a row: for each further branch" },
    };
    for (int k = 0; k < VALUES; k++)
        fact(keys[k][0], "us", middle_of(found[k], TIMES), keys[k][1]);
    for (auto &s : forked.s)
        CHECK(cudaStreamDestroy(s));
    CHECK(cudaEventDestroy(forked.meet));
}
