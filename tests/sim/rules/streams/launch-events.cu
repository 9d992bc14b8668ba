/* SPDX-License-Identifier: MIT */
/*
 * Events of a launch's completion (cudaLaunchAttributeLaunchCompletionEvent). [H] is driver_types.h 13.0, which says that all
 * this is a best effort; [M] measured (H200, driver 580.159.04) and written nowhere. Lines with # show what was found.
 */
#include "../rule.h"

static cudaStream_t s, t;

static cudaError_t launch(cudaEvent_t event, int flags, unsigned blocks, size_t shared, long long ns)
{
    cudaLaunchAttribute a;
    cudaLaunchConfig_t c = {};
    memset(&a, 0, sizeof a);
    a.id = cudaLaunchAttributeLaunchCompletionEvent;
    a.val.launchCompletionEvent.event = event;
    a.val.launchCompletionEvent.flags = flags;
    c.gridDim = dim3(blocks);
    c.blockDim = dim3(32);
    c.dynamicSmemBytes = shared;
    c.stream = s;
    c.attrs = &a;
    c.numAttrs = 1;
    return cudaLaunchKernelEx(&c, busy, ns);
}

/* Until work behind the event of such a launch has ended, in shares of LONG; that work takes one. */
static double takes(cudaEvent_t launched, unsigned blocks, size_t shared, long long ns)
{
    cudaEvent_t from = event(), to = event();
    float ms = 0;
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEventRecord(from, s));
    CHECK(launch(launched, 0, blocks, shared, ns));
    CHECK(cudaStreamWaitEvent(t, launched, 0));
    busy<<<1, 1, 0, t>>>(LONG);
    CHECK(cudaEventRecord(to, t));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEventElapsedTime(&ms, from, to));
    printf("# behind the launch of %u blocks: %.2f\n", blocks, ms * 1e6 / (double)LONG);
    return ms * 1e6 / (double)LONG;
}

static bool is_about(double shares, double wanted) { return shares > 0.95 * wanted && shares < 1.05 * wanted; }

/* Which edge a capture makes of it, by its port; -1: there is not one. */
static int captured_port(cudaEvent_t launched, cudaEvent_t join)
{
    int port = -1;
#if CUDART_VERSION >= 13000
    cudaGraph_t graph;
    cudaGraphNode_t from[4], to[4];
    cudaGraphEdgeData data[4];
    size_t count = 4;
    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
    CHECK(launch(launched, 0, 1, 0, 0));
    CHECK(cudaStreamWaitEvent(t, launched, 0));
    busy<<<1, 1, 0, t>>>(0);
    CHECK(cudaEventRecord(join, t));
    CHECK(cudaStreamWaitEvent(s, join, 0));
    CHECK(cudaStreamEndCapture(s, &graph));
    CHECK(cudaGraphGetEdges(graph, from, to, data, &count));
    if (count == 1)
        port = data[0].from_port;
    CHECK(cudaGraphDestroy(graph));
    printf("# port of the captured edge: %d\n", port);
#else
    (void)launched, (void)join;
#endif
    return port;
}

int main()
{
    struct cudaDeviceProp prop;
    CHECK(cudaGetDeviceProperties(&prop, 0));
    if (prop.major < 9 || CUDART_VERSION < 12030)
        return rules_skip("a device of compute capability 9.0, and CUDA 12.3");
    s = stream(cudaStreamNonBlocking), t = stream(cudaStreamNonBlocking);
    int *d = on_device<int>(1);
    warm_up(d);
    cudaEvent_t launched = event(cudaEventDisableTiming), timed = event(), shared_event = event(cudaEventDisableTiming | cudaEventInterprocess);
    const unsigned sms = (unsigned)prop.multiProcessorCount;
    const size_t half = prop.sharedMemPerMultiprocessor / 2 + 1024;
    CHECK(cudaFuncSetAttribute(busy, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)half));
    CHECK(launch(launched, 0, 1, half, 0));
    CHECK(cudaDeviceSynchronize());

    rule(is_about(takes(launched, 1, 0, LONG), 1), "work behind the event of a launch runs beside the kernel [H]");
    rule(is_about(takes(launched, 2 * sms, half, LONG), 2), "from when its last block has begun [H]");
    CHECK(launch(launched, 0, 1, 0, LONG));
    long long waited = took([&] { CHECK(cudaEventSynchronize(launched)); });
    printf("# the host waited %lld ns of %lld\n", waited, LONG);
    rule(!is_long(waited), "and so goes on the host that waits for it [H]");
    CHECK(cudaStreamSynchronize(s));
    rule(cudaEventQuery(launched) == cudaSuccess, "the event is over then");
    rule(launch(timed, 0, 1, 0, 0) == cudaErrorNotSupported, "it takes no times: cudaErrorNotSupported [M]");
    rule(launch(shared_event, 0, 1, 0, 0) == cudaErrorNotSupported, "it is for no other process: cudaErrorNotSupported [M]");
    rule(launch(launched, cudaEventRecordExternal, 1, 0, 0) == cudaErrorIllegalState, "and not external, but in a capture: cudaErrorIllegalState [M]");
    forget_errors();
    rule(CUDART_VERSION < 13000 || captured_port(launched, event(cudaEventDisableTiming)) == 2,
         "a capture makes an edge from the port of launch completion of it [M]");
    return rules_end();
}
