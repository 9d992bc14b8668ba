/* SPDX-License-Identifier: MIT */
/*
 * CUDA 12's calls for nodes of any kind, beside those that each kind has of its own. [H] is the comments of
 * cuda_runtime_api.h 13.0; [M] measured (H200, driver 580.159.04) and written nowhere. What such a sentence
 * expects stands in `chosen`. Lines with # show what was found.
 */
#include "../rule.h"

static const struct {
    cudaError_t kept;           /* what is said to new parameters of a node that allocates or frees */
    cudaError_t conditional;    /* and of a conditional one */
    cudaError_t empty, other_type, other_child;
} chosen = { cudaErrorNotSupported, cudaErrorNotSupported, cudaSuccess, cudaErrorInvalidValue, cudaErrorGraphExecUpdateFailure };

__device__ int variable[4];

__global__ void add_value(int *to, int value)
{
    *to += value;
}

static void add_to(void *data)
{
    *(int *)data += 1;
}

static void add_to_other(void *data)
{
    *(int *)data += 10;
}

static int *d, *h;
static cudaStream_t s;

#if CUDART_VERSION >= 13000

static cudaError_t shown(const char *what, cudaError_t status)
{
    printf("# %s: %d %s\n", what, status, cudaGetErrorName(status));
    forget_errors();
    return status;
}

static cudaGraphNodeParams of_type(enum cudaGraphNodeType type)
{
    cudaGraphNodeParams p = {};
    p.type = type;
    return p;
}

static cudaGraphNodeParams kernel_params(int *value)
{
    static void *arguments[2];
    arguments[0] = &d;
    arguments[1] = value;
    cudaGraphNodeParams p = of_type(cudaGraphNodeTypeKernel);
    p.kernel.func = (void *)add_value;
    p.kernel.gridDim = p.kernel.blockDim = dim3(1);
    p.kernel.kernelParams = arguments;
    return p;
}

static cudaGraphNodeParams copy_params(int *to, int *from)
{
    cudaGraphNodeParams p = of_type(cudaGraphNodeTypeMemcpy);
    p.memcpy.copyParams.dstPtr = make_cudaPitchedPtr(to, sizeof *to, sizeof *to, 1);
    p.memcpy.copyParams.srcPtr = make_cudaPitchedPtr(from, sizeof *from, sizeof *from, 1);
    p.memcpy.copyParams.extent = make_cudaExtent(sizeof *to, 1, 1);
    p.memcpy.copyParams.kind = cudaMemcpyDefault;
    return p;
}

static cudaGraphNodeParams set_params(unsigned value)
{
    cudaGraphNodeParams p = of_type(cudaGraphNodeTypeMemset);
    p.memset.dst = d;
    p.memset.elementSize = 4;
    p.memset.value = value;
    p.memset.width = p.memset.height = 1;
    return p;
}

static cudaGraphNodeParams host_params(cudaHostFn_t function, int *data)
{
    cudaGraphNodeParams p = of_type(cudaGraphNodeTypeHost);
    p.host.fn = function;
    p.host.userData = data;
    return p;
}

static cudaGraph_t new_graph()
{
    cudaGraph_t graph;
    CHECK(cudaGraphCreate(&graph, 0));
    return graph;
}

static cudaGraphNode_t add(cudaGraph_t graph, cudaGraphNodeParams p, const cudaGraphNode_t *after = NULL)
{
    cudaGraphNode_t node;
    CHECK(cudaGraphAddNode(&node, graph, after, NULL, after ? 1 : 0, &p));
    return node;
}

static cudaGraphNode_t add_kernel(cudaGraph_t graph, int value, const cudaGraphNode_t *after = NULL)
{
    return add(graph, kernel_params(&value), after);
}

static cudaError_t set(cudaGraphNode_t node, cudaGraphNodeParams p)
{
    cudaError_t status = cudaGraphNodeSetParams(node, &p);
    forget_errors();
    return status;
}

static cudaError_t set_in(cudaGraphExec_t exec, cudaGraphNode_t node, cudaGraphNodeParams p)
{
    cudaError_t status = cudaGraphExecNodeSetParams(exec, node, &p);
    forget_errors();
    return status;
}

/* What a launch makes of 0 in d[0]. */
static int result(cudaGraphExec_t exec)
{
    int value;
    CHECK(cudaMemsetAsync(d, 0, 4 * sizeof *d, s));
    CHECK(cudaGraphLaunch(exec, s));
    CHECK(cudaMemcpyAsync(&value, d, sizeof value, cudaMemcpyDeviceToHost, s));
    CHECK(cudaStreamSynchronize(s));
    return value;
}

static int result_of(cudaGraph_t graph)
{
    cudaGraphExec_t exec;
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    int value = result(exec);
    CHECK(cudaGraphExecDestroy(exec));
    return value;
}

/* A memset, a kernel, a copy, a function of the host. */
static void work()
{
    cudaGraph_t graph = new_graph();
    cudaGraphExec_t exec;
    int five = 5, seven = 7, nine = 9;
    h[0] = 0;
    cudaGraphNode_t first = add(graph, set_params(100)), kernel = add(graph, kernel_params(&five), &first),
                    copy = add(graph, copy_params(d + 1, d), &kernel), host = add(graph, host_params(add_to, h), &copy);
    rule(result_of(graph) == 105 && h[0] == 1, "one call adds kernels, copies, memsets and functions of the host [H]");
    rule(set(first, set_params(200)) == cudaSuccess && set(kernel, kernel_params(&seven)) == cudaSuccess
             && set(copy, copy_params(d + 2, d)) == cudaSuccess && set(host, host_params(add_to_other, h)) == cudaSuccess
             && result_of(graph) == 207 && h[0] == 11,
         "one changes them [H]");
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    rule(set_in(exec, first, set_params(300)) == cudaSuccess && set_in(exec, kernel, kernel_params(&nine)) == cudaSuccess
             && set_in(exec, copy, copy_params(d + 3, d)) == cudaSuccess && set_in(exec, host, host_params(add_to, h)) == cudaSuccess
             && result(exec) == 309 && h[0] == 12,
         "one in executable graphs [H]");
    CHECK(cudaMemcpy(h + 1, d + 3, sizeof *h, cudaMemcpyDeviceToHost));
    rule(h[1] == 309 && result_of(graph) == 207, "and then in those alone [H]");
    rule(shown("a memset's parameters for a kernel's node", set(kernel, set_params(1))) == chosen.other_type
             && shown("and in an executable graph", set_in(exec, kernel, set_params(1))) == chosen.other_type,
         "a node stays of its kind: cudaErrorInvalidValue [M]");
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
}

static void events()
{
    cudaGraph_t graph = new_graph();
    cudaGraphExec_t exec;
    cudaEvent_t one = event(), two = event(), asked;
    cudaGraphNodeParams record = of_type(cudaGraphNodeTypeEventRecord), wait = of_type(cudaGraphNodeTypeWaitEvent);
    record.eventRecord.event = one;
    wait.eventWait.event = one;
    CHECK(cudaEventRecord(one, s));
    cudaGraphNode_t waits = add(graph, wait), records = add(graph, record, &waits);
    CHECK(cudaGraphEventRecordNodeGetEvent(records, &asked));
    bool same = asked == one;
    CHECK(cudaGraphEventWaitNodeGetEvent(waits, &asked));
    rule(same && asked == one, "it adds records of events and waits for them [H]");
    record.eventRecord.event = wait.eventWait.event = two;
    same = set(records, record) == cudaSuccess && set(waits, wait) == cudaSuccess;
    CHECK(cudaGraphEventRecordNodeGetEvent(records, &asked));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    record.eventRecord.event = one;
    wait.eventWait.event = one;
    rule(same && asked == two && set_in(exec, records, record) == cudaSuccess && set_in(exec, waits, wait) == cudaSuccess, "and changes those [H]");
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
}

static void children()
{
    cudaGraph_t graph = new_graph(), child = new_graph(), other = new_graph(), larger = new_graph(), own;
    cudaGraphExec_t exec;
    cudaGraphNodeParams p = of_type(cudaGraphNodeTypeGraph);
    size_t count = 0;
    cudaGraphNode_t one = add_kernel(child, 1);
    add_kernel(child, 2, &one);
    one = add_kernel(other, 30);
    add_kernel(other, 40, &one);
    one = add_kernel(larger, 100);
    one = add_kernel(larger, 200, &one);
    add_kernel(larger, 300, &one);
    p.graph.graph = child;
    cudaGraphNode_t before = add_kernel(graph, 1000), node = add(graph, p, &before);
    add_kernel(graph, 2000, &node);
    rule(result_of(graph) == 3003, "it adds child graphs [H]");

    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    p.graph.graph = other;
    rule(set_in(exec, node, p) == cudaSuccess && result(exec) == 3070 && result_of(graph) == 3003, "whose kernels an executable graph may have from another [H]");
    rule(cudaGraphExecChildGraphNodeSetParams(exec, node, child) == cudaSuccess && result(exec) == 3003, "by either call [H]");
    p.graph.graph = larger;
    rule(shown("a child graph with another node, in an executable graph", set_in(exec, node, p)) == chosen.other_child
             && shown("by the other call", cudaGraphExecChildGraphNodeSetParams(exec, node, larger)) == chosen.other_child,
         "of the same nodes and dependencies: cudaErrorGraphExecUpdateFailure [M]");
    rule(result(exec) == 3003, "and is as it was then [M]");
    cudaError_t changed = shown("a child graph with another node, in a graph", set(node, p));
    CHECK(cudaGraphChildGraphNodeGetGraph(node, &own));
    CHECK(cudaGraphGetNodes(own, NULL, &count));
    rule(changed == cudaSuccess && count == 3 && result_of(graph) == 3600, "a graph takes any other child [M]");
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaGraphDestroy(child));
    CHECK(cudaGraphDestroy(other));
    CHECK(cudaGraphDestroy(larger));
}

static void memory()
{
    cudaGraph_t graph = new_graph();
    cudaGraphExec_t exec;
    cudaGraphNodeParams allocation = of_type(cudaGraphNodeTypeMemAlloc), freeing = of_type(cudaGraphNodeTypeMemFree), empty = of_type(cudaGraphNodeTypeEmpty);
    cudaGraphNode_t first, middle, last;
    allocation.alloc.poolProps.allocType = cudaMemAllocationTypePinned;
    allocation.alloc.poolProps.location.type = cudaMemLocationTypeDevice;
    allocation.alloc.bytesize = 4096;
    CHECK(cudaGraphAddNode(&first, graph, NULL, NULL, 0, &allocation));
    CHECK(cudaGraphAddNode(&middle, graph, &first, NULL, 1, &empty));
    freeing.free.dptr = allocation.alloc.dptr;
    CHECK(cudaGraphAddNode(&last, graph, &middle, NULL, 1, &freeing));
    rule(allocation.alloc.dptr != NULL && result_of(graph) == 0, "it adds nodes that allocate, free, or do nothing [H]");
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    rule(shown("new parameters of an allocation", set(first, allocation)) == chosen.kept
             && shown("of a free", set(last, freeing)) == chosen.kept
             && shown("of an allocation in an executable graph", set_in(exec, first, allocation)) == chosen.kept
             && shown("of a free there", set_in(exec, last, freeing)) == chosen.kept,
         "nodes that allocate or free keep their parameters: cudaErrorNotSupported [M]");
    rule(shown("of an empty one", set(middle, empty)) == chosen.empty && shown("of an empty one there", set_in(exec, middle, empty)) == chosen.empty,
         "an empty node takes that it is one [M]");
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
}

static void conditional()
{
    cudaGraph_t graph = new_graph();
    cudaGraphNodeParams p = of_type(cudaGraphNodeTypeConditional);
    cudaGraphExec_t exec;
    cudaGraphConditionalHandle handle;
    CHECK(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault));
    p.conditional.handle = handle;
    p.conditional.type = cudaGraphCondTypeIf;
    p.conditional.size = 1;
    cudaGraphNode_t node;
    CHECK(cudaGraphAddNode(&node, graph, NULL, NULL, 0, &p));
    add_kernel(p.conditional.phGraph_out[0], 6);
    rule(result_of(graph) == 6, "it adds conditional nodes [H]");
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    rule(shown("new parameters of a conditional node in an executable graph", set_in(exec, node, p)) == chosen.conditional, "whose parameters stay in an executable graph: cudaErrorNotSupported [M]");
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
}
#endif

static int value_of(int which)
{
    int values[4];
    CHECK(cudaMemcpyFromSymbol(values, variable, sizeof values));
    return values[which];
}

static void launch(cudaGraphExec_t exec)
{
    CHECK(cudaGraphLaunch(exec, s));
    CHECK(cudaStreamSynchronize(s));
}

static void symbols()
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t to, from;
    h[0] = 3, h[1] = 4, h[2] = 0;
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphAddMemcpyNodeToSymbol(&to, graph, NULL, 0, variable, h, sizeof *h, sizeof *h, cudaMemcpyHostToDevice));
    CHECK(cudaGraphAddMemcpyNodeFromSymbol(&from, graph, &to, 1, h + 2, variable, sizeof *h, sizeof *h, cudaMemcpyDeviceToHost));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    launch(exec);
    rule(h[2] == 3 && value_of(1) == 3, "nodes copy to variables of the device, and from there [H]");
    rule(cudaGraphExecMemcpyNodeSetParamsToSymbol(exec, to, variable, h + 1, sizeof *h, 2 * sizeof *h, cudaMemcpyHostToDevice) == cudaSuccess
             && cudaGraphExecMemcpyNodeSetParamsFromSymbol(exec, from, h + 3, variable, sizeof *h, 2 * sizeof *h, cudaMemcpyDeviceToHost) == cudaSuccess,
         "and are changed in executable graphs [H]");
    launch(exec);
    rule(h[3] == 4 && h[2] == 3 && value_of(2) == 4, "which then copy that [H]");
    CHECK(cudaGraphExecDestroy(exec));
    rule(cudaGraphMemcpyNodeSetParamsToSymbol(to, variable, h, sizeof *h, 3 * sizeof *h, cudaMemcpyHostToDevice) == cudaSuccess
             && cudaGraphMemcpyNodeSetParamsFromSymbol(from, h + 4, variable, sizeof *h, 3 * sizeof *h, cudaMemcpyDeviceToHost) == cudaSuccess,
         "and in graphs [H]");
    CHECK(cudaGraphInstantiate(&exec, graph, cudaGraphInstantiateFlagAutoFreeOnLaunch));
    launch(exec);
    rule(h[4] == 3 && value_of(3) == 3, "which do the same [H]");
    rule(cudaGraphAddMemcpyNodeToSymbol(&to, graph, NULL, 0, variable, h, 2 * sizeof *h, 3 * sizeof *h, cudaMemcpyHostToDevice) == cudaErrorInvalidValue,
         "no more than the variable has: cudaErrorInvalidValue [M]");
    unsigned long long flags = 0;
    rule(cudaGraphExecGetFlags(exec, &flags) == cudaSuccess && flags == cudaGraphInstantiateFlagAutoFreeOnLaunch, "an executable graph knows its flags [H]");
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    forget_errors();
}

int main()
{
    d = on_device<int>(16);
    h = pinned<int>(16);
    s = stream(cudaStreamNonBlocking);
    add_value<<<1, 1>>>(d, 0);
    CHECK(cudaDeviceSynchronize());
#if CUDART_VERSION >= 13000
    work();
    events();
    children();
    memory();
    conditional();
#endif
    symbols();
    return rules_end();
}
