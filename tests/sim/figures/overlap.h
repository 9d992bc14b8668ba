/* SPDX-License-Identifier: MIT */
/*
 * overlap.h - the overlap demo: in one piece, depth first and breadth first over four streams.
 *
 * Its kernel computes a[i] += sqrt(sin^2 + cos^2), so many times over. The simulator
 * does not know what a loop costs: where it repeats, the kernel declares what its length
 * was (the measured sequential time, less the copies), and depth and breadth follow.
 */
#ifndef OVERLAP_H
#define OVERLAP_H

#include "figure.h"

static const int STREAMS = 4, BLOCK = 256;

__global__ void add_once(float *a, int offset)
{
#ifdef __SIMCC__
    if (blockIdx.x > 0)
        return;         /* what it computes costs nothing there, and would take a quarter of a minute here */
#endif
    int i = offset + threadIdx.x + blockIdx.x * blockDim.x;
    float x = i;
    a[i] = a[i] + sqrtf(sinf(x) * sinf(x) + cosf(x) * cosf(x));
}

struct demo { double sequential, depth, breadth; };

/* block_ns: what a block declares; 0: nothing. */
static inline demo overlap_demo(size_t floats, long long block_ns)
{
    static cudaStream_t streams[STREAMS];
    const size_t bytes = floats * sizeof(float), part = bytes / STREAMS;
    const int blocks = (int)(floats / BLOCK);
    float *host = pinned<float>(floats), *device = on_device<float>(floats);
    for (auto &s : streams)
        s = stream();
    auto in = [&](int i) {
        CHECK(cudaMemcpyAsync(device + i * (floats / STREAMS), host + i * (floats / STREAMS), part, cudaMemcpyHostToDevice, streams[i]));
    };
    auto out = [&](int i) {
        CHECK(cudaMemcpyAsync(host + i * (floats / STREAMS), device + i * (floats / STREAMS), part, cudaMemcpyDeviceToHost, streams[i]));
    };
    auto kernel = [&](int i) {
        if (block_ns > 0)
            busy<<<blocks / STREAMS, BLOCK, 0, streams[i]>>>(block_ns);
        else
            add_once<<<blocks / STREAMS, BLOCK, 0, streams[i]>>>(device, i * (int)(floats / STREAMS));
    };
    auto timed = [&](auto work) {
        cudaEvent_t begin = event(), end = event();
        float length;
        work();
        CHECK(cudaDeviceSynchronize());
        CHECK(cudaEventRecord(begin, 0));
        work();
        CHECK(cudaEventRecord(end, 0));
        CHECK(cudaEventSynchronize(end));
        CHECK(cudaEventElapsedTime(&length, begin, end));
        return (double)length;
    };
    demo result;
    result.sequential = timed([&] {
        CHECK(cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice));
        if (block_ns > 0)
            busy<<<blocks, BLOCK>>>(block_ns);
        else
            add_once<<<blocks, BLOCK>>>(device, 0);
        CHECK(cudaMemcpy(host, device, bytes, cudaMemcpyDeviceToHost));
    });
    result.depth = timed([&] {
        for (int i = 0; i < STREAMS; i++) {
            in(i);
            kernel(i);
            out(i);
        }
    });
    result.breadth = timed([&] {
        for (int i = 0; i < STREAMS; i++)
            in(i);
        for (int i = 0; i < STREAMS; i++)
            kernel(i);
        for (int i = 0; i < STREAMS; i++)
            out(i);
    });
    CHECK(cudaFreeHost(host));
    CHECK(cudaFree(device));
    return result;
}

/* What a block takes when a kernel over so many floats takes so long. */
static inline long long block_of(double kernel_ms, size_t floats)
{
    int sms, fit;
    CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, busy, BLOCK, 0));
    return (long long)(kernel_ms * 1e6 * sms * fit / (double)(floats / BLOCK));
}

static inline void demo_takes(const char *what, demo got, demo measured)
{
    char sentence[100];
    snprintf(sentence, sizeof sentence, "%s, sequential", what);
    figure(sentence, measured.sequential, got.sequential, "ms", 0.06);
    snprintf(sentence, sizeof sentence, "%s, depth first", what);
    figure(sentence, measured.depth, got.depth, "ms", 0.06);
    snprintf(sentence, sizeof sentence, "%s, breadth first", what);
    figure(sentence, measured.breadth, got.breadth, "ms", 0.06);
}

#endif
