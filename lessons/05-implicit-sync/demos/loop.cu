/* SPDX-License-Identifier: MIT */
/* loop.cu - scratch memory taken and freed in a loop, taken once, and taken from the stream.
 *
 *   build/bin/simcc -o loop lessons/05-implicit-sync/demos/loop.cu && ./loop */
#include <stdio.h>

#include "streams.h"

#define ROUNDS 6

/* Few blocks: two of them share the card. */
__global__ void grind(float *scratch, int n)
{
    kernel_cost(500000);
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        scratch[i] = i;
}

int main(void)
{
    const int n = 20000;
    size_t bytes = n * sizeof(float);
    float *scratch, *once[2];
    cudaStream_t stream[2];
    for (int k = 0; k < 2; k++) {
        CHECK(cudaStreamCreate(&stream[k]));
        CHECK(cudaMalloc((void **)&once[k], bytes));
    }
    CHECK(cudaMallocAsync((void **)&scratch, bytes, stream[0]));     // the first one of all makes the pool
    CHECK(cudaFreeAsync(scratch, stream[0]));
    CHECK(cudaDeviceSynchronize());
    long long begin = now_ns();

    label_push("in the loop");
    //> loop
    for (int k = 0; k < ROUNDS; k++) {
        CHECK(cudaMalloc((void **)&scratch, bytes));
        grind<<<8, 256, 0, stream[k % 2]>>>(scratch, n);
        CHECK(cudaFree(scratch));
    }
    CHECK(cudaDeviceSynchronize());
    //< loop
    label_pop();
    long long one = now_ns();

    label_push("once");
    for (int k = 0; k < ROUNDS; k++)
        grind<<<8, 256, 0, stream[k % 2]>>>(once[k % 2], n);
    CHECK(cudaDeviceSynchronize());
    label_pop();
    long long two = now_ns();

    label_push("from the stream");
    //> ordered
    for (int k = 0; k < ROUNDS; k++) {
        CHECK(cudaMallocAsync((void **)&scratch, bytes, stream[k % 2]));
        grind<<<8, 256, 0, stream[k % 2]>>>(scratch, n);
        CHECK(cudaFreeAsync(scratch, stream[k % 2]));
    }
    CHECK(cudaDeviceSynchronize());
    //< ordered
    label_pop();
    long long three = now_ns();

    CHECK(cudaGetLastError());
    printf("in the loop      %.2f ms\n", (one - begin) / 1e6);
    printf("taken once       %.2f ms\n", (two - one) / 1e6);
    printf("from the stream  %.2f ms\n", (three - two) / 1e6);
    for (int k = 0; k < 2; k++) {
        CHECK(cudaStreamDestroy(stream[k]));
        CHECK(cudaFree(once[k]));
    }
    return 0;
}
