/* SPDX-License-Identifier: MIT */
/* Events: markers in a queue. */
#include "../rule.h"

static float between(cudaEvent_t first, cudaEvent_t second)
{
    float ms = -1;
    CHECK(cudaEventElapsedTime(&ms, first, second));
    return ms;
}

int main()
{
    int *d = on_device<int>(4);
    warm_up(d);
    cudaStream_t a = stream(), b = stream();
    cudaEvent_t e = event(), f = event(), g = event(), never = event(), untimed = event(cudaEventDisableTiming);
    float ms;

    rule(cudaEventQuery(never) == cudaSuccess, "querying an event that was never recorded gives success");
    rule(cudaEventSynchronize(never) == cudaSuccess, "waiting for an event that was never recorded gives success");
    busy<<<1, 1, 0, a>>>(LONG);
    rule(cudaStreamWaitEvent(b, never, 0) == cudaSuccess && !is_long(took([&] { CHECK(cudaStreamSynchronize(b)); })),
         "a stream does not wait for an event that was never recorded");
    CHECK(cudaDeviceSynchronize());

    busy<<<1, 1, 0, a>>>(LONG);
    CHECK(cudaEventRecord(e, a));
    rule(cudaEventQuery(e) == cudaErrorNotReady, "querying an event says not ready before its stream has got there");
    rule(cudaGetLastError() == cudaSuccess, "an event's not ready leaves no error behind");
    busy<<<1, 1, 0, a>>>(5 * LONG);
    long long waited = took([&] { CHECK(cudaEventSynchronize(e)); });
    rule(is_long(waited) && waited < 3 * LONG, "waiting for an event waits for what was queued before it only");
    rule(cudaEventQuery(e) == cudaSuccess, "querying an event that has passed gives success");
    CHECK(cudaDeviceSynchronize());

    busy<<<1, 1, 0, a>>>(LONG);
    CHECK(cudaEventRecord(e, a));
    rule(!is_long(took([&] { CHECK(cudaStreamWaitEvent(b, e, 0)); })), "a stream's wait does not hold up the host");
    rule(is_long(took([&] { CHECK(cudaStreamSynchronize(b)); })), "a stream waits for an event of another stream");

    busy<<<1, 1, 0, b>>>(0);
    CHECK(cudaEventRecord(f, b));
    busy<<<1, 1, 0, a>>>(LONG);
    CHECK(cudaEventRecord(e, a));
    CHECK(cudaStreamWaitEvent(b, e, 0));
    rule(!is_long(took([&] { CHECK(cudaEventSynchronize(f)); })), "a stream's wait holds later work only");
    CHECK(cudaDeviceSynchronize());

    CHECK(cudaEventRecord(e, a));
    CHECK(cudaStreamWaitEvent(b, e, 0));
    busy<<<1, 1, 0, a>>>(LONG);
    CHECK(cudaEventRecord(e, a));
    rule(!is_long(took([&] { CHECK(cudaStreamSynchronize(b)); })), "recording an event again does not move earlier waits");
    CHECK(cudaStreamWaitEvent(b, e, 0));
    rule(is_long(took([&] { CHECK(cudaStreamSynchronize(b)); })), "a later wait takes the later record");

    CHECK(cudaEventRecord(e, a));
    busy<<<1, 1, 0, a>>>(LONG);
    CHECK(cudaEventRecord(f, a));
    rule(cudaEventElapsedTime(&ms, e, f) == cudaErrorNotReady, "no time is known between events that have not passed");
    rule(cudaGetLastError() == cudaSuccess, "a time that is not known yet leaves no error behind");
    CHECK(cudaEventSynchronize(f));
    ms = between(e, f);
    rule(ms > 0.9f * LONG / 1e6f && ms < 1.5f * LONG / 1e6f, "the time between two events is that of the work between them");
    rule(between(f, e) == -ms, "the time from a later event to an earlier one is negative");
    rule(cudaEventElapsedTime(&ms, e, never) == cudaErrorInvalidResourceHandle,
         "no time to an event that was never recorded: cudaErrorInvalidResourceHandle");
    CHECK(cudaEventRecord(untimed, a));
    CHECK(cudaEventSynchronize(untimed));
    rule(cudaEventElapsedTime(&ms, e, untimed) == cudaErrorInvalidResourceHandle,
         "no time to an event without timing: cudaErrorInvalidResourceHandle");
    forget_errors();

    busy<<<1, 1, 0, a>>>(LONG);
    CHECK(cudaEventRecord(e, a));
    CHECK(cudaStreamWaitEvent(b, e, 0));
    rule(!is_long(took([&] { CHECK(cudaEventDestroy(e)); })), "destroying a pending event does not wait");
    rule(is_long(took([&] { CHECK(cudaStreamSynchronize(b)); })), "a wait for an event outlives the event");

    CHECK(cudaEventRecordWithFlags(f, a, cudaEventRecordDefault));
    busy<<<1, 1, 0, a>>>(LONG);
    CHECK(cudaEventRecordWithFlags(g, a, cudaEventRecordDefault));
    rule(is_long(took([&] { CHECK(cudaEventSynchronize(g)); })), "a record with default flags is a record");
    rule(cudaEventRecordWithFlags(g, a, 77) != cudaSuccess, "flags of a record that do not exist are refused");
    forget_errors();
    rule(cudaEventDestroy(NULL) == cudaErrorInvalidResourceHandle, "destroying no event: cudaErrorInvalidResourceHandle");
    rule(cudaStreamWaitEvent(a, NULL, 0) == cudaErrorInvalidResourceHandle, "waiting for no event: cudaErrorInvalidResourceHandle");
    rule(cudaStreamWaitEvent(a, f, 77) == cudaErrorInvalidValue, "flags of a wait that do not exist: cudaErrorInvalidValue");
    rule(cudaEventCreateWithFlags(&e, 0x80) == cudaErrorInvalidValue, "flags of an event that do not exist: cudaErrorInvalidValue");
    rule(cudaEventCreateWithFlags(&e, cudaEventInterprocess) == cudaErrorInvalidValue,
         "an event for other processes must be without timing");
    return rules_end();
}
