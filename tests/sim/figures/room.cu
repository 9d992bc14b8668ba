/* SPDX-License-Identifier: MIT */
/* Kernels side by side, and priorities. */
#include "figure.h"

static double side_by_side(int count)
{
    static cudaStream_t streams[160];
    for (int i = 0; i < count; i++)
        streams[i] = stream(cudaStreamNonBlocking);
    CHECK(cudaDeviceSynchronize());
    long long ns = took([&] {
        for (int i = 0; i < count; i++)
            busy<<<1, 1, 0, streams[i]>>>(5000000);
        CHECK(cudaDeviceSynchronize());
    });
    for (int i = 0; i < count; i++)
        CHECK(cudaStreamDestroy(streams[i]));
    return ms(ns);
}

/* Twenty waves of 0.5 ms; a kernel of one wave comes after 2 ms. When are both done, ms? */
static void with_priority(const char *how, int priority, double bulk_measured, double urgent_measured)
{
    cudaStream_t bulk, urgent;
    cudaEvent_t begin = event(), bulk_end = event(), urgent_end = event();
    float bulk_ms, urgent_ms;
    int sms, fit, least, greatest;
    char sentence[100];
    CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, busy, 1024, 0));
    CHECK(cudaStreamCreateWithPriority(&bulk, cudaStreamNonBlocking, least));
    CHECK(cudaStreamCreateWithPriority(&urgent, cudaStreamNonBlocking, priority));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEventRecord(begin, bulk));
    busy<<<20 * fit * sms, 1024, 0, bulk>>>(500000);
    CHECK(cudaEventRecord(bulk_end, bulk));
    host_work(2000000);
    busy<<<fit * sms, 1024, 0, urgent>>>(500000);
    CHECK(cudaEventRecord(urgent_end, urgent));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEventElapsedTime(&bulk_ms, begin, bulk_end));
    CHECK(cudaEventElapsedTime(&urgent_ms, begin, urgent_end));
    snprintf(sentence, sizeof sentence, "twenty waves beside a kernel of %s", how);
    figure(sentence, bulk_measured, bulk_ms, "ms", 0.02);
    snprintf(sentence, sizeof sentence, "a kernel of %s that comes after 2 ms", how);
    figure(sentence, urgent_measured, urgent_ms, "ms", 0.02);
}

int main()
{
    int *d = on_device<int>(4);
    warm_up(d);
    const int counts[] = { 1, 8, 32, 64, 128 };
    for (int count : counts) {
        char sentence[60];
        snprintf(sentence, sizeof sentence, "%d kernels of 5 ms, a stream each", count);
        figure(sentence, 5.3, side_by_side(count), "ms", 0.06);      /* 5.0 to 5.6 */
    }
    figure("160 kernels of 5 ms, a stream each", 10.2, side_by_side(160), "ms", 0.05);
    with_priority("the same priority", 0, 10.0, 10.5);
    with_priority("the greatest priority", -5, 10.5, 3.0);
    return rules_end();
}
