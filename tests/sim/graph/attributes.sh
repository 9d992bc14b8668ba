#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Attributes of kernels' nodes, beside what the rules of node-attributes.cu ask: what is said of wrong ones, what executable graphs,
# children and bodies make of them; and edges from the port of launch completion, whose order is no rule.
. tests/sim/sim.bash
export SIM_PROFILE=dual

build wrong << 'EOF'
#include "streams.h"
__global__ void k(int *p) { p[blockIdx.x] = 1; }
static int *d;
static cudaGraph_t g;
static cudaGraphNode_t made(unsigned blocks, unsigned threads)
{
    void *arguments[] = { &d };
    cudaKernelNodeParams p = {};
    cudaGraphNode_t node;
    p.func = (void *)k, p.gridDim = blocks, p.blockDim = threads, p.kernelParams = arguments;
    CHECK(cudaGraphAddKernelNode(&node, g, NULL, 0, &p));
    return node;
}
/* The call of this number ends the program, which says why it failed. */
static int ends, number;
static void say(cudaError_t status)
{
    printf("%s\n", cudaGetErrorName(status));
    if (++number == ends)
        CHECK(status);
}
int main(int count, char **argv)
{
    ends = count > 1 ? atoi(argv[1]) : 0;
    cudaKernelNodeAttrValue v = {};
    cudaGraphNode_t other, empty;
    cudaGraphExec_t x;
    CHECK(cudaMalloc(&d, 4096 * sizeof *d));
    CHECK(cudaGraphCreate(&g, 0));
    cudaGraphNode_t one = made(2000, 1024);
    CHECK(cudaGraphAddEmptyNode(&empty, g, NULL, 0));
    CHECK(cudaSetDevice(1));
    other = made(1, 32);
    CHECK(cudaSetDevice(0));
    say(cudaGraphKernelNodeCopyAttributes(one, other));
    say(cudaGraphKernelNodeGetAttribute(empty, cudaKernelNodeAttributePriority, &v));
    say(cudaGraphKernelNodeSetAttribute(one, cudaLaunchAttributeProgrammaticStreamSerialization, &v));
    v.cooperative = 1;
    say(cudaGraphKernelNodeSetAttribute(one, cudaKernelNodeAttributeCooperative, &v));
    CHECK(cudaGraphDestroyNode(one));
    say(cudaGraphKernelNodeSetAttribute(one, cudaKernelNodeAttributeCooperative, &v));
    one = made(4, 32);
    v.clusterDim.x = 3, v.clusterDim.y = v.clusterDim.z = 1;
    say(cudaGraphKernelNodeSetAttribute(one, cudaKernelNodeAttributeClusterDimension, &v));
    v.clusterDim.x = 2;
    CHECK(cudaGraphKernelNodeSetAttribute(one, cudaKernelNodeAttributeClusterDimension, &v));
    cudaKernelNodeParams p;
    CHECK(cudaGraphKernelNodeGetParams(one, &p));
    p.gridDim.x = 5;
    CHECK(cudaGraphKernelNodeSetParams(one, &p));
    say(cudaGraphInstantiate(&x, g, 0));
}
EOF
play wrong
ok 'each wrong call has its error' is "$(tr '\n' ' ' < "$dir/out")" \
    'cudaErrorDeviceUninitialized cudaErrorInvalidValue cudaErrorInvalidValue cudaErrorCooperativeLaunchTooLarge cudaErrorInvalidValue cudaErrorInvalidClusterSize cudaErrorInvalidClusterSize '
reason() { play wrong "$1"; ends 1 && complains "    why: " && complains "$2"; }
ok 'and its reason' eval 'reason 1 "the nodes are of devices 0 and 1, and attributes are copied between nodes of one" &&
    reason 2 "the node is not a kernel" && reason 3 "attribute 6 is not one of a kernel" &&
    reason 4 "the grid has 2000 blocks, and " && reason 5 "the node is not valid" &&
    reason 6 "the grid of 4 x 1 x 1 blocks is not a whole number of clusters of 3 x 1 x 1" &&
    reason 7 "the grid of 5 x 1 x 1 blocks is not a whole number of clusters of 2 x 1 x 1"'

# Blocks that wait for each other end only where all of them are there.
prints_as 'they hold in children, in bodies, and where an executable graph gets other parameters' '0 320 | 640 | 720 320 | 912 | 6 6' << 'EOF'
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
#define CHECK(x) do { cudaError_t status = (x); if (status != cudaSuccess) printf("%d: %s ", __LINE__, cudaGetErrorName(status)); } while (0)
__global__ void meet(int *p)
{
    atomicAdd(p + 1, 1);
    cg::this_grid().sync();
    if (blockIdx.x == 0 && threadIdx.x == 0)
        *p += *(volatile int *)(p + 1);
}
__global__ void sizes(int *p) { if (blockIdx.x == 0) *p = (int)__clusterSizeInBlocks(); }
static int *p;
static cudaKernelNodeParams of(void (*kernel)(int *), unsigned blocks)
{
    static void *arguments[] = { &p };
    cudaKernelNodeParams k = {};
    k.func = (void *)kernel, k.gridDim = blocks, k.blockDim = 32, k.kernelParams = arguments;
    return k;
}
static cudaGraphNode_t add(cudaGraph_t g, cudaKernelNodeParams k) { cudaGraphNode_t n; CHECK(cudaGraphAddKernelNode(&n, g, NULL, 0, &k)); return n; }
static void set(cudaGraphNode_t n, cudaKernelNodeAttrID id, unsigned x, unsigned yz)
{
    cudaKernelNodeAttrValue v = {};
    v.clusterDim.x = x, v.clusterDim.y = v.clusterDim.z = yz;
    CHECK(cudaGraphKernelNodeSetAttribute(n, id, &v));
}
static int run(cudaGraphExec_t x)
{
    int h;
    CHECK(cudaMemset(p, 0, 8));
    CHECK(cudaGraphLaunch(x, 0));
    CHECK(cudaMemcpy(&h, p, sizeof h, cudaMemcpyDeviceToHost));
    return h;
}
int main()
{
    cudaGraph_t g, child, body;
    cudaGraphNode_t n;
    cudaGraphExec_t x;
    CHECK(cudaMalloc(&p, 64));
    CHECK(cudaGraphCreate(&g, 0));
    CHECK(cudaGraphCreate(&child, 0));
    set(add(child, of(meet, 10)), cudaKernelNodeAttributeCooperative, 1, 0);
    CHECK(cudaGraphAddChildGraphNode(&n, g, NULL, 0, child));
    printf("%d ", cudaGraphInstantiate(&x, g, 0));
    printf("%d | ", run(x));
    CHECK(cudaGraphExecDestroy(x));
    CHECK(cudaGraphDestroy(g));

    CHECK(cudaGraphCreate(&g, 0));
    cudaGraphConditionalHandle h;
    CHECK(cudaGraphConditionalHandleCreate(&h, g, 1, cudaGraphCondAssignDefault));
    cudaGraphNodeParams c = { cudaGraphNodeTypeConditional };
    c.conditional.handle = h, c.conditional.type = cudaGraphCondTypeIf, c.conditional.size = 1;
    CHECK(cudaGraphAddNode(&n, g, NULL, NULL, 0, &c));
    body = c.conditional.phGraph_out[0];
    set(add(body, of(meet, 20)), cudaKernelNodeAttributeCooperative, 1, 0);
    CHECK(cudaGraphInstantiate(&x, g, 0));
    printf("%d | ", run(x));
    CHECK(cudaGraphExecDestroy(x));
    CHECK(cudaGraphDestroy(g));

    CHECK(cudaGraphCreate(&g, 0));
    n = add(g, of(meet, 10));
    set(n, cudaKernelNodeAttributeCooperative, 1, 0);
    CHECK(cudaGraphInstantiate(&x, g, 0));
    cudaKernelNodeParams more = of(meet, 100000);
    printf("%d ", cudaGraphExecKernelNodeSetParams(x, n, &more));
    printf("%d | ", run(x));
    CHECK(cudaGraphExecDestroy(x));
    CHECK(cudaGraphDestroy(g));

    CHECK(cudaGraphCreate(&g, 0));
    n = add(g, of(sizes, 6));
    set(n, cudaKernelNodeAttributeClusterDimension, 2, 1);
    CHECK(cudaGraphInstantiate(&x, g, 0));
    more = of(sizes, 7);
    printf("%d | ", cudaGraphExecKernelNodeSetParams(x, n, &more));
    set(n, cudaKernelNodeAttributeClusterDimension, 6, 1);
    cudaGraphExecUpdateResultInfo result;
    CHECK(cudaGraphExecUpdate(x, g, &result));
    printf("%d ", run(x));
    more = of(sizes, 12);
    CHECK(cudaGraphExecKernelNodeSetParams(x, n, &more));
    printf("%d\n", run(x));
}
EOF

for name in cudaKernelNodeAttributeDeviceUpdatableKernelNode cudaKernelNodeAttributeNvlinkUtilCentricScheduling; do
    refused "$name is refused by its name" 1 "attribute of launches of this name: $name" <<< "int f() { return $name; }
int main() { }"
done

# Two kernels with an edge of each port, in a graph and in the body of a conditional node; the second waits before it reads.
cat > "$dir/port.cu" << 'EOF'
#include "streams.h"
__global__ void write(int *p) { kernel_cost(5000); cudaTriggerProgrammaticLaunchCompletion(); p[threadIdx.x] = 1; }
__global__ void read(const int *p, int *q) { cudaGridDependencySynchronize(); q[threadIdx.x] = p[threadIdx.x]; }
static int *p, *q;
static cudaGraphNode_t add(cudaGraph_t g, const void *kernel, void **arguments)
{
    cudaKernelNodeParams k = {};
    cudaGraphNode_t n;
    k.func = (void *)kernel, k.gridDim = 1, k.blockDim = 32, k.kernelParams = arguments;
    CHECK(cudaGraphAddKernelNode(&n, g, NULL, 0, &k));
    return n;
}
int main(int, char **argv)
{
    cudaGraph_t g, inner;
    cudaGraphExec_t x;
    CHECK(cudaMalloc(&p, 256));
    q = p + 32;
    CHECK(cudaGraphCreate(&g, 0));
    inner = g;
    if (argv[2]) {
        cudaGraphConditionalHandle h;
        cudaGraphNode_t n;
        CHECK(cudaGraphConditionalHandleCreate(&h, g, 1, cudaGraphCondAssignDefault));
        cudaGraphNodeParams c = { cudaGraphNodeTypeConditional };
        c.conditional.handle = h, c.conditional.type = cudaGraphCondTypeIf, c.conditional.size = 1;
        CHECK(cudaGraphAddNode(&n, g, NULL, NULL, 0, &c));
        inner = c.conditional.phGraph_out[0];
    }
    void *of_write[] = { &p }, *of_read[] = { &p, &q };
    cudaGraphNode_t a = add(inner, (const void *)write, of_write), b = add(inner, (const void *)read, of_read);
    cudaGraphEdgeData data = {};
    data.from_port = (unsigned char)atoi(argv[1]);
    data.type = data.from_port ? cudaGraphDependencyTypeProgrammatic : cudaGraphDependencyTypeDefault;
    CHECK(cudaGraphAddDependencies(inner, &a, &b, &data, 1));
    CHECK(cudaGraphInstantiate(&x, g, 0));
    CHECK(cudaGraphLaunch(x, 0));
    int h[32];
    CHECK(cudaMemcpy(h, q, sizeof h, cudaMemcpyDeviceToHost));
    printf("%d\n", h[31]);
}
EOF
build port
none() { play port "$@" && [ "$(hazards)" = 0 ] && prints 1; }
ok 'behind an ordinary edge and a programmatic one a kernel that waits may read' eval 'none 0 && none 1 && none 0 body && none 1 body'
play port 2
ok 'behind the port of launch completion it is told what the edge does not do' \
    eval 'prints 1 && [ "$(hazards)" = 1 ] && complains "an edge from cudaGraphKernelNodePortLaunchCompletion lets the second begin when all blocks of the first have begun, and orders nothing else"'
play port 2 body
ok 'in a body, too' eval 'prints 1 && [ "$(hazards)" = 1 ] && complains "in a round of a conditional node, kernel write"'
done_testing
