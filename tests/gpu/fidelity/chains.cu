/* SPDX-License-Identifier: MIT */
/* What waits for what: events, host functions, graphs, waits of the host, memory of pools. */
#include "scenario.h"

static struct streams s;
static cudaEvent_t events[16];
static char *d, *host;

static void hops(int streams, int count, long long ns)
{
    for (int i = 0; i < count; i++) {
        cudaStream_t here = s.at[i % streams], next = s.at[(i + 1) % streams];
        busy<<<1, 1, 0, here>>>(ns);
        CHECK(cudaEventRecord(events[i % 16], here));
        CHECK(cudaStreamWaitEvent(next, events[i % 16], 0));
    }
}

static void fork_join(int width, long long ns)
{
    CHECK(cudaEventRecord(events[0], s.at[0]));
    for (int i = 1; i < width; i++)
        CHECK(cudaStreamWaitEvent(s.at[i], events[0], 0));
    for (int i = 0; i < width; i++)
        busy<<<1, 1, 0, s.at[i]>>>(ns);
    for (int i = 1; i < width; i++) {
        CHECK(cudaEventRecord(events[i], s.at[i]));
        CHECK(cudaStreamWaitEvent(s.at[0], events[i], 0));
    }
}

static void with_events(void)
{
    for (int us : { 0, 10, 50 })
        for (int streams = 1; streams <= 4; streams *= 2)
            scenario(named("50 kernels of %d us, each after an event of the one before", us), named("%d streams", streams),
                     [=] { hops(streams, 50, us * 1000LL); });
    for (int width : { 2, 4, 8, 16 })
        scenario("fork and join, ten times, 50 us", named("%d wide", width), [=] {
            for (int i = 0; i < 10; i++)
                fork_join(width, 50000);
        });
    for (int count : { 10, 100, 1000 })
        scenario("events recorded in a row", named("%d", count), [=] {
            for (int i = 0; i < count; i++)
                CHECK(cudaEventRecord(events[i % 16], s.at[0]));
        });
    scenario("a copy and a kernel in turn, 50 times", "1 MiB, 10 us", [] {
        for (int i = 0; i < 50; i++) {
            CHECK(cudaMemcpyAsync(d, host, MIB, cudaMemcpyHostToDevice, s.at[0]));
            busy<<<1, 1, 0, s.at[0]>>>(10000);
        }
    });
    scenario("a copy and a kernel in turn, 50 times", "1 MiB to the host, 10 us", [] {
        for (int i = 0; i < 50; i++) {
            busy<<<1, 1, 0, s.at[0]>>>(10000);
            CHECK(cudaMemcpyAsync(host, d, MIB, cudaMemcpyDeviceToHost, s.at[0]));
        }
    });
    scenario("a memset and a kernel in turn, 50 times", "64 KiB, 10 us", [] {
        for (int i = 0; i < 50; i++) {
            CHECK(cudaMemsetAsync(d, 0, 64 * KIB, s.at[0]));
            busy<<<1, 1, 0, s.at[0]>>>(10000);
        }
    });
    scenario("a copy in the device and a kernel in turn, 50 times", "64 KiB, 10 us", [] {
        for (int i = 0; i < 50; i++) {
            CHECK(cudaMemcpyAsync(d, d + MIB, 64 * KIB, cudaMemcpyDeviceToDevice, s.at[0]));
            busy<<<1, 1, 0, s.at[0]>>>(10000);
        }
    });
    scenario("an event recorded in an idle stream and waited for, 50 times", "no timing", [] {
        for (int i = 0; i < 50; i++) {
            CHECK(cudaEventRecord(events[0], s.at[0]));
            CHECK(cudaEventSynchronize(events[0]));
        }
    });
}

static void CUDART_CB works(void *us)
{
    host_work(*(int *)us * 1000LL);
}

static void with_functions(void)
{
    static int none = 0, hundred = 100;
    scenario("a host function and a wait", "no work", [] { CHECK(cudaLaunchHostFunc(s.at[0], works, &none)); });
    scenario("a host function and a wait", "100 us", [] { CHECK(cudaLaunchHostFunc(s.at[0], works, &hundred)); });
    for (int streams : { 1, 2, 4 })
        scenario("8 host functions of 100 us", named("%d streams", streams), [=] {
            for (int i = 0; i < 8; i++)
                CHECK(cudaLaunchHostFunc(s.at[i % streams], works, &hundred));
        });
    for (int us : { 0, 100 })
        scenario("a kernel of 50 us and a host function in turn, ten times", named("%d us", us), [=] {
            for (int i = 0; i < 10; i++) {
                busy<<<1, 1, 0, s.at[0]>>>(50000);
                CHECK(cudaLaunchHostFunc(s.at[0], works, us ? &hundred : &none));
            }
        });
}

/* Records what `work` does in stream 0. */
template <typename F> cudaGraphExec_t graph_of(F work)
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CHECK(cudaStreamBeginCapture(s.at[0], cudaStreamCaptureModeThreadLocal));
    work();
    CHECK(cudaStreamEndCapture(s.at[0], &graph));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaGraphUpload(exec, s.at[0]));
    CHECK(cudaStreamSynchronize(s.at[0]));
    return exec;
}

template <typename F> void graph_and_streams(const char *name, F work)
{
    cudaGraphExec_t exec = graph_of(work);
    scenario(name, "streams", work);
    scenario(name, "a graph", [=] { CHECK(cudaGraphLaunch(exec, s.at[0])); });
    scenario(name, "a graph, ten times", [=] {
        for (int i = 0; i < 10; i++)
            CHECK(cudaGraphLaunch(exec, s.at[0]));
    });
    CHECK(cudaGraphExecDestroy(exec));
}

static void with_graphs(void)
{
    for (int count : { 1, 10, 100 })
        for (int us : { 0, 5 })
            graph_and_streams(named("%d kernels of %d us in a row", count, us), [=] {
                for (int i = 0; i < count; i++)
                    busy<<<1, 1, 0, s.at[0]>>>(us * 1000LL);
            });
    for (int width : { 4, 16 })
        graph_and_streams(named("fork and join of %d, 50 us", width), [=] { fork_join(width, 50000); });
    graph_and_streams("copy, kernel, copy", [] {
        CHECK(cudaMemcpyAsync(d, host, MIB, cudaMemcpyHostToDevice, s.at[0]));
        busy<<<1, 1, 0, s.at[0]>>>(20000);
        CHECK(cudaMemcpyAsync(host, d, MIB, cudaMemcpyDeviceToHost, s.at[0]));
    });
}

static void with_memory(void)
{
    scenario("100 pieces of 1 MiB, taken and given back", "pool", [] {
        for (int i = 0; i < 100; i++) {
            void *p;
            CHECK(cudaMallocAsync(&p, MIB, s.at[0]));
            CHECK(cudaFreeAsync(p, s.at[0]));
        }
    });
    scenario("100 pieces of 1 MiB, taken and given back", "cudaMalloc", [] {
        for (int i = 0; i < 100; i++) {
            void *p;
            CHECK(cudaMalloc(&p, MIB));
            CHECK(cudaFree(p));
        }
    });
    scenario("a kernel of 500 us, cudaFree, another", "wait in cudaFree", [] {
        void *p;
        CHECK(cudaMalloc(&p, MIB));
        busy<<<1, 1, 0, s.at[0]>>>(500000);
        CHECK(cudaFree(p));
        busy<<<1, 1, 0, s.at[1]>>>(500000);
    });
}

static void in_the_default_stream(void)
{
    cudaStream_t blocking[2];
    for (auto &b : blocking)
        CHECK(cudaStreamCreate(&b));
    scenario("kernels of 300 us around one in the NULL stream", "blocking streams", [=] {
        busy<<<1, 1, 0, blocking[0]>>>(300000);
        busy<<<1, 1>>>(300000);
        busy<<<1, 1, 0, blocking[1]>>>(300000);
    });
    scenario("kernels of 300 us around one in the NULL stream", "non-blocking streams", [] {
        busy<<<1, 1, 0, s.at[0]>>>(300000);
        busy<<<1, 1>>>(300000);
        busy<<<1, 1, 0, s.at[1]>>>(300000);
    });
    scenario("a memset in the NULL stream between kernels of 300 us", "blocking streams", [=] {
        busy<<<1, 1, 0, blocking[0]>>>(300000);
        CHECK(cudaMemset(d, 0, 4096));
        busy<<<1, 1, 0, blocking[1]>>>(300000);
    });
}

int main()
{
    begin_scenarios();
    s = make_streams(16);
    for (auto &e : events)
        CHECK(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
    d = device_memory(4 * MIB);
    host = pinned_memory(4 * MIB);
    with_events();
    with_functions();
    with_graphs();
    with_memory();
    in_the_default_stream();
    return 0;
}
