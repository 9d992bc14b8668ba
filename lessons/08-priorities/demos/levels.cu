/* SPDX-License-Identifier: MIT */
/* levels.cu - what a device has, and what becomes of numbers that it has not.
 *
 *   build/bin/simcc -o levels lessons/08-priorities/demos/levels.cu && ./levels */
#include <stdio.h>

#include "streams.h"

int main(void)
{
    //> levels
    static const int wishes[] = { 100, 0, -1, -5, -100 };
    int least, greatest;
    CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    printf("least %d, greatest %d\n", least, greatest);
    for (int wish : wishes) {
        cudaStream_t stream;
        int priority;
        CHECK(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, wish));
        CHECK(cudaStreamGetPriority(stream, &priority));
        printf("asked for %4d, got %2d\n", wish, priority);
        CHECK(cudaStreamDestroy(stream));
    }
    //< levels
    return 0;
}
