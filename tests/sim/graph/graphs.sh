#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Graphs in the simulator: what a hazard is in them, what the timeline shows, that a replay agrees.
. tests/sim/sim.bash

build fork << 'EOF'
#include <stdio.h>
#include "streams.h"

__global__ void spin(long long ns)
{
    kernel_cost(ns);
}

/* A copy, two branches that set memory and compute, a copy back; launched three times. */
int main(int argc, char **argv)
{
    const size_t size = 1 << 20;
    bool overlap = argc > 1 && argv[1][0] == 'o', rest = argc > 1 && argv[1][0] == 'r';
    cudaStream_t s, t;
    cudaEvent_t fork, join;
    char *d, *h;
    CHECK(cudaStreamCreate(&s));
    CHECK(cudaStreamCreate(&t));
    CHECK(cudaEventCreate(&fork));
    CHECK(cudaEventCreate(&join));
    CHECK(cudaMalloc(&d, 2 * size));
    CHECK(cudaMallocHost(&h, 2 * size));
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    CHECK(cudaMemcpyAsync(d, h, 2 * size, cudaMemcpyHostToDevice, s));
    CHECK(cudaEventRecord(fork, s));
    CHECK(cudaStreamWaitEvent(t, fork, 0));
    CHECK(cudaMemsetAsync(d, 0, size, s));
    spin<<<1, 1, 0, s>>>(300000);
    CHECK(cudaMemsetAsync(d + (overlap ? size - 1 : size), 0, size, t));
    spin<<<1, 1, 0, t>>>(200000);
    CHECK(cudaEventRecord(join, t));
    CHECK(cudaStreamWaitEvent(s, join, 0));
    CHECK(cudaMemcpyAsync(h, d, 2 * size, cudaMemcpyDeviceToHost, s));
    CHECK(cudaStreamEndCapture(s, &graph));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 3; i++)
        CHECK(cudaGraphLaunch(exec, s));
    if (rest)
        h[0] = 1, CHECK(cudaMemcpyAsync(d, h, size, cudaMemcpyHostToDevice, t));
    CHECK(cudaStreamSynchronize(s));
    CHECK(cudaStreamSynchronize(t));
    printf("%lld\n", now_ns());
    return 0;
}
EOF

SIM_HAZARDS=1 play fork
ok 'the edges of a graph and the order of its launches are order' [ "$(hazards)" = 0 ]
SIM_HAZARDS=1 play fork overlap
ok 'two branches that touch the same byte are a hazard' \
    eval '[ "$(hazards)" -ge 1 ] && grep -q "bytes 1048575 to 1048575 .* no dependency makes one wait for the other" "$dir/err"'
SIM_HAZARDS=1 play fork rest
ok 'another stream is not ordered with a graph by having been captured' [ "$(hazards)" -ge 1 ]

# Host calls of the traced program end when the program itself said that it ended: two models, one result.
run build/bin/timeline --trace="$dir/one.json" "$dir/fork"
build/bin/timeline --trace="$dir/two.json" "$dir/fork" > /dev/null 2>> "$dir/err"
ok 'a graph program gives the same timeline every time' cmp -s "$dir/one.json" "$dir/two.json"
"$dir/fork" > "$dir/end" 2>> "$dir/err"
last=$(sed -n 's/.*"cat":"call","name":"cudaStreamSynchronize".*"ts":\([0-9.]*\),"dur":\([0-9.]*\).*/\1 \2/p' "$dir/one.json" |
    awk '{ end = $1 * 1000 + $2 * 1000; if (end > most) most = end } END { printf "%d", most + 0.5 }')
echo "replayed: $last" >> "$dir/err"
ok 'a replay of the log ends when the program did' [ "$last" = "$(cat "$dir/end")" ]
ok 'a launch is one call in the exported timeline' \
    [ "$(grep -c '"cat":"call","name":"cudaGraphLaunch"' "$dir/one.json")" = 3 ]
ok 'every node of every launch is in it' [ "$(grep -c '"cat":"kernel","name":"spin"' "$dir/one.json")" = 6 ]
ok 'branches are drawn in rows of their own' eval 'grep -A1 "^stream 1" "$dir/out" | tail -n 1 | grep -q "^  *│.*█"'

build calls << 'EOF'
#include <stdio.h>
#include <string.h>
#include <thread>
#include "streams.h"

/* What a thread may do beside a capture, by its mode and the capture's [H]. */
static void modes(cudaStream_t s)
{
    cudaGraph_t graph;
    void *p = NULL;
    enum cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed, bad = (enum cudaStreamCaptureMode)7;
    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    CHECK(cudaThreadExchangeStreamCaptureMode(&mode));
    printf("%d ", mode == cudaStreamCaptureModeGlobal);
    printf("%d ", cudaMalloc(&p, 64) == cudaSuccess);
    CHECK(cudaThreadExchangeStreamCaptureMode(&mode));
    printf("%d ", mode == cudaStreamCaptureModeRelaxed);
    printf("%d ", cudaThreadExchangeStreamCaptureMode(&bad) == cudaErrorInvalidValue);
    printf("%d ", cudaThreadExchangeStreamCaptureMode(NULL) == cudaErrorInvalidValue);
    CHECK(cudaStreamEndCapture(s, &graph));
    cudaError_t other = cudaSuccess;
    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    std::thread([&] {
        enum cudaStreamCaptureMode mine = cudaStreamCaptureModeThreadLocal;
        CHECK(cudaThreadExchangeStreamCaptureMode(&mine));
        other = cudaMalloc(&p, 64);
    }).join();
    printf("%d ", other == cudaSuccess);
    std::thread([&] { other = cudaMalloc(&p, 64); }).join();
    printf("%d ", other == cudaErrorStreamCaptureUnsupported);
    printf("%d\n", cudaStreamEndCapture(s, &graph) == cudaErrorStreamCaptureInvalidated);
}

/* A box out of a larger one, by a node. */
static void box(cudaStream_t s)
{
    enum { WIDTH = 16, HEIGHT = 4, DEPTH = 3 };
    unsigned char from[DEPTH][HEIGHT][WIDTH], to[DEPTH][HEIGHT][WIDTH], *d;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t in, out;
    for (int i = 0; i < (int)sizeof from; i++)
        from[i / (WIDTH * HEIGHT)][i / WIDTH % HEIGHT][i % WIDTH] = i;
    memset(to, 255, sizeof to);
    CHECK(cudaMalloc(&d, sizeof from));
    CHECK(cudaGraphCreate(&graph, 0));
    struct cudaMemcpy3DParms p = {};
    p.srcPtr = make_cudaPitchedPtr(from, WIDTH, WIDTH, HEIGHT);
    p.dstPtr = make_cudaPitchedPtr(d, WIDTH, WIDTH, HEIGHT);
    p.extent = make_cudaExtent(WIDTH, HEIGHT, DEPTH);
    p.kind = cudaMemcpyHostToDevice;
    CHECK(cudaGraphAddMemcpyNode(&in, graph, NULL, 0, &p));
    p.srcPtr = p.dstPtr;
    p.dstPtr = make_cudaPitchedPtr(to, WIDTH, WIDTH, HEIGHT);
    p.srcPos = p.dstPos = make_cudaPos(2, 0, 1);
    p.extent = make_cudaExtent(5, HEIGHT, 2);
    p.kind = cudaMemcpyDeviceToHost;
    CHECK(cudaGraphAddMemcpyNode(&out, graph, &in, 1, &p));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphLaunch(exec, s));
    CHECK(cudaStreamSynchronize(s));
    int wrong = 0;
    for (int z = 0; z < DEPTH; z++)
        for (int y = 0; y < HEIGHT; y++)
            for (int x = 0; x < WIDTH; x++)
                wrong += to[z][y][x] != (z >= 1 && x >= 2 && x < 7 ? from[z][y][x] : 255);
    p.kind = (enum cudaMemcpyKind)77;
    cudaError_t kind = cudaGraphAddMemcpyNode(&out, graph, &in, 1, &p);
    p.kind = cudaMemcpyDeviceToHost;
    p.dstPtr.ptr = NULL;
    printf("%d %d %d %d\n", wrong, kind != cudaSuccess, cudaGraphAddMemcpyNode(&out, graph, &in, 1, &p) == cudaErrorInvalidValue,
           cudaGraphAddMemcpyNode(&out, graph, &in, 1, NULL) == cudaErrorInvalidValue);
}

/* Captured, a graph allocates its own memory: the pool is left alone, and what it has is none of the graph's to free. */
static void memory(cudaStream_t s)
{
    cudaGraph_t graph;
    cudaMemPool_t pool;
    void *p = NULL, *before;
    unsigned long long used = 1;
    CHECK(cudaMallocAsync(&before, 64, s));
    CHECK(cudaStreamSynchronize(s));
    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    printf("%d ", cudaMallocAsync(&p, 1 << 20, s) == cudaSuccess && p);
    printf("%d ", cudaStreamEndCapture(s, &graph) == cudaSuccess);
    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    printf("%d ", cudaFreeAsync(before, s) == cudaErrorInvalidValue);
    printf("%d ", cudaStreamEndCapture(s, &graph) == cudaSuccess);
    cudaGetLastError();
    CHECK(cudaFreeAsync(before, s));
    CHECK(cudaStreamSynchronize(s));
    CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
    CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
    printf("%llu\n", used);
}

int main(int, char **argv)
{
    cudaStream_t s;
    CHECK(cudaStreamCreate(&s));
    (argv[1][0] == 'm' ? modes : argv[1][0] == 'b' ? box : memory)(s);
}
EOF
plays() { SIM_HAZARDS=0 play calls "$1" && prints "$2"; } # argument, lines
ok 'a thread changes what it may do beside a capture, and back' plays mode '1 1 1 1 1 1 1 1'
ok 'a node copies a box out of a larger one' plays box '0 1 1 1'
ok 'a capture takes no memory of the pool and gives none back' plays pool '1 1 1 1 0'
# ---- memory that a graph allocates ----

build memory << 'EOF'
#include "streams.h"
__global__ void fill(int *p) { p[threadIdx.x] = 1; }
int main(int argc, char **argv)
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t allocation, node, last;
    cudaMemAllocNodeParams p = {};
    cudaKernelNodeParams k = {};
    p.poolProps.allocType = cudaMemAllocationTypePinned;
    p.poolProps.location.type = cudaMemLocationTypeDevice;
    p.bytesize = 128;
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphAddMemAllocNode(&allocation, graph, NULL, 0, &p));
    void *arguments[] = { &p.dptr };
    k.func = (void *)fill;
    k.gridDim = dim3(1), k.blockDim = dim3(32), k.kernelParams = arguments;
    bool early = argv[1][0] == 'e', unordered = argv[1][0] == 'u';
    CHECK(cudaGraphAddKernelNode(&node, graph, &allocation, !early, &k));
    cudaGraphNode_t before[] = { allocation, node };
    CHECK(cudaGraphAddMemFreeNode(&last, graph, before, unordered ? 1 : 2, p.dptr));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 2; i++)
        CHECK(cudaGraphLaunch(exec, 0));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
}
EOF
play memory ordered
ok 'memory that a graph allocates and frees is ordered by its nodes' eval 'ends 0 && [ ! -s "$dir/err" ]'
play memory early
ok 'a kernel that does not wait for the allocation is told of' eval 'ends 0 && grep -q "memory.cu:14: cudaGraphAddMemAllocNode .*memory.cu:19: kernel fill .*no dependency" "$dir/err"'
play memory unordered
ok 'so is one that the free does not wait for' eval 'ends 0 && grep -q "memory.cu:19: kernel fill .*memory.cu:21: cudaGraphAddMemFreeNode .*no dependency" "$dir/err"'
run build/bin/timeline "$dir/memory" ordered
ok 'a timeline shows when memory comes and goes' grep -q 'takes or gives memory' "$dir/out"

# ---- nodes of any kind, captures into a graph, drawings ----

build any << 'EOF'
#include "streams.h"
__global__ void add(int *p, int value) { p[threadIdx.x] += value; }
static void called(void *count) { ++*(int *)count; }
int main(int, char **argv)
{
    const int n = 32;
    int *d, h[n] = { 0 }, calls = 0, value = 5;
    cudaStream_t s, t;
    CHECK(cudaMalloc(&d, n * sizeof *d));
    CHECK(cudaStreamCreate(&s));
    CHECK(cudaStreamCreate(&t));
    cudaGraph_t graph, child, same;
    cudaGraphNode_t set, kernel, host, empty, back, inner;
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphCreate(&child, 0));
    cudaGraphNodeParams p = { cudaGraphNodeTypeMemset };
    p.memset.dst = d, p.memset.elementSize = 4, p.memset.value = 1, p.memset.width = n, p.memset.height = 1;
    CHECK(cudaGraphAddNode(&set, graph, NULL, NULL, 0, &p));
    cudaGraphNodeParams k = { cudaGraphNodeTypeKernel };
    void *arguments[] = { &d, &value };
    k.kernel.func = (void *)add, k.kernel.gridDim = dim3(1), k.kernel.blockDim = dim3(n), k.kernel.kernelParams = arguments;
    CHECK(cudaGraphAddNode(&kernel, graph, &set, 1, &k));
    CHECK(cudaGraphAddNode(&inner, child, NULL, 0, &k));
    p = { cudaGraphNodeTypeHost };
    p.host.fn = called, p.host.userData = &calls;
    CHECK(cudaGraphAddNode(&host, graph, &kernel, 1, &p));
    p = { cudaGraphNodeTypeEmpty };
    CHECK(cudaGraphAddNode(&empty, graph, &host, 1, &p));
    p = { cudaGraphNodeTypeGraph };
    p.graph.graph = child;
    CHECK(cudaGraphAddNode(&inner, graph, &empty, 1, &p));
    /* Two launches more, and a copy back, by capture. */
    CHECK(cudaStreamBeginCaptureToGraph(s, graph, &inner, NULL, 1, cudaStreamCaptureModeGlobal));
    add<<<1, n, 0, s>>>(d, 100);
    CHECK(cudaStreamEndCapture(s, &same));
    printf("%d ", same == graph);
    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    add<<<1, n, 0, s>>>(d, 1000);
    cudaGraph_t other;
    const cudaGraphNode_t *last;
    size_t count;
    cudaStreamCaptureStatus status;
    CHECK(cudaStreamGetCaptureInfo(s, &status, NULL, &other, &last, &count));
    p = { cudaGraphNodeTypeMemcpy };
    p.memcpy.copyParams.srcPtr = make_cudaPitchedPtr(d, sizeof h, n, 1);
    p.memcpy.copyParams.dstPtr = make_cudaPitchedPtr(h, sizeof h, n, 1);
    p.memcpy.copyParams.extent = make_cudaExtent(sizeof h, 1, 1);
    p.memcpy.copyParams.kind = cudaMemcpyDeviceToHost;
    cudaGraphNode_t first = last[0];
    CHECK(cudaGraphAddNode(&back, other, &first, count, &p));
    CHECK(cudaStreamUpdateCaptureDependencies(s, &back, 1, cudaStreamSetCaptureDependencies));
    printf("%s ", cudaGetErrorName(cudaGraphDestroy(other)));
    CHECK(cudaStreamEndCapture(s, &other));
    cudaGraphExec_t one, two;
    CHECK(cudaGraphInstantiate(&one, graph, 0));
    CHECK(cudaGraphInstantiate(&two, other, 0));
    CHECK(cudaGraphLaunch(one, s));
    CHECK(cudaGraphLaunch(two, s));
    CHECK(cudaStreamSynchronize(s));
    printf("%d %d ", h[31], calls);
    CHECK(cudaGraphDebugDotPrint(graph, argv[1], cudaGraphDebugDotFlagsVerbose));
    p = { cudaGraphNodeTypeExtSemaphoreSignal };
    printf("%s\n", cudaGetErrorName(cudaGraphAddNode(&back, graph, NULL, 0, &p)));
}
EOF
play any "$dir/any.dot"
ok 'one call adds nodes of any kind, and a capture may go into a graph' \
    eval 'prints "1 cudaErrorIllegalState 1111 1 cudaErrorNotSupported" && complains "any.cu:63: simcc has no graph nodes for semaphores (book, "'
ok 'graphs are drawn for Graphviz, with their children' \
    eval '[ "$(grep -c "KERNEL\|<<<\|add.*<" "$dir/any.dot")" = 3 ] && grep -q "\"graph_1_node_0\" -> \"graph_1_node_1\";" "$dir/any.dot" && grep -q "label=\"graph_2\"" "$dir/any.dot"'

prints_as 'a capture is asked in the words of each CUDA, with NULL in any place' '00000000000 1' << 'EOF'
__global__ void k() { }
int main()
{
    cudaStream_t s;
    cudaGraph_t g;
    cudaStreamCaptureStatus st;
    unsigned long long id;
    const cudaGraphNode_t *d;
    const cudaGraphEdgeData *e;
    size_t n = 0;
    cudaStreamCreate(&s);
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    k<<<1, 1, 0, s>>>();
    cudaError_t all[] = {
        cudaStreamGetCaptureInfo(s, &st), cudaStreamGetCaptureInfo(s, &st, &id), cudaStreamGetCaptureInfo(s, &st, &id, &g, NULL, NULL),
        cudaStreamGetCaptureInfo(s, &st, NULL, NULL, nullptr, nullptr), cudaStreamGetCaptureInfo(s, &st, &id, &g, 0, 0),
        cudaStreamGetCaptureInfo(s, &st, &id, &g, &d, &n), cudaStreamGetCaptureInfo(s, &st, &id, &g, &d, &e),
        cudaStreamGetCaptureInfo(s, &st, &id, &g, &d, &e, &n), cudaStreamGetCaptureInfo(s, &st, &id, &g, &d, NULL, &n),
        cudaStreamGetCaptureInfo_v2(s, &st, &id, &g, &d, &n), cudaStreamGetCaptureInfo_v3(s, &st, &id, &g, &d, NULL, &n) };
    for (cudaError_t one : all)
        printf("%d", one);
    printf(" %zu\n", n);
    cudaStreamEndCapture(s, &g);
}
EOF

prints_as 'what nodes do is asked for and changed, in graphs, clones and executable graphs' '1 1 10 16 20 1 64 2 121 121 0 112 112 112 801' << 'EOF'
#define CHECK(x) do { cudaError_t status = (x); if (status != cudaSuccess) printf("%d: %s ", __LINE__, cudaGetErrorName(status)); } while (0)
__global__ void k(int *p, char c, double d) { p[threadIdx.x] += c + (int)d; }
int main()
{
    int *p, *h;
    char c = 1;
    double d = 10, e = 20;
    cudaMalloc(&p, 64);
    cudaMallocHost(&h, 64);
    memset(h, 0, 64);
    cudaGraph_t g, clone;
    cudaGraphNode_t set, kernel, copy, other;
    cudaGraphExec_t x;
    cudaMemsetParams m = {};
    cudaKernelNodeParams given = {}, back;
    cudaMemcpy3DParms box;
    m.dst = p, m.elementSize = 4, m.width = 16, m.height = 1;
    void *args[] = { &p, &c, &d };
    given.func = (void *)k, given.gridDim = 1, given.blockDim = 16, given.kernelParams = args;
    CHECK(cudaGraphCreate(&g, 0));
    CHECK(cudaGraphAddMemsetNode(&set, g, NULL, 0, &m));
    CHECK(cudaGraphAddKernelNode(&kernel, g, &set, 1, &given));
    CHECK(cudaGraphAddMemcpyNode1D(&copy, g, &kernel, 1, h, p, 64, cudaMemcpyDeviceToHost));
    c = 2;          /* the node has its own */
    CHECK(cudaGraphKernelNodeGetParams(kernel, &back));
    printf("%d %d %g %d ", back.func == given.func, *(char *)back.kernelParams[1], *(double *)back.kernelParams[2], back.blockDim.x);
    back.kernelParams[2] = &e;
    CHECK(cudaGraphKernelNodeSetParams(kernel, &back));
    CHECK(cudaGraphClone(&clone, g));
    CHECK(cudaGraphNodeFindInClone(&other, kernel, clone));
    CHECK(cudaGraphKernelNodeGetParams(other, &back));
    printf("%g ", *(double *)back.kernelParams[2]);
    m.value = 100;
    CHECK(cudaGraphMemsetNodeSetParams(set, &m));
    CHECK(cudaGraphMemcpyNodeGetParams(copy, &box));
    printf("%d %zu %d ", box.dstPtr.ptr == h && box.srcPtr.ptr == p, box.extent.width, box.kind);
    box.extent.width = 32;
    CHECK(cudaGraphMemcpyNodeSetParams(copy, &box));
    CHECK(cudaGraphInstantiate(&x, g, 0));
    CHECK(cudaGraphLaunch(x, 0));
    CHECK(cudaDeviceSynchronize());
    printf("%d %d %d ", h[0], h[7], h[8]);
    box.extent.width = 64;
    CHECK(cudaGraphExecMemcpyNodeSetParams(x, copy, &box));
    cudaGraphNodeParams any = {};
    any.type = cudaGraphNodeTypeKernel;
    any.kernel.func = (void *)k, any.kernel.gridDim = 1, any.kernel.blockDim = 16, any.kernel.kernelParams = args;
    CHECK(cudaGraphExecNodeSetParams(x, kernel, &any));
    CHECK(cudaGraphLaunch(x, 0));
    CHECK(cudaDeviceSynchronize());
    printf("%d %d %d ", h[0], h[7], h[8]);
    CHECK(cudaGraphDestroy(clone));
    CHECK(cudaGraphExecDestroy(x));
    CHECK(cudaGraphDestroy(g));
    cudaStream_t s;
    size_t one = 1;
    CHECK(cudaStreamCreate(&s));
    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    k<<<1, 16, 0, s>>>(p, c, d);
    CHECK(cudaStreamEndCapture(s, &g));
    CHECK(cudaGraphGetNodes(g, &other, &one));
    printf("%d\n", cudaGraphKernelNodeGetParams(other, &back));
}
EOF

prints_as 'objects of the program live until no graph and no launch needs them' 'b still; gone 2, 800; a still; launched; reads 1; gone 1, 800; end 0 0' << 'EOF'
#define CHECK(x) do { cudaError_t status = (x); if (status != cudaSuccess) printf("%d: %s ", __LINE__, cudaGetErrorName(status)); } while (0)
static void gone(void *data) { printf("gone %d, %d; ", *(int *)data, cudaDeviceSynchronize()); *(int *)data = 0; }
static void reads(void *data) { printf("reads %d; ", *(int *)data); }
int main()
{
    int one = 1, two = 2;
    cudaUserObject_t a, b;
    cudaGraph_t g, clone;
    cudaGraphExec_t x;
    cudaGraphNode_t n;
    cudaStream_t s;
    cudaHostNodeParams p = { reads, &one };
    CHECK(cudaStreamCreate(&s));
    CHECK(cudaUserObjectCreate(&a, &one, gone, 1, cudaUserObjectNoDestructorSync));
    CHECK(cudaUserObjectCreate(&b, &two, gone, 2, cudaUserObjectNoDestructorSync));
    CHECK(cudaGraphCreate(&g, 0));
    CHECK(cudaGraphAddHostNode(&n, g, NULL, 0, &p));
    CHECK(cudaGraphRetainUserObject(g, a, 1, cudaGraphUserObjectMove));
    CHECK(cudaGraphRetainUserObject(g, b, 3));
    CHECK(cudaGraphReleaseUserObject(g, b, 3));
    CHECK(cudaUserObjectRetain(b));
    CHECK(cudaUserObjectRelease(b, 2));
    printf("b still; ");
    CHECK(cudaUserObjectRelease(b));
    CHECK(cudaGraphClone(&clone, g));
    CHECK(cudaGraphInstantiate(&x, clone, 0));
    CHECK(cudaGraphDestroy(g));
    CHECK(cudaGraphDestroy(clone));
    printf("a still; ");
    CHECK(cudaGraphLaunch(x, s));
    CHECK(cudaGraphExecDestroy(x));
    printf("launched; ");
    CHECK(cudaStreamSynchronize(s));
    printf("end %d %d\n", one, two);
}
EOF
ok 'the function that destroys one comes after the launch' eval '[ ! -s "$dir/err" ]'

prints_as 'a kernel that a pointer names is one, however the node is given it' '0 0 0 0 1234' << 'EOF'
template <int N> __global__ void k(int *p) { *p = *p * 10 + N; }
static void (*const table[])(int *) = { k<1>, k<2>, k<3>, k<4> };
static void add(cudaGraph_t g, cudaGraphNode_t *last, void (*f)(int *), int *p, int way)
{
    void *args[] = { &p };
    cudaKernelNodeParams how = {}, *h = &how, named = { .func = (void *)f, .gridDim = dim3(1), .blockDim = dim3(1), .kernelParams = args };
    how.gridDim = how.blockDim = dim3(1);
    how.kernelParams = args;
    if (way == 0)
        how.func = (void *)f;
    else if (way == 1)
        h->func = reinterpret_cast<void *>(f);
    else if (way == 2)
        how.func = (void *)table[way];
    cudaGraphNode_t node;
    printf("%d ", cudaGraphAddKernelNode(&node, g, last, way > 0, way == 3 ? &named : h));
    *last = node;
}
int main()
{
    int *p;
    cudaGraph_t g;
    cudaGraphNode_t last;
    cudaGraphExec_t ready;
    cudaMallocManaged(&p, sizeof *p);
    *p = 0;
    cudaGraphCreate(&g, 0);
    for (int way = 0; way < 4; way++)
        add(g, &last, table[way], p, way);
    cudaGraphInstantiate(&ready, g, 0);
    cudaGraphLaunch(ready, 0);
    cudaDeviceSynchronize();
    printf("%d\n", *p);
}
EOF

# A child graph is its node's own: what is added to it runs, what is added to the one that it was made of does not.
build child << 'EOF'
#include <cstdio>
__global__ void add(int *p, int n) { *p += n; }
static cudaGraphNode_t node(cudaGraph_t g, int *p, int n) { void *a[] = { &p, &n }; cudaKernelNodeParams k = {}; k.func = (void *)add; k.gridDim = k.blockDim = dim3(1); k.kernelParams = a; cudaGraphNode_t m = 0; cudaGraphAddKernelNode(&m, g, 0, 0, &k); return m; }
int main() {
  int *p; cudaMallocManaged(&p, 4); *p = 0;
  cudaGraph_t g, c, own; cudaGraphNode_t n; cudaGraphExec_t x;
  cudaGraphCreate(&g, 0); cudaGraphCreate(&c, 0); node(c, p, 1);
  cudaGraphAddChildGraphNode(&n, g, 0, 0, c);
  cudaError_t a = cudaGraphChildGraphNodeGetGraph(n, &own);
  size_t count = 0; cudaGraphGetNodes(own, 0, &count);
  cudaGraphNode_t first;
  count = 1; cudaGraphGetNodes(own, &first, &count);
  cudaGraphNode_t more = node(own, p, 10); node(c, p, 100);
  cudaGraphAddDependencies(own, &first, &more, NULL, 1);
  cudaGraph_t same; cudaGraphChildGraphNodeGetGraph(n, &same);
  cudaError_t d = cudaGraphDestroy(own);
  cudaGraphInstantiate(&x, g, 0); cudaGraphLaunch(x, 0); cudaDeviceSynchronize();
  cudaError_t k = cudaGraphChildGraphNodeGetGraph(node(g, p, 5), &same);
  printf("%s %zu %d %d %s %s\n", cudaGetErrorName(a), count, same == own, *p, cudaGetErrorName(d), cudaGetErrorName(k));
  cudaGraphDestroy(g); cudaGraphGetNodes(own, 0, &count) == cudaErrorInvalidValue ? puts("gone") : puts("there");
}
EOF
play child
ok "a child graph node gives its graph, which is changed there and goes with the node" \
    eval 'ends 0 && [ "$(cat "$dir/out")" = "cudaSuccess 1 1 11 cudaErrorInvalidValue cudaErrorInvalidValue
gone" ] && [ "$(hazards)" = 0 ]'
done_testing
