/* SPDX-License-Identifier: MIT */
/* overlap.cu - two kernels in two streams write down when they begin and end: how long did both run?
 *
 *   nvcc -arch=native -Icommon -o overlap book/back/demos/overlap.cu common/streams.cu && ./overlap && ncu ./overlap */
#include <stdio.h>

#include "streams.h"

__global__ void stay(unsigned long long *when, int ns)
{
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(when[0]));
    kernel_busy(ns);
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(when[1]));
}

int main(void)
{
    cudaStream_t one, two;
    unsigned long long *d, t[4];
    CHECK(cudaMalloc((void **)&d, sizeof t));
    CHECK(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking));
    for (int k = 0; k < 2; k++) {                   // the first time loads code
        stay<<<1, 1, 0, one>>>(d, 500000);
        stay<<<1, 1, 0, two>>>(d + 2, 500000);
        CHECK(cudaDeviceSynchronize());
    }
    CHECK(cudaMemcpy(t, d, sizeof t, cudaMemcpyDeviceToHost));
    long long from = t[0] > t[2] ? t[0] : t[2], to = t[1] < t[3] ? t[1] : t[3];
    printf("both at once for %.0f us of 500\n", to > from ? (to - from) / 1e3 : 0.0);
    CHECK(cudaStreamDestroy(one));
    CHECK(cudaStreamDestroy(two));
    CHECK(cudaFree(d));
    return 0;
}
