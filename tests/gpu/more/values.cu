/* SPDX-License-Identifier: MIT */
/* A stream that waits for a value in memory, against events; copies in a batch, against single ones; a loop in a graph,
 * against one on the host. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"

static __global__ void spin_until_end(long long ns, unsigned long long *end)
{
    kernel_cost(ns);
    *end = device_ns();
}

static __global__ void begins(unsigned long long *begin) { *begin = device_ns(); }

static __global__ void raise(volatile unsigned *flag, unsigned value)
{
    *flag = value;
    __threadfence_system();
}

static void await(volatile unsigned *flag, unsigned value)
{
    for (long long end = now_ns() + 1000000000; *flag != value;)
        if (now_ns() > end) {
            fprintf(stderr, "more: the value has not come within a second\n");
            exit(1);
        }
}

void value_waits()
{
    enum { TIMES = 30 };
    cudaStream_t a = new_stream(), b = new_stream();
    cudaEvent_t e;
    unsigned long long *at, times[2];
    unsigned *on_card, *pinned, value = 0;
    auto write = DRIVER(cuStreamWriteValue32);
    auto wait = DRIVER(cuStreamWaitValue32);
    CHECK(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
    CHECK(cudaMalloc((void **)&at, 2 * sizeof *at));
    CHECK(cudaMalloc((void **)&on_card, 256));
    CHECK(cudaMemset(on_card, 0, 256));
    CHECK(cudaMallocHost((void **)&pinned, 4096));
    memset(pinned, 0, 4096);
    volatile unsigned *up = pinned, *down = pinned + 64;
    warm_up();
    enum { SAME, EVENT, CARD, PINNED, WAYS };
    static const char *const ways[WAYS] = { "same stream", "event", "value on the card", "value in pinned memory" };
    for (int way = 0; way < WAYS; way++) {
        values gap, gap_live, first_call, second_call;
        for (int i = -2; i < TIMES; i++) {
            bool held = i % 2;          /* all is queued before the kernel begins; else while it runs */
            CUdeviceptr flag = (CUdeviceptr)(way == CARD ? on_card : pinned);
            double one = 0, two = 0;
            value++;
            if (held)
                last<<<1, 32, 0, a>>>(100000);
            spin_until_end<<<1, 32, 0, a>>>(200000, at);
            if (way == EVENT) {
                one = us_of([&] { CHECK(cudaEventRecord(e, a)); });
                two = us_of([&] { CHECK(cudaStreamWaitEvent(b, e, 0)); });
            } else if (way != SAME) {
                one = us_of([&] { TRY(write((CUstream)a, flag, value, 0)); });
                two = us_of([&] { TRY(wait((CUstream)b, flag, value, CU_STREAM_WAIT_VALUE_GEQ)); });
            }
            begins<<<1, 1, 0, way == SAME ? a : b>>>(at + 1);
            CHECK(cudaDeviceSynchronize());
            CHECK(cudaMemcpy(times, at, sizeof times, cudaMemcpyDefault));
            if (i >= 0) {
                (held ? gap : gap_live).push_back(((double)times[1] - (double)times[0]) / 1e3);
                if (way != SAME)
                    first_call.push_back(one), second_call.push_back(two);
            }
        }
        row(std::string(ways[way]) + ": end of a kernel to begin of the next, a kernel before", gap, "us");
        row(std::string(ways[way]) + ": end of a kernel to begin of the next", gap_live, "us");
        row(std::string(ways[way]) + ": call that records or writes", first_call, "us");
        row(std::string(ways[way]) + ": call that makes wait", second_call, "us");
    }
    values there, kernel, signal, call, sync;
    for (int i = -2; i < TIMES; i++) {
        value++;
        TRY(wait((CUstream)b, (CUdeviceptr)pinned, value, CU_STREAM_WAIT_VALUE_GEQ));
        TRY(write((CUstream)b, (CUdeviceptr)(pinned + 64), value, 0));
        host_work(100000);
        double one = us_of([&] { *up = value; await(down, value); });
        CHECK(cudaStreamSynchronize(b));
        value++;
        TRY(wait((CUstream)b, (CUdeviceptr)pinned, value, CU_STREAM_WAIT_VALUE_GEQ));
        raise<<<1, 1, 0, b>>>(down, value);
        host_work(100000);
        double two = us_of([&] { *up = value; await(down, value); });
        CHECK(cudaStreamSynchronize(b));
        value++;
        double three = us_of([&] { raise<<<1, 1, 0, b>>>(down, value); await(down, value); });
        CHECK(cudaStreamSynchronize(b));
        value++;
        double four = us_of([&] { TRY(write((CUstream)b, (CUdeviceptr)(pinned + 64), value, 0)); await(down, value); });
        CHECK(cudaStreamSynchronize(b));
        double five = us_of([&] { raise<<<1, 1, 0, b>>>(down, value); CHECK(cudaStreamSynchronize(b)); });
        *up = value;
        if (i >= 0)
            there.push_back(one), kernel.push_back(two), signal.push_back(three), call.push_back(four), sync.push_back(five);
    }
    row("host writes, stream waits and writes back: host to host", there, "us");
    row("host writes, stream waits, kernel writes back: host to host", kernel, "us");
    row("launch of a kernel that writes, host polls", signal, "us");
    row("value written by a call, host polls", call, "us");
    row("launch of a kernel, cudaStreamSynchronize", sync, "us");
}

void batch()
{
    enum { TIMES = 20, MOST = 64 };
    static const size_t sizes[] = { 4096, 65536, 1 << 20 };
    cudaStream_t s = new_stream();
    char *device, *pinned;
    CHECK(cudaMalloc((void **)&device, (size_t)MOST << 20));
    CHECK(cudaMallocHost((void **)&pinned, (size_t)MOST << 20));
    memset(pinned, 1, (size_t)MOST << 20);
    warm_up();
    for (size_t size : sizes)
        for (int up = 0; up < 2; up++) {
            void *to[MOST];
            const void *from[MOST];
            size_t bytes[MOST], first = 0;
            struct cudaMemcpyAttributes how = {};
            how.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
            for (size_t i = 0; i < MOST; i++) {
                /* no two of them join */
                char *d = device + ((i * 37 % MOST) << 20), *h = pinned + (i << 20);
                to[i] = up ? d : h, from[i] = up ? h : d, bytes[i] = size;
            }
            enum { SINGLE, BATCH, ONE, WAYS };
            static const char *const ways[WAYS] = { "64 calls", "a batch of 64", "one copy of all bytes" };
            for (int way = 0; way < WAYS; way++) {
                values call, whole;
                for (int i = -2; i < TIMES; i++) {
                    long long begin = now_ns();
                    if (way == SINGLE)
                        for (int n = 0; n < MOST; n++)
                            CHECK(cudaMemcpyAsync(to[n], from[n], size, up ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost, s));
                    else if (way == BATCH)
                        CHECK(cudaMemcpyBatchAsync(to, from, bytes, MOST, &how, &first, 1, s));
                    else
                        CHECK(cudaMemcpyAsync(up ? device : pinned, up ? pinned : device, size * MOST,
                                              up ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost, s));
                    double one = (double)(now_ns() - begin) / 1e3;
                    CHECK(cudaStreamSynchronize(s));
                    if (i >= 0)
                        call.push_back(one), whole.push_back((double)(now_ns() - begin) / 1e3);
                }
                std::string name = "64 x " + std::to_string(size / 1024) + (up ? " KiB up, " : " KiB down, ") + ways[way];
                row(name + ": host's calls", call, "us");
                row(name + ": over", whole, "us");
            }
        }
}

/* ---- 100 rounds of a kernel that says whether there is another ---- */

enum { ROUNDS = 100 };

static __global__ void round_in_graph(int *left, long long ns, cudaGraphConditionalHandle more)
{
    kernel_cost(ns);
    cudaGraphSetConditional(more, --*left > 0);
}

static __global__ void round_alone(int *left, long long ns)
{
    kernel_cost(ns);
    --*left;
}

static __global__ void begin_rounds(int *left) { *left = ROUNDS; }

static cudaGraph_t looping(int *left, long long ns)
{
    cudaGraph_t graph;
    cudaGraphConditionalHandle more;
    cudaGraphNode_t first, node, inner;
    cudaGraphNodeParams p = {}, k = {};
    void *no_more[] = { &left }, *arguments[] = { &left, &ns, &more };
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphConditionalHandleCreate(&more, graph, 1, cudaGraphCondAssignDefault));
    k.type = cudaGraphNodeTypeKernel;
    k.kernel.func = (void *)begin_rounds, k.kernel.gridDim = dim3(1), k.kernel.blockDim = dim3(1), k.kernel.kernelParams = no_more;
    CHECK(cudaGraphAddNode(&first, graph, NULL, NULL, 0, &k));
    p.type = cudaGraphNodeTypeConditional;
    p.conditional.handle = more, p.conditional.type = cudaGraphCondTypeWhile, p.conditional.size = 1;
    CHECK(cudaGraphAddNode(&node, graph, &first, NULL, 1, &p));
    k.kernel.func = (void *)round_in_graph, k.kernel.kernelParams = arguments;
    CHECK(cudaGraphAddNode(&inner, p.conditional.phGraph_out[0], NULL, NULL, 0, &k));
    return graph;
}

void loop()
{
    enum { TIMES = 10 };
    static const long long works[] = { 0, 10000, 50000 };
    cudaStream_t s = new_stream();
    int *left, *pinned;
    CHECK(cudaMalloc((void **)&left, sizeof *left));
    CHECK(cudaMallocHost((void **)&pinned, sizeof *pinned));
    warm_up();
    for (long long ns : works) {
        std::string name = "100 rounds of " + std::to_string(ns / 1000) + " us, ";
        values v[3], in_graph;
        cudaGraph_t unrolled;
        cudaGraphExec_t executables[2];
        cudaGraph_t whole = NULL;
        CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
        begin_rounds<<<1, 1, 0, s>>>(left);
        for (int i = 0; i < ROUNDS; i++)
            round_alone<<<1, 1, 0, s>>>(left, ns);
        CHECK(cudaStreamEndCapture(s, &unrolled));
        CHECK(cudaGraphInstantiate(&executables[1], unrolled, 0));
        for (int i = -1; i < TIMES; i++) {
            double us[3];
            us[0] = us_of([&] {
                begin_rounds<<<1, 1, 0, s>>>(left);
                do {
                    round_alone<<<1, 1, 0, s>>>(left, ns);
                    CHECK(cudaMemcpyAsync(pinned, left, sizeof *left, cudaMemcpyDeviceToHost, s));
                    CHECK(cudaStreamSynchronize(s));
                } while (*pinned > 0);
            });
            us[1] = us_of([&] {
                begin_rounds<<<1, 1, 0, s>>>(left);
                for (int n = 0; n < ROUNDS; n++)
                    round_alone<<<1, 1, 0, s>>>(left, ns);
                CHECK(cudaStreamSynchronize(s));
            });
            us[2] = us_of([&] {
                CHECK(cudaGraphLaunch(executables[1], s));
                CHECK(cudaStreamSynchronize(s));
            });
            for (int n = 0; n < 3 && i >= 0; n++)
                v[n].push_back(us[n]);
        }
        row(name + "host loop with a copy of 4 bytes back", v[0], "us");
        row(name + "100 launches that ask nothing", v[1], "us");
        row(name + "graph of 100 kernels", v[2], "us");
        double made = us_of([&] { whole = looping(left, ns); });
        double instantiated = us_of([&] { CHECK(cudaGraphInstantiate(&executables[0], whole, 0)); });
        for (int i = -1; i < TIMES; i++) {
            double us = us_of([&] {
                CHECK(cudaGraphLaunch(executables[0], s));
                CHECK(cudaStreamSynchronize(s));
            });
            if (i < 0)
                row(name + "graph with a while node: first launch", us, "us");
            else
                in_graph.push_back(us);
        }
        row(name + "graph with a while node: made", made, "us");
        row(name + "graph with a while node: instantiated", instantiated, "us");
        row(name + "graph with a while node", in_graph, "us");
        CHECK(cudaMemcpy(pinned, left, sizeof *left, cudaMemcpyDefault));
        row(name + "graph with a while node: rounds left at the end", *pinned, "rounds");
        for (cudaGraphExec_t e : executables)
            CHECK(cudaGraphExecDestroy(e));
        CHECK(cudaGraphDestroy(whole));
        CHECK(cudaGraphDestroy(unrolled));
    }
}
