/* SPDX-License-Identifier: MIT */
/* sums rows, each by one cluster: within warps, then blocks, then from the shared memory of all its blocks */
#include <stdio.h>
#include <stdlib.h>

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#define CHECK(call) \
    do { \
        cudaError_t error_ = (call); \
        if (error_ != cudaSuccess) { \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error_)); \
            exit(1); \
        } \
    } while (0)

namespace cg = cooperative_groups;

enum { ROWS = 6, COLUMNS = 5000, CLUSTER = 8, THREADS = 96 };

template <typename T> __global__ void __cluster_dims__(CLUSTER, 1, 1) sum_rows(const T *in, T *sums, int columns)
{
    __shared__ T of_warp[THREADS / 32], of_block;
    cg::cluster_group cluster = cg::this_cluster();
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
    const T *row = in + (size_t)blockIdx.y * columns;
    T own = 0;
    for (int i = cluster.thread_rank(); i < columns; i += cluster.num_threads())
        own += row[i];
    own = cg::reduce(warp, own, cg::plus<T>());
    if (warp.thread_rank() == 0)
        of_warp[warp.meta_group_rank()] = own;
    block.sync();
    if (block.thread_rank() == 0) {
        of_block = 0;
        for (unsigned i = 0; i < warp.meta_group_size(); i++)
            of_block += of_warp[i];
    }
    auto token = cluster.barrier_arrive();
    cluster.barrier_wait(std::move(token));
    if (cluster.block_rank() == 0 && block.thread_rank() == 0) {
        T all = 0;
        for (unsigned i = 0; i < cluster.num_blocks(); i++)
            all += *cluster.map_shared_rank(&of_block, i);
        sums[blockIdx.y] = all;
    }
    cluster.sync();
}

int main()
{
    static long in[ROWS][COLUMNS], wanted[ROWS], got[ROWS];
    for (int row = 0; row < ROWS; row++)
        for (int i = 0; i < COLUMNS; i++)
            wanted[row] += in[row][i] = (i * 31 + row * 17) % 101 - 40;
    long *d_in, *d_sums;
    CHECK(cudaMalloc(&d_in, sizeof in));
    CHECK(cudaMalloc(&d_sums, sizeof got));
    CHECK(cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice));
    sum_rows<<<dim3(CLUSTER, ROWS), THREADS>>>(d_in, d_sums, COLUMNS);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got, d_sums, sizeof got, cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int row = 0; row < ROWS; row++)
        wrong += got[row] != wanted[row];
    printf(wrong == 0 ? "right\n" : "%d sums are wrong\n", wrong);
    return wrong != 0;
}
