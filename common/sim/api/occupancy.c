/* SPDX-License-Identifier: MIT */
/* What a program can ask of a kernel: attributes, room on the SMs. */
#include <string.h>

#include "sim/api/api_call.h"
#include "sim/api/kernel_table.h"
#include "sim/include/detail/sim_function.h"
#include "sim/memory/because.h"

/* Registers and local memory are the compiler's for the device, which is not here. */
enum { REGISTERS = 32 };

static cudaError_t open_kernel(struct api_call *e, const char *name, const void *address,
                               struct kernel_entry **kernel)
{
    cudaError_t status = api_open(e, CALL_OTHER, name);
    *kernel = status == cudaSuccess ? kernel_entry_at(address) : NULL;
    return REFUSE(e, status, !*kernel, cudaErrorInvalidDeviceFunction,
                  "the function that is asked about is not a kernel");
}

static int64_t most_threads(const struct kernel_entry *kernel)
{
    return kernel->threads > 0 ? kernel->threads : sim.card->threads_per_block;
}

/* Loads the kernel, as its first launch would [M]. */
cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *function)
{
    struct api_call e;
    struct kernel_entry *kernel;
    cudaError_t status = open_kernel(&e, "cudaFuncGetAttributes", function, &kernel);
    status = refuse_null(&e, status, attributes, "first argument, attr");
    if (status == cudaSuccess) {
        int version = (int)(sim.card->major * 10 + sim.card->minor);
        *attributes = (struct cudaFuncAttributes){
            .maxThreadsPerBlock = (int)most_threads(kernel), .numRegs = REGISTERS,
            .ptxVersion = version, .binaryVersion = version,
            .maxDynamicSharedSizeBytes = (int)kernel->dynamic_shared,
            .preferredShmemCarveout = kernel->carveout,
            .clusterDimMustBeSet = kernel->cluster_is_fixed,
            .requiredClusterWidth = (int)kernel->cluster[0],
            .requiredClusterHeight = (int)kernel->cluster[1],
            .requiredClusterDepth = (int)kernel->cluster[2],
            .clusterSchedulingPolicyPreference = kernel->scheduling,
            .nonPortableClusterSizeAllowed = kernel->non_portable,
        };
        if (kernel_loads_now(kernel, thread_self()->device))
            e.call.flags |= LAUNCH_LOADS;
    }
    return api_finish(&e, status);
}

cudaError_t cudaFuncSetAttribute(const void *function, enum cudaFuncAttribute attribute, int value)
{
    struct api_call e;
    struct kernel_entry *kernel;
    cudaError_t status = open_kernel(&e, "cudaFuncSetAttribute", function, &kernel);
    bool shared = attribute == cudaFuncAttributeMaxDynamicSharedMemorySize;
    bool carveout = attribute == cudaFuncAttributePreferredSharedMemoryCarveout;
    bool cluster = attribute >= cudaFuncAttributeRequiredClusterWidth
                   && attribute <= cudaFuncAttributeRequiredClusterDepth;
    bool portable = attribute == cudaFuncAttributeNonPortableClusterSizeAllowed,
         scheduling = attribute == cudaFuncAttributeClusterSchedulingPolicyPreference;
    unsigned side = cluster ? (unsigned)(attribute - cudaFuncAttributeRequiredClusterWidth) : 0;
    status = REFUSE(&e, status, !shared && !carveout && !cluster && !portable && !scheduling,
                    cudaErrorInvalidValue, "the second argument, attr, is %d, which cannot be set",
                    (int)attribute);
    status =
        REFUSE(&e, status, cluster && value < 0, cudaErrorInvalidValue,
               "the third argument, value, is %d; a cluster cannot have fewer blocks than 0", value);
    status = REFUSE(&e, status,
                    cluster && kernel->cluster_is_fixed && (unsigned)value != kernel->cluster[side],
                    cudaErrorInvalidValue,
                    "the third argument, value, is %d; the kernel's __cluster_dims__ say %u", value,
                    kernel->cluster[side]);
    status =
        REFUSE(&e, status, scheduling && (unsigned)value > cudaClusterSchedulingPolicyLoadBalancing,
               cudaErrorInvalidValue,
               "the third argument, value, is %d, which is not a cudaClusterSchedulingPolicy", value);
    status = REFUSE(
        &e, status, shared && (value < 0 || value > card_most_shared(sim.card)),
        cudaErrorInvalidValue,
        "the third argument, value, is %d bytes of shared memory a block; this device has at most %lld",
        value, (long long)card_most_shared(sim.card));
    status = REFUSE(
        &e, status, carveout && (value < -1 || value > 100), cudaErrorInvalidValue,
        "the third argument, value, is %d; a share of shared memory is -1 (as the driver likes) or 0 to 100 percent",
        value);
    if (status == cudaSuccess && shared)
        kernel->dynamic_shared = (size_t)value;
    if (status == cudaSuccess && carveout)
        kernel->carveout = value;
    if (status == cudaSuccess && cluster)
        kernel->cluster[side] = (unsigned)value;
    if (status == cudaSuccess && portable)
        kernel->non_portable = value;
    if (status == cudaSuccess && scheduling)
        kernel->scheduling = value;
    return api_finish(&e, status);
}

/* A wish that a card hears only by older guides, as a barrier. */
cudaError_t cudaFuncSetCacheConfig(const void *function, enum cudaFuncCache config)
{
    struct api_call e;
    struct kernel_entry *kernel;
    cudaError_t status = open_kernel(&e, "cudaFuncSetCacheConfig", function, &kernel);
    e.call.flags |= CALL_CACHE_CONFIG;
    status = REFUSE(&e, status, (unsigned)config > cudaFuncCachePreferEqual, cudaErrorInvalidValue,
                    "the second argument, cacheConfig, is %d, which is not a valid one", (int)config);
    return api_finish(&e, status);
}

/* The banks of a card since Maxwell have one width: a wish, too. */
cudaError_t cudaFuncSetSharedMemConfig(const void *function, enum cudaSharedMemConfig config)
{
    struct api_call e;
    struct kernel_entry *kernel;
    cudaError_t status = open_kernel(&e, "cudaFuncSetSharedMemConfig", function, &kernel);
    status =
        REFUSE(&e, status, (unsigned)config > cudaSharedMemBankSizeEightByte, cudaErrorInvalidValue,
               "the second argument, config, is %d, which is not a valid one", (int)config);
    return api_finish(&e, status);
}

/* ---- occupancy ---- */

int kernel_blocks_per_sm(const struct kernel_entry *kernel, int threads, size_t shared)
{
    if (threads > sim.card->threads_per_block || shared > kernel->dynamic_shared)
        return 0;
    return (int)card_blocks_per_sm(sim.card, threads, (int64_t)shared);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks,
                                                                   const void *function,
                                                                   int threads, size_t shared,
                                                                   unsigned int flags)
{
    struct api_call e;
    struct kernel_entry *kernel;
    cudaError_t status =
        open_kernel(&e, "cudaOccupancyMaxActiveBlocksPerMultiprocessor", function, &kernel);
    status = refuse_null(&e, status, blocks, "first argument, numBlocks");
    status = REFUSE(&e, status, threads <= 0, cudaErrorInvalidValue,
                    "the third argument, blockSize, is %d, and must be at least 1", threads);
    status = REFUSE(&e, status, flags > cudaOccupancyDisableCachingOverride, cudaErrorInvalidValue,
                    "the fifth argument, flags, is %#x, which has a bit that is not a flag", flags);
    if (status == cudaSuccess)
        *blocks = kernel_blocks_per_sm(kernel, threads, shared);
    return api_finish(&e, status);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function,
                                                          int threads, size_t shared)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads, shared,
                                                                  cudaOccupancyDefault);
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *shared, const void *function,
                                                      int blocks, int threads)
{
    struct api_call e;
    struct kernel_entry *kernel;
    cudaError_t status =
        open_kernel(&e, "cudaOccupancyAvailableDynamicSMemPerBlock", function, &kernel);
    status = refuse_null(&e, status, shared, "first argument, dynamicSmemSize");
    status =
        REFUSE(&e, status, blocks <= 0 || threads <= 0, cudaErrorInvalidValue,
               "numBlocks and blockSize are %d and %d, and must be at least 1", blocks, threads);
    status =
        REFUSE(&e, status, kernel_blocks_per_sm(kernel, threads, 0) < blocks, cudaErrorInvalidValue,
               "the third argument, numBlocks, is %d; of blocks of %d threads an SM takes %d",
               blocks, threads, kernel_blocks_per_sm(kernel, threads, 0));
    /* What each block has reserved is not taken off, nor more named than the kernel may ask for:
     * with it, an H200 takes one block less [M]. */
    if (status == cudaSuccess) {
        size_t room = (size_t)(sim.card->shared_per_sm / blocks / 128 * 128);
        *shared = room < kernel->dynamic_shared ? room : kernel->dynamic_shared;
    }
    return api_finish(&e, status);
}

/* The largest block that keeps most threads on an SM; `shared` tells what a block of that size
 * takes. */
cudaError_t sim_potential_block(int *grid, int *block, const void *function,
                                size_t (*shared)(void *context, int threads), void *context,
                                int limit)
{
    struct api_call e;
    struct kernel_entry *kernel;
    cudaError_t status = open_kernel(&e, "cudaOccupancyMaxPotentialBlockSize", function, &kernel);
    status = refuse_null(&e, status, grid, "first argument, minGridSize");
    status = refuse_null(&e, status, block, "second argument, blockSize");
    status = REFUSE(&e, status, limit < 0, cudaErrorInvalidValue,
                    "the argument blockSizeLimit is %d", limit);
    if (status == cudaSuccess) {
        int most = (int)most_threads(kernel), best = 0;
        if (limit == 0 || limit > most)
            limit = most;
        *grid = *block = 0;
        for (int rounded = (limit + 31) / 32 * 32; rounded > 0; rounded -= 32) {
            int threads = rounded < limit ? rounded : limit;
            int blocks = kernel_blocks_per_sm(kernel, threads, shared(context, threads));
            if (blocks * threads <= best)
                continue;
            best = blocks * threads;
            *block = threads;
            *grid = blocks * (int)sim.card->sms;
        }
    }
    return api_finish(&e, status);
}

/* ---- how many clusters? As an H200 has it [M]. ---- */

static cudaError_t open_clusters(struct api_call *e, const char *name, const void *function,
                                 const cudaLaunchConfig_t *config, struct kernel_entry **kernel,
                                 unsigned cluster[3])
{
    struct sim_configuration how;
    struct reason why;
    cudaError_t status = api_open(e, CALL_OTHER, name);
    *kernel = status == cudaSuccess ? kernel_entry_at(function) : NULL;
    status = REFUSE(e, status, !*kernel, cudaErrorInvalidDeviceFunction,
                    "the function that is asked about is not a kernel");
    status = refuse_null(e, status, config, "third argument, launchConfig");
    cudaError_t error = status == cudaSuccess ? configuration_of(config, &how, &why) : cudaSuccess;
    status = REFUSE(e, status, error != cudaSuccess, error, "%s", why.text);
    memset(cluster, 0, 3 * sizeof *cluster);
    if (status == cudaSuccess) {
        memcpy(cluster, how.cluster, sizeof how.cluster);
        status = launch_check_cluster(&e->call, config->gridDim, *kernel, cluster);
    }
    return status;
}

/* Of blocks of a cluster an H200 counts 8 an SM at most. */
enum { CLUSTERED_PER_SM = 8 };

cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, const void *function,
                                           const cudaLaunchConfig_t *config)
{
    struct api_call e;
    struct kernel_entry *kernel;
    unsigned cluster[3];
    cudaError_t status =
        open_clusters(&e, "cudaOccupancyMaxActiveClusters", function, config, &kernel, cluster);
    status = refuse_null(&e, status, clusters, "first argument, numClusters");
    if (status == cudaSuccess) {
        const dim3 block = config->blockDim;
        int64_t threads = (int64_t)block.x * block.y * block.z,
                blocks = (int64_t)cluster[0] * cluster[1] * cluster[2];
        int64_t fit = kernel_blocks_per_sm(kernel, (int)threads, config->dynamicSmemBytes);
        *clusters = 0;
        if (fit > 0 && blocks > 0)
            *clusters = (int)card_clusters_of(
                sim.card, fit < CLUSTERED_PER_SM ? fit : CLUSTERED_PER_SM, blocks);
    }
    return api_finish(&e, status);
}

cudaError_t cudaOccupancyMaxPotentialClusterSize(int *size, const void *function,
                                                 const cudaLaunchConfig_t *config)
{
    struct api_call e;
    struct kernel_entry *kernel;
    unsigned cluster[3];
    cudaError_t status = open_clusters(&e, "cudaOccupancyMaxPotentialClusterSize", function, config,
                                       &kernel, cluster);
    status = refuse_null(&e, status, size, "first argument, clusterSize");
    if (status == cudaSuccess)
        *size = cluster_most(kernel);
    return api_finish(&e, status);
}
