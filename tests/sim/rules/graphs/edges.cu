/* SPDX-License-Identifier: MIT */
/* What kind of edges a capture makes of dependent launches. [M]: measured, and written nowhere. */
#include "../rule.h"

__global__ void first(int *x)
{
    cudaTriggerProgrammaticLaunchCompletion();
    *x += 1;
}

__global__ void then(int *x)
{
    cudaGridDependencySynchronize();
    *x += 2;
}

static cudaStream_t one, two;
static cudaEvent_t fork, join;
static int *x;

static void launch(cudaStream_t s, void (*kernel)(int *), bool dependent)
{
    cudaLaunchAttribute a;
    cudaLaunchConfig_t c;
    memset(&a, 0, sizeof a);
    memset(&c, 0, sizeof c);
    a.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    a.val.programmaticStreamSerializationAllowed = 1;
    c.gridDim = c.blockDim = dim3(1);
    c.stream = s;
    c.attrs = &a;
    c.numAttrs = dependent ? 1 : 0;
    CHECK(cudaLaunchKernelEx(&c, kernel, x));
}

static void let_wait(cudaStream_t waits, cudaEvent_t event, cudaStream_t behind)
{
    CHECK(cudaEventRecord(event, behind));
    CHECK(cudaStreamWaitEvent(waits, event, 0));
}

static void begin(void)
{
    CHECK(cudaStreamBeginCapture(one, cudaStreamCaptureModeThreadLocal));
    launch(one, first, false);
}

/* How many edges the graph of the capture has, and how many of them are programmatic. */
static void count_edges(size_t *all, size_t *programmatic)
{
    cudaGraph_t graph;
    CHECK(cudaStreamEndCapture(one, &graph));
    *all = *programmatic = 0;
#if CUDART_VERSION >= 13000
    cudaGraphNode_t from[8], to[8];
    cudaGraphEdgeData data[8];
    *all = 8;
    CHECK(cudaGraphGetEdges(graph, from, to, data, all));
    for (size_t i = 0; i < *all; i++)
        *programmatic += data[i].type == cudaGraphDependencyTypeProgrammatic
                         && data[i].from_port == cudaGraphKernelNodePortProgrammatic && data[i].to_port == 0;
#endif
    CHECK(cudaGraphDestroy(graph));
}

int main()
{
    size_t all, programmatic;
    int major;
    one = stream(cudaStreamNonBlocking), two = stream(cudaStreamNonBlocking);
    fork = event(), join = event();
    x = on_device<int>(1);
    CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
    if (CUDART_VERSION < 13000 || major < 9)
        return rules_end();

    begin();
    launch(one, then, false);
    count_edges(&all, &programmatic);
    rule(all == 1 && programmatic == 0, "an ordinary launch that is captured has an ordinary edge [M]");

    begin();
    launch(one, then, true);
    count_edges(&all, &programmatic);
    rule(all == 1 && programmatic == 1, "a dependent launch that is captured behind a kernel has a programmatic edge [M]");

    begin();
    CHECK(cudaEventRecord(fork, one));
    launch(one, then, true);
    count_edges(&all, &programmatic);
    rule(all == 1 && programmatic == 1, "and with an event recorded in between it has, too [M]");

    begin();
    let_wait(two, fork, one);
    launch(two, then, true);
    let_wait(one, join, two);
    count_edges(&all, &programmatic);
    rule(all == 1 && programmatic == 1, "and where an event brings it behind a kernel of another stream [M]");

    begin();
    let_wait(two, fork, one);
    launch(two, first, false);
    launch(one, first, false);
    let_wait(one, join, two);
    launch(one, then, true);
    count_edges(&all, &programmatic);
    rule(all == 4 && programmatic == 2, "behind two kernels each of its edges is programmatic [M]");
    return rules_end();
}
