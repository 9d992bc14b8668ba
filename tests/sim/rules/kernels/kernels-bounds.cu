/* SPDX-License-Identifier: MIT */
/* What a kernel's declaration says of its launches: the threads that a block may have. [G] "Launch Bounds". */
#include "../rule.h"

__global__ void __launch_bounds__(128, 2) bounded(int *p);

__global__ void __launch_bounds__(128, 2) bounded(int *p)
{
    p[threadIdx.x] = 1;
}

template <int N> __launch_bounds__(2 * N) __global__ void of_two(int *p)
{
    p[threadIdx.x] = N;
}

extern "C" __global__ __launch_bounds__(64) void first_word(const __grid_constant__ dim3 size, int *p)
{
    p[threadIdx.x] = (int)size.y;
}

int main()
{
    int *d = on_device<int>(1024), blocks = 1, grid, block, seven = 0;
    struct cudaFuncAttributes a;
    bounded<<<1, 128>>>(d);
    rule(cudaGetLastError() == cudaSuccess && cudaDeviceSynchronize() == cudaSuccess, "a block may have as many threads as the bounds name");
    bounded<<<1, 129>>>(d);
    rule(cudaGetLastError() == cudaErrorInvalidValue, "and no more: cudaErrorInvalidValue [M]");
    of_two<16><<<1, 32>>>(d);
    rule(cudaGetLastError() == cudaSuccess, "bounds may depend on a template's parameter");
    of_two<16><<<dim3(1), dim3(3, 11)>>>(d);
    rule(cudaGetLastError() == cudaErrorInvalidValue, "and hold for all three dimensions together");
    first_word<<<1, 64>>>(dim3(1, 7), d);
    CHECK(cudaMemcpy(&seven, d + 63, sizeof seven, cudaMemcpyDeviceToHost));
    first_word<<<1, 96>>>(dim3(1, 7), d);
    rule(seven == 7 && cudaGetLastError() == cudaErrorInvalidValue, "wherever the words stand");
    rule(cudaFuncGetAttributes(&a, bounded) == cudaSuccess && a.maxThreadsPerBlock == 128, "a kernel's attributes name the bound [M]");
    rule(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, bounded, 256, 0) == cudaSuccess && blocks > 0,
         "how many blocks an SM takes does not ask the bounds [M]");
    rule(cudaOccupancyMaxPotentialBlockSize(&grid, &block, (void *)bounded, 0, 0) == cudaSuccess && block == 128, "and the block that fills an SM best is no larger");
    forget_errors();
    CHECK(cudaDeviceSynchronize());
    return rules_end();
}
