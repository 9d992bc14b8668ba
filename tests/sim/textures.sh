#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Volumes, arrays, textures and surfaces: what is seen of them, and why a call is refused. What they hold is tests/sim/rules' to ask.
. tests/sim/sim.bash
open_simulator

says() { # WORDS: the latest program has one hazard, which says them
    [ "$(hazards)" = 1 ] && grep -q "^hazard: .*$1" "$dir/err"
}

# ---- volumes ----

build volumes << 'EOC'
#include <stdlib.h>
#include "streams.h"
__global__ void write(char *p, size_t at) { p[at] = 1; }
int main(int, char **argv)
{
    enum { WIDTH = 8, HEIGHT = 4, DEPTH = 4 };
    static char *pinned;
    cudaPitchedPtr d, whole;
    cudaStream_t a, b;
    CHECK(cudaMallocHost(&pinned, WIDTH * HEIGHT * DEPTH));
    memset(pinned, 3, WIDTH * HEIGHT * DEPTH);
    CHECK(cudaMalloc3D(&d, make_cudaExtent(WIDTH, HEIGHT, DEPTH)));
    CHECK(cudaMalloc3D(&whole, make_cudaExtent(WIDTH, HEIGHT, DEPTH)));
    CHECK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
    CHECK(cudaMemset3D(d, 0, make_cudaExtent(WIDTH, HEIGHT, DEPTH)));
    CHECK(cudaDeviceSynchronize());
    cudaMemcpy3DParms p = {};
    p.srcPtr = make_cudaPitchedPtr(pinned, WIDTH, WIDTH, HEIGHT);
    p.dstPtr = d;
    p.srcPos = p.dstPos = make_cudaPos(2, 1, 1);
    p.extent = make_cudaExtent(3, 2, 2);
    p.kind = cudaMemcpyDefault;
    if (strcmp(argv[1], "memset") == 0) {
        d.ptr = (char *)d.ptr + 2 + d.pitch * (1 + HEIGHT);
        CHECK(cudaMemset3DAsync(d, 1, p.extent, a));
        d.ptr = (char *)d.ptr - 2 - d.pitch * (1 + HEIGHT);
    } else if (strcmp(argv[1], "graph") == 0) {
        cudaGraph_t graph;
        cudaGraphExec_t exec;
        cudaGraphNode_t node;
        CHECK(cudaGraphCreate(&graph, 0));
        CHECK(cudaGraphAddMemcpyNode(&node, graph, NULL, 0, &p));
        CHECK(cudaGraphInstantiate(&exec, graph, 0));
        CHECK(cudaGraphLaunch(exec, a));
    } else {
        CHECK(cudaMemcpy3DAsync(&p, a));
    }
    size_t x = atoi(argv[2]), y = atoi(argv[3]), z = atoi(argv[4]);
    write<<<1, 1, 0, b>>>((char *)d.ptr, x + d.pitch * (y + d.ysize * z));
    CHECK(cudaDeviceSynchronize());
    p.srcPtr = whole;
    p.dstPtr = make_cudaPitchedPtr(pinned, WIDTH, WIDTH, HEIGHT);
    if (strcmp(argv[1], "unwritten") == 0)
        CHECK(cudaMemcpy3D(&p));
}
EOC
for at in '2 1 1' '4 2 2'; do
    play volumes copy $at
    ok "a kernel that writes ($at) of a box that is copied meanwhile is a hazard" says 'cudaMemcpy3DAsync in stream'
done
play volumes memset 3 2 2
ok 'so is one that writes what a memset of a box sets' says 'cudaMemset3DAsync in stream'
play volumes graph 3 2 2
ok "and one that writes what a graph's node copies" says 'cudaGraphAddMemcpyNode in stream'
for at in '1 1 1' '5 1 1' '2 0 1' '2 3 1' '2 1 0' '4 2 3'; do
    play volumes copy $at
    ok "one that writes ($at), beside the box, is none" eval 'ends 0 && [ "$(hazards)" = 0 ]'
done
play volumes unwritten 0 0 0
ok 'a copy of a box that nobody has written is told of' grep -q 'cudaMemcpy3D .*nobody\|cudaMemcpy3D .*never' "$dir/err"
ok 'the log of such a copy says what its replay gives' replays volumes copy 0 0 0

done_testing
