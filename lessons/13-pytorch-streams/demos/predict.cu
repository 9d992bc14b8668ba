/* SPDX-License-Identifier: MIT */
/* predict.cu - four kernels, two streams, one wait_stream() too early: what runs when?
 *
 *   build/bin/simcc -Icommon -o predict lessons/13-pytorch-streams/demos/predict.cu && ./predict */
#include "streams.h"

__global__ void work(long long ns)
{
    kernel_cost(ns);
}

#define MS 1000000ll

static void wait_stream(cudaStream_t waiter, cudaStream_t other)
{
    cudaEvent_t passed;
    CHECK(cudaEventCreateWithFlags(&passed, cudaEventDisableTiming));
    CHECK(cudaEventRecord(passed, other));
    CHECK(cudaStreamWaitEvent(waiter, passed, 0));
    CHECK(cudaEventDestroy(passed));
}

int main(void)
{
    cudaStream_t current = cudaStreamLegacy, side;
    CHECK(cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking));
    work<<<1, 1>>>(0);
    CHECK(cudaDeviceSynchronize());
    label_push("predict");
    //> predict
    work<<<1, 1, 0, current>>>(1 * MS);         // 1
    wait_stream(side, current);
    work<<<1, 1, 0, current>>>(2 * MS);         // 2
    work<<<1, 1, 0, side>>>(1 * MS);            // 3
    wait_stream(current, side);
    work<<<1, 1, 0, side>>>(3 * MS);            // 4
    work<<<1, 1, 0, current>>>(1 * MS);         // 5
    //< predict
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    label_pop();
    CHECK(cudaStreamDestroy(side));
    return 0;
}
