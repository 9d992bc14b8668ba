/* SPDX-License-Identifier: MIT */
/* sum.cu - a sum in another stream than its input, with a wait and without.
 *
 *   build/bin/simcc -Icommon -o sum lessons/13-pytorch-streams/demos/sum.cu && ./sum */
#include <stdio.h>

#include "streams.h"

#define N 10000

__global__ void ones(unsigned *a, int n)
{
    kernel_cost(1000000);
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        a[i] = 1;
}

__global__ void sum_of(unsigned *sum, const unsigned *a, int n)
{
    kernel_cost(500000);
    unsigned mine = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        mine += a[i];
    atomicAdd(sum, mine);
}

//> wait
static void wait_stream(cudaStream_t waiter, cudaStream_t other)
{
    cudaEvent_t passed;
    CHECK(cudaEventCreateWithFlags(&passed, cudaEventDisableTiming));
    CHECK(cudaEventRecord(passed, other));
    CHECK(cudaStreamWaitEvent(waiter, passed, 0));
    CHECK(cudaEventDestroy(passed));
}
//< wait

static void add_up(bool waits, cudaStream_t side, unsigned *a, unsigned *s)
{
    unsigned sum;
    CHECK(cudaMemset(a, 0, N * sizeof *a));
    CHECK(cudaMemset(s, 0, sizeof *s));
    CHECK(cudaDeviceSynchronize());
    label_push(waits ? "with a wait" : "without");
    //> torch
    ones<<<1, 256>>>(a, N);                     // a = torch.ones(N): the current stream is the default stream
    if (waits)
        wait_stream(side, cudaStreamLegacy);    // side.wait_stream(torch.cuda.current_stream())
    sum_of<<<1, 256, 0, side>>>(s, a, N);       // with torch.cuda.stream(side): s = a.sum()
    //< torch
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    label_pop();
    CHECK(cudaMemcpy(&sum, s, sizeof sum, cudaMemcpyDeviceToHost));
    printf("%s: %u of %u\n", waits ? "with wait_stream" : "without a wait", sum, N);
}

int main(void)
{
    unsigned *a, *s;
    cudaStream_t side;
    CHECK(cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking));
    CHECK(cudaMalloc((void **)&a, N * sizeof *a));
    CHECK(cudaMalloc((void **)&s, sizeof *s));
    add_up(false, side, a, s);
    add_up(true, side, a, s);
    CHECK(cudaStreamDestroy(side));
    CHECK(cudaFree(a));
    CHECK(cudaFree(s));
    return 0;
}
