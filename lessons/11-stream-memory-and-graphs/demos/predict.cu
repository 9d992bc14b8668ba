/* SPDX-License-Identifier: MIT */
/* predict.cu - when does what run, and with which number?
 *
 *   build/bin/simcc -o predict lessons/11-stream-memory-and-graphs/demos/predict.cu && build/bin/timeline --label predict ./predict */
#include <stdio.h>

#include "streams.h"

__global__ void set(int *x, int value)
{
    kernel_cost(200000);
    *x = value;
}

__global__ void add(int *x, const int *y)
{
    kernel_cost(200000);
    *x += *y;
}

__global__ void other(void)
{
    kernel_cost(300000);
}

int main(void)
{
    int *x, *y, result;
    cudaStream_t a, b;
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    CHECK(cudaMalloc((void **)&x, sizeof *x));
    CHECK(cudaMallocHost((void **)&y, sizeof *y));
    CHECK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
    label_push("predict");
    //> predict
    int value = 1;
    *y = 10;                                                // pinned: kernels read it where it is
    CHECK(cudaStreamBeginCapture(a, cudaStreamCaptureModeThreadLocal));
    set<<<1, 1, 0, a>>>(x, value);                          // 0.2 ms
    other<<<1, 1, 0, b>>>();                                // 0.3 ms
    add<<<1, 1, 0, a>>>(x, y);                              // 0.2 ms: *x += *y
    CHECK(cudaStreamEndCapture(a, &graph));
    CHECK(cudaGraphInstantiate(&ready, graph, 0));
    value = 2;
    *y = 20;
    CHECK(cudaGraphLaunch(ready, a));
    CHECK(cudaGraphLaunch(ready, a));
    CHECK(cudaStreamSynchronize(a));
    //< predict
    CHECK(cudaStreamSynchronize(b));
    label_pop();
    CHECK(cudaMemcpy(&result, x, sizeof result, cudaMemcpyDeviceToHost));
    printf("x is %d\n", result);
    CHECK(cudaGraphExecDestroy(ready));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaStreamDestroy(a));
    CHECK(cudaStreamDestroy(b));
    CHECK(cudaFree(x));
    CHECK(cudaFreeHost(y));
    return 0;
}
