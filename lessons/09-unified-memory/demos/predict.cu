/* SPDX-License-Identifier: MIT */
/* predict.cu - which pages travel, and who waits for them?
 *
 *   build/bin/simcc -o predict lessons/09-unified-memory/demos/predict.cu
 *   build/bin/timeline --label predict ./predict */
#include <stdio.h>

#include "streams.h"

__global__ void work(char *x, size_t bytes)
{
    kernel_cost(200000);
    for (size_t i = threadIdx.x * 4096; i < bytes; i += blockDim.x * 4096)
        x[i]++;
}

int main(void)
{
    const size_t MIB = 1 << 20;
    char *x, *y;
    CHECK(cudaMallocManaged((void **)&x, 2 * MIB));
    CHECK(cudaMallocManaged((void **)&y, 2 * MIB));
    cudaStream_t a, b;
    CHECK(cudaStreamCreate(&a));
    CHECK(cudaStreamCreate(&b));
    for (size_t i = 0; i < 2 * MIB; i++)
        x[i] = y[i] = 1;
    CHECK(cudaDeviceSynchronize());
    label_push("predict");
    //> predict
    CHECK(prefetch(x, 2 * MIB, 0, a));      // 2 MiB each, written by the host
    work<<<1, 128, 0, a>>>(x, 2 * MIB);     // 0.2 ms, a touch in each page
    work<<<1, 128, 0, b>>>(y, 2 * MIB);     // the same
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    char first = x[0];                      // the host looks at one number
    work<<<1, 128, 0, a>>>(x, 2 * MIB);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    //< predict
    label_pop();
    printf("x[0] was %d\n", first);
    CHECK(cudaStreamDestroy(a));
    CHECK(cudaStreamDestroy(b));
    CHECK(cudaFree(x));
    CHECK(cudaFree(y));
    return 0;
}
