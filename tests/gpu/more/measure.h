/* SPDX-License-Identifier: MIT */
/*
 * measure.h - what the parts of more.cu share: rows, times, a kernel that lasts, the driver's
 * calls.
 *
 * A row on standard output: part, what, least, median, most, unit, how many values; tabs between.
 */
#ifndef MEASURE_H
#define MEASURE_H

#include <cuda.h>
#include <cuda_runtime.h>
#include <string>
#include <vector>

#include "streams.h"

typedef std::vector<double> values;

void row(const std::string &what, values v, const char *unit);
void row(const std::string &what, double v, const char *unit);
void note(const std::string &what, const char *text);

/* Device time in ns; the host clock in us. */
static __device__ inline unsigned long long device_ns()
{
    unsigned long long t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    return t;
}
static inline double host_us() { return (double)now_ns() / 1e3; }

template <typename F> static double us_of(F work)
{
    long long begin = now_ns();
    work();
    return (double)(now_ns() - begin) / 1e3;
}

static __global__ void last(long long ns) { kernel_cost(ns); }

static inline cudaStream_t new_stream(int priority = 0)
{
    cudaStream_t s;
    CHECK(cudaStreamCreateWithPriority(&s, cudaStreamNonBlocking, priority));
    return s;
}

/* Clocks go up; what a first call has to load is there. */
static inline void warm_up()
{
    last<<<1, 32>>>(60000000);
    CHECK(cudaDeviceSynchronize());
}

/* A call of the driver, with no library to link: DRIVER(cuStreamWriteValue32)(...). */
void *driver_call(const char *name);
#define DRIVER(name) ((decltype(&name))driver_call(#name))
#define TRY(call) driver_check((call), #call)
void driver_check(CUresult status, const char *call);

template <typename T> struct same { typedef T type; };
template <typename... A> static inline cudaError_t
launch_with(cudaStream_t s, unsigned blocks, unsigned threads,
            const std::vector<cudaLaunchAttribute> &with, void (*kernel)(A...),
            typename same<A>::type... arguments)
{
    cudaLaunchConfig_t c = {};
    c.gridDim = dim3(blocks), c.blockDim = dim3(threads), c.stream = s;
    c.attrs = const_cast<cudaLaunchAttribute *>(with.data()), c.numAttrs = (unsigned)with.size();
    return cudaLaunchKernelEx(&c, kernel, arguments...);
}

#endif
