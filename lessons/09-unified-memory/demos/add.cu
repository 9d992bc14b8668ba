/* SPDX-License-Identifier: MIT */
/* add.cu - one array on both sides: who pays for the way, and when?
 *
 *   build/bin/simcc -o add lessons/09-unified-memory/demos/add.cu && ./add */
#include <stdio.h>

#include "streams.h"

__global__ void add_one(float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] += 1;
}

int main(void)
{
    const int n = 1 << 20, blocks = (n + 255) / 256;        // 4 MiB
    const size_t bytes = n * sizeof(float);
    float *x, sum = 0;
    //> managed
    CHECK(cudaMallocManaged((void **)&x, bytes));
    for (int i = 0; i < n; i++)
        x[i] = 1;                                   // the host is there first

    long long begin = now_ns();
    label_push("touch");
    add_one<<<blocks, 256>>>(x, n);                 // the pages are fetched
    add_one<<<blocks, 256>>>(x, n);                 // they are there
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());                 // no cudaMemcpy that would have waited
    long long added = now_ns();
    for (int i = 0; i < n; i++)
        sum += x[i];                                // and fetched back
    //< managed
    label_pop();
    long long read = now_ns();
    printf("two kernels %.3f ms, the host's sum %.3f ms\n", (added - begin) / 1e6, (read - added) / 1e6);

    for (int i = 0; i < n; i++)
        x[i] = 1;
    begin = now_ns();
    label_push("prefetch");
    //> prefetch
    CHECK(prefetch(x, bytes, 0, NULL));                     // to device 0
    add_one<<<blocks, 256>>>(x, n);
    add_one<<<blocks, 256>>>(x, n);
    CHECK(cudaGetLastError());
    CHECK(prefetch(x, bytes, cudaCpuDeviceId, NULL));       // home
    CHECK(cudaDeviceSynchronize());
    //< prefetch
    added = now_ns();
    for (int i = 0; i < n; i++)
        sum += x[i];
    label_pop();
    read = now_ns();
    printf("two kernels %.3f ms, the host's sum %.3f ms, with prefetches\n", (added - begin) / 1e6, (read - added) / 1e6);
    printf("%g on average\n", sum / n / 2);
    CHECK(cudaFree(x));
    return 0;
}
