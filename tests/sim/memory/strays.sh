#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Memory that is not one's own to touch: the host's loads and stores of device
# memory, kernels that leave their buffers.
. tests/sim/sim.bash

# finds CASE STATUS PATTERN: one hazard that says so, and what the last call returned.
finds() {
    play strays "$1"
    [ "$(hazards)" = 1 ] && grep -q "^hazard: .*$3" "$dir/err" &&
        grep -q " $2\$" "$dir/out"
}

build strays << 'END'
#include <stdio.h>
#include "streams.h"
__global__ void fill(int *p, int n) { int i = threadIdx.x; if (i < n) p[i] = i; }
__managed__ int few[10]; static void take(void *p) { fprintf(stderr, "%d\n", *(int *)p); }
int main(int, char **argv)
{
    int *d, *h, result = 0;
    CHECK(cudaMalloc(&d, 100 * sizeof(int)));
    CHECK(cudaMallocHost(&h, 100 * sizeof(int)));
    CHECK(cudaMemset(d, 0, 100 * sizeof(int)));
    CHECK(cudaDeviceSynchronize());
    switch (atoi(argv[1])) {
    case 1: result = d[3]; break;
    case 2: for (int i = 0; i < 100; i++) d[i] = 7; break;
    case 3: fill<<<1, 128>>>(d, 102); break;
    case 4: CHECK(cudaFree(d)); fill<<<1, 128>>>(d, 100); break;
    case 5: h[100] = 1; break;
    case 6: fill<<<1, 128>>>(d, 100); for (int i = 0; i < 100; i++) h[i] = i; break;
    case 8: { int *p; CHECK(cudaMalloc(&p, 400)); fill<<<1, 4>>>(p - 1, 1); break; }
    case 7: { int *p; CHECK(cudaMallocAsync(&p, 100 * sizeof(int) - 1, 0)); fill<<<1, 128>>>(p, 100); CHECK(cudaFreeAsync(p, 0)); break; }
    case 9: fill<<<1, 128>>>(few, 12); break;
    case 10: for (int i = 0; i < 12; i++) few[i] = i; break;
    }
    cudaError_t status = cudaDeviceSynchronize();
    if (result > 100) take(h);
    printf("%d %s\n", result, cudaGetErrorName(status));
    return 0;
}
END
ok 'the host reads through a device pointer' \
    finds 1 cudaSuccess 'strays.cu:13: the host (at .* ms) reads bytes 12 to 15 of the 400 of cudaMalloc in line 8: that is memory of the device'
ok 'the host writes through one: said once' finds 2 cudaSuccess 'strays.cu:14: the host .* writes bytes 0 to 399 of'
ok 'a kernel leaves its buffer by two elements' \
    finds 3 cudaSuccess 'strays.cu:3: kernel fill in the default stream (queued in line 15) writes bytes 400 to 407 of memory that has 400 (cudaMalloc in line 8): out of bounds'
ok 'a kernel works on memory that is no longer there' \
    finds 4 cudaErrorIllegalAddress 'strays.cu:3: kernel fill .* writes memory that cudaFree in line 16 has given back'
ok 'the host leaves a pinned buffer' \
    finds 5 cudaSuccess 'strays.cu:17: the host .* writes bytes 400 to 403 of memory that has 400 (cudaMallocHost'
ok 'a kernel leaves memory of a pool, which hands out more than was asked for' \
    finds 7 cudaSuccess 'strays.cu:3: kernel fill .* writes bytes 399 to 399 of memory that has 399 (cudaMallocAsync in line 20): out of bounds'
ok 'a kernel begins before its memory, and is not taken to leave what lies there' \
    finds 8 cudaErrorIllegalAddress 'strays.cu:3: kernel fill .* writes what lies 4 bytes before the memory of cudaMalloc in line 19: out of bounds'
ok 'a kernel leaves a managed variable' finds 9 cudaSuccess 'strays.cu:3: kernel fill .* writes bytes 40 to 47 of the variable few, which has 40: out of bounds'
ok 'the host leaves one' finds 10 cudaSuccess 'the host .* writes bytes 40 to 47 of the variable few, which has 40: out of bounds'
play strays 6
ok 'a kernel and a host that stay where they may are left alone' [ ! -s "$dir/err" ]

done_testing
