/* SPDX-License-Identifier: MIT */
/* inside.cu - what calls of CUDA's answer in a function that a stream calls; and what such functions hear of an error.
 *
 *   build/bin/simcc -o inside lessons/07-callbacks/demos/inside.cu && ./inside */
#include <stdio.h>

#include "streams.h"

//> inside
static void asks(void *data)
{
    void *p;
    cudaStream_t stream = *(cudaStream_t *)data;
    printf("cudaMalloc             %s\n", cudaGetErrorName(cudaMalloc(&p, 4)));
    printf("cudaStreamQuery        %s\n", cudaGetErrorName(cudaStreamQuery(stream)));
    printf("cudaStreamSynchronize  %s\n", cudaGetErrorName(cudaStreamSynchronize(stream)));
}
//< inside

__global__ void fault(int *p) { *p = 1; }

//> status
static void callback(cudaStream_t, cudaError_t status, void *)
{
    printf("cudaStreamAddCallback's was called: %s\n", cudaGetErrorName(status));
}

static void function(void *)
{
    printf("cudaLaunchHostFunc's was called\n");
}
//< status

int main(void)
{
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaLaunchHostFunc(stream, asks, &stream));
    CHECK(cudaStreamSynchronize(stream));

    //> queue
    fault<<<1, 1, 0, stream>>>(NULL);       // writes where there is no memory
    CHECK(cudaStreamAddCallback(stream, callback, NULL, 0));
    CHECK(cudaLaunchHostFunc(stream, function, NULL));
    printf("cudaStreamSynchronize  %s\n", cudaGetErrorName(cudaStreamSynchronize(stream)));
    //< queue
    return 0;
}
