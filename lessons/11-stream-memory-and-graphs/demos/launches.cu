/* SPDX-License-Identifier: MIT */
/* launches.cu - a hundred kernels that do next to nothing: asked for one by one, and as a list.
 *
 *   build/bin/simcc -o launches lessons/11-stream-memory-and-graphs/demos/launches.cu && ./launches */
#include <stdio.h>

#include "streams.h"

__global__ void nothing(void)
{
    kernel_cost(500);
}

static double us_since(long long begin) { return (now_ns() - begin) / 1e3; }

int main(void)
{
    cudaStream_t s;
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    CHECK(cudaStreamCreate(&s));
    nothing<<<1, 1, 0, s>>>();
    CHECK(cudaStreamSynchronize(s));
    long long begin = now_ns();
    label_push("one by one");
    //> launches
    for (int k = 0; k < 100; k++)
        nothing<<<1, 1, 0, s>>>();
    //< launches
    double asked = us_since(begin);
    CHECK(cudaStreamSynchronize(s));
    label_pop();
    printf("one by one  the host asks for %5.1f us, done after %5.1f\n", asked, us_since(begin));

    //> graph
    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
    for (int k = 0; k < 100; k++)
        nothing<<<1, 1, 0, s>>>();                  // written down, not run
    CHECK(cudaStreamEndCapture(s, &graph));
    CHECK(cudaGraphInstantiate(&ready, graph, 0));
    //< graph
    CHECK(cudaGraphLaunch(ready, s));
    CHECK(cudaStreamSynchronize(s));
    begin = now_ns();
    label_push("as a list");
    //> launch
    CHECK(cudaGraphLaunch(ready, s));
    //< launch
    asked = us_since(begin);
    CHECK(cudaStreamSynchronize(s));
    label_pop();
    printf("as a list   the host asks for %5.1f us, done after %5.1f\n", asked, us_since(begin));
    CHECK(cudaGraphExecDestroy(ready));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaStreamDestroy(s));
    return 0;
}
