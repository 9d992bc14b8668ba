/* SPDX-License-Identifier: MIT */
/* What a kernel can be asked: attributes, occupancy. [G] "Compute Capabilities". */
#include "../rule.h"

__global__ void uses_shared(int *p)
{
    *p = 3;
}

int main()
{
    int *d = on_device<int>(4), blocks = 0, grid = 0, block = 0;
    warm_up(d);
    struct cudaDeviceProp prop;
    CHECK(cudaGetDeviceProperties(&prop, 0));
    struct cudaFuncAttributes a;

    rule(cudaFuncGetAttributes(&a, uses_shared) == cudaSuccess && a.maxThreadsPerBlock == prop.maxThreadsPerBlock &&
             a.maxDynamicSharedSizeBytes == (int)prop.sharedMemPerBlock,
         "a kernel knows how many threads and how much dynamic shared memory it may have");

    uses_shared<<<1, 1, 100 << 10>>>(d);
    rule(cudaGetLastError() == cudaErrorInvalidValue, "more shared memory than a block has at first is refused");
    rule(cudaFuncSetAttribute(uses_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 100 << 10) == cudaSuccess,
         "a kernel can be allowed more");
    uses_shared<<<1, 1, 100 << 10>>>(d);
    rule(cudaGetLastError() == cudaSuccess && cudaDeviceSynchronize() == cudaSuccess, "and then gets it");
    rule(cudaFuncGetAttributes(&a, uses_shared) == cudaSuccess && a.maxDynamicSharedSizeBytes == 100 << 10,
         "its attributes say so");
    rule(cudaFuncSetAttribute((const void *)uses_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 30) ==
             cudaErrorInvalidValue,
         "more than there is on an SM: cudaErrorInvalidValue");
    forget_errors();

    rule(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, busy, 1024, 0) == cudaSuccess &&
             blocks == prop.maxThreadsPerMultiProcessor / 1024,
         "large blocks: as many as the threads of an SM allow");
    rule(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, busy, 32, 0) == cudaSuccess &&
             blocks == prop.maxBlocksPerMultiProcessor,
         "small blocks: as many as an SM takes");
    rule(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, uses_shared, 32, 100 << 10) == cudaSuccess &&
             blocks == (int)(prop.sharedMemPerMultiprocessor / ((100 << 10) + 1024)),
         "blocks with much shared memory: as many as there is room for");
    /* Last: on a card a wish for L1 leaves less of it to shared memory, and fewer blocks fit [M]. */
    rule(cudaFuncSetCacheConfig(uses_shared, cudaFuncCachePreferL1) == cudaSuccess, "a wish for the cache is taken");
    rule(cudaOccupancyMaxPotentialBlockSize(&grid, &block, busy, 0, 0) == cudaSuccess &&
             block == prop.maxThreadsPerBlock &&
             grid == prop.multiProcessorCount * (prop.maxThreadsPerMultiProcessor / block),
         "the block that fills an SM is found, and the grid that fills the device");
    rule(cudaOccupancyMaxPotentialBlockSize(&grid, &block, busy, 0, 96) == cudaSuccess && block <= 96 && block > 0,
         "no larger than wanted");
    rule(cudaOccupancyMaxPotentialBlockSize(&grid, &block, busy, 0, 100) == cudaSuccess && block <= 100 && block > 0,
         "nor is a limit rounded up that is no whole number of warps");
    size_t room = 0;
    rule(cudaOccupancyAvailableDynamicSMemPerBlock(&room, busy, 1, 32) == cudaSuccess && room >= prop.sharedMemPerBlock,
         "a block that is alone on its SM has all its shared memory");
    int most = 0;
    CHECK(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    CHECK(cudaFuncSetAttribute((const void *)busy, cudaFuncAttributeMaxDynamicSharedMemorySize, most));
    bool fit = true;
    for (int n = 5; n <= 13; n++)       /* what a block has reserved is not taken off: one block fewer [M] */
        fit = fit && cudaOccupancyAvailableDynamicSMemPerBlock(&room, busy, n, 32) == cudaSuccess &&
              room == prop.sharedMemPerMultiprocessor / n / 128 * 128 &&
              cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, busy, 32, room) == cudaSuccess && blocks == n - 1;
    rule(fit, "blocks are said to have an equal share of an SM's shared memory each, with which one fewer fits");
    CHECK(cudaFuncSetAttribute((const void *)busy, cudaFuncAttributeMaxDynamicSharedMemorySize, 8192));
    rule(cudaOccupancyAvailableDynamicSMemPerBlock(&room, busy, 1, 32) == cudaSuccess && room == 8192, "but no more than the kernel may ask for");
    return rules_end();
}
