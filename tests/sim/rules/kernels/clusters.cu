/* SPDX-License-Identifier: MIT */
/* Thread block clusters: what a launch may ask for, which blocks find a place together, whose shared memory they reach. [G, M] */
#include <cooperative_groups.h>

#include "../rule.h"

namespace cg = cooperative_groups;

enum { FIELDS = 10, THREADS = 32 };

__global__ void where(int *out)
{
    cg::cluster_group cluster = cg::this_cluster();
    int *own = out + FIELDS * (blockIdx.x + gridDim.x * blockIdx.y);
    if (threadIdx.x != 5)
        return;
    own[0] = (int)cluster.num_blocks();
    own[1] = (int)cluster.block_rank();
    own[2] = (int)cluster.num_threads();
    own[3] = (int)cluster.thread_rank();
    own[4] = (int)cluster.dim_blocks().x * 10 + (int)cluster.dim_blocks().y;
    own[5] = (int)cluster.block_index().x * 10 + (int)cluster.block_index().y;
    own[6] = (int)cluster.dim_threads().x;
    own[7] = (int)__clusterDimIsSpecified();
    own[8] = (int)__clusterRelativeBlockRank() * 10 + (int)__clusterSizeInBlocks();
    own[9] = (int)__clusterIdx().x * 10 + (int)__clusterGridDimInClusters().x;
}

__global__ void __cluster_dims__(2) fixed_pair(int *out)
{
    if (out)
        *out = 1;
}

/* Each block adds to what the next one of the cluster has, in memory of both kinds, and reads what the one before it has got. */
__global__ void around(int *out)
{
    extern __shared__ int dynamic[];
    __shared__ int fixed[THREADS];
    cg::cluster_group cluster = cg::this_cluster();
    const unsigned next = (cluster.block_rank() + 1) % cluster.num_blocks(), i = threadIdx.x;
    fixed[i] = dynamic[i] = (int)(100 * cluster.block_rank() + i);
    cluster.sync();
    cluster.map_shared_rank(fixed, next)[THREADS - 1 - i] += 1000;
    atomicAdd(cluster.map_shared_rank(dynamic, next), 1);
    cluster.sync();
    int *of_next = cluster.map_shared_rank(&fixed[i], next), own = cluster.map_shared_rank(fixed, cluster.block_rank()) == fixed;
    out[blockIdx.x * THREADS + i] = *of_next + 10000 * dynamic[0];
    if (cluster.query_shared_rank(of_next) != next || cluster.query_shared_rank(fixed) != cluster.block_rank() || !own)
        out[blockIdx.x * THREADS + i] = -1;
    if (!__isClusterShared(of_next) || __isShared(of_next) || !__isShared(fixed))
        out[blockIdx.x * THREADS + i] = -2;
    cluster.sync();
}

__global__ void one_an_sm(long long ns)
{
    kernel_cost(ns);
}

static cudaLaunchAttribute attributes[2];
static cudaLaunchConfig_t config_of(dim3 grid, dim3 cluster, int threads = THREADS, size_t shared = 0)
{
    attributes[0].id = cudaLaunchAttributeClusterDimension;
    attributes[0].val.clusterDim.x = cluster.x;
    attributes[0].val.clusterDim.y = cluster.y;
    attributes[0].val.clusterDim.z = cluster.z;
    cudaLaunchConfig_t c = {};
    c.gridDim = grid;
    c.blockDim = dim3(threads);
    c.dynamicSmemBytes = shared;
    c.attrs = attributes;
    c.numAttrs = 1;
    return c;
}

static bool refuses(void (*kernel)(int *), dim3 grid, dim3 cluster)
{
    cudaLaunchConfig_t c = config_of(grid, cluster);
    bool refused = cudaLaunchKernelEx(&c, kernel, (int *)NULL) == cudaErrorInvalidClusterSize;
    return cudaGetLastError() == cudaErrorInvalidClusterSize && refused;
}

static bool takes(void (*kernel)(int *), dim3 grid, dim3 cluster, int *out = NULL)
{
    cudaLaunchConfig_t c = config_of(grid, cluster);
    return cudaLaunchKernelEx(&c, kernel, out) == cudaSuccess && cudaDeviceSynchronize() == cudaSuccess;
}

static int most_clusters(int blocks, int threads, size_t shared)
{
    int count = -1;
    cudaLaunchConfig_t c = config_of(dim3(blocks), dim3(blocks), threads, shared);
    cudaError_t status = cudaOccupancyMaxActiveClusters(&count, one_an_sm, &c);
    cudaGetLastError();
    return status == cudaSuccess ? count : -(int)status;
}

int main()
{
    struct cudaDeviceProp prop;
    CHECK(cudaGetDeviceProperties(&prop, 0));
    if (prop.major < 9)
        return rules_skip("compute capability 9.0");
    int *out, *at;
    CHECK(cudaMallocManaged(&out, 4096 * sizeof *out));

    where<<<4, THREADS>>>(out);
    CHECK(cudaDeviceSynchronize());
    at = out + 3 * FIELDS;
    rule(at[0] == 1 && at[1] == 0 && at[2] == THREADS && at[3] == 5 && at[7] == 0 && at[9] == 34, "without clusters a block is a cluster of its own");
    rule(takes(where, dim3(6, 4), dim3(3, 2), out), "a launch asks for clusters by an attribute");
    at = out + FIELDS * (4 + 6 * 3);
    rule(at[0] == 6 && at[1] == 4 && at[2] == 6 * THREADS && at[3] == 4 * THREADS + 5, "ranks in a cluster go by x, then y");
    rule(at[4] == 32 && at[5] == 11 && at[6] == 3 * THREADS && at[7] == 1 && at[8] == 46 && at[9] == 12, "and a block knows where it stands in it");

    rule(refuses(where, dim3(3), dim3(2)) && refuses(where, dim3(2, 3), dim3(1, 2)), "a grid is a whole number of clusters");
    rule(refuses(where, dim3(16), dim3(16)) && refuses(where, dim3(9), dim3(9)), "more than 8 blocks are refused");
    rule(takes(where, dim3(6), dim3(3), out), "3 are fine");
    rule(refuses(where, dim3(4), dim3(0, 1, 1)) && takes(where, dim3(4), dim3(0, 0, 0), out), "none in x is refused; none in all three asks for nothing");
    rule(refuses(fixed_pair, dim3(4), dim3(4)) && refuses(fixed_pair, dim3(4), dim3(1)), "a launch cannot ask for other clusters than its kernel has");
    rule(takes(fixed_pair, dim3(4), dim3(2)) && takes(fixed_pair, dim3(4), dim3(0, 0, 0)), "nor need it say them");
    fixed_pair<<<3, THREADS>>>(NULL);
    rule(cudaGetLastError() == cudaErrorInvalidClusterSize, "a launch that says nothing has a whole number of them, too");

    struct cudaFuncAttributes a;
    rule(cudaFuncGetAttributes(&a, fixed_pair) == cudaSuccess && a.clusterDimMustBeSet == 1 && a.requiredClusterWidth == 2 && a.requiredClusterHeight == 1 &&
             a.requiredClusterDepth == 1,
         "a kernel's attributes tell its clusters");
    rule(cudaFuncSetAttribute(fixed_pair, cudaFuncAttributeRequiredClusterWidth, 1) == cudaErrorInvalidValue, "which stay as they are");
    rule(cudaFuncSetAttribute(where, cudaFuncAttributeClusterDimMustBeSet, 1) == cudaErrorInvalidValue &&
             cudaFuncSetAttribute(where, cudaFuncAttributeClusterSchedulingPolicyPreference, -1) == cudaErrorInvalidValue,
         "what cannot be set is refused");
    cudaGetLastError();

    CHECK(cudaFuncSetAttribute(one_an_sm, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10));
    int size = 0, wanted = most_clusters(2, 128, 200 << 10);
    cudaLaunchConfig_t c = config_of(dim3(8), dim3(8));
    rule(cudaOccupancyMaxPotentialClusterSize(&size, where, &c) == cudaSuccess && size == 8, "8 blocks are the largest cluster");
    rule(cudaFuncSetAttribute(where, cudaFuncAttributeNonPortableClusterSizeAllowed, 1) == cudaSuccess && takes(where, dim3(16), dim3(16), out) &&
             refuses(where, dim3(32), dim3(32)),
         "16 where the kernel allows it [M]");
    c = config_of(dim3(8), dim3(8));
    rule(cudaOccupancyMaxPotentialClusterSize(&size, where, &c) == cudaSuccess && size == 16, "which is the largest then [M]");
    rule(wanted * 2 <= prop.multiProcessorCount && wanted * 2 > prop.multiProcessorCount * 9 / 10, "pairs of blocks that fill an SM each have nearly all SMs [M]");
    rule(most_clusters(8, 128, 200 << 10) * 8 < prop.multiProcessorCount && most_clusters(8, 128, 200 << 10) * 8 > prop.multiProcessorCount * 3 / 4,
         "8 such blocks lie in one GPC, and some SMs are left [M]");
    rule(most_clusters(2, 128, 0) == 8 * most_clusters(2, 128, 200 << 10), "at most 8 blocks of clusters are counted an SM [M]");

    c = config_of(dim3(8), dim3(4), THREADS, THREADS * sizeof(int));
    CHECK(cudaLaunchKernelEx(&c, around, out));
    CHECK(cudaDeviceSynchronize());
    bool all = true;
    for (int block = 0; block < 8; block++)
        for (int i = 0; i < THREADS; i++)
            all = all && out[block * THREADS + i] == 100 * ((block + 1) % 4) + i + 1000 + 10000 * (100 * (block % 4) + THREADS);
    rule(all, "blocks read, write and count in each other's shared memory, of both kinds");

    CHECK(cudaFuncSetAttribute(around, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10));
    attributes[1].id = cudaLaunchAttributeCooperative;
    attributes[1].val.cooperative = 1;
    c = config_of(dim3(2 * prop.multiProcessorCount), dim3(2), THREADS, 200 << 10);
    c.numAttrs = 2;
    rule(cudaLaunchKernelEx(&c, around, out) == cudaErrorCooperativeLaunchTooLarge && cudaGetLastError() != cudaSuccess,
         "a cooperative grid of clusters has to find room for all of them");

    int eights = most_clusters(8, 128, 200 << 10) * 8;
    long long took[2];
    for (int more = 0; more < 2; more++) {
        c = config_of(dim3(eights + 8 * more), dim3(8), 128, 200 << 10);
        CHECK(cudaDeviceSynchronize());
        struct timespec from, to;
        clock_gettime(CLOCK_MONOTONIC, &from);
        CHECK(cudaLaunchKernelEx(&c, one_an_sm, LONG));
        CHECK(cudaDeviceSynchronize());
        clock_gettime(CLOCK_MONOTONIC, &to);
        took[more] = (to.tv_sec - from.tv_sec) * 1000000000LL + to.tv_nsec - from.tv_nsec;
    }
    rule(took[0] < LONG * 3 / 2 && took[1] > LONG * 3 / 2, "as many clusters run at once, and the next one waits [M]");
    return rules_end();
}
