/* SPDX-License-Identifier: MIT */
/* predict.cu - four kernels of 1 ms in two streams, and one line between them.
 *
 *   build/bin/simcc -o predict lessons/05-implicit-sync/demos/predict.cu && ./predict */
#include <stdio.h>

#include "streams.h"

__global__ void grind(void) { kernel_cost(1000000); }

int main(void)
{
    const int n = 4096;
    float *x, *pinned, *more;
    cudaStream_t a, b;
    CHECK(cudaStreamCreate(&a));
    CHECK(cudaStreamCreate(&b));
    CHECK(cudaMalloc((void **)&x, n * sizeof *x));
    CHECK(cudaMallocHost((void **)&pinned, n * sizeof *x));
    for (int i = 0; i < n; i++)
        pinned[i] = 0;
    CHECK(cudaDeviceSynchronize());

    long long begin = now_ns();
    label_push("predict");
    //> predict
    size_t bytes = n * sizeof *x;
    grind<<<8, 256, 0, a>>>();                  // each grind takes 1 ms
    CHECK(cudaMalloc((void **)&more, bytes));                           // 1
    grind<<<8, 256, 0, b>>>();
    CHECK(cudaMemset(x, 0, bytes));                                     // 2
    grind<<<8, 256, 0, a>>>();
    CHECK(cudaMemcpyAsync(x, pinned, bytes, cudaMemcpyHostToDevice, b));    // 3
    grind<<<8, 256, 0, b>>>();
    host_work(1000000);                         // 1 ms
    CHECK(cudaFree(more));                                              // 4
    grind<<<8, 256, 0, a>>>();
    CHECK(cudaDeviceSynchronize());
    //< predict
    label_pop();
    printf("%.2f ms\n", (now_ns() - begin) / 1e6);

    CHECK(cudaFree(x));
    CHECK(cudaFreeHost(pinned));
    CHECK(cudaStreamDestroy(a));
    CHECK(cudaStreamDestroy(b));
    return 0;
}
