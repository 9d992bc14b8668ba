/* SPDX-License-Identifier: MIT */
/* Programmatic edges: which a capture makes of dependent launches, and those that a program asks for.
 * [M]: measured, and written nowhere. */
/* hazards: 2 */
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

__global__ void ahead(int *x, long long ns)
{
    kernel_cost(ns);
    *x = 7;
}

__global__ void beside(const int *x, int *seen, long long ns, bool waits)
{
    if (waits)
        cudaGridDependencySynchronize();
    kernel_cost(ns);
    if (waits)
        *seen = *x;
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

/* How many edges the graph has, and how many of them are programmatic. */
static void count_of(cudaGraph_t graph, size_t *all, size_t *programmatic)
{
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
}

/* The same of the graph of the capture, which ends. */
static void count_edges(size_t *all, size_t *programmatic)
{
    cudaGraph_t graph;
    CHECK(cudaStreamEndCapture(one, &graph));
    count_of(graph, all, programmatic);
    CHECK(cudaGraphDestroy(graph));
}

#if CUDART_VERSION >= 13000
static cudaGraphNode_t node_of(cudaGraph_t graph, void (*kernel)(int *))
{
    void *arguments[] = { &x };
    cudaKernelNodeParams params;
    cudaGraphNode_t node;
    memset(&params, 0, sizeof params);
    params.func = (void *)kernel;
    params.gridDim = params.blockDim = dim3(1);
    params.kernelParams = arguments;
    CHECK(cudaGraphAddKernelNode(&node, graph, NULL, 0, &params));
    return node;
}

static const cudaGraphEdgeData ordinary = { 0, 0, 0, { 0 } },
                               early = { cudaGraphKernelNodePortProgrammatic, 0,
                                         cudaGraphDependencyTypeProgrammatic, { 0 } };

/* Is an edge with such data between these nodes refused? */
static bool refuses(cudaGraph_t graph, cudaGraphNode_t from, cudaGraphNode_t to, int port, int to_port, int type)
{
    cudaGraphEdgeData data = ordinary;
    data.from_port = (unsigned char)port, data.to_port = (unsigned char)to_port, data.type = (unsigned char)type;
    cudaError_t status = cudaGraphAddDependencies(graph, &from, &to, &data, 1);
    (void)cudaGetLastError();
    return status == cudaErrorInvalidValue;
}

/* Edges that are asked for. */
static void asked_for(void)
{
    size_t all, programmatic, room = 8;
    cudaGraph_t graph, other;
    cudaGraphExec_t exec;
    cudaGraphExecUpdateResultInfo result;
    CHECK(cudaGraphCreate(&graph, 0));
    cudaGraphNode_t a = node_of(graph, first), b = node_of(graph, first), c = node_of(graph, then), empty, list[8], to[8];
    CHECK(cudaGraphAddEmptyNode(&empty, graph, NULL, 0));
    rule(refuses(graph, empty, c, 1, 0, 1) && refuses(graph, a, empty, 1, 0, 1), "a programmatic edge is one between kernels [H]");
    rule(refuses(graph, a, c, 1, 0, 0) && refuses(graph, a, c, 0, 0, 1) && refuses(graph, a, c, 1, 1, 1)
             && refuses(graph, a, c, 3, 0, 1) && refuses(graph, a, c, 1, 0, 2),
         "its type and its port are said both, and no others [H]");

    CHECK(cudaGraphAddDependencies(graph, &a, &c, &early, 1));
    CHECK(cudaGraphAddDependencies(graph, &b, &c, &ordinary, 1));
    count_of(graph, &all, &programmatic);
    rule(all == 2 && programmatic == 1, "each call gives its edge its own data [M]");
    rule(cudaGraphGetEdges(graph, list, to, NULL, &room) == cudaErrorLossyQuery, "to list edges without their data is an error then [H]");
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphRemoveDependencies(graph, &a, &c, &ordinary, 1));
    count_of(graph, &all, &programmatic);
    rule(all == 1 && programmatic == 0, "an edge is taken out whatever data are given [M]");
    room = 8;
    rule(cudaGraphGetEdges(graph, list, to, NULL, &room) == cudaSuccess && room == 1, "ordinary edges are listed without data [H]");
    CHECK(cudaGraphAddDependencies(graph, &a, &c, &ordinary, 1));
    rule(cudaGraphExecUpdate(exec, graph, &result) == cudaErrorGraphExecUpdateFailure
             && result.result == cudaGraphExecUpdateErrorTopologyChanged,
         "an executable graph does not take over another kind of edge [M]");
    (void)cudaGetLastError();
    CHECK(cudaGraphExecDestroy(exec));

    CHECK(cudaGraphCreate(&other, 0));
    cudaGraphNode_t from[2] = { node_of(other, first), node_of(other, first) }, last = node_of(other, then),
                    both[2] = { last, last };
    cudaGraphEdgeData data[2] = { early, ordinary };
    CHECK(cudaGraphAddDependencies(other, from, both, data, 2));
    count_of(other, &all, &programmatic);
    rule(all == 2 && programmatic == 2, "edges of one call have the data of its first [M]");
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaGraphDestroy(other));
}
#endif

#if CUDART_VERSION >= 13000
static cudaGraphNode_t node_with(cudaGraph_t graph, const void *kernel, unsigned blocks, size_t shared, void **arguments)
{
    cudaKernelNodeParams params = {};
    cudaGraphNode_t node;
    params.func = (void *)kernel;
    params.gridDim = dim3(blocks);
    params.blockDim = dim3(32);
    params.sharedMemBytes = (unsigned)shared;
    params.kernelParams = arguments;
    CHECK(cudaGraphAddKernelNode(&node, graph, NULL, 0, &params));
    return node;
}

/* Of two kernels, the second behind the launch of the first one's blocks, each of which has an SM to itself; in shares of LONG. */
static double takes(unsigned blocks, size_t shared, long long block_ns, bool waits, int *seen)
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaEvent_t from = event(), to = event();
    int *out = x + 1;
    long long ns = LONG;
    void *of_first[] = { &x, &block_ns }, *of_second[] = { &x, &out, &ns, &waits };
    float ms = 0;
    CHECK(cudaGraphCreate(&graph, 0));
    cudaGraphNode_t a = node_with(graph, (const void *)ahead, blocks, shared, of_first), b = node_with(graph, (const void *)beside, 1, 0, of_second);
    const cudaGraphEdgeData data = { cudaGraphKernelNodePortLaunchCompletion, 0, cudaGraphDependencyTypeProgrammatic, { 0 } };
    CHECK(cudaGraphAddDependencies(graph, &a, &b, &data, 1));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphUpload(exec, one));
    CHECK(cudaMemsetAsync(x, 0, 2 * sizeof *x, one));
    CHECK(cudaStreamSynchronize(one));
    CHECK(cudaEventRecord(from, one));
    CHECK(cudaGraphLaunch(exec, one));
    CHECK(cudaEventRecord(to, one));
    CHECK(cudaStreamSynchronize(one));
    CHECK(cudaEventElapsedTime(&ms, from, to));
    CHECK(cudaMemcpy(seen, out, sizeof *seen, cudaMemcpyDeviceToHost));
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    printf("# behind the launch of %u blocks: %.2f\n", blocks, ms * 1e6 / (double)LONG);
    return ms * 1e6 / (double)LONG;
}

static bool is_about(double shares, double wanted) { return shares > 0.85 * wanted && shares < 1.15 * wanted; }

/* The port of launch completion. */
static void at_launch(void)
{
    struct cudaDeviceProp prop;
    int seen;
    size_t all, programmatic, room = 8;
    CHECK(cudaGetDeviceProperties(&prop, 0));
    const unsigned sms = (unsigned)prop.multiProcessorCount;
    const size_t shared = prop.sharedMemPerMultiprocessor / 2 + 1024;
    CHECK(cudaFuncSetAttribute(ahead, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared));
    takes(1, 0, 0, true, &seen);        /* they are loaded */
    rule(is_about(takes(1, 0, LONG, false, &seen), 1), "behind a kernel's launch another runs beside it [M]");
    rule(is_about(takes(1, 0, LONG, true, &seen), 2), "cudaGridDependencySynchronize waits for the end all the same [M]");
    rule(seen == 7, "and what the kernel ahead wrote is there then [M]");
    rule(is_about(takes(2 * sms, shared, LONG / 2, false, &seen), 1.5), "it begins when the last blocks have begun, not the first [M]");
    rule(is_about(takes(2 * sms, shared, LONG, false, &seen), 2), "and what is behind the graph waits for all of both [M]");

    cudaGraph_t graph;
    cudaGraphNode_t from[8], to[8];
    cudaGraphEdgeData data[8];
    CHECK(cudaGraphCreate(&graph, 0));
    cudaGraphNode_t a = node_of(graph, first), b = node_of(graph, then);
    const cudaGraphEdgeData launched = { cudaGraphKernelNodePortLaunchCompletion, 0, cudaGraphDependencyTypeProgrammatic, { 0 } };
    CHECK(cudaGraphAddDependencies(graph, &a, &b, &launched, 1));
    count_of(graph, &all, &programmatic);
    CHECK(cudaGraphGetEdges(graph, from, to, data, &room));
    rule(all == 1 && programmatic == 0 && room == 1 && data[0].from_port == cudaGraphKernelNodePortLaunchCompletion
             && data[0].type == cudaGraphDependencyTypeProgrammatic,
         "an edge from that port is listed as one [M]");
    CHECK(cudaGraphDestroy(graph));
}
#endif

int main()
{
    size_t all, programmatic;
    int major;
    one = stream(cudaStreamNonBlocking), two = stream(cudaStreamNonBlocking);
    fork = event(), join = event();
    x = on_device<int>(2);
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

    begin();
    let_wait(two, fork, one);
    CHECK(cudaMemsetAsync(x, 0, sizeof *x, two));
    launch(one, first, false);
    let_wait(one, join, two);
    launch(one, then, true);
    count_edges(&all, &programmatic);
    rule(all == 4 && programmatic == 1, "behind a kernel and a memset it is the one from the kernel [M]");
#if CUDART_VERSION >= 13000
    asked_for();
    at_launch();
#endif
    return rules_end();
}
