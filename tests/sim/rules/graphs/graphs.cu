/* SPDX-License-Identifier: MIT */
/*
 * Graphs made node by node, and nodes that get other parameters.
 * [G]: CUDA Programming Guide, "CUDA Graphs"; [H]: cuda_runtime_api.h.
 */
#include "../rule.h"

#if CUDART_VERSION >= 13000
#define NO_EDGE_DATA NULL,
#else
#define NO_EDGE_DATA
#endif

__global__ void add(int *to, int value)
{
    *to += value;
}

template <typename T> __global__ void twice(T *to)
{
    *to *= 2;
}

static cudaKernelNodeParams kernel(void *function, void **args)
{
    cudaKernelNodeParams params = {};
    params.func = function;
    params.gridDim = dim3(1);
    params.blockDim = dim3(1);
    params.kernelParams = args;
    return params;
}

static cudaMemsetParams setting(void *dst, unsigned value, unsigned element, size_t width)
{
    cudaMemsetParams params = {};
    params.dst = dst;
    params.value = value;
    params.elementSize = element;
    params.width = width;
    params.height = 1;
    return params;
}

static cudaGraphNode_t add_node(cudaGraph_t graph, const cudaKernelNodeParams &params, int count = 0,
                                const cudaGraphNode_t *after = NULL)
{
    cudaGraphNode_t node;
    CHECK(cudaGraphAddKernelNode(&node, graph, after, count, &params));
    return node;
}

static cudaGraph_t made()
{
    cudaGraph_t graph;
    CHECK(cudaGraphCreate(&graph, 0));
    return graph;
}

static cudaGraphExec_t instance(cudaGraph_t graph)
{
    cudaGraphExec_t exec;
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    return exec;
}

static void launch(cudaGraphExec_t exec, cudaStream_t s)
{
    CHECK(cudaGraphLaunch(exec, s));
    CHECK(cudaStreamSynchronize(s));
}

static void count(void *counter)
{
    ++*(int *)counter;
}

static size_t nodes_of(cudaGraph_t graph)
{
    size_t n = 0;
    CHECK(cudaGraphGetNodes(graph, NULL, &n));
    return n;
}

static size_t edges_of(cudaGraph_t graph)
{
    size_t n = 0;
    CHECK(cudaGraphGetEdges(graph, NULL, NULL, NO_EDGE_DATA &n));
    return n;
}

int main()
{
    int *d = on_device<int>(4), *h = pinned<int>(4), counter = 0;
    warm_up(d);
    cudaStream_t s = stream();

    /* memset -> add -> twice -> copy -> count: 2 * (7 + 3). */
    cudaGraph_t graph = made();
    cudaMemsetParams set = setting(d, 7, 4, 2);
    cudaGraphNode_t set_node, add_to, twice_node, copy, host, empty;
    CHECK(cudaGraphAddMemsetNode(&set_node, graph, NULL, 0, &set));
    int value = 3;
    void *add_args[] = { &d, &value }, *twice_args[] = { &d };
    cudaKernelNodeParams adds = kernel((void *)add, add_args), doubles = kernel((void *)twice<int>, twice_args);
    add_to = add_node(graph, adds, 1, &set_node);
    value = 1000;
    twice_node = add_node(graph, doubles, 1, &add_to);
    CHECK(cudaGraphAddMemcpyNode1D(&copy, graph, &twice_node, 1, h, d, 2 * sizeof(int), cudaMemcpyDeviceToHost));
    cudaHostNodeParams counts = { count, &counter };
    CHECK(cudaGraphAddHostNode(&host, graph, &copy, 1, &counts));
    CHECK(cudaGraphAddEmptyNode(&empty, graph, &host, 1));
    cudaGraphExec_t exec = instance(graph);
    launch(exec, s);
    rule(h[0] == 20 && counter == 1, "nodes run in the order of their dependencies");
    rule(h[1] == 7, "a memset node sets elements of four bytes");
    launch(exec, s);
    rule(h[0] == 20 && counter == 2, "kernel arguments are copied when the node is added");

    cudaGraphNode_t nodes[8], from[8], to[8];
    size_t n = 8, roots = 8, edges = 8;
    CHECK(cudaGraphGetNodes(graph, nodes, &n));
    CHECK(cudaGraphGetRootNodes(graph, from, &roots));
    rule(n == 6 && roots == 1 && from[0] == set_node, "a graph lists its nodes and those that wait for nothing");
    CHECK(cudaGraphGetEdges(graph, from, to, NO_EDGE_DATA &edges));
    bool known = edges == 5;
    for (size_t i = 0; known && i < edges; i++)
        known = (from[i] != set_node || to[i] == add_to) && (to[i] != copy || from[i] == twice_node);
    rule(known, "a graph lists its edges");
    n = roots = 8;
    from[1] = nodes[6] = set_node;
    CHECK(cudaGraphGetNodes(graph, nodes, &n));
    CHECK(cudaGraphGetRootNodes(graph, from, &roots));
    rule(nodes[5] != NULL && nodes[6] == NULL && from[1] == NULL, "what is left of a list is NULL [H]");
    n = 2;
    nodes[2] = NULL;
    CHECK(cudaGraphGetNodes(graph, nodes, &n));
    rule(n == 2 && nodes[2] == NULL, "a short list is told how many it got [H]");
    cudaGraphNodeType type;
    CHECK(cudaGraphNodeGetType(copy, &type));
    rule(type == cudaGraphNodeTypeMemcpy, "a node knows what it is");

    /* Other parameters. */
    value = 5;
    CHECK(cudaGraphExecKernelNodeSetParams(exec, add_to, &adds));
    launch(exec, s);
    rule(h[0] == 24, "an executable graph's kernel takes other arguments");
    rule(cudaGraphExecKernelNodeSetParams(exec, copy, &adds) == cudaErrorInvalidValue,
         "a node that is no kernel takes no kernel's parameters");
    forget_errors();
    cudaGraphExec_t second = instance(graph);
    launch(second, s);
    rule(h[0] == 20, "what was set in one executable graph is not set in the graph that it was made from");
    value = 6;
    CHECK(cudaGraphKernelNodeSetParams(add_to, &adds));
    launch(second, s);
    rule(h[0] == 20, "what is set in the graph does not change executable graphs made before");
    cudaGraphExecUpdateResultInfo info;
    CHECK(cudaGraphExecUpdate(second, graph, &info));
    launch(second, s);
    rule(h[0] == 26 && info.result == cudaGraphExecUpdateSuccess, "an update takes over a graph's parameters");

    cudaGraph_t clone;
    CHECK(cudaGraphClone(&clone, graph));
    cudaGraphNode_t cloned, extra;
    CHECK(cudaGraphNodeFindInClone(&cloned, add_to, clone));
    rule(nodes_of(clone) == 6 && edges_of(clone) == 5 && cloned != add_to, "a clone has nodes of its own");
    CHECK(cudaGraphAddEmptyNode(&extra, clone, NULL, 0));
    rule(nodes_of(clone) == 7 && nodes_of(graph) == 6, "what is added to a clone is not in the graph");
    rule(cudaGraphExecUpdate(second, clone, &info) == cudaErrorGraphExecUpdateFailure &&
             info.result == cudaGraphExecUpdateErrorTopologyChanged,
         "an update from a graph of another shape fails");
    forget_errors();
    launch(second, s);
    rule(h[0] == 26, "an update that failed changes nothing");
    CHECK(cudaGraphDestroy(clone));
    CHECK(cudaGraphDestroy(graph));
    launch(second, s);
    rule(counter == 8, "an executable graph outlives the graph that it was made from");
    CHECK(cudaGraphExecDestroy(second));
    CHECK(cudaGraphExecDestroy(exec));

    /* Elements of two bytes, and rows. */
    graph = made();
    CHECK(cudaMemset(d, 0, 4 * sizeof(int)));
    set = setting(d, 0x0102, 2, 3);
    CHECK(cudaGraphAddMemsetNode(&set_node, graph, NULL, 0, &set));
    exec = instance(graph);
    launch(exec, s);
    CHECK(cudaMemcpy(h, d, 4 * sizeof(int), cudaMemcpyDeviceToHost));
    rule(h[0] == 0x01020102 && h[1] == 0x0102, "a memset node sets elements of two bytes, each of them");
    set = setting(d, 1, 4, 2);
    set.height = 2;
    set.pitch = sizeof(int);
    rule(cudaGraphAddMemsetNode(&set_node, graph, NULL, 0, &set) == cudaErrorInvalidValue,
         "rows that are longer than their pitch: cudaErrorInvalidValue");
    forget_errors();
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));

    /* Dependencies of their own. */
    graph = made();
    long long ns = LONG;
    void *busy_args[] = { &ns }, *put_args[] = { &d, &value, &ns };
    cudaGraphNode_t a = add_node(graph, kernel((void *)busy, busy_args)),
                    b = add_node(graph, kernel((void *)put, put_args));
    exec = instance(graph);
    long long side_by_side = took([&] { launch(exec, s); });
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphAddDependencies(graph, &b, &a, NO_EDGE_DATA 1));
    exec = instance(graph);
    long long in_turn = took([&] { launch(exec, s); });
    rule(side_by_side < 3 * LONG / 2, "nodes with nothing between them run side by side");
    rule(in_turn > 3 * LONG / 2, "a dependency that is added makes one wait for the other, whichever was there first");
    rule(!is_long(took([&] { CHECK(cudaGraphUpload(exec, s)); CHECK(cudaStreamSynchronize(s)); })),
         "an upload runs nothing");
    rule(cudaGraphAddDependencies(graph, &b, &a, NO_EDGE_DATA 1) == cudaErrorInvalidValue,
         "the same dependency cannot be added twice");
    forget_errors();
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));

    /* An update from a new capture: the same program with other arguments. */
    exec = NULL;
    bool right = true;
    for (int i = 1; i <= 3; i++) {
        CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
        put<<<1, 1, 0, s>>>(d, i, 0);
        CHECK(cudaMemcpyAsync(h, d, sizeof(int), cudaMemcpyDeviceToHost, s));
        CHECK(cudaStreamEndCapture(s, &graph));
        if (exec)
            CHECK(cudaGraphExecUpdate(exec, graph, &info));
        else
            exec = instance(graph);
        CHECK(cudaGraphDestroy(graph));
        launch(exec, s);
        right = right && h[0] == i;
    }
    rule(right, "an executable graph is brought up to date by capturing again");
    CHECK(cudaGraphExecDestroy(exec));

    /* In a stream with other work: 2 * (2 * (3 + 3) + 5), then + 3 and * 2 once more. */
    add_args[1] = &value;
    value = 3;
    graph = made();
    a = add_node(graph, kernel((void *)add, add_args));
    b = add_node(graph, kernel((void *)twice<int>, twice_args), 1, &a);
    exec = instance(graph);
    put<<<1, 1, 0, s>>>(d, 3, LONG);
    CHECK(cudaGraphLaunch(exec, s));
    add<<<1, 1, 0, s>>>(d, 5);
    twice<<<1, 1, 0, s>>>(d);
    CHECK(cudaGraphLaunch(exec, s));
    CHECK(cudaMemcpyAsync(h, d, sizeof(int), cudaMemcpyDeviceToHost, s));
    CHECK(cudaStreamSynchronize(s));
    rule(h[0] == 2 * (2 * (2 * (3 + 3) + 5) + 3), "a graph comes after what is in its stream, and before what follows");
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));

    /* What is not allowed. */
    graph = made();
    cudaKernelNodeParams wrong = kernel((void *)add, add_args);
    rule(cudaGraphAddKernelNode(&a, graph, NULL, 0, NULL) == cudaErrorInvalidValue, "a kernel node needs parameters");
    forget_errors();
    cudaGraph_t other = made();
    b = add_node(other, wrong);
    rule(cudaGraphAddKernelNode(&a, graph, &b, 1, &wrong) == cudaErrorInvalidValue,
         "a node cannot wait for a node of another graph");
    forget_errors();
    rule(nodes_of(graph) == 0, "a node that was refused is not there");
    exec = instance(graph);
    rule(cudaGraphLaunch(exec, s) == cudaSuccess && cudaStreamSynchronize(s) == cudaSuccess,
         "a graph with no nodes can be launched");
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaGraphDestroy(other));
    rule(cudaGraphLaunch(NULL, s) == cudaErrorInvalidValue, "a launch needs an executable graph");
    forget_errors();
    return rules_end();
}
