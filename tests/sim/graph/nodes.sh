#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Graphs' nodes: of any kind, asked for and changed, in clones, children and executable graphs; captures into a graph, drawings, user objects.
. tests/sim/sim.bash

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

prints_as 'what nodes do is asked for and changed, in graphs, clones and executable graphs' '1 1 10 16 20 1 64 2 121 121 0 112 112 112 2 10 16' << 'EOF'
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
    CHECK(cudaGraphKernelNodeGetParams(other, &back));
    printf("%d %g %d\n", *(char *)back.kernelParams[1], *(double *)back.kernelParams[2], back.blockDim.x);
}
EOF

prints_as 'a captured kernel tells what it was launched with, of any plain type, and can be given it again' \
    '1 8 3 32 | 1 200 7 -1.5 90 0x7fff00000001 44 | 13 | 1 0 4 | 801 801' << 'EOF'
#define CHECK(x) do { cudaError_t status = (x); if (status != cudaSuccess) printf("%d: %s ", __LINE__, cudaGetErrorName(status)); } while (0)
struct odd { bool yes; short s; double d; unsigned char many[100]; };
struct copied { int x; __host__ __device__ copied(int x) : x(x) {} __host__ __device__ copied(const copied &c) : x(c.x) {} };
__global__ void big(int *out, const odd o, long long l, float4 f, int unused, unsigned char u)
{
    out[threadIdx.x] = o.yes + o.s + (int)o.d + o.many[99] + (int)l + (int)f.w + u;
}
template <typename T> __global__ void typed(T *out, T a, T b) { *out = a + b; }
__global__ void none() {}
__global__ void by_copy(int *out, copied c) { *out = c.x; }
static cudaStream_t s;
static cudaGraph_t g;
static cudaGraphNode_t node;
static void begin() { CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal)); }
static void end() { size_t one = 1; CHECK(cudaStreamEndCapture(s, &g)); CHECK(cudaGraphGetNodes(g, &node, &one)); }
static int run(int *d)
{
    cudaGraphExec_t x;
    int h;
    CHECK(cudaGraphInstantiate(&x, g, 0));
    CHECK(cudaGraphLaunch(x, s));
    CHECK(cudaMemcpyAsync(&h, d, sizeof h, cudaMemcpyDeviceToHost, s));
    CHECK(cudaStreamSynchronize(s));
    CHECK(cudaGraphExecDestroy(x));
    CHECK(cudaGraphDestroy(g));
    return h;
}
int main()
{
    int *d;
    odd o = { true, 200, 7.5, { 0 } };
    o.many[99] = 90;
    cudaKernelNodeParams p;
    CHECK(cudaMalloc(&d, 128));
    CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    begin();
    big<<<dim3(1, 8, 3), 32, 64, s>>>(d, o, 0x7fff00000001, make_float4(0, 0, 0, -1.5f), 5, 44);
    end();
    o = {};
    CHECK(cudaGraphKernelNodeGetParams(node, &p));
    printf("%d %d %d %d | ", p.func == (void *)big && p.sharedMemBytes == 64, p.gridDim.y, p.gridDim.z, p.blockDim.x);
    const odd *back = (const odd *)p.kernelParams[1];
    printf("%d %d %d %g %d %#llx %d | ", back->yes, back->s, (int)back->d, ((float4 *)p.kernelParams[3])->w, back->many[99],
           *(long long *)p.kernelParams[2], *(unsigned char *)p.kernelParams[5]);
    *(long long *)p.kernelParams[2] = -328;
    CHECK(cudaGraphKernelNodeSetParams(node, &p));
    printf("%d | ", run(d));
    begin();
    typed<short><<<1, 1, 0, s>>>((short *)d, 3, 1);
    end();
    CHECK(cudaGraphKernelNodeGetParams(node, &p));
    printf("%d ", p.func == (void *)typed<short>);
    p.gridDim = 2;
    CHECK(cudaGraphKernelNodeSetParams(node, &p));
    CHECK(cudaMemsetAsync(d, 0, 4, s));
    int sum = run(d);
    begin();
    none<<<1, 1, 0, s>>>();
    end();
    CHECK(cudaGraphKernelNodeGetParams(node, &p));
    printf("%d %d | ", p.func != (void *)none, sum);
    begin();
    by_copy<<<1, 1, 0, s>>>(d, copied(6));
    end();
    printf("%d ", cudaGraphKernelNodeGetParams(node, &p));
    printf("%d\n", cudaGraphKernelNodeGetParams(node, &p));
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
