/* SPDX-License-Identifier: MIT */
/*
 * What graphs cost the host.
 * [G]: CUDA Programming Guide, "CUDA Graphs"; [M]: measured on an H200 (facts/h200.json: graph_make, graph_load_kernel,
 * graph_call_copy and their like), with room.
 */
#include "../rule.h"

#include <algorithm>

enum { FEW = 2, MANY = 200, BRANCHES = 32, TIMES = 5, BYTES = 4096 };

static cudaStream_t s[BRANCHES];
static cudaEvent_t meet;
static char *host, *device;

__global__ void nothing()
{
}

/* `branches` branches of `steps` kernels or copies. */
static cudaGraph_t capture(int branches, int steps, bool copies)
{
    cudaGraph_t graph;
    CHECK(cudaStreamBeginCapture(s[0], cudaStreamCaptureModeGlobal));
    CHECK(cudaEventRecord(meet, s[0]));
    for (int i = 1; i < branches; i++)
        CHECK(cudaStreamWaitEvent(s[i], meet, 0));
    for (int i = 0; i < branches; i++)
        for (int step = 0; step < steps; step++)
            if (copies)
                CHECK(cudaMemcpyAsync(device, host, BYTES, cudaMemcpyHostToDevice, s[i]));
            else
                nothing<<<1, 1, 0, s[i]>>>();
    for (int i = 1; i < branches; i++) {
        CHECK(cudaEventRecord(meet, s[i]));
        CHECK(cudaStreamWaitEvent(s[0], meet, 0));
    }
    CHECK(cudaStreamEndCapture(s[0], &graph));
    return graph;
}

struct cost { double make, first, again; };

static double middle(double *ns)
{
    std::sort(ns, ns + TIMES);
    return ns[TIMES / 2];
}

template <typename F> static double ns_of(F call)
{
    long long begin = now_ns();
    call();
    return (double)(now_ns() - begin);
}

static cost cost_of(int branches, int steps, bool copies, bool uploads)
{
    double make[TIMES], first[TIMES], again[TIMES];
    for (int i = 0; i < TIMES; i++) {
        cudaGraph_t graph = capture(branches, steps, copies);
        cudaGraphExec_t exec;
        make[i] = ns_of([&] { CHECK(cudaGraphInstantiate(&exec, graph, 0)); });
        if (uploads)
            CHECK(cudaGraphUpload(exec, s[0]));
        CHECK(cudaDeviceSynchronize());
        first[i] = ns_of([=] { CHECK(cudaGraphLaunch(exec, s[0])); });
        CHECK(cudaDeviceSynchronize());
        again[i] = ns_of([=] { CHECK(cudaGraphLaunch(exec, s[0])); });
        CHECK(cudaDeviceSynchronize());
        CHECK(cudaGraphExecDestroy(exec));
        CHECK(cudaGraphDestroy(graph));
    }
    return { middle(make), middle(first), middle(again) };
}

int main()
{
    for (auto &stream : s)
        CHECK(cudaStreamCreate(&stream));
    CHECK(cudaEventCreateWithFlags(&meet, cudaEventDisableTiming));
    CHECK(cudaMallocHost(&host, BYTES));
    CHECK(cudaMalloc(&device, BYTES));
    cost_of(1, MANY, false, false);
    cost few = cost_of(1, FEW, false, false), row = cost_of(1, MANY, false, false), copies = cost_of(1, MANY, true, false);
    cost wide = cost_of(BRANCHES, 1, false, false), uploaded = cost_of(1, MANY, false, true);
    rule(row.make > 5 * few.make, "the more nodes a graph has, the longer it takes to make it ready");
    rule(row.first > 5 * row.again, "the first launch of a graph of many kernels takes longer than the second");
    rule(uploaded.first * 5 < row.first, "but not of one that was uploaded before");
    rule(row.again < 4 * few.again, "launching kernels in a row takes about as long, however many they are");
    rule(copies.again > 5 * row.again, "launching as many copies takes longer");
    rule(wide.again > 4 * few.again, "and so do kernels in branches");
    CHECK(cudaFree(device));
    CHECK(cudaFreeHost(host));
    CHECK(cudaEventDestroy(meet));
    for (auto &stream : s)
        CHECK(cudaStreamDestroy(stream));
    return rules_end();
}
