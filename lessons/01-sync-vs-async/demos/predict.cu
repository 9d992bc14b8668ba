/* SPDX-License-Identifier: MIT */
/* predict.cu - which of these calls come back at once? A kernel of 5 ms, twice 2 ms of work on the host.
 *
 *   build/bin/simcc -o predict lessons/01-sync-vs-async/demos/predict.cu && ./predict */
#include <stdio.h>

#include "streams.h"

__global__ void square(float *x, int n)
{
    kernel_cost(5000000);
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] = x[i] * x[i];
}

int main(void)
{
    const int n = 10001;
    float *x, *y, first;
    CHECK(cudaMalloc(&x, n * sizeof *x));
    CHECK(cudaMalloc(&y, n * sizeof *y));
    CHECK(cudaMemset(x, 0, n * sizeof *x));
    CHECK(cudaDeviceSynchronize());

    long long before = now_ns();
    label_push("predict");
    //> predict
    square<<<(n + 255) / 256, 256>>>(x, n);                                 // 5 ms
    CHECK(cudaGetLastError());
    CHECK(cudaMemset(y, 0, n * sizeof *y));
    host_work(2000000);                                                     // 2 ms
    CHECK(cudaMemcpy(&first, x, sizeof first, cudaMemcpyDeviceToHost));     // four bytes
    host_work(2000000);                                                     // 2 ms
    //< predict
    label_pop();
    long long after = now_ns();

    printf("%.2f ms\n", (after - before) / 1e6);
    CHECK(cudaFree(x));
    CHECK(cudaFree(y));
    return 0;
}
