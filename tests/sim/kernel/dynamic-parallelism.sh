#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Kernels that launch kernels, and grids that wait for all of themselves.
. tests/sim/sim.bash

# As an H100 has it: 201 of the host's launch, and twice 48 + 201 of the parents' blocks; the tail sees them all.
cat > "$dir/x.cu" << 'EOF'
template <typename T> __global__ void add(T *sum, int value) { atomicAdd(sum, (T)(value + (int)threadIdx.x)); }
__host__ __device__ void both(int *p) { add<<<1, 2>>>(p, 100); }
__global__ void last(int *p) { p[3] = p[0]; }
__global__ void count(int *p, int depth)
{
    if (threadIdx.x == 0 && depth > 0) {
        cudaStream_t s;
        cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
        p[1]++;
        count<<<1, 2, 0, s>>>(p, depth - 1);
        cudaStreamDestroy(s);
    }
}
__global__ void parent(int *p)
{
    __shared__ int first;
    if (threadIdx.x == 0)
        first = 7;
    __syncthreads();
    if (threadIdx.x == 1) {
        last<<<1, 1, 0, cudaStreamTailLaunch>>>(p);
        add<<<2, 3>>>(p, first);
        both(p);
        p[2] = cudaGetLastError();
    }
}
__global__ void wrong(int *p)
{
    add<<<1, 2048>>>(p, 0);
    p[4] = cudaPeekAtLastError() == cudaErrorInvalidConfiguration && cudaGetLastError() == cudaErrorInvalidConfiguration &&
           cudaGetLastError() == cudaSuccess;
}
int main()
{
    int *p, h[5];
    cudaMalloc(&p, sizeof h);
    cudaMemset(p, 0, sizeof h);
    both(p);
    parent<<<2, 32>>>(p);
    count<<<1, 1>>>(p, 24);
    wrong<<<1, 1>>>(p);
    cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost);
    printf("%d %d %d %d %d %s\n", h[0], h[1], h[2], h[3], h[4], cudaGetErrorString(cudaDeviceSynchronize()));
    count<<<1, 1>>>(p, 1001);
    cudaDeviceSynchronize();
    cudaFree(p);
}
EOF
run build/bin/simcc "$dir/x.cu" -o "$dir/x"
play x
ok 'children run when their parent has, each with its own, the tail last' prints '699 24 0 699 1 no error'
ok 'a launch that no card takes is refused, and told' complains "x.cu:29: a kernel's launch of add was refused: its block has more threads than this device takes"
ok 'so is one that is 1001 deep, and nothing else is' \
    eval 'complains "x.cu:10: a kernel'"'"'s launch of count was refused: here kernels launch kernels at most 1000 deep" && [ "$(wc -l < "$dir/err")" = 2 ]'
SIM_CORES=2 play x
ok 'on several cores, too' prints '699 24 0 699 1 no error'
prints_as 'a fault of a child is the launch of the host: the device is lost' 'cudaErrorIllegalAddress' << 'EOF'
__global__ void child(int *p) { *p = 1; }
__global__ void parent() { child<<<1, 1>>>(NULL); }
int main() { parent<<<1, 1>>>(); puts(cudaGetErrorName(cudaDeviceSynchronize())); }
EOF

cat > "$dir/x.cu" << 'EOF'
#include <cooperative_groups.h>
__global__ void k() { auto grid = cooperative_groups::this_grid(); if (blockIdx.x == 0) grid.sync(); }
int main() { k<<<2, 1>>>(); puts(cudaGetErrorName(cudaDeviceSynchronize())); }
EOF
run build/bin/simcc "$dir/x.cu" -o "$dir/x"
play x
ok 'a grid that was not launched to wait for itself cannot, as on a card' \
    eval 'prints cudaErrorLaunchFailure && complains "x.cu:2: grid_group::sync: the kernel was launched without cudaLaunchCooperativeKernel"'

cat > "$dir/x.cu" << 'EOF'
#include <cooperative_groups.h>
#include "streams.h"
__global__ void some() { if (blockIdx.x > 0) cooperative_groups::this_grid().sync(); }
/* As many threads at once as this card has room for. */
__global__ void all(unsigned *n) { atomicAdd(n, 1); cooperative_groups::this_grid().sync(); if (*n == gridDim.x * blockDim.x) atomicAdd(n + 1, 1); }
__global__ void costs(int *n) { kernel_cost(50000); atomicAdd(n, 1); cooperative_groups::this_grid().sync(); if (*n != 8) atomicAdd(n, 100); }
int main(int count, char **)
{
    unsigned *n, h[2];
    CHECK(cudaMallocManaged(&n, sizeof h));
    void *args[] = { &n };
    n[0] = n[1] = 0;
    CHECK(cudaLaunchCooperativeKernel((void *)all, 40, 512, args));
    CHECK(cudaDeviceSynchronize());
    printf("%u %u ", n[0], n[1]);
    n[0] = 0;
    float ms;
    cudaEvent_t a, b;
    CHECK(cudaEventCreate(&a));
    CHECK(cudaEventCreate(&b));
    CHECK(cudaEventRecord(a));
    CHECK(cudaLaunchCooperativeKernel((void *)costs, 4, 2, args));
    CHECK(cudaEventRecord(b));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEventElapsedTime(&ms, a, b));
    printf("%u %d ", n[0], ms > 0.05);
    CHECK(cudaLaunchCooperativeKernel((void *)some, 3, 32, NULL));
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
}
EOF
run build/bin/simcc -Icommon "$dir/x.cu" -o "$dir/x"
play x
ok 'the blocks of a cooperative grid are all there at once, and one that ends early keeps the others waiting' \
    eval 'prints "20480 20480 8 1 cudaErrorLaunchFailure" && complains "some: 2 of 3 blocks wait for the whole grid, and the others have ended"'

prints_as 'kernels take memory by cudaMalloc, give it back, and know their device' '7 0 0' << 'EOF'
__global__ void takes(int **p) { if (cudaMalloc(p, 16) == cudaSuccess) (*p)[3] = 7; }
__global__ void gives(int **p, int *o) { o[0] = (*p)[3]; o[1] = cudaFree(*p); cudaGetDevice(o + 2); }
int main()
{
    int **p, *o;
    cudaMallocManaged(&p, sizeof *p);
    cudaMallocManaged(&o, 3 * sizeof *o);
    takes<<<1, 1>>>(p);
    gives<<<1, 1>>>(p, o);
    cudaDeviceSynchronize();
    printf("%d %d %d\n", o[0], o[1], o[2]);
}
EOF

done_testing
