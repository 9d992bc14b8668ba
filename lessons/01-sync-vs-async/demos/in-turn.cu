/* SPDX-License-Identifier: MIT */
/* in-turn.cu - a kernel of 5 ms, then 3 ms of work on the host: one after the other.
 *
 *   build/bin/simcc -o in-turn lessons/01-sync-vs-async/demos/in-turn.cu && ./in-turn */
#include <stdio.h>

#include "streams.h"

//> kernel
__global__ void square(float *x, int n)
{
    kernel_cost(5000000);                               // 5 ms
    int i = blockIdx.x * blockDim.x + threadIdx.x;      // which of all the threads am I?
    if (i < n)
        x[i] = x[i] * x[i];
}
//< kernel

int main(void)
{
    const int n = 10001;
    float *x;
    CHECK(cudaMalloc(&x, n * sizeof *x));
    CHECK(cudaMemset(x, 0, n * sizeof *x));
    CHECK(cudaDeviceSynchronize());

    label_push("in-turn");
    //> in-turn
    long long before = now_ns();
    square<<<(n + 255) / 256, 256>>>(x, n);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    host_work(3000000);
    long long after = now_ns();
    //< in-turn
    label_pop();

    printf("%.2f ms\n", (after - before) / 1e6);
    CHECK(cudaFree(x));
    return 0;
}
