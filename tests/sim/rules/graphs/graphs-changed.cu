/* SPDX-License-Identifier: MIT */
/* Graphs that are changed after they were made, and graphs in graphs. [H] is the comments of
 * cuda_runtime_api.h 13.0. */
#include "../rule.h"

#if CUDART_VERSION >= 13000
#define NO_EDGE_DATA NULL,
#else
#define NO_EDGE_DATA
#endif

__global__ void step(int *to, int factor, int value)
{
    *to = *to * factor + value;
}

static int *d;

static cudaGraphNode_t add_step(cudaGraph_t graph, int factor, int value,
                                const cudaGraphNode_t *after = NULL, size_t count = 0)
{
    void *args[] = { &d, &factor, &value };
    cudaKernelNodeParams p = {};
    cudaGraphNode_t node;
    p.func = (void *)step;
    p.gridDim = p.blockDim = dim3(1);
    p.kernelParams = args;
    CHECK(cudaGraphAddKernelNode(&node, graph, after, count, &p));
    return node;
}

/* What the graph makes of 1. */
static int result(cudaGraph_t graph)
{
    cudaGraphExec_t exec;
    int h = 1;
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaMemcpy(d, &h, sizeof h, cudaMemcpyHostToDevice));
    CHECK(cudaGraphLaunch(exec, 0));
    CHECK(cudaMemcpy(&h, d, sizeof h, cudaMemcpyDeviceToHost));
    CHECK(cudaGraphExecDestroy(exec));
    return h;
}

static size_t count_nodes(cudaGraph_t graph)
{
    size_t count = 0;
    CHECK(cudaGraphGetNodes(graph, NULL, &count));
    return count;
}

int main()
{
    cudaGraph_t graph, child;
    d = on_device<int>(1);
    step<<<1, 1>>>(d, 1, 0);
    CHECK(cudaDeviceSynchronize());

    CHECK(cudaGraphCreate(&graph, 0));
    cudaGraphNode_t a = add_step(graph, 1, 1), b = add_step(graph, 10, 0, &a, 1),
                    c = add_step(graph, 1, 5, &b, 1);
    cudaGraphNode_t list[4];
    size_t count = 4;
    CHECK(cudaGraphNodeGetDependencies(b, list, NO_EDGE_DATA &count));
    rule(count == 1 && list[0] == a, "a node tells what it waits for");
    count = 4;
    CHECK(cudaGraphNodeGetDependentNodes(b, list, NO_EDGE_DATA &count));
    rule(count == 1 && list[0] == c, "and who waits for it");
    rule(result(graph) == 25, "a chain of nodes runs in its order");
    CHECK(cudaGraphRemoveDependencies(graph, &b, &c, NO_EDGE_DATA 1));
    rule(cudaGraphRemoveDependencies(graph, &b, &c, NO_EDGE_DATA 1) == cudaErrorInvalidValue,
         "an edge that is not there cannot be removed [H]");
    forget_errors();
    CHECK(cudaGraphAddDependencies(graph, &a, &c, NO_EDGE_DATA 1));
    CHECK(cudaGraphRemoveDependencies(graph, &a, &b, NO_EDGE_DATA 1));
    CHECK(cudaGraphAddDependencies(graph, &c, &b, NO_EDGE_DATA 1));
    rule(result(graph) == 70, "with other edges it has another order");
    CHECK(cudaGraphDestroyNode(c));
    CHECK(cudaGraphAddDependencies(graph, &a, &b, NO_EDGE_DATA 1));
    rule(count_nodes(graph) == 2 && result(graph) == 20,
         "a node that is destroyed is gone with its edges [H]");

    CHECK(cudaGraphCreate(&child, 0));
    cudaGraphNode_t first = add_step(child, 1, 3), inner;
    add_step(child, 2, 0, &first, 1);
    CHECK(cudaGraphAddChildGraphNode(&inner, graph, &b, 1, child));
    add_step(graph, 1, 1, &inner, 1);
    rule(result(graph) == (20 + 3) * 2 + 1, "a graph in a graph runs where its node stands");
    enum cudaGraphNodeType type;
    CHECK(cudaGraphNodeGetType(inner, &type));
    rule(type == cudaGraphNodeTypeGraph && count_nodes(graph) == 4, "it is one node");
    add_step(child, 1, 100);
    rule(result(graph) == (20 + 3) * 2 + 1,
         "it is a copy: what its original becomes does not matter [H]");
    cudaGraph_t copy;
    CHECK(cudaGraphClone(&copy, graph));
    CHECK(cudaGraphDestroy(child));
    CHECK(cudaGraphDestroy(graph));
    rule(result(copy) == (20 + 3) * 2 + 1, "a clone has its own");
    CHECK(cudaGraphDestroy(copy));

    cudaKernelNodeParams given;
    int other = 7;
    CHECK(cudaGraphCreate(&graph, 0));
    cudaGraphNode_t only = add_step(graph, 3, 2);
    CHECK(cudaGraphKernelNodeGetParams(only, &given));
    rule(given.blockDim.x == 1 && *(int *)given.kernelParams[1] == 3
             && *(int *)given.kernelParams[2] == 2,
         "a kernel's node tells its arguments, though the variables are gone");
    given.kernelParams[2] = &other;
    CHECK(cudaGraphKernelNodeSetParams(only, &given));
    rule(result(graph) == 3 + 7, "what it told can be changed and given back");
    CHECK(cudaGraphDestroy(graph));

    cudaStream_t stream;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    step<<<1, 1, 0, stream>>>(d, 5, 4);
    CHECK(cudaStreamEndCapture(stream, &graph));
    count = 1;
    CHECK(cudaGraphGetNodes(graph, &only, &count));
    CHECK(cudaGraphKernelNodeGetParams(only, &given));
    rule(given.func == (void *)step && given.blockDim.x == 1 && *(int **)given.kernelParams[0] == d
             && *(int *)given.kernelParams[1] == 5 && *(int *)given.kernelParams[2] == 4,
         "so does the node of a kernel that was captured");
    given.kernelParams[1] = &other;
    CHECK(cudaGraphKernelNodeSetParams(only, &given));
    rule(result(graph) == 7 + 4, "and it can be given others");
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaStreamDestroy(stream));
    return rules_end();
}
