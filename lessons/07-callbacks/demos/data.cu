/* SPDX-License-Identifier: MIT */
/* data.cu - which number does each function find?
 *
 *   build/bin/simcc -o data lessons/07-callbacks/demos/data.cu && ./data */
#include <stdio.h>

#include "streams.h"

__global__ void busy(void) { kernel_cost(1000000); }

//> say
static void say(void *number)
{
    printf(" %d", *(int *)number);
}
//< say

int main(void)
{
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));

    printf("one address for all: ");
    //> shared
    int i;
    busy<<<1, 1, 0, stream>>>();
    for (i = 0; i < 3; i++)
        CHECK(cudaLaunchHostFunc(stream, say, &i));
    CHECK(cudaStreamSynchronize(stream));
    //< shared

    printf("\na place for each:    ");
    //> each
    int number[3];
    busy<<<1, 1, 0, stream>>>();
    for (int k = 0; k < 3; k++) {
        number[k] = k;
        CHECK(cudaLaunchHostFunc(stream, say, &number[k]));
    }
    CHECK(cudaStreamSynchronize(stream));   // number lives longer than this
    //< each
    printf("\n");
    CHECK(cudaGetLastError());
    CHECK(cudaStreamDestroy(stream));
    return 0;
}
