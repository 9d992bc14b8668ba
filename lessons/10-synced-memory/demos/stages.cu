/* SPDX-License-Identifier: MIT */
/* stages.cu - host and device in turn, and each stage copies everything to where it works.
 *
 *   build/bin/simcc -o stages lessons/10-synced-memory/demos/stages.cu && ./stages */
#include <stdio.h>

#include "streams.h"

#define N (1 << 20)

static int transfers;

static void copy(float *to, const float *from, cudaMemcpyKind kind)
{
    CHECK(cudaMemcpy(to, from, N * sizeof *to, kind));
    transfers++;
}

__global__ void work(float *x, int n)
{
    kernel_cost(60000);
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x * 64)
        x[i] = 0.5f * x[i] + 1;
}

int main(void)
{
    float *host, *device, first = 0;
    CHECK(cudaMallocHost((void **)&host, N * sizeof *host));
    CHECK(cudaMalloc((void **)&device, N * sizeof *device));
    for (int i = 0; i < N; i++)
        host[i] = i;
    long long begin = now_ns();
    label_push("carried");
    //> carried
    for (int stage = 0; stage < 4; stage++) {
        copy(device, host, cudaMemcpyHostToDevice);     // the stage works on the device …
        work<<<8, 128>>>(device, N);
        CHECK(cudaGetLastError());
        copy(host, device, cudaMemcpyDeviceToHost);     // … and leaves everything as it found it
    }
    first = host[0];
    //< carried
    label_pop();
    printf("%d transfers, %.3f ms\n", transfers, (now_ns() - begin) / 1e6);
    transfers = 0;
    begin = now_ns();
    copy(device, host, cudaMemcpyHostToDevice);
    for (int stage = 0; stage < 4; stage++)
        work<<<8, 128>>>(device, N);
    CHECK(cudaGetLastError());
    copy(host, device, cudaMemcpyDeviceToHost);
    printf("%d transfers, %.3f ms: its author knew what comes before and after\n", transfers, (now_ns() - begin) / 1e6);
    CHECK(cudaFreeHost(host));
    CHECK(cudaFree(device));
    return first == 0;
}
