/* SPDX-License-Identifier: MIT */
/* tick.cu - two streams that run at once, until someone adds a launch that names no stream.
 *
 *   build/bin/simcc -o tick lessons/04-default-stream/demos/tick.cu && ./tick */
#include <stdio.h>

#include "streams.h"

__global__ void work(void) { kernel_cost(500000); }
__global__ void tick(int *count) { ++*count; }

int main(void)
{
    int *count;
    cudaStream_t stream[2];
    CHECK(cudaMalloc((void **)&count, sizeof *count));
    CHECK(cudaMemset(count, 0, sizeof *count));
    for (int k = 0; k < 2; k++)
        CHECK(cudaStreamCreate(&stream[k]));
    CHECK(cudaDeviceSynchronize());

    long long begin = now_ns();
    label_push("friday");
    for (int step = 0; step < 3; step++)
        for (int k = 0; k < 2; k++)
            work<<<8, 256, 0, stream[k]>>>();
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    label_pop();

    long long middle = now_ns();
    label_push("monday");
    //> monday
    for (int step = 0; step < 3; step++)
        for (int k = 0; k < 2; k++) {
            work<<<8, 256, 0, stream[k]>>>();
            tick<<<1, 1>>>(count);              // new: counts the kernels that are done
        }
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    //< monday
    label_pop();

    long long end = now_ns();
    printf("on Friday %.2f ms, on Monday %.2f ms\n", (middle - begin) / 1e6, (end - middle) / 1e6);
    for (int k = 0; k < 2; k++)
        CHECK(cudaStreamDestroy(stream[k]));
    CHECK(cudaFree(count));
    return 0;
}
