#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Volumes and arrays: what is seen of them, and why a call is refused. What they hold is tests/sim/rules' to ask.
. tests/sim/sim.bash

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
    enum { WIDTH = 8, HEIGHT = 4, ROWS = 7, DEPTH = 4 };     /* the host's slices have more rows */
    char *pinned;
    cudaPitchedPtr d, whole;
    cudaStream_t a, b;
    CHECK(cudaMallocHost(&pinned, WIDTH * ROWS * DEPTH));
    memset(pinned, 3, WIDTH * ROWS * DEPTH);
    CHECK(cudaMalloc3D(&d, make_cudaExtent(WIDTH, HEIGHT, DEPTH)));
    CHECK(cudaMalloc3D(&whole, make_cudaExtent(WIDTH, HEIGHT, DEPTH)));
    CHECK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
    CHECK(cudaMemset3D(d, 0, make_cudaExtent(WIDTH, HEIGHT, DEPTH)));
    CHECK(cudaDeviceSynchronize());
    cudaMemcpy3DParms p = {};
    p.srcPtr = make_cudaPitchedPtr(pinned, WIDTH, WIDTH, ROWS);
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
    if (strcmp(argv[1], "source") == 0)
        write<<<1, 1, 0, b>>>(pinned, x + WIDTH * (y + ROWS * z));
    else
        write<<<1, 1, 0, b>>>((char *)d.ptr, x + d.pitch * (y + d.ysize * z));
    CHECK(cudaDeviceSynchronize());
    p.srcPtr = whole;
    p.dstPtr = make_cudaPitchedPtr(pinned, WIDTH, WIDTH, ROWS);
    if (strcmp(argv[1], "unwritten") == 0)
        CHECK(cudaMemcpy3D(&p));
}
EOC
for at in '2 1 1' '4 2 2'; do
    play volumes copy $at
    ok "a kernel that writes ($at) of a box that is copied meanwhile is a hazard" says 'cudaMemcpy3DAsync in stream'
done
for at in '2 1 1' '4 2 2'; do
    play volumes source $at
    ok "so is one that writes ($at) of what the copy reads" says 'cudaMemcpy3DAsync in stream'
done
for at in '5 2 2' '2 3 1' '2 0 2' '2 1 3'; do
    play volumes source $at
    ok "one that writes ($at), beside that, is none" eval 'ends 0 && [ "$(hazards)" = 0 ]'
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
ok 'a copy of a box that nobody has written is told of' grep -q 'cudaMemcpy3D .*nothing has\|cudaMemcpy3D .*never' "$dir/err"

# ---- arrays ----

build arrays << 'EOC'
#include "streams.h"
int main(int, char **argv)
{
    enum { WIDTH = 16, HEIGHT = 8 };
    float *pinned;
    cudaArray_t array, second, none = (cudaArray_t)0x999;
    cudaStream_t a, b;
    cudaChannelFormatDesc real = cudaCreateChannelDesc<float>(), bad = cudaCreateChannelDesc(32, 32, 32, 0, cudaChannelFormatKindFloat);
    cudaChannelFormatDesc mixed = cudaCreateChannelDesc(32, 16, 0, 0, cudaChannelFormatKindFloat), wide = cudaCreateChannelDesc<float4>();
    CHECK(cudaMallocHost(&pinned, 4 * WIDTH * HEIGHT));
    memset(pinned, 0, 4 * WIDTH * HEIGHT);
    CHECK(cudaMallocArray(&array, &real, WIDTH, HEIGHT));
    CHECK(cudaMallocArray(&second, &wide, WIDTH, HEIGHT));
    CHECK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
    CHECK(cudaMemcpy2DToArray(array, 0, 0, pinned, 4 * WIDTH, 4 * WIDTH, HEIGHT, cudaMemcpyHostToDevice));
    cudaMemcpy3DParms p = {};
    p.extent = make_cudaExtent(1, 1, 1);
    p.kind = cudaMemcpyDefault;
    switch (atoi(argv[1])) {
    case 1: CHECK(cudaMemcpy2DToArrayAsync(array, 8, 2, pinned, 4 * WIDTH, 8, 2, cudaMemcpyDefault, a));
            CHECK(cudaMemcpy2DFromArrayAsync(pinned + 2, 4 * WIDTH, array, 12, 3, 8, 1, cudaMemcpyDefault, b)); break;
    case 2: CHECK(cudaMemcpy2DToArrayAsync(array, 8, 2, pinned, 4 * WIDTH, 8, 2, cudaMemcpyDefault, a));
            CHECK(cudaMemcpy2DFromArrayAsync(pinned + 2, 4 * WIDTH, array, 16, 3, 8, 1, cudaMemcpyDefault, b)); break;
    case 3: CHECK(cudaMemcpy2DToArrayAsync(array, 0, 0, pinned, 4 * WIDTH, 8, 2, cudaMemcpyDefault, a)); CHECK(cudaFreeArray(array)); break;
    case 4: CHECK(cudaMemcpy2DFromArray(pinned, 4 * WIDTH, second, 0, 0, 8, 1, cudaMemcpyDefault)); break;
    case 10: CHECK(cudaMallocArray(&array, &bad, 4)); break;
    case 11: CHECK(cudaMallocArray(&array, &mixed, 4)); break;
    case 12: CHECK(cudaMallocArray(&array, &real, 0)); break;
    case 13: CHECK(cudaMallocArray(&array, &real, 4, 4, 1)); break;
    case 14: CHECK(cudaMalloc3DArray(&array, &real, make_cudaExtent(4, 0, 4))); break;
    case 15: CHECK(cudaMallocArray(&array, &real, (size_t)1 << 30, 1 << 20)); break;
    case 16: CHECK(cudaFreeArray(none)); break;
    case 17: CHECK(cudaFreeArray(array)); CHECK(cudaFreeArray(array)); break;
    case 18: CHECK(cudaFreeArray(array)); CHECK(cudaMemcpy2DToArray(array, 0, 0, pinned, 4, 4, 1, cudaMemcpyDefault)); break;
    case 19: CHECK(cudaMemcpy2DToArray(array, 60, 7, pinned, 64, 8, 1, cudaMemcpyDefault)); break;
    case 20: CHECK(cudaMemcpy2DToArray(array, 0, 0, pinned, 64, 8, 1, cudaMemcpyDeviceToHost)); break;
    case 21: CHECK(cudaMemcpyToArray(array, 0, 7, pinned, 68, cudaMemcpyHostToDevice)); break;
    case 22: CHECK(cudaMemcpy3D(&p)); break;
    case 23: p.srcArray = array; p.srcPtr.ptr = pinned; CHECK(cudaMemcpy3D(&p)); break;
    case 24: p.srcArray = array; p.dstArray = second; CHECK(cudaMemcpy3D(&p)); break;
    case 25: p.srcArray = array; p.srcPos.z = 1; p.dstPtr = make_cudaPitchedPtr(pinned, 64, 16, 8); CHECK(cudaMemcpy3D(&p)); break;
    case 26: p.srcPtr = p.dstPtr = make_cudaPitchedPtr(pinned, 64, 16, 2); p.extent = make_cudaExtent(4, 3, 2); CHECK(cudaMemcpy3D(&p)); break;
    case 27: CHECK(cudaMemcpy3D(NULL)); break;
    case 28: cudaDeviceReset(); CHECK(cudaMemcpy2DToArray(array, 0, 0, pinned, 4, 4, 1, cudaMemcpyDefault)); break;
    /* Bytes go on in the next row. */
    case 30: for (int i = 0; i < WIDTH * HEIGHT; i++) pinned[i] = i;
             CHECK(cudaMemcpyToArray(array, 4, 1, pinned, 4 * 40, cudaMemcpyHostToDevice));
             CHECK(cudaMemcpyFromArrayAsync(pinned, array, 0, 3, 16, cudaMemcpyDeviceToHost, a));
             CHECK(cudaMemcpyArrayToArray(second, 0, 0, array, 4, 1, 64));
             CHECK(cudaMemcpyFromArray(pinned + 4, second, 48, 0, 16, cudaMemcpyDefault));
             CHECK(cudaStreamSynchronize(a));
             for (int i = 0; i < 8; i++) printf("%g ", pinned[i]); break;
    }
    CHECK(cudaDeviceSynchronize());
}
EOC
play arrays 1
ok 'two copies to and from the same texels of an array, in no order, are a hazard' says 'cudaMemcpy2DToArrayAsync in stream'
play arrays 2
ok 'beside each other they are none' eval 'ends 0 && [ "$(hazards)" = 0 ]'
play arrays 3
ok 'an array that is freed under a copy is a hazard, or a note' grep -q '^\(hazard\|note\): .*gives them back' "$dir/err"
play arrays 4
ok 'a copy of an array that nobody has written is told of' grep -q 'nothing has written\|never' "$dir/err"
play arrays 30
ok 'a copy of bytes goes on in the next row' prints '31 32 33 34 12 13 14 15 '

# why CASE SENTENCE WORDS
why() {
    play arrays "$1"
    wanted=$3
    ok "$2" eval 'ends 1 && complains "    why: " && complains "$wanted"'
}
line() { grep -nF -- "$1" "$dir/arrays.cu" | head -n 1 | cut -d: -f1; }
why 10 'a format of three channels is refused' 'the second argument, desc, is {32, 32, 32, 0, 2}; there are 1, 2 or 4 channels of the same 8, 16 or 32 bits'
why 11 'so is one of channels that differ' 'desc, is {32, 16, 0, 0, 2}'
why 12 'an array has a width' 'the width is 0'
why 13 'no layers are refused' 'there are 0 layers: the depth counts them'
why 14 'so are they where the height is 0' 'the depth is 4 and the height 0: layers of one dimension'
why 15 'an array that is too large is told with the bytes there are' 'bytes are asked for; device 0 has'
why 16 'what is no array is not freed' 'the argument, array, is not an array: no call returned it (cudaMallocArray and cudaMalloc3DArray make arrays)'
why 17 'an array is freed once' "the argument, array, is not an array: it was destroyed by cudaFreeArray in line $(line 'case 17')"
why 18 'no copy goes to an array that was freed' "the first argument, dst, is not an array: it was destroyed by cudaFreeArray in line $(line 'case 18')"
why 19 'a copy stays in the array' 'the first argument, dst, is an array of 64 bytes x 8 rows x 1 slices; the copy is of 8 x 1 x 1, from byte 60 of row 7 of slice 0 on'
why 20 'a direction that an array cannot have is refused' 'the direction is cudaMemcpyDeviceToHost, and the copy goes to an array, which is on the device'
why 21 'bytes stay in the array' 'is an array of 512 bytes in 8 rows; the copy is of 68, from byte 0 of row 7 on'
why 22 'a copy of nothing is told what is missing' 'the parameters have neither srcArray nor srcPtr.ptr'
why 23 'and of two things what is too much' 'the parameters have both srcArray and srcPtr.ptr'
why 24 'elements of two arrays have the same size' 'an element of srcArray has 4 bytes, and one of dstArray has 16'
why 25 'a slice that the array does not have is refused' "the parameters' srcArray, is an array of 64 bytes x 8 rows x 1 slices; the copy is of 4 x 1 x 1, from byte 0 of row 0 of slice 1 on"
why 26 'slices do not overlap' 'a slice has 2 rows in memory (ysize), and 3 are asked for'
why 27 'parameters are needed' 'the argument, which points to the parameters, is NULL'
why 28 'a reset frees arrays' 'the first argument, dst, is an array in memory that cudaDeviceReset'

# ---- replays ----

open_simulator
mv "$dir/volumes" "$dir/plain" && build volumes
ok 'the log of a copy of a box says what its replay gives' replays volumes copy 0 0 0

done_testing
