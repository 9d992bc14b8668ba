/* SPDX-License-Identifier: MIT */
/* chain.cu - how long 200 kernels of 4 and 6 us take, by what is said and where; and the same as a graph.
 *
 *   build/bin/simcc -o chain lessons/15-dependent-launches/demos/chain.cu && ./chain */
#include <stdio.h>

#include "streams.h"

enum { LINKS = 200, NEVER = 0, FIRST, AFTER };

__global__ void link(unsigned *x, int trigger)
{
    if (trigger == FIRST)
        cudaTriggerProgrammaticLaunchCompletion();
    kernel_cost(4000);
    cudaGridDependencySynchronize();
    if (trigger == AFTER)
        cudaTriggerProgrammaticLaunchCompletion();
    kernel_cost(6000);
    x[threadIdx.x]++;
}

/* All others are queued while this one runs. */
__global__ void hold(void)
{
    kernel_cost(2000000);
}

static void chain(cudaStream_t stream, unsigned *x, bool attribute, int trigger)
{
    cudaLaunchAttribute early = {};
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = attribute;
    cudaLaunchConfig_t how = {};
    how.gridDim = 1;
    how.blockDim = 32;
    how.stream = stream;
    how.attrs = &early;
    how.numAttrs = 1;
    for (int k = 0; k < LINKS; k++)
        CHECK(cudaLaunchKernelEx(&how, link, x, trigger));
}

static float between(cudaEvent_t from, cudaEvent_t to)
{
    float ms;
    CHECK(cudaEventSynchronize(to));
    CHECK(cudaEventElapsedTime(&ms, from, to));
    return ms;
}

int main(void)
{
    static const struct { const char *name; bool attribute; int trigger; } ways[] = {
        { "ordinary launches", false, NEVER },
        { "the attribute, and no trigger", true, NEVER },
        { "trigger first", true, FIRST },
        { "trigger after the wait", true, AFTER },
    };
    cudaStream_t stream;
    cudaEvent_t from, to;
    unsigned *x;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaEventCreate(&from));
    CHECK(cudaEventCreate(&to));
    CHECK(cudaMalloc((void **)&x, 32 * sizeof *x));
    CHECK(cudaMemsetAsync(x, 0, 32 * sizeof *x, stream));
    link<<<1, 32, 0, stream>>>(x, NEVER);
    CHECK(cudaGetLastError());
    CHECK(cudaStreamSynchronize(stream));
    printf("%-32s in a stream  as a graph\n", "200 kernels of 4 + 6 us:");
    for (auto &way : ways) {
        cudaGraph_t graph;
        cudaGraphExec_t ready;
        hold<<<1, 1, 0, stream>>>();
        CHECK(cudaGetLastError());
        CHECK(cudaEventRecord(from, stream));
        chain(stream, x, way.attribute, way.trigger);
        CHECK(cudaEventRecord(to, stream));
        float live = between(from, to);
        //> graph
        CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
        chain(stream, x, way.attribute, way.trigger);       // the same launches
        CHECK(cudaStreamEndCapture(stream, &graph));
        CHECK(cudaGraphInstantiate(&ready, graph, 0));
        CHECK(cudaGraphLaunch(ready, stream));
        //< graph
        CHECK(cudaStreamSynchronize(stream));
        CHECK(cudaEventRecord(from, stream));
        CHECK(cudaGraphLaunch(ready, stream));
        CHECK(cudaEventRecord(to, stream));
        printf("%-32s %8.0f us %8.0f us\n", way.name, live * 1000, between(from, to) * 1000);
        CHECK(cudaGraphExecDestroy(ready));
        CHECK(cudaGraphDestroy(graph));
    }
    CHECK(cudaFree(x));
    CHECK(cudaEventDestroy(from));
    CHECK(cudaEventDestroy(to));
    CHECK(cudaStreamDestroy(stream));
    return 0;
}
