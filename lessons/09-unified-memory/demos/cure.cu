/* SPDX-License-Identifier: MIT */
/* cure.cu - ping-pong three ways: by faults, with prefetches, and without the journeys.
 *
 *   build/bin/simcc -o cure lessons/09-unified-memory/demos/cure.cu && ./cure */
#include <stdio.h>

#include "streams.h"

static const int n = 512 << 10, page = (64 << 10) / sizeof(float), probes = n / page, rounds = 8;  // 2 MiB, 32 numbers
static const size_t bytes = n * sizeof(float);
static float *x, *gathered, worst;

__global__ void relax(float *x, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        x[i] = 0.5f * x[i] + 1;
}

__global__ void gather(float *out, const float *x, int probes, int stride)
{
    for (int k = threadIdx.x; k < probes; k += blockDim.x)
        out[k] = x[k * stride];
}

static void look(const float *at, int stride)
{
    for (int k = 0; k < probes; k++)
        worst = at[k * stride] > worst ? at[k * stride] : worst;
}

static void by_faults(void)
{
    relax<<<256, 256>>>(x, n);
    CHECK(cudaDeviceSynchronize());
    look(x, page);
}

static void with_prefetches(void)
{
    //> prefetches
    CHECK(prefetch(x, bytes, 0, NULL));                     // to the device
    relax<<<256, 256>>>(x, n);
    CHECK(prefetch(x, bytes, cudaCpuDeviceId, NULL));       // home
    CHECK(cudaDeviceSynchronize());
    look(x, page);                                          // 32 numbers, one a page
    //< prefetches
}

static void gathering(void)
{
    //> gather
    relax<<<256, 256>>>(x, n);
    gather<<<1, 32>>>(gathered, x, probes, page);           // 128 bytes, pinned memory of the host
    CHECK(cudaDeviceSynchronize());
    look(gathered, 1);
    //< gather
}

static void timed(const char *what, void (*round)(void))
{
    CHECK(prefetch(x, bytes, 0, NULL));
    CHECK(cudaDeviceSynchronize());
    long long begin = now_ns();
    for (int k = 0; k < rounds; k++)
        round();
    printf("%s %.3f ms a round\n", what, (now_ns() - begin) / 1e6 / rounds);
}

int main(void)
{
    CHECK(cudaMallocManaged((void **)&x, bytes));
    CHECK(cudaMallocHost((void **)&gathered, probes * sizeof *gathered));
    for (int i = 0; i < n; i++)
        x[i] = i;
    CHECK(prefetch(x, bytes, 0, NULL));
    gathering();                                            // loads both kernels
    timed("faults     ", by_faults);
    timed("prefetches ", with_prefetches);
    timed("gathered   ", gathering);
    CHECK(cudaGetLastError());
    CHECK(cudaFree(x));
    CHECK(cudaFreeHost(gathered));
    return 0;
}
