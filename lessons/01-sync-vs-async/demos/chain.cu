/* SPDX-License-Identifier: MIT */
/* chain.cu - three pieces of work that wait for each other, and one for which nothing waits, asked for first.
 *
 *   build/bin/simcc -o chain lessons/01-sync-vs-async/demos/chain.cu && ./chain */
#include <stdio.h>

#include "streams.h"

__global__ void weigh(int *value)
{
    kernel_cost(2000000);
    *value = 7;
}

__global__ void cut(int *x, int value)
{
    kernel_cost(2000000);
    *x = value;
}

__global__ void dust(int *y)
{
    kernel_cost(1000000);
    *y = 0;
}

static int decide(int value)
{
    host_work(1000000);
    return 6 * value;
}

int main(void)
{
    int *x, *y, *weight, value;
    CHECK(cudaMalloc(&x, sizeof *x));
    CHECK(cudaMalloc(&y, sizeof *y));
    CHECK(cudaMalloc(&weight, sizeof *weight));
    CHECK(cudaDeviceSynchronize());
    label_push("chain");
    long long before = now_ns();
    //> chain
    dust<<<1, 1>>>(y);                                                          // 1 ms
    weigh<<<1, 1>>>(weight);                                                    // 2 ms
    CHECK(cudaMemcpy(&value, weight, sizeof value, cudaMemcpyDeviceToHost));
    int depth = decide(value);                                                  // 1 ms of the host's
    cut<<<1, 1>>>(x, depth);                                                    // 2 ms
    CHECK(cudaDeviceSynchronize());
    //< chain
    long long done = now_ns();
    label_pop();
    printf("all was done after %.2f ms\n", (done - before) / 1e6);
    CHECK(cudaFree(x));
    CHECK(cudaFree(y));
    CHECK(cudaFree(weight));
    return 0;
}
