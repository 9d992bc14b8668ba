/* SPDX-License-Identifier: MIT */
/*
 * Stream capture: what goes into a graph, and what may not be done meanwhile.
 * [G]: CUDA Programming Guide, "CUDA Graphs"; [H]: cuda_runtime_api.h; [M]: measured on an H200.
 */
#include "../rule.h"

static cudaGraph_t end(cudaStream_t s)
{
    cudaGraph_t graph;
    CHECK(cudaStreamEndCapture(s, &graph));
    return graph;
}

static cudaGraphExec_t instance(cudaGraph_t graph)
{
    cudaGraphExec_t exec;
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphDestroy(graph));
    return exec;
}

static void begin(cudaStream_t s)
{
    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
}

static cudaStreamCaptureStatus state(cudaStream_t s)
{
    cudaStreamCaptureStatus status;
    CHECK(cudaStreamIsCapturing(s, &status));
    return status;
}

/* Does a capture during which `something` is done give this error, and is it invalid then? */
template <typename F> static bool spoils(cudaStream_t s, cudaError_t error, F something)
{
    begin(s);
    busy<<<1, 1, 0, s>>>(0);
    bool seen = something() == error, invalid = state(s) == cudaStreamCaptureStatusInvalidated;
    cudaGraph_t graph = (cudaGraph_t)&broken;
    bool refused = cudaStreamEndCapture(s, &graph) == cudaErrorStreamCaptureInvalidated && graph == NULL;
    forget_errors();
    return seen && invalid && refused && state(s) == cudaStreamCaptureStatusNone;
}

static void CUDART_CB called(cudaStream_t, cudaError_t, void *)
{
}

static void add_one(void *counter)
{
    ++*(int *)counter;
}

int main()
{
    int *d = on_device<int>(4), *h = pinned<int>(4), *from = pinned<int>(1), counter = 0;
    warm_up(d);
    cudaStream_t s = stream(), t = stream(), free_s = stream(cudaStreamNonBlocking);
    cudaEvent_t fork = event(), join = event(), mark = event();

    rule(state(s) == cudaStreamCaptureStatusNone, "a stream does not capture by itself");
    begin(s);
    rule(state(s) == cudaStreamCaptureStatusActive && state(t) == cudaStreamCaptureStatusNone,
         "a stream captures from its begin on, and no other does");
    CHECK(cudaMemcpyAsync(d, from, sizeof(int), cudaMemcpyHostToDevice, s));
    copy_int<<<1, 1, 0, s>>>(d + 1, d);
    CHECK(cudaMemcpyAsync(h, d + 1, sizeof(int), cudaMemcpyDeviceToHost, s));
    CHECK(cudaMemsetAsync(d + 1, 0, sizeof(int), s));
    CHECK(cudaLaunchHostFunc(s, add_one, &counter));
    unsigned long long id = 0, other = 0;
    cudaStreamCaptureStatus status;
    CHECK(cudaStreamGetCaptureInfo(s, &status, &id));
    cudaGraphExec_t exec = instance(end(s));
    rule(state(s) == cudaStreamCaptureStatusNone, "a stream does not capture any more after the end");
    CHECK(cudaDeviceSynchronize());
    rule(h[0] == 0 && counter == 0, "what is captured does not run");

    from[0] = 3;
    CHECK(cudaGraphLaunch(exec, s));
    CHECK(cudaStreamSynchronize(s));
    rule(h[0] == 3 && counter == 1, "a launched graph does what was captured, in its order");
    from[0] = 4;
    CHECK(cudaGraphLaunch(exec, t));
    CHECK(cudaStreamSynchronize(t));
    rule(h[0] == 4 && counter == 2, "it can be launched again, in another stream, and reads its memory then");
    CHECK(cudaGraphExecDestroy(exec));

    begin(s);
    int value = 5;
    put<<<1, 1, 0, s>>>(d, value, 0);
    value = 6;
    exec = instance(end(s));
    CHECK(cudaGraphLaunch(exec, s));
    CHECK(cudaMemcpyAsync(h, d, sizeof(int), cudaMemcpyDeviceToHost, s));
    CHECK(cudaStreamSynchronize(s));
    rule(h[0] == 5, "a kernel's arguments are those of the capture");
    CHECK(cudaGraphExecDestroy(exec));

    /* A fork and a join through events; each branch takes LONG. */
    begin(s);
    CHECK(cudaStreamGetCaptureInfo(s, &status, &other));
    rule(status == cudaStreamCaptureStatusActive && other != id, "each capture has a number of its own");
    busy<<<1, 1, 0, s>>>(0);
    CHECK(cudaEventRecord(fork, s));
    CHECK(cudaStreamWaitEvent(t, fork, 0));
    rule(state(t) == cudaStreamCaptureStatusActive, "a stream that waits for a captured event joins the capture");
    busy<<<1, 1, 0, s>>>(LONG);
    put<<<1, 1, 0, t>>>(d, 8, LONG);
    CHECK(cudaEventRecord(join, t));
    CHECK(cudaStreamWaitEvent(s, join, 0));
    CHECK(cudaMemcpyAsync(h, d, sizeof(int), cudaMemcpyDeviceToHost, s));
    exec = instance(end(s));
    rule(state(t) == cudaStreamCaptureStatusNone, "the end of a capture ends it in the streams that joined");
    long long both = took([&] {
        CHECK(cudaGraphLaunch(exec, s));
        CHECK(cudaStreamSynchronize(s));
    });
    rule(both > LONG && both < 3 * LONG / 2, "branches of a graph run side by side");
    rule(h[0] == 8, "what comes after a join waits for all branches");

    rule(!is_long(took([&] { CHECK(cudaGraphLaunch(exec, s)); })), "the launch of a graph returns before it has run");
    long long two = took([&] {
        CHECK(cudaGraphLaunch(exec, s));
        CHECK(cudaStreamSynchronize(s));
    });
    rule(two > 3 * LONG / 2, "two launches in one stream run one after the other");
    CHECK(cudaGraphLaunch(exec, s));
    CHECK(cudaEventRecord(mark, t));
    rule(!is_long(took([&] { CHECK(cudaEventSynchronize(mark)); })),
         "a launch is ordered in the stream that it is launched in, not in those that were captured");
    CHECK(cudaMemsetAsync(d, 0, sizeof(int), s));
    CHECK(cudaEventRecord(mark, s));
    rule(is_long(took([&] { CHECK(cudaEventSynchronize(mark)); })), "later work of the stream waits for the whole graph");
    CHECK(cudaDeviceSynchronize());
    busy<<<1, 1, 0, s>>>(LONG);
    CHECK(cudaGraphLaunch(exec, s));
    CHECK(cudaGraphExecDestroy(exec));
    rule(took([&] { CHECK(cudaStreamSynchronize(s)); }) > 3 * LONG / 2,
         "a graph waits for earlier work of its stream, and is run though it was destroyed after the launch");

    /* What is not allowed. */
    rule(cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal) == cudaErrorStreamCaptureUnsupported,
         "the legacy default stream cannot be captured [M]");
    forget_errors();
    cudaGraph_t graph;
    begin(s);
    CHECK(cudaEventRecord(fork, s));
    CHECK(cudaStreamWaitEvent(t, fork, 0));
    busy<<<1, 1, 0, t>>>(0);
    rule(cudaStreamEndCapture(s, &graph) == cudaErrorStreamCaptureUnjoined, "a fork has to be joined [M]");
    forget_errors();
    rule(state(s) == cudaStreamCaptureStatusNone && state(t) == cudaStreamCaptureStatusNone,
         "a capture that failed to end has ended");

    begin(s);
    CHECK(cudaEventRecord(fork, s));
    CHECK(cudaStreamWaitEvent(t, fork, 0));
    rule(cudaStreamEndCapture(t, &graph) == cudaErrorStreamCaptureUnmatched,
         "a capture ends in the stream in which it began [H]");
    forget_errors();
    cudaStreamEndCapture(s, &graph);
    forget_errors();

    rule(spoils(s, cudaErrorStreamCaptureUnsupported, [&] { return cudaStreamSynchronize(s); }),
         "a capturing stream cannot be synchronised; the capture is then invalid [G]");
    rule(spoils(s, cudaErrorStreamCaptureUnsupported, [&] { return cudaStreamQuery(s); }),
         "a capturing stream cannot be queried [G]");
    rule(spoils(s, cudaErrorStreamCaptureUnsupported, [&] { return cudaDeviceSynchronize(); }),
         "the device cannot be synchronised while a stream captures [G]");
    rule(spoils(s, cudaErrorStreamCaptureImplicit, [&] { return cudaMemcpy(d, h, sizeof(int), cudaMemcpyHostToDevice); }),
         "a copy in the default stream is refused while a blocking stream captures [G]");
    rule(spoils(s, cudaErrorStreamCaptureImplicit, [&] {
             busy<<<1, 1>>>(0);
             return cudaGetLastError();
         }),
         "a launch in the default stream is refused while a blocking stream captures [G]");
    rule(spoils(s, cudaErrorStreamCaptureUnsupported, [&] {
             int *p;
             return cudaMalloc(&p, 4);
         }),
         "cudaMalloc is refused while a capture in global mode goes on [H]");
    rule(spoils(s, cudaErrorCapturedEvent, [&] {
             CHECK(cudaEventRecord(mark, s));
             return cudaEventSynchronize(mark);
         }),
         "an event recorded in a capture cannot be waited for by the host [G]");
    rule(spoils(s, cudaErrorStreamCaptureUnsupported, [&] { return cudaStreamAddCallback(s, called, NULL, 0); }),
         "a callback cannot be captured [G]");
    CHECK(cudaEventRecord(mark, t));
    CHECK(cudaDeviceSynchronize());
    rule(spoils(s, cudaErrorStreamCaptureIsolation, [&] { return cudaStreamWaitEvent(s, mark, 0); }),
         "a capture cannot wait for work outside of it [G]");

    begin(s);
    CHECK(cudaStreamBeginCapture(t, cudaStreamCaptureModeGlobal));
    CHECK(cudaEventRecord(fork, t));
    rule(cudaStreamWaitEvent(s, fork, 0) == cudaErrorStreamCaptureMerge, "two captures cannot become one [G]");
    rule(cudaStreamEndCapture(s, &graph) == cudaErrorStreamCaptureInvalidated &&
             cudaStreamEndCapture(t, &graph) == cudaErrorStreamCaptureInvalidated,
         "both are invalid when it is tried [G]");
    forget_errors();

    begin(s);
    CHECK(cudaStreamIsCapturing(s, &status));
    rule(cudaStreamIsCapturing(cudaStreamLegacy, &status) == cudaErrorStreamCaptureImplicit,
         "the default stream cannot be asked while a blocking stream captures [H]");
    forget_errors();
    rule(state(s) == cudaStreamCaptureStatusActive, "asking it does no harm to the capture [H]");
    CHECK(cudaGraphDestroy(end(s)));

    CHECK(cudaStreamBeginCapture(free_s, cudaStreamCaptureModeRelaxed));
    busy<<<1, 1, 0, free_s>>>(0);
    int *p = NULL;
    rule(cudaMalloc(&p, 4) == cudaSuccess, "cudaMalloc is allowed while captures are in relaxed mode [H]");
    busy<<<1, 1>>>(0);
    rule(cudaGetLastError() == cudaSuccess, "the default stream is free while only non-blocking streams capture [G]");
    CHECK(cudaGraphDestroy(end(free_s)));
    CHECK(cudaFree(p));
    return rules_end();
}
