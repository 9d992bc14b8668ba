/* SPDX-License-Identifier: MIT */
/* Room on the device: grids side by side, blocks on SMs, and who goes first. */
#include "../rule.h"

static const long long WAVE = 2000000;

/* Host time of `count` kernels of one block in a stream each, in kernel lengths. */
static double side_by_side(int count)
{
    static cudaStream_t streams[160];
    for (int i = 0; i < count; i++)
        streams[i] = stream(cudaStreamNonBlocking);
    CHECK(cudaDeviceSynchronize());
    long long ns = took([&] {
        for (int i = 0; i < count; i++)
            busy<<<1, 1, 0, streams[i]>>>(LONG);
        CHECK(cudaDeviceSynchronize());
    });
    for (int i = 0; i < count; i++)
        CHECK(cudaStreamDestroy(streams[i]));
    return (double)ns / LONG;
}

/* When are a bulk of ten waves, and one block that comes while the second wave runs, done? In waves. */
struct done { double bulk, urgent; };

static done with_priorities(int bulk_priority, int urgent_priority, int blocks)
{
    cudaStream_t bulk, urgent;
    cudaEvent_t begin = event(), bulk_end = event(), urgent_end = event();
    float bulk_ms, urgent_ms;
    CHECK(cudaStreamCreateWithPriority(&bulk, cudaStreamNonBlocking, bulk_priority));
    CHECK(cudaStreamCreateWithPriority(&urgent, cudaStreamNonBlocking, urgent_priority));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEventRecord(begin, bulk));
    busy<<<10 * blocks, 1024, 0, bulk>>>(WAVE);
    CHECK(cudaEventRecord(bulk_end, bulk));
    host_work(3 * WAVE / 2);
    busy<<<1, 1024, 0, urgent>>>(WAVE);
    CHECK(cudaEventRecord(urgent_end, urgent));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEventElapsedTime(&bulk_ms, begin, bulk_end));
    CHECK(cudaEventElapsedTime(&urgent_ms, begin, urgent_end));
    CHECK(cudaStreamDestroy(bulk));
    CHECK(cudaStreamDestroy(urgent));
    return { bulk_ms * 1e6 / WAVE, urgent_ms * 1e6 / WAVE };
}

int main()
{
    int *d = on_device<int>(4), sms, fit, least, greatest, priority = 77;
    warm_up(d);
    rule(side_by_side(1) < 1.3 && side_by_side(32) < 1.3 && side_by_side(128) < 1.5, "128 grids run at once [M, G]");
    double more = side_by_side(160);
    rule(more > 1.9 && more < 2.5, "of 160, the last wait for the first [M]");

    CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, busy, 1024, 0));
    auto lengths = [&](int blocks) {
        return (double)took([&] {
            busy<<<blocks, 1024>>>(LONG);
            CHECK(cudaDeviceSynchronize());
        }) / LONG;
    };
    rule(lengths(fit * sms) < 1.3, "as many blocks as there is room for run at once");
    rule(lengths(fit * sms + 1) > 1.9, "the next one waits until one is done");

    /* Blocks that leave `left` bytes of their SM's shared memory, one on each SM; beside them one that asks for some. */
    int most, major;
    CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
    CHECK(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    CHECK(cudaFuncSetAttribute(busy, cudaFuncAttributeMaxDynamicSharedMemorySize, most));
    cudaStream_t full = stream(cudaStreamNonBlocking), beside = stream(cudaStreamNonBlocking);
    CHECK(cudaDeviceSynchronize());
    auto beside_it = [&](size_t left, size_t asked) {
        return (double)took([&] {
            busy<<<sms, 32, most - left, full>>>(LONG);
            busy<<<1, 32, asked, beside>>>(LONG);
            CHECK(cudaDeviceSynchronize());
        }) / LONG;
    };
    rule(major < 8 || (beside_it(1024, 0) < 1.3 && beside_it(2048, 1024) < 1.3),
         "a block runs beside a grid that leaves what it asks for and 1 KiB on each SM [M]");
    rule(major < 8 || (beside_it(0, 0) > 1.9 && beside_it(1024, 1024) > 1.9 && beside_it(2048, 2048) > 1.9), "where less is left it waits [M]");

    CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    CHECK(cudaStreamGetPriority(stream(), &priority));
    rule(priority == 0, "a stream has priority 0 when nothing is said");
    done same = with_priorities(least, least, fit * sms), above = with_priorities(least, greatest, fit * sms);
    rule(same.urgent > 9.5, "blocks of the same priority wait their turn [M]");
    rule(greatest == least || (above.urgent > 2.4 && above.urgent < 6), "blocks of a higher priority go before those that wait [M]");
    rule(greatest == least || above.urgent > 2.4, "they do not push out those that run [H, M]");
    rule(above.bulk > 9.9 && above.bulk < 12.5, "the others lose their time, no more");

    /* Eight copies of 32 MiB, then one of 1 MiB in a more urgent stream. (Smaller ones: engines.cu.) */
    const size_t bytes = 32 << 20;
    char *host, *device;
    CHECK(cudaMallocHost(&host, bytes));
    CHECK(cudaMalloc(&device, 2 * bytes));
    cudaStream_t bulk, urgent;
    CHECK(cudaStreamCreateWithPriority(&bulk, cudaStreamNonBlocking, least));
    CHECK(cudaStreamCreateWithPriority(&urgent, cudaStreamNonBlocking, greatest));
    for (int k = 0; k < 8; k++)
        CHECK(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, bulk));
    CHECK(cudaMemcpyAsync(device + bytes, host, 1 << 20, cudaMemcpyHostToDevice, urgent));
    CHECK(cudaStreamSynchronize(urgent));
    rule(cudaStreamQuery(bulk) == cudaSuccess, "a copy in a more urgent stream waits its turn behind those that were issued before it [M]");
    CHECK(cudaDeviceSynchronize());

    /* A time of 50 us is not overlooked: resolution is about 0.5 us [H]. */
    cudaEvent_t e = event(), f = event();
    float shorter, longer;
    auto between = [&](long long ns) {
        float ms;
        CHECK(cudaEventRecord(e, 0));
        busy<<<1, 1>>>(ns);
        CHECK(cudaEventRecord(f, 0));
        CHECK(cudaEventSynchronize(f));
        CHECK(cudaEventElapsedTime(&ms, e, f));
        return ms;
    };
    between(0);
    shorter = between(200000);
    longer = between(250000);
    rule(longer - shorter > 0.03f && longer - shorter < 0.07f, "events tell 200 us from 250 us");
    return rules_end();
}
