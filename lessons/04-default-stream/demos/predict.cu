/* SPDX-License-Identifier: MIT */
/* predict.cu - the default stream between blocking and non-blocking ones: what starts when?
 *
 *   build/bin/simcc -o predict lessons/04-default-stream/demos/predict.cu && ./predict */
#include <stdio.h>

#include "streams.h"

__global__ void busy(int ms) { kernel_cost(ms * 1000000ll); }

int main(void)
{
    cudaStream_t a, b, free;
    CHECK(cudaStreamCreate(&a));
    CHECK(cudaStreamCreate(&b));
    CHECK(cudaStreamCreateWithFlags(&free, cudaStreamNonBlocking));
    CHECK(cudaDeviceSynchronize());

    long long begin = now_ns();
    label_push("predict");
    //> predict
    busy<<<1, 1, 0, a>>>(2);            // a and b: cudaStreamCreate()
    busy<<<1, 1, 0, free>>>(3);         // free: cudaStreamNonBlocking
    busy<<<1, 1>>>(1);
    busy<<<1, 1, 0, b>>>(1);
    busy<<<1, 1, 0, free>>>(2);
    CHECK(cudaGetLastError());
    CHECK(cudaStreamSynchronize(0));
    bool done = cudaStreamQuery(free) == cudaSuccess;
    //< predict
    printf("%.2f ms; free is %s\n", (now_ns() - begin) / 1e6, done ? "done" : "still at work");
    CHECK(cudaStreamSynchronize(free));
    label_pop();
    CHECK(cudaStreamDestroy(a));
    CHECK(cudaStreamDestroy(b));
    CHECK(cudaStreamDestroy(free));
    return 0;
}
