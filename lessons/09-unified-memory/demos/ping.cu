/* SPDX-License-Identifier: MIT */
/* ping.cu - a host that looks at one number of each page, round by round.
 *
 *   build/bin/simcc -o ping lessons/09-unified-memory/demos/ping.cu && ./ping */
#include <stdio.h>

#include "streams.h"

__global__ void relax(float *x, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        x[i] = 0.5f * x[i] + 1;
}

int main(void)
{
    const int n = 512 << 10, page = (64 << 10) / sizeof(float), rounds = 4;     // 2 MiB
    float *x, worst = 0;
    CHECK(cudaMallocManaged((void **)&x, n * sizeof *x));
    for (int i = 0; i < n; i++)
        x[i] = i;
    CHECK(prefetch(x, n * sizeof *x, 0, NULL));
    CHECK(cudaDeviceSynchronize());
    long long begin = now_ns();
    label_push("ping-pong");
    //> ping
    for (int round = 0; round < rounds; round++) {
        relax<<<256, 256>>>(x, n);
        CHECK(cudaGetLastError());
        CHECK(cudaDeviceSynchronize());
        for (int i = 0; i < n; i += page)
            worst = x[i] > worst ? x[i] : worst;    // 32 numbers
    }
    //< ping
    label_pop();
    printf("%.3f ms a round, worst %g\n", (now_ns() - begin) / 1e6 / rounds, worst);
    CHECK(cudaFree(x));
    return 0;
}
