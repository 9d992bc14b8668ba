/* SPDX-License-Identifier: MIT */
/* counts in bins that lie in the shared memory of all blocks of a cluster, by atomics */
#include <stdio.h>
#include <stdlib.h>

#include <cooperative_groups.h>

#define CHECK(call) \
    do { \
        cudaError_t error_ = (call); \
        if (error_ != cudaSuccess) { \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error_)); \
            exit(1); \
        } \
    } while (0)

namespace cg = cooperative_groups;

enum { BINS = 1000, VALUES = 1 << 15, CLUSTER = 4, BLOCKS = 8, THREADS = 128, PER_BLOCK = BINS / CLUSTER };

__global__ void count(int *bins, const int *values, int n)
{
    extern __shared__ int own[];
    cg::cluster_group cluster = cg::this_cluster();
    for (int i = threadIdx.x; i < PER_BLOCK; i += blockDim.x)
        own[i] = 0;
    cluster.sync();                 /* all blocks have begun, and their bins are zero */
    for (int i = cg::this_grid().thread_rank(); i < n; i += gridDim.x * blockDim.x) {
        int bin = values[i], *there = cluster.map_shared_rank(own, bin / PER_BLOCK);
        atomicAdd(there + bin % PER_BLOCK, 1);
    }
    cluster.sync();                 /* none ends before the others have counted */
    for (int i = threadIdx.x; i < PER_BLOCK; i += blockDim.x)
        atomicAdd(bins + cluster.block_rank() * PER_BLOCK + i, own[i]);
}

int main()
{
    static int values[VALUES], wanted[BINS], got[BINS];
    for (int i = 0; i < VALUES; i++) {
        values[i] = (int)((i * 7919L + i / 3) % BINS);
        wanted[values[i]]++;
    }
    int *d_values, *d_bins;
    CHECK(cudaMalloc(&d_values, sizeof values));
    CHECK(cudaMalloc(&d_bins, sizeof got));
    CHECK(cudaMemcpy(d_values, values, sizeof values, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(d_bins, 0, sizeof got));

    cudaLaunchConfig_t config = {};
    config.gridDim = BLOCKS;
    config.blockDim = THREADS;
    config.dynamicSmemBytes = PER_BLOCK * sizeof(int);
    cudaLaunchAttribute attribute[1];
    attribute[0].id = cudaLaunchAttributeClusterDimension;
    attribute[0].val.clusterDim.x = CLUSTER;
    attribute[0].val.clusterDim.y = attribute[0].val.clusterDim.z = 1;
    config.attrs = attribute;
    config.numAttrs = 1;
    int clusters = 0;
    CHECK(cudaOccupancyMaxActiveClusters(&clusters, count, &config));
    CHECK(cudaLaunchKernelEx(&config, count, d_bins, (const int *)d_values, (int)VALUES));
    CHECK(cudaMemcpy(got, d_bins, sizeof got, cudaMemcpyDeviceToHost));

    int wrong = 0;
    for (int i = 0; i < BINS; i++)
        wrong += got[i] != wanted[i];
    printf(wrong == 0 && clusters > 0 ? "right\n" : "%d bins are wrong, %d clusters\n", wrong, clusters);
    return wrong != 0;
}
