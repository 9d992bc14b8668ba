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

done_testing
