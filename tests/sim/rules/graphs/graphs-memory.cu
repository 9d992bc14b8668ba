/* SPDX-License-Identifier: MIT */
/*
 * Memory that a graph allocates. [H]: the comments of cudaGraphAddMemAllocNode and cudaGraphAddMemFreeNode.
 */
#include "../rule.h"

__global__ void fill(int *p, int value)
{
    p[threadIdx.x] = value + (int)threadIdx.x;
}

static cudaMemAllocNodeParams bytes(size_t count)
{
    cudaMemAllocNodeParams p = {};
    p.poolProps.allocType = cudaMemAllocationTypePinned;
    p.poolProps.location.type = cudaMemLocationTypeDevice;
    p.bytesize = count;
    return p;
}

/* An allocation and a kernel that fills it with 5, 6, … */
static cudaGraph_t graph_that_keeps(void **at, cudaGraphNode_t *allocation)
{
    cudaGraph_t graph;
    cudaGraphNode_t kernel;
    cudaMemAllocNodeParams p = bytes(128);
    cudaKernelNodeParams k = {};
    int value = 5;
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphAddMemAllocNode(allocation, graph, NULL, 0, &p));
    *at = p.dptr;
    void *arguments[] = { at, &value };
    k.func = (void *)fill;
    k.gridDim = dim3(1), k.blockDim = dim3(32);
    k.kernelParams = arguments;
    CHECK(cudaGraphAddKernelNode(&kernel, graph, allocation, 1, &k));
    return graph;
}

static int last_of(const void *at)
{
    int h[32];
    CHECK(cudaMemcpy(h, at, sizeof h, cudaMemcpyDeviceToHost));
    return h[31];
}

static void asks_of_a_kept_allocation(cudaStream_t s)
{
    void *at;
    cudaGraphNode_t allocation, node;
    cudaGraph_t graph = graph_that_keeps(&at, &allocation), other;
    cudaGraphExec_t exec, second, frees;
    cudaMemAllocNodeParams p;
    rule(cudaFree(at) == cudaErrorInvalidValue && cudaFreeAsync(at, s) == cudaErrorInvalidValue, "what no launch has allocated cannot be freed");
    CHECK(cudaGraphMemAllocNodeGetParams(allocation, &p));
    rule(p.dptr == at && p.bytesize == 128, "a node knows the address that it was given when it was made");
    rule(cudaGraphClone(&other, graph) == cudaErrorNotSupported && cudaGraphDestroyNode(allocation) == cudaErrorNotSupported,
         "a graph that allocates keeps its nodes and cannot be cloned");
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    rule(cudaGraphInstantiate(&second, graph, 0) == cudaErrorNotSupported, "it has one executable graph at a time");
    CHECK(cudaGraphLaunch(exec, s));
    CHECK(cudaStreamSynchronize(s));
    rule(last_of(at) == 36, "the memory is there after the launch");
    rule(cudaGraphLaunch(exec, s) == cudaErrorInvalidValue, "a launch needs what the one before has allocated freed");
    CHECK(cudaFreeAsync(at, s));
    rule(cudaFreeAsync(at, s) == cudaErrorInvalidValue, "it is freed once");
    rule(cudaGraphLaunch(exec, s) == cudaSuccess, "cudaFreeAsync makes room for another launch");
    CHECK(cudaStreamSynchronize(s));
    rule(cudaFree(at) == cudaSuccess && cudaGraphLaunch(exec, s) == cudaSuccess, "so does cudaFree");

    CHECK(cudaGraphCreate(&other, 0));
    CHECK(cudaGraphAddMemFreeNode(&node, other, NULL, 0, at));
    rule(cudaGraphAddMemFreeNode(&node, graph, &allocation, 1, at) == cudaErrorInvalidValue, "one graph can free it");
    CHECK(cudaGraphInstantiate(&frees, other, 0));
    CHECK(cudaGraphLaunch(frees, s));
    rule(cudaGraphLaunch(frees, s) == cudaErrorInvalidValue, "a graph that frees needs it allocated");
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphInstantiate(&exec, graph, cudaGraphInstantiateFlagAutoFreeOnLaunch));
    CHECK(cudaGraphLaunch(exec, s));
    rule(cudaGraphLaunch(exec, s) == cudaSuccess, "with cudaGraphInstantiateFlagAutoFreeOnLaunch a launch frees it first");
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphExecDestroy(frees));
    CHECK(cudaGraphDestroy(other));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaStreamSynchronize(s));
    rule(last_of(at) == 36, "it outlives its graph");
    CHECK(cudaFree(at));
}

static void asks_of_one_that_is_freed(cudaStream_t s)
{
    cudaGraph_t graph, parent;
    cudaGraphExec_t exec;
    cudaGraphNode_t allocation, node;
    void *pool;
    cudaMemAllocNodeParams p = bytes(0);
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphCreate(&parent, 0));
    CHECK(cudaMallocAsync(&pool, 64, s));
    rule(cudaGraphAddMemAllocNode(&allocation, graph, NULL, 0, &p) == cudaErrorInvalidValue, "a node allocates some bytes at least");
    p = bytes(64);
    CHECK(cudaGraphAddMemAllocNode(&allocation, graph, NULL, 0, &p));
    rule(cudaGraphAddMemFreeNode(&node, graph, &allocation, 1, pool) == cudaErrorInvalidValue, "a graph frees memory of graphs alone");
    CHECK(cudaGraphAddMemFreeNode(&node, graph, &allocation, 1, p.dptr));
    rule(cudaGraphAddMemFreeNode(&node, graph, &allocation, 1, p.dptr) == cudaErrorInvalidValue, "a graph frees it once");
    rule(cudaGraphAddChildGraphNode(&node, parent, NULL, 0, graph) == cudaErrorNotSupported, "a graph that allocates is no child of another");
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphLaunch(exec, s));
    rule(cudaGraphLaunch(exec, s) == cudaSuccess, "what the graph frees itself is there for the next launch");
    rule(cudaFree(p.dptr) == cudaErrorInvalidValue, "and cannot be freed outside");
    CHECK(cudaFreeAsync(pool, s));
    CHECK(cudaStreamSynchronize(s));
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(parent));
    CHECK(cudaGraphDestroy(graph));
}

static void asks_of_captures(cudaStream_t s)
{
    int *kept, *freed, h[32];
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t nodes[8];
    size_t count = 8, memory = 0;
    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    CHECK(cudaMallocAsync(&kept, 128, s));
    CHECK(cudaMallocAsync(&freed, 128, s));
    fill<<<1, 32, 0, s>>>(freed, 1);
    fill<<<1, 32, 0, s>>>(kept, 7);
    CHECK(cudaMemcpyAsync(h, freed, sizeof h, cudaMemcpyDeviceToHost, s));
    CHECK(cudaFreeAsync(freed, s));
    CHECK(cudaStreamEndCapture(s, &graph));
    CHECK(cudaGraphGetNodes(graph, nodes, &count));
    for (size_t i = 0; i < count; i++) {
        cudaGraphNodeType type;
        CHECK(cudaGraphNodeGetType(nodes[i], &type));
        memory += type == cudaGraphNodeTypeMemAlloc || type == cudaGraphNodeTypeMemFree;
    }
    rule(count == 6 && memory == 3, "captured, cudaMallocAsync and cudaFreeAsync are nodes");
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphLaunch(exec, s));
    CHECK(cudaStreamSynchronize(s));
    rule(h[31] == 32 && last_of(kept) == 38, "and the addresses are those that the calls gave");
    CHECK(cudaFreeAsync(kept, s));
    CHECK(cudaStreamSynchronize(s));
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
}

int main()
{
    cudaStream_t s = stream(cudaStreamNonBlocking);
    asks_of_a_kept_allocation(s);
    asks_of_one_that_is_freed(s);
    asks_of_captures(s);
    return rules_end();
}
