/* SPDX-License-Identifier: MIT */
/* by-hand.cu - the fork and join of fork.cu, built node by node; two runs of it, the second with another time.
 *
 *   build/bin/simcc -o by-hand lessons/11-stream-memory-and-graphs/demos/by-hand.cu && build/bin/timeline --label runs ./by-hand */
#include <stdio.h>

#include "streams.h"

__global__ void stage(int *x, long long ns)
{
    kernel_cost(ns);
    *x += 1;
}

int main(void)
{
    int *x, *beside, result[2];
    cudaStream_t s;
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    CHECK(cudaMalloc((void **)&x, 2 * sizeof *x));
    CHECK(cudaMemset(x, 0, 2 * sizeof *x));
    CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    CHECK(cudaDeviceSynchronize());
    //> nodes
    beside = x + 1;
    long long shorter = 10000, middle = 20000, longer = 30000;      // ns
    void *ends[] = { &x, &shorter }, *first[] = { &x, &longer }, *second[] = { &beside, &middle };
    cudaKernelNodeParams params = {};
    params.func = (void *)stage;
    params.gridDim = params.blockDim = 1;
    cudaGraphNode_t split, left, right, merge;
    CHECK(cudaGraphCreate(&graph, 0));
    params.kernelParams = ends;
    CHECK(cudaGraphAddKernelNode(&split, graph, NULL, 0, &params));         // depends on 0 nodes
    params.kernelParams = first;
    CHECK(cudaGraphAddKernelNode(&left, graph, &split, 1, &params));
    params.kernelParams = second;
    CHECK(cudaGraphAddKernelNode(&right, graph, &split, 1, &params));
    params.kernelParams = ends;
    cudaGraphNode_t both[] = { left, right };
    CHECK(cudaGraphAddKernelNode(&merge, graph, both, 2, &params));
    CHECK(cudaGraphInstantiate(&ready, graph, 0));
    //< nodes
    label_push("runs");
    //> set
    CHECK(cudaGraphLaunch(ready, s));
    params.kernelParams = second;
    middle = 40000;
    CHECK(cudaGraphExecKernelNodeSetParams(ready, right, &params));
    CHECK(cudaGraphLaunch(ready, s));
    //< set
    CHECK(cudaStreamSynchronize(s));
    label_pop();
    CHECK(cudaMemcpy(result, x, sizeof result, cudaMemcpyDeviceToHost));
    printf("after two runs x[0] is %d, x[1] is %d\n", result[0], result[1]);
    CHECK(cudaGraphExecDestroy(ready));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaStreamDestroy(s));
    CHECK(cudaFree(x));
    return 0;
}
