#!/bin/bash
# SPDX-License-Identifier: MIT
#
# What threads and blocks of one grid read of each other's stores, with nothing between that orders the two.
. tests/sim/race/hazards.bash

program=exchanges
cat > "$dir/$program.cu" << 'EOF'
#include <cooperative_groups.h>
#include <cstdio>
#include <cstring>
namespace cg = cooperative_groups;
__device__ int flag, sum, parts[64];
__device__ unsigned char marks[64];
__global__ void block_flag(int *p)
{
    if (blockIdx.x == 0 && threadIdx.x == 0)
        flag = 7;
    if (blockIdx.x == 1 && threadIdx.x == 0)
        *p = flag;
}
__global__ void halo(int *p)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int right = i + 1 < 512 ? p[i + 1] : 0;
    __syncthreads();
    p[i] = right;
}
__global__ void below(int *p)
{
    int i = blockIdx.y * gridDim.x + blockIdx.x;
    if (threadIdx.x == 0)
        p[i] = blockIdx.y > 0 ? p[i - gridDim.x] + 1 : 0;
}
__global__ void sort(int *p)
{
    int i = threadIdx.x;
    for (int turn = 0; turn < 16; turn++) {
        int at = 2 * i + turn % 2;
        if (at + 1 < 32 && p[at] > p[at + 1]) {
            int larger = p[at];
            p[at] = p[at + 1];
            p[at + 1] = larger;
        }
    }
}
template <bool waits> __global__ void turn(int *p)
{
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x;
    if (waits)
        __syncthreads();
    p[threadIdx.x] = s[threadIdx.x / 2];
}
__global__ void again(int *p)
{
    __shared__ int s[64];
    for (int i = 0; i < 3; i++) {
        s[threadIdx.x] = i;
        __syncthreads();
        p[threadIdx.x] += s[63 - threadIdx.x];
    }
}
/* Each warp adds its own, and the first thread reads what the others have not added yet. */
template <bool waits> __global__ void reduce(int *p)
{
    __shared__ int s[64];
    int lane = threadIdx.x % 32;
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    for (int n = 16; n > 0; n /= 2) {
        if (lane < n)
            s[threadIdx.x] += s[threadIdx.x + n];
        __syncwarp();
    }
    if (waits)
        __syncthreads();
    if (threadIdx.x == 0)
        *p = s[0] + s[32];
}
__global__ void warps(int *p)
{
    __shared__ int s[64];
    int lane = threadIdx.x % 32, first = threadIdx.x - lane;
    s[threadIdx.x] = lane;
    __syncwarp();
    p[threadIdx.x] = s[first + 31 - lane];
    cg::tiled_partition<32>(cg::this_thread_block()).sync();
    s[threadIdx.x] = 0;
}
__global__ void last(int *p)
{
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = blockIdx.x;
        __threadfence();
        if (atomicAdd(&sum, 1) == gridDim.x - 1)
            for (int i = 0; i < gridDim.x; i++)
                *p += parts[i];
    }
}
__global__ void by_volatile(int *p)
{
    volatile int *f = &flag;
    if (blockIdx.x == 0 && threadIdx.x == 0)
        *f = 1;
    if (blockIdx.x == 1 && threadIdx.x == 0) {
        while (*f == 0)
            ;
        *p = flag;
    }
}
__global__ void grids(int *p)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
    p[i] = i;
    cg::this_grid().sync();
    int other = p[n - 1 - i];
    cg::this_grid().sync();
    p[i] = other;
}
__global__ void own(int *p)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    p[i] += i;
    p[i] *= 2;
    marks[i % 64] = 1;              /* all store the same, and nobody reads it */
    if (i < 64)
        ((unsigned char *)parts)[i] = i, p[i] = ((unsigned char *)parts)[i];
}
__global__ void heap(int *p)
{
    int *mine = (int *)malloc(16);
    *mine = threadIdx.x;
    p[threadIdx.x] = *mine;
    free(mine);
}
int main(int, char **arguments)
{
    const char *which = arguments[1];
    int *p, numbers[1024];
    for (int i = 0; i < 1024; i++)
        numbers[i] = 1024 - i;
    cudaMalloc(&p, sizeof numbers);
    cudaMemcpy(p, numbers, sizeof numbers, cudaMemcpyHostToDevice);
#define CASE(name, ...) if (strcmp(which, #name) == 0) name __VA_ARGS__(p)
    CASE(block_flag, <<<4, 32>>>);
    CASE(halo, <<<4, 128>>>);
    CASE(below, <<<dim3(8, 4), 32>>>);
    CASE(sort, <<<1, 32>>>);
    CASE(again, <<<2, 64>>>);
    CASE(warps, <<<2, 64>>>);
    CASE(last, <<<8, 32>>>);
    CASE(by_volatile, <<<2, 32>>>);
    CASE(own, <<<4, 128>>>);
    CASE(heap, <<<1, 64>>>);
    if (strcmp(which, "turn") == 0)
        turn<false><<<1, 64>>>(p);
    if (strcmp(which, "turn_waits") == 0)
        turn<true><<<1, 64>>>(p);
    if (strcmp(which, "reduce") == 0)
        reduce<false><<<1, 64>>>(p);
    if (strcmp(which, "reduce_waits") == 0)
        reduce<true><<<1, 64>>>(p);
    if (strcmp(which, "many") == 0)
        for (int i = 0; i < 5; i++)
            block_flag<<<4, 32>>>(p);
    void *list[] = { &p };
    if (strcmp(which, "grids") == 0)
        cudaLaunchCooperativeKernel(grids, dim3(4), dim3(32), list);
    return cudaDeviceSynchronize();
}
EOF
run build/bin/simcc "$dir/$program.cu" -o "$dir/$program"
silent() { play "$program" "${1-}"; ends 0 && [ ! -s "$dir/err" ]; }

ok 'a block that reads what another one has stored is told of, with both lines' \
    notes block_flag 'cu:12: kernel block_flag .* reads what another block stores in line 10, .* here the store came first, and a card promises nothing'
ok '... once, however often the kernel is launched' notes many 'kernel block_flag'
ok 'a block that stores where another one has read, too' \
    notes halo 'cu:17: kernel halo .* reads what another block stores in line 19, .* here the read came first'
ok 'a block of the next row is a neighbour like any other' notes below 'cu:25: kernel below .* another block'
ok 'threads of a block that exchange data with no barrier are told of' \
    notes sort 'cu:[0-9]*: kernel sort .* reads what another thread of its block stores'
ok '... in shared memory as well' notes turn 'cu:45: kernel turn.* reads what another thread of its block stores in line 42'
ok '... and where the second of two barriers is missing' \
    notes again 'cu:53: kernel again .* reads what another thread of its block stores in line 51'
ok '... and where the thread that stores has read there itself since another warp did' \
    notes reduce 'kernel reduce.* reads what another thread of its block stores in line [0-9]*, .* here the read came first'
for right in turn_waits reduce_waits warps last by_volatile grids own heap; do
    ok "what is in order is nothing to tell of: $right" silent $right
done

# With no precompiled headers for its options a program's two builds are made of one text.
program=options
cat > "$dir/$program.cu" << 'EOF'
__global__ void saxpy(float a, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = a * x[i] + y[i];
}
int main()
{
    float *x, *y;
    cudaMalloc(&x, 1 << 16);
    cudaMalloc(&y, 1 << 16);
    cudaMemset(x, 0, 1 << 16);
    cudaMemset(y, 0, 1 << 16);
    saxpy<<<64, 256>>>(2, x, y);
    return cudaDeviceSynchronize();
}
EOF
for options in -O3 '-O2 -std=c++20'; do
    run build/bin/simcc $options "$dir/$program.cu" -o "$dir/$program"
    ok "a thread's loads and stores are its own with $options" silent
done
program=exchanges
play_plain() { SIM_HAZARDS=0 silent block_flag; }
ok 'without the search for hazards nothing is looked at' play_plain
done_testing
