/* SPDX-License-Identifier: MIT */
/* What an H200 says of itself. */
#include "figure.h"

int main()
{
    struct cudaDeviceProp p;
    int least, greatest, per_sm;
    CHECK(cudaGetDeviceProperties(&p, 0));
    CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    CHECK(cudaDeviceGetAttribute(&per_sm, cudaDevAttrMaxBlocksPerMultiprocessor, 0));
    figure("compute capability, major", 9, p.major, "", 0);
    figure("SMs", 132, p.multiProcessorCount, "", 0);
    figure("copy engines", 3, p.asyncEngineCount, "", 0);
    figure("concurrent kernels", 1, p.concurrentKernels, "", 0);
    figure("managed memory", 1, p.managedMemory, "", 0);
    figure("concurrent managed access", 1, p.concurrentManagedAccess, "", 0);
    figure("access to pageable memory", 0, p.pageableMemoryAccess, "", 0);
    figure("L2", 60, p.l2CacheSize / 1048576.0, "MiB", 0);
    figure("threads per SM", 2048, p.maxThreadsPerMultiProcessor, "", 0);
    figure("blocks per SM", 32, per_sm, "", 0);
    figure("the least priority", 0, least, "", 0);
    rule(greatest == -5, "the greatest priority: -5");
    return rules_end();
}
