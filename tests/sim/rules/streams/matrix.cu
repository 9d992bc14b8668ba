/* SPDX-License-Identifier: MIT */
/* Every kind of stream behind every other [M, S]: does an empty kernel wait for the long one? */
#include "../rule.h"

enum { LEGACY, BLOCKING, OTHER, FREE, PER_THREAD, HANDLE, KINDS };

static cudaStream_t streams[KINDS];

static bool waits(cudaStream_t first, cudaStream_t second, bool event_alone = false)
{
    CHECK(cudaDeviceSynchronize());
    cudaEvent_t done = event();
    busy<<<1, 1, 0, first>>>(LONG);
    if (!event_alone)
        busy<<<1, 1, 0, second>>>(0);
    CHECK(cudaEventRecord(done, second));
    bool waited = is_long(took([&] { CHECK(cudaEventSynchronize(done)); }));
    CHECK(cudaEventDestroy(done));
    CHECK(cudaDeviceSynchronize());
    return waited;
}

/* Does the row behave as `pattern` says, a letter for each column: w waits, . runs at once? */
static bool row(int first, const char *pattern)
{
    bool holds = true;
    for (int second = 0; second < KINDS; second++)
        holds = holds && waits(streams[first], streams[second]) == (pattern[second] == 'w');
    return holds;
}

/* Does an event recorded in the second stream wait where an empty kernel would? */
static bool events_as_kernels()
{
    bool holds = true;
    for (cudaStream_t first : streams)
        for (cudaStream_t second : streams)
            holds = holds && waits(first, second, true) == waits(first, second);
    return holds;
}

int main()
{
    int *d = on_device<int>(4);
    warm_up(d);
    streams[BLOCKING] = stream();
    streams[OTHER] = stream();
    streams[FREE] = stream(cudaStreamNonBlocking);
    streams[PER_THREAD] = cudaStreamPerThread;
    streams[HANDLE] = cudaStreamLegacy;
    rule(row(LEGACY, "www.ww"), "all streams but non-blocking ones wait for the default stream");
    rule(row(HANDLE, "www.ww"), "all streams but non-blocking ones wait for cudaStreamLegacy");
    rule(row(BLOCKING, "ww...w"), "itself and the default stream wait for a blocking stream, no other");
    rule(row(FREE, "...w.."), "itself alone waits for a non-blocking stream");
    rule(row(PER_THREAD, "w...ww"), "itself and the default stream wait for the per-thread default stream, no other");

    rule(events_as_kernels(), "an event waits in each stream as a kernel does");     /* [S] */

    cudaEvent_t mark = event();
    busy<<<1, 1, 0, streams[FREE]>>>(LONG);
    CHECK(cudaEventRecord(mark, streams[FREE]));
    CHECK(cudaStreamWaitEvent(0, mark, 0));
    busy<<<1, 1, 0, streams[BLOCKING]>>>(0);
    rule(is_long(took([&] { CHECK(cudaStreamSynchronize(streams[BLOCKING])); })),
         "a blocking stream waits for an event that the default stream waits for");
    CHECK(cudaDeviceSynchronize());
    return rules_end();
}
