/* SPDX-License-Identifier: MIT */
/*
 * chains.h - streams of three dependent kernels, issued in two orders [M].
 *
 * Streams share the hardware queues, round robin as they were created. A queue is a
 * FIFO: a kernel that waits for its predecessor holds up all behind it. Depth first, m
 * streams on one queue take 3 + 2 (m - 1) kernel lengths; breadth first, 3.
 */
#ifndef CHAINS_H
#define CHAINS_H

#include "../rule.h"

static const long long LENGTH = 3000000;

/* In kernel lengths: how long do the chains of so many new streams take? */
static inline double chains(int count, bool depth_first)
{
    static cudaStream_t streams[128];
    for (int i = 0; i < count; i++)
        streams[i] = stream();
    busy<<<1, 1>>>(0);
    CHECK(cudaDeviceSynchronize());
    long long ns = took([&] {
        for (int i = 0; i < 3 * count; i++)
            busy<<<1, 1, 0, streams[depth_first ? i / 3 : i % count]>>>(LENGTH);
        CHECK(cudaDeviceSynchronize());
    });
    for (int i = 0; i < count; i++)
        CHECK(cudaStreamDestroy(streams[i]));
    return (double)ns / LENGTH;
}

/* With so many queues: between the measured time and a tenth, and a kernel's length, more. */
static inline bool shares(int count, int queues)
{
    double lengths = chains(count, true), expected = 3 + 2 * ((count + queues - 1) / queues - 1);
    return lengths > 0.95 * expected && lengths < 1.1 * expected + 1;
}

#endif
