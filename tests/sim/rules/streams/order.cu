/* SPDX-License-Identifier: MIT */
/* What comes before what: streams, the default streams, waits of the host. */
#include "../rule.h"

/* Does work in `second` wait for a long kernel in `first`? */
static bool waits(cudaStream_t first, cudaStream_t second)
{
    CHECK(cudaDeviceSynchronize());
    cudaEvent_t done = event();
    busy<<<1, 1, 0, first>>>(LONG);
    busy<<<1, 1, 0, second>>>(0);
    CHECK(cudaEventRecord(done, second));
    bool waited = is_long(took([&] { CHECK(cudaEventSynchronize(done)); }));
    CHECK(cudaEventDestroy(done));
    CHECK(cudaDeviceSynchronize());
    return waited;
}

int main()
{
    int *d = on_device<int>(4), *h = pinned<int>(4);
    warm_up(d);
    cudaStream_t a = stream(), b = stream(), free_a = stream(cudaStreamNonBlocking),
                 free_b = stream(cudaStreamNonBlocking);

    rule(!is_long(took([&] { busy<<<1, 1, 0, a>>>(LONG); })), "a launch returns before its kernel has run");
    rule(is_long(took([&] { CHECK(cudaStreamSynchronize(a)); })), "synchronising a stream waits for its work");

    put<<<1, 1, 0, a>>>(d, 7, LONG);
    copy_int<<<1, 1, 0, a>>>(d + 1, d);
    CHECK(cudaMemcpyAsync(h, d + 1, sizeof(int), cudaMemcpyDeviceToHost, a));
    CHECK(cudaStreamSynchronize(a));
    rule(h[0] == 7, "a stream does its work in the order in which it was queued");

    rule(waits(a, a), "work waits for earlier work in its own stream");
    rule(!waits(a, b), "nothing orders two streams");
    rule(waits(a, 0), "the default stream waits for earlier work in a blocking stream");
    rule(waits(0, a), "a blocking stream waits for earlier work in the default stream");
    rule(waits(0, 0), "the default stream is a queue itself");
    rule(!waits(free_a, 0), "the default stream does not wait for a non-blocking stream");
    rule(!waits(0, free_a), "a non-blocking stream does not wait for the default stream");
    rule(!waits(free_a, free_b) && !waits(free_a, a) && !waits(a, free_a),
         "a non-blocking stream waits for no other stream, nor another for it");
    rule(waits(a, cudaStreamLegacy) && waits(cudaStreamLegacy, a), "cudaStreamLegacy is the default stream");
    rule(waits(0, cudaStreamPerThread) && waits(cudaStreamPerThread, 0),
         "the per-thread default stream and the legacy one wait for each other");
    rule(!waits(a, cudaStreamPerThread) && !waits(cudaStreamPerThread, a) && !waits(free_a, cudaStreamPerThread),
         "the per-thread default stream and created streams do not wait for each other");

    busy<<<1, 1, 0, a>>>(LONG);
    rule(!is_long(took([&] { busy<<<1, 1>>>(0); })), "the default stream's barrier does not hold up the host");
    rule(is_long(took([&] { CHECK(cudaStreamSynchronize(0)); })),
         "synchronising the default stream waits for blocking streams");

    busy<<<1, 1, 0, free_a>>>(LONG);
    rule(!is_long(took([&] { CHECK(cudaStreamSynchronize(0)); })),
         "synchronising the default stream does not wait for non-blocking streams");
    rule(is_long(took([&] { CHECK(cudaDeviceSynchronize()); })), "synchronising the device waits for all streams");

    busy<<<1, 1, 0, a>>>(LONG);
    rule(!is_long(took([&] { CHECK(cudaStreamSynchronize(b)); })), "synchronising a stream waits for no other");
    cudaEvent_t mark = event();
    CHECK(cudaEventRecord(mark, 0));
    rule(!is_long(took([&] { CHECK(cudaStreamSynchronize(free_b)); })) &&
             is_long(took([&] { CHECK(cudaEventSynchronize(mark)); })),
         "an event recorded in the default stream waits for blocking streams");

    busy<<<1, 1, 0, a>>>(LONG);
    CHECK(cudaMemsetAsync(d, 0, sizeof(int), 0));
    CHECK(cudaEventRecord(mark, b));
    rule(is_long(took([&] { CHECK(cudaEventSynchronize(mark)); })),
         "a memset in the default stream is part of its barrier");

    busy<<<1, 1, 0, a>>>(LONG);
    rule(cudaStreamQuery(0) == cudaErrorNotReady, "querying the default stream looks at blocking streams");
    rule(cudaGetLastError() == cudaSuccess, "a query that says not ready leaves no error behind");
    rule(cudaStreamQuery(b) == cudaSuccess, "querying a stream looks at no other");
    CHECK(cudaDeviceSynchronize());
    rule(cudaStreamQuery(a) == cudaSuccess, "querying an idle stream gives success");
    return rules_end();
}
