/* SPDX-License-Identifier: MIT */
/* reuse.cu - memory that goes back to a pool while another stream still reads it.
 *
 *   build/bin/simcc -Icommon -o reuse lessons/13-pytorch-streams/demos/reuse.cu && ./reuse */
#include <stdio.h>

#include "streams.h"

#define N 10000

__global__ void fill_with(unsigned *a, unsigned value, int n)
{
    kernel_cost(300000);
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        a[i] = value;
}

__global__ void sum_of(unsigned *sum, const unsigned *a, int n)
{
    kernel_cost(1000000);
    unsigned mine = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        mine += a[i];
    atomicAdd(sum, mine);
}

static unsigned sum_and_reuse(bool recorded, cudaStream_t current, cudaStream_t side, unsigned *sum)
{
    unsigned *a, *b, got;
    cudaEvent_t there;
    CHECK(cudaMemset(sum, 0, sizeof *sum));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEventCreateWithFlags(&there, cudaEventDisableTiming));
    label_push(recorded ? "recorded" : "not recorded");
    //> torch
    CHECK(cudaMallocAsync((void **)&a, N * sizeof *a, current));        // a = torch.ones(N)
    fill_with<<<1, 256, 0, current>>>(a, 1, N);
    CHECK(cudaEventRecord(there, current));                             // side.wait_stream(current)
    CHECK(cudaStreamWaitEvent(side, there, 0));
    sum_of<<<1, 256, 0, side>>>(sum, a, N);                             // with torch.cuda.stream(side): s = a.sum()
    CHECK(cudaFreeAsync(a, recorded ? side : current));                 // del a
    CHECK(cudaMallocAsync((void **)&b, N * sizeof *b, current));        // b = torch.zeros(N)
    fill_with<<<1, 256, 0, current>>>(b, 0, N);
    //< torch
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    label_pop();
    printf("freed in %s: b has %s, ", recorded ? "side" : "current", a == b ? "the bytes of a" : "bytes of its own");
    CHECK(cudaFreeAsync(b, current));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(&got, sum, sizeof got, cudaMemcpyDeviceToHost));
    CHECK(cudaEventDestroy(there));
    return got;
}

int main(void)
{
    cudaStream_t current, side;
    unsigned *sum;
    CHECK(cudaStreamCreateWithFlags(&current, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking));
    CHECK(cudaMalloc((void **)&sum, sizeof *sum));
    for (int recorded = 0; recorded < 2; recorded++)
        printf("the sum is %u of %u\n", sum_and_reuse(recorded, current, side, sum), N);
    CHECK(cudaStreamDestroy(current));
    CHECK(cudaStreamDestroy(side));
    CHECK(cudaFree(sum));
    return 0;
}
