/* SPDX-License-Identifier: MIT */
/* Grids whose blocks wait for each other. [G] "Cooperative Groups", "Grid Synchronization". */
#include <cooperative_groups.h>

#include "../rule.h"

namespace cg = cooperative_groups;

enum { BLOCKS = 48, THREADS = 64, ROUNDS = 3 };

/* Each thread passes on what it got from the block before, through memory; what it keeps of its own lies in shared memory. */
__global__ void pass_on(int *board, int *sum)
{
    __shared__ int own[THREADS];
    extern __shared__ int block_number[];
    cg::grid_group grid = cg::this_grid();
    int me = (int)grid.thread_rank(), all = (int)grid.size();
    own[threadIdx.x] = me;
    block_number[threadIdx.x] = (int)blockIdx.x;
    __syncthreads();
    for (int round = 0; round < ROUNDS; round++) {
        board[me] = own[THREADS - 1 - threadIdx.x] + block_number[threadIdx.x];
        grid.sync();
        sum[me] += board[(me + THREADS) % all];
        grid.sync();
    }
}

/* The last block comes late; the first waits for it, and an ended thread for nobody. */
__global__ void last_comes_late(int *flag, int *seen)
{
    if (threadIdx.x > 0)
        return;
    if (blockIdx.x == gridDim.x - 1) {
        for (long long begin = clock64(); clock64() - begin < 1000000;)
            ;
        *(volatile int *)flag = 1;
    }
    cg::this_grid().sync();
    seen[blockIdx.x] = *(volatile int *)flag;
}

__global__ void is_cooperative(int *answer) { *answer = cg::this_grid().is_valid(); }

int main()
{
    const int n = BLOCKS * THREADS;
    int *board = on_device<int>(n), *sum = on_device<int>(n), *h = pinned<int>(n), supported, wrong = 0;
    CHECK(cudaDeviceGetAttribute(&supported, cudaDevAttrCooperativeLaunch, 0));
    rule(supported, "the device has cooperative launches");

    CHECK(cudaMemset(sum, 0, n * sizeof *sum));
    void *arguments[] = { &board, &sum };
    rule(cudaLaunchCooperativeKernel(pass_on, BLOCKS, THREADS, arguments, THREADS * sizeof(int), 0) == cudaSuccess,
         "a kernel can be launched so");
    CHECK(cudaMemcpy(h, sum, n * sizeof *h, cudaMemcpyDefault));
    for (int i = 0; i < n; i++) {
        int from = (i + THREADS) % n, block = from / THREADS, thread = from % THREADS;
        wrong += h[i] != ROUNDS * (block * THREADS + THREADS - 1 - thread + block);
    }
    rule(wrong == 0, "after a barrier of the grid each thread sees what all had stored before, and its block's own shared memory");

    CHECK(cudaMemset(board, 0, sizeof *board));
    CHECK(cudaLaunchCooperativeKernel(last_comes_late, BLOCKS, THREADS, arguments, 0, 0));
    CHECK(cudaMemcpy(h, sum, BLOCKS * sizeof *h, cudaMemcpyDefault));
    for (int i = 0; i < BLOCKS; i++)
        wrong += h[i] != 1;
    rule(wrong == 0, "a barrier of the grid waits for the last block, and for no thread that has ended");

    void *answer[] = { &board };        /* of other launches an H200 says 0 before the first of these, and 1 after it [M] */
    CHECK(cudaLaunchCooperativeKernel(is_cooperative, 1, 1, answer, 0, 0));
    CHECK(cudaMemcpy(h, board, sizeof *h, cudaMemcpyDefault));
    rule(h[0] == 1, "a grid that was launched so knows it");

    rule(cudaLaunchCooperativeKernel(pass_on, 100000, THREADS, arguments, THREADS * sizeof(int), 0) == cudaErrorCooperativeLaunchTooLarge,
         "more blocks than can be there at once are refused");
    rule(cudaGetLastError() == cudaErrorCooperativeLaunchTooLarge && cudaDeviceSynchronize() == cudaSuccess, "and nothing else is lost");
}
