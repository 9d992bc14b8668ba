/* SPDX-License-Identifier: MIT */
/* matrix.cu - every kind of stream after every other: does the second wait for the first?
 *
 *   build/bin/simcc -o matrix lessons/04-default-stream/demos/matrix.cu && ./matrix */
#include <stdio.h>

#include "streams.h"

__global__ void busy(void) { kernel_cost(20000000); }
__global__ void empty(void) { }

//> waits
/* A kernel of 20 ms in `first`, an empty one in `second`: when is that done? */
static bool waits(cudaStream_t first, cudaStream_t second)
{
    cudaEvent_t done;
    CHECK(cudaEventCreate(&done));
    long long before = now_ns();
    busy<<<1, 1, 0, first>>>();
    empty<<<1, 1, 0, second>>>();
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(done, second));
    CHECK(cudaEventSynchronize(done));
    long long after = now_ns();
    CHECK(cudaEventDestroy(done));
    CHECK(cudaDeviceSynchronize());
    return after - before > 10000000;
}
//< waits

int main(void)
{
    static const char *const name[] = { "NULL", "blocking", "another", "non-blocking", "per-thread", "legacy" };
    cudaStream_t stream[6] = { NULL };
    CHECK(cudaStreamCreate(&stream[1]));
    CHECK(cudaStreamCreate(&stream[2]));
    CHECK(cudaStreamCreateWithFlags(&stream[3], cudaStreamNonBlocking));
    stream[4] = cudaStreamPerThread;
    stream[5] = cudaStreamLegacy;
    busy<<<1, 1>>>();           // nothing below happens for the first time
    empty<<<1, 1>>>();
    CHECK(cudaDeviceSynchronize());

    printf("%-14s", "");
    for (const char *column : name)
        printf("%14s", column);
    for (int first = 0; first < 6; first++) {
        printf("\n%-14s", name[first]);
        for (cudaStream_t second : stream)
            printf("%14s", waits(stream[first], second) ? "waits" : ".");
    }
    printf("\n");
    for (int k = 1; k < 4; k++)
        CHECK(cudaStreamDestroy(stream[k]));
    return 0;
}
