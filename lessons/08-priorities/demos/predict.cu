/* SPDX-License-Identifier: MIT */
/* predict.cu - three priorities: who runs when?
 *
 *   build/bin/simcc -o predict lessons/08-priorities/demos/predict.cu && ./predict */
#include <stdio.h>

#include "streams.h"

#define THREADS 32

__global__ void work(void)
{
    kernel_cost(1000000);
}

int main(void)
{
    int sms, fit, shared, least, greatest;
    cudaStream_t low, middle, high;
    CHECK(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlock, 0));
    CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, work, THREADS, shared));
    int wave = sms * fit;
    CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    CHECK(cudaStreamCreateWithPriority(&low, cudaStreamNonBlocking, least));
    CHECK(cudaStreamCreateWithPriority(&middle, cudaStreamNonBlocking, (least + greatest) / 2));
    CHECK(cudaStreamCreateWithPriority(&high, cudaStreamNonBlocking, greatest));
    work<<<1, 1>>>();
    CHECK(cudaDeviceSynchronize());

    label_push("predict");
    //> predict
    work<<<4 * wave, THREADS, shared, low>>>();         // four waves of 1 ms
    host_work(500000);
    work<<<2 * wave, THREADS, shared, middle>>>();      // at 0.5 ms: two waves
    host_work(1700000);
    work<<<wave, THREADS, shared, high>>>();            // at 2.2 ms: one wave
    //< predict
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    label_pop();
    CHECK(cudaStreamDestroy(low));
    CHECK(cudaStreamDestroy(middle));
    CHECK(cudaStreamDestroy(high));
    return 0;
}
