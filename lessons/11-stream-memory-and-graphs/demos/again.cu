/* SPDX-License-Identifier: MIT */
/* again.cu - who gets a piece of memory that has been given back, while the work before that still runs?
 *
 *   build/bin/simcc -o again lessons/11-stream-memory-and-graphs/demos/again.cu && ./again */
#include <stdio.h>

#include "streams.h"

__global__ void work(char *x)
{
    kernel_cost(500000);
    x[0] = 1;
}

int main(void)
{
    const size_t bytes = 1 << 20;
    char *p, *q;
    cudaStream_t one, two;
    cudaEvent_t e;
    CHECK(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking));
    CHECK(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
    //> again
    CHECK(cudaMallocAsync((void **)&p, bytes, one));
    work<<<1, 1, 0, one>>>(p);
    CHECK(cudaFreeAsync(p, one));
    CHECK(cudaMallocAsync((void **)&q, bytes, one));
    printf("its own stream                  %s\n", q == p ? "the same piece" : "another one");
    CHECK(cudaFreeAsync(q, one));
    CHECK(cudaMallocAsync((void **)&q, bytes, two));
    printf("another stream                  %s\n", q == p ? "the same piece" : "another one");
    CHECK(cudaFreeAsync(q, two));
    //< again
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMallocAsync((void **)&p, bytes, one));
    work<<<1, 1, 0, one>>>(p);
    CHECK(cudaFreeAsync(p, one));
    //> event
    CHECK(cudaEventRecord(e, one));                 // after the cudaFreeAsync() in `one`
    CHECK(cudaStreamWaitEvent(two, e, 0));
    CHECK(cudaMallocAsync((void **)&q, bytes, two));
    printf("another stream, after an event  %s\n", q == p ? "the same piece" : "another one");
    //< event
    CHECK(cudaFreeAsync(q, two));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEventDestroy(e));
    CHECK(cudaStreamDestroy(one));
    CHECK(cudaStreamDestroy(two));
    return 0;
}
