/* SPDX-License-Identifier: MIT */
/* fork.cu - a fork and a join, captured; two runs of it.
 *
 *   build/bin/simcc -o fork lessons/11-stream-memory-and-graphs/demos/fork.cu && build/bin/timeline --label runs ./fork */
#include <stdio.h>

#include "streams.h"

__global__ void stage(int *x, long long ns)
{
    kernel_cost(ns);
    *x += 1;
}

int main(void)
{
    int *x;
    cudaStream_t s, side;
    cudaEvent_t fork, join;
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    CHECK(cudaMalloc((void **)&x, 2 * sizeof *x));
    CHECK(cudaMemset(x, 0, 2 * sizeof *x));
    CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking));
    CHECK(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
    CHECK(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
    CHECK(cudaDeviceSynchronize());
    //> fork
    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
    stage<<<1, 1, 0, s>>>(x, 10000);
    CHECK(cudaEventRecord(fork, s));
    CHECK(cudaStreamWaitEvent(side, fork, 0));      // from here on `side` is captured, too
    stage<<<1, 1, 0, s>>>(x, 30000);
    stage<<<1, 1, 0, side>>>(x + 1, 20000);
    CHECK(cudaEventRecord(join, side));
    CHECK(cudaStreamWaitEvent(s, join, 0));         // and back in `s`
    stage<<<1, 1, 0, s>>>(x, 10000);
    CHECK(cudaStreamEndCapture(s, &graph));
    CHECK(cudaGraphInstantiate(&ready, graph, 0));
    //< fork
    int before = 0;
    CHECK(cudaMemcpy(&before, x, sizeof before, cudaMemcpyDeviceToHost));
    printf("after the capture x is %d\n", before);
    label_push("runs");
    //> runs
    CHECK(cudaGraphLaunch(ready, s));
    CHECK(cudaGraphLaunch(ready, s));
    CHECK(cudaStreamSynchronize(s));
    //< runs
    label_pop();
    CHECK(cudaMemcpy(&before, x, sizeof before, cudaMemcpyDeviceToHost));
    printf("after two runs x is %d\n", before);
    CHECK(cudaGraphExecDestroy(ready));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaEventDestroy(fork));
    CHECK(cudaEventDestroy(join));
    CHECK(cudaStreamDestroy(s));
    CHECK(cudaStreamDestroy(side));
    CHECK(cudaFree(x));
    return 0;
}
