/* SPDX-License-Identifier: MIT */
/*
 * rule.h - a rule of CUDA as a program can see it.
 *
 * The same sources are compiled by simcc and by nvcc: rules take shares of long
 * spans and no absolute times, so that they hold on any card.
 */
#ifndef RULE_H
#define RULE_H

#include <stdio.h>
#include <string.h>

#include "streams.h"

static int broken;

/* Does the sentence hold? */
static inline void rule(bool holds, const char *sentence)
{
    printf("%s - %s\n", holds ? "ok" : "not ok", sentence);
    broken += !holds;
}

/* What the rules need is not there: for main to return. */
static inline int rules_skip(const char *what)
{
    printf("ok - needs %s # skip\n", what);
    return 0;
}

static inline int device_count(void)
{
    int count = 0;
    CHECK(cudaGetDeviceCount(&count));
    return count;
}

static inline int rules_end(void)
{
    return broken != 0;
}

static const long long LONG = 20000000;     /* ns: a span that cannot be overlooked */

__global__ void busy(long long ns)
{
    kernel_cost(ns);
}

__global__ void put(volatile int *where, int value, long long ns)
{
    kernel_cost(ns);
    *where = value;
}

__global__ void copy_int(volatile int *to, const volatile int *from)
{
    *to = *from;
}

/* Kernels are loaded when they are first launched: not in the middle of a rule. */
static inline void warm_up(int *device)
{
    busy<<<1, 1>>>(0);
    put<<<1, 1>>>(device, 0, 0);
    copy_int<<<1, 1>>>(device, device);
    CHECK(cudaDeviceSynchronize());
}

/* Host time of something, ns. */
template <typename F> long long took(F something)
{
    long long begin = now_ns();
    something();
    return now_ns() - begin;
}

static inline bool is_long(long long ns)
{
    return ns > LONG / 2;
}

static inline cudaStream_t stream(unsigned flags = cudaStreamDefault)
{
    cudaStream_t s;
    CHECK(cudaStreamCreateWithFlags(&s, flags));
    return s;
}

static inline cudaEvent_t event(unsigned flags = cudaEventDefault)
{
    cudaEvent_t e;
    CHECK(cudaEventCreateWithFlags(&e, flags));
    return e;
}

template <typename T> T *on_device(size_t count)
{
    T *p;
    CHECK(cudaMalloc(&p, count * sizeof(T)));
    CHECK(cudaMemset(p, 0, count * sizeof(T)));
    CHECK(cudaDeviceSynchronize());
    return p;
}

template <typename T> T *pinned(size_t count)
{
    T *p;
    CHECK(cudaMallocHost(&p, count * sizeof(T)));
    memset(p, 0, count * sizeof(T));
    return p;
}

/* The last error is that of a rule before no longer. */
static inline void forget_errors(void)
{
    cudaGetLastError();
}

#endif
