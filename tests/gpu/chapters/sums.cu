/* SPDX-License-Identifier: MIT */
/* sums.cu - what lesson 09's add.cu takes on a card, its kernel loaded, and what of the host's sum is the loop itself. */
#include <stdio.h>

#include "streams.h"

static const int n = 1 << 20, blocks = (n + 255) / 256;
static const size_t bytes = n * sizeof(float);
static volatile float sum;

__global__ void add_one(float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] += 1;
}

static double added_up(const float *x)
{
    long long begin = now_ns();
    float s = 0;
    for (int i = 0; i < n; i++)
        s += x[i];
    sum = s;
    return (now_ns() - begin) / 1e6;
}

static void filled(float *x)
{
    for (int i = 0; i < n; i++)
        x[i] = 1;
}

int main()
{
    float *x;
    CHECK(cudaMallocManaged((void **)&x, bytes));
    filled(x);
    add_one<<<blocks, 256>>>(x, 0);             /* loads it */
    CHECK(cudaDeviceSynchronize());
    long long begin = now_ns();
    add_one<<<blocks, 256>>>(x, n);
    add_one<<<blocks, 256>>>(x, n);
    CHECK(cudaDeviceSynchronize());
    double kernels = (now_ns() - begin) / 1e6, first = added_up(x), second = added_up(x);
    printf("faults: two kernels %.3f ms, the sum %.3f ms, the sum again %.3f ms\n", kernels, first, second);
    filled(x);
    begin = now_ns();
    CHECK(prefetch(x, bytes, 0, NULL));
    add_one<<<blocks, 256>>>(x, n);
    add_one<<<blocks, 256>>>(x, n);
    CHECK(prefetch(x, bytes, cudaCpuDeviceId, NULL));
    CHECK(cudaDeviceSynchronize());
    kernels = (now_ns() - begin) / 1e6, first = added_up(x), second = added_up(x);
    printf("prefetches: two kernels %.3f ms, the sum %.3f ms, the sum again %.3f ms\n", kernels, first, second);
    CHECK(cudaFree(x));
    return 0;
}
