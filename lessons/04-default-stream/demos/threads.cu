/* SPDX-License-Identifier: MIT */
/* threads.cu - four host threads, each with two kernels in "the default stream".
 *
 *   build/bin/simcc -o threads lessons/04-default-stream/demos/threads.cu && ./threads
 *   build/bin/simcc --default-stream per-thread -o threads lessons/04-default-stream/demos/threads.cu && ./threads */
#include <stdio.h>
#include <thread>
#include <vector>

#include "streams.h"

__global__ void busy(void) { kernel_cost(20000000); }

//> errand
static void errand(void)
{
    busy<<<1, 1>>>();
    busy<<<1, 1>>>();
    CHECK(cudaGetLastError());
    CHECK(cudaStreamSynchronize(0));
}
//< errand

int main(void)
{
    CHECK(cudaDeviceSynchronize());
    long long begin = now_ns();
    label_push("threads");
    //> threads
    std::vector<std::thread> threads;
    for (int k = 0; k < 4; k++)
        threads.emplace_back(errand);
    for (std::thread &t : threads)
        t.join();
    //< threads
    label_pop();
    printf("%.0f ms\n", (now_ns() - begin) / 1e6);
    return 0;
}
