/* SPDX-License-Identifier: MIT */
/* predict.cu - two streams with functions: who waits for whom?
 *
 *   build/bin/simcc -o predict lessons/07-callbacks/demos/predict.cu && ./predict */
#include <stdio.h>

#include "streams.h"

__global__ void compute(void) { kernel_cost(200000); }

static void digest(void *)
{
    host_work(300000);
}

int main(void)
{
    cudaStream_t a, b, c;
    CHECK(cudaStreamCreate(&a));
    CHECK(cudaStreamCreate(&b));
    CHECK(cudaStreamCreate(&c));
    CHECK(cudaDeviceSynchronize());
    long long begin = now_ns();
    label_push("predict");
    //> predict
    CHECK(cudaLaunchHostFunc(a, digest, NULL));     // 0.3 ms
    compute<<<8, 256, 0, a>>>();                    // 0.2 ms
    compute<<<8, 256, 0, b>>>();                    // 0.2 ms
    CHECK(cudaLaunchHostFunc(b, digest, NULL));     // 0.3 ms
    compute<<<8, 256, 0, b>>>();                    // 0.2 ms
    compute<<<8, 256, 0, c>>>();                    // 0.2 ms
    CHECK(cudaGetLastError());
    CHECK(cudaStreamSynchronize(c));
    //< predict
    CHECK(cudaDeviceSynchronize());
    label_pop();
    printf("%.2f ms\n", (now_ns() - begin) / 1e6);
    CHECK(cudaStreamDestroy(a));
    CHECK(cudaStreamDestroy(b));
    CHECK(cudaStreamDestroy(c));
    return 0;
}
