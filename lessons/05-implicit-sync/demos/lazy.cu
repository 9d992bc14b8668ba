/* SPDX-License-Identifier: MIT */
/* lazy.cu - the first launch of a kernel, while another one runs.
 *
 *   build/bin/simcc -o lazy lessons/05-implicit-sync/demos/lazy.cu && ./lazy; CUDA_MODULE_LOADING=EAGER ./lazy */
#include <stdio.h>

#include "streams.h"

__global__ void long_one(void) { kernel_cost(50000000); }
__global__ void newcomer(void) { kernel_cost(1); }

int main(void)
{
    cudaStream_t a, b;
    CHECK(cudaStreamCreate(&a));
    CHECK(cudaStreamCreate(&b));
    long_one<<<1, 1, 0, a>>>();
    CHECK(cudaDeviceSynchronize());

    //> lazy
    long_one<<<1, 1, 0, a>>>();                 // 50 ms, in stream a
    for (int k = 1; k <= 2; k++) {
        long long before = now_ns();
        newcomer<<<1, 1, 0, b>>>();             // next to nothing, in stream b
        CHECK(cudaStreamSynchronize(b));
        printf("launch %d was done after %6.3f ms\n", k, (now_ns() - before) / 1e6);
    }
    //< lazy
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaStreamDestroy(a));
    CHECK(cudaStreamDestroy(b));
    return 0;
}
