/* SPDX-License-Identifier: MIT */
/* loop.cu - a number is halved until it is 0: the host asks after each round, and then a graph asks by itself. From CUDA 12.4 on.
 *
 *   build/bin/simcc -o loop lessons/15-dependent-launches/demos/loop.cu && ./loop */
#include <stdio.h>

#include "streams.h"

/* What is left of the number, and the rounds so far. */
struct number { int left, rounds; };

__global__ void halve(struct number *x)
{
    kernel_cost(10000);
    x->left /= 2;
    x->rounds++;
}

//> kernel
__global__ void decide(const struct number *x, cudaGraphConditionalHandle more)
{
    kernel_cost(2000);
    cudaGraphSetConditional(more, x->left != 0);        // 0: this round was the last
}
//< kernel

static void host_asks(struct number *x, struct number *seen, cudaStream_t stream)
{
    //> host
    do {
        halve<<<1, 1, 0, stream>>>(x);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpyAsync(seen, x, sizeof *x, cudaMemcpyDeviceToHost, stream));
        CHECK(cudaStreamSynchronize(stream));
    } while (seen->left != 0);
    //< host
}

static cudaGraphExec_t device_asks(struct number *x, cudaStream_t stream)
{
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    cudaGraphNode_t node;
    CHECK(cudaGraphCreate(&graph, 0));
    //> node
    cudaGraphConditionalHandle more;
    CHECK(cudaGraphConditionalHandleCreate(&more, graph, 1, cudaGraphCondAssignDefault));

    cudaGraphNodeParams params = {};
    params.type = cudaGraphNodeTypeConditional;
    params.conditional.handle = more;
    params.conditional.type = cudaGraphCondTypeWhile;
    params.conditional.size = 1;                        // one body
    CHECK(add_graph_node(&node, graph, NULL, 0, &params));
    cudaGraph_t body = params.conditional.phGraph_out[0];
    //< node
    //> body
    CHECK(cudaStreamBeginCaptureToGraph(stream, body, NULL, NULL, 0, cudaStreamCaptureModeThreadLocal));
    halve<<<1, 1, 0, stream>>>(x);
    CHECK(cudaGetLastError());
    decide<<<1, 1, 0, stream>>>(x, more);
    CHECK(cudaGetLastError());
    CHECK(cudaStreamEndCapture(stream, &body));
    //< body
    CHECK(cudaGraphInstantiate(&ready, graph, 0));
    CHECK(cudaGraphDestroy(graph));
    return ready;
}

/* That is the number, for what comes next in `stream`. */
static void begin_with(int left, struct number *x, struct number *first, cudaStream_t stream)
{
    first->left = left;
    first->rounds = 0;
    CHECK(cudaMemcpyAsync(x, first, sizeof *x, cudaMemcpyHostToDevice, stream));
    CHECK(cudaStreamSynchronize(stream));
}

int main(void)
{
    struct number *x, *first, *seen;
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMalloc((void **)&x, sizeof *x));
    CHECK(cudaMallocHost((void **)&first, sizeof *first));
    CHECK(cudaMallocHost((void **)&seen, sizeof *seen));
    cudaGraphExec_t ready = device_asks(x, stream);
    static const char *const labels[][2] = { { "first host", "first device" }, { "host", "device" } };
    for (auto &label : labels) {        /* the first time kernels are loaded */
        begin_with(20, x, first, stream);
        label_push(label[0]);
        host_asks(x, seen, stream);
        label_pop();
        begin_with(20, x, first, stream);
        label_push(label[1]);
        CHECK(cudaGraphLaunch(ready, stream));
        CHECK(cudaStreamSynchronize(stream));
        label_pop();
    }
    static const int numbers[] = { 5, 1000, 0 };
    for (int left : numbers) {
        begin_with(left, x, first, stream);
        //> again
        CHECK(cudaGraphLaunch(ready, stream));
        CHECK(cudaMemcpyAsync(seen, x, sizeof *x, cudaMemcpyDeviceToHost, stream));
        CHECK(cudaStreamSynchronize(stream));
        printf("it begins with %4d: rounds: %2d\n", left, seen->rounds);
        //< again
    }
    CHECK(cudaGraphExecDestroy(ready));
    CHECK(cudaFree(x));
    CHECK(cudaFreeHost(first));
    CHECK(cudaFreeHost(seen));
    CHECK(cudaStreamDestroy(stream));
    return 0;
}
