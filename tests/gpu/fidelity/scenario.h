/* SPDX-License-Identifier: MIT */
/*
 * scenario.h - one thing to do, timed: the same source for a card (nvcc) and the simulator (simcc).
 *
 * A line each on standard output: scenario, variant, median, least and most of several, in
 * microseconds, with tabs between. Time is the host's, from before the first call to the end of
 * the last wait. Simulated time is the same every time: one is enough there.
 */
#ifndef SCENARIO_H
#define SCENARIO_H

#include <initializer_list>
#include <stdio.h>
#include <string.h>

#include "streams.h"

enum { KIB = 1 << 10, MIB = 1 << 20 };
#ifdef __SIMCC__
enum { BEFORE = 1, TIMES = 1 };
#else
enum { BEFORE = 2, TIMES = 5 };         /* not timed; timed */
#endif

__global__ void busy(long long ns)
{
    kernel_cost(ns);
}

/* NVIDIA's overlap demo's: its cost is not declared. */
__global__ void demo(float *a, int first)
{
    int i = first + threadIdx.x + blockIdx.x * blockDim.x;
    float x = (float)i, s = sinf(x), c = cosf(x);
    a[i] = a[i] + sqrtf(s * s + c * c);
}

/* Blocks of so many threads that the card holds at once. */
static inline int full(int threads)
{
    struct cudaDeviceProp card;
    CHECK(cudaGetDeviceProperties(&card, 0));
    return card.multiProcessorCount * (card.maxThreadsPerMultiProcessor / threads);
}

static inline void print_line(const char *scenario, const char *variant, double *us)
{
    for (int i = 1; i < TIMES; i++)
        for (int at = i; at > 0 && us[at - 1] > us[at]; at--) {
            double other = us[at];
            us[at] = us[at - 1];
            us[at - 1] = other;
        }
    printf("%s\t%s\t%.3f\t%.3f\t%.3f\n", scenario, variant, us[TIMES / 2], us[0], us[TIMES - 1]);
    fflush(stdout);
}

/* `work` says itself how many us it took. `before` is not timed. */
template <typename B, typename F> void scenario_us(const char *scenario, const char *variant,
                                                   B before, F work)
{
    double us[TIMES];
    for (int i = -BEFORE; i < TIMES; i++) {
        before();
        CHECK(cudaDeviceSynchronize());
        double took = work();
        CHECK(cudaDeviceSynchronize());
        if (i >= 0)
            us[i] = took;
    }
    print_line(scenario, variant, us);
}

template <typename B, typename F> void scenario_after(const char *scenario, const char *variant,
                                                      B before, F work)
{
    scenario_us(scenario, variant, before, [&] {
        long long begin = now_ns();
        work();
        CHECK(cudaDeviceSynchronize());
        return (double)(now_ns() - begin) / 1e3;
    });
}

template <typename F> void scenario(const char *name, const char *variant, F work)
{
    scenario_after(name, variant, [] {}, work);
}

/* "64 KiB" */
static inline const char *size_of(size_t bytes)
{
    static char text[4][32];
    static int at;
    at = (at + 1) % 4;
    if (bytes >= MIB)
        snprintf(text[at], sizeof text[at], "%zu MiB", bytes / MIB);
    else if (bytes >= KIB)
        snprintf(text[at], sizeof text[at], "%zu KiB", bytes / KIB);
    else
        snprintf(text[at], sizeof text[at], "%zu B", bytes);
    return text[at];
}

/* `format` with a number or two. */
static inline const char *named(const char *format, int a, int b = 0)
{
    static char text[4][64];
    static int at;
    at = (at + 1) % 4;
    snprintf(text[at], sizeof text[at], format, a, b);
    return text[at];
}

static inline char *device_memory(size_t bytes)
{
    char *p;
    CHECK(cudaMalloc(&p, bytes));
    CHECK(cudaMemset(p, 0, bytes));
    return p;
}

static inline char *pinned_memory(size_t bytes)
{
    char *p;
    CHECK(cudaMallocHost(&p, bytes));
    memset(p, 1, bytes);
    return p;
}

struct streams {
    cudaStream_t at[160];
    int count;
};

static inline struct streams make_streams(int count)
{
    struct streams s;
    s.count = count;
    for (int i = 0; i < count; i++)
        CHECK(cudaStreamCreateWithFlags(&s.at[i], cudaStreamNonBlocking));
    return s;
}

static inline void drop_streams(struct streams *s)
{
    for (int i = 0; i < s->count; i++)
        CHECK(cudaStreamDestroy(s->at[i]));
}

/* Clocks are up and code is loaded when the first scenario begins. */
static inline void begin_scenarios(void)
{
    char *p = device_memory(4096);
    busy<<<full(256), 256>>>(100000000);
    demo<<<1, 256>>>((float *)p, 0);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(p));
}

#endif
