#!/bin/bash
# SPDX-License-Identifier: MIT
#
# What CUDA 11 to 13 brought, as programs from elsewhere use it: groups, latches, batches, calls about graphs.
. tests/sim/sim.bash

prints_as 'tiles of several warps meet, shuffle, vote, reduce and scan, in turn and side by side' '2016 6112 130816 64 1 0 7 96 2080 1 5 3' << 'EOF'
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;
struct wide { long long a[4]; };
__global__ void k(long long *o)
{
    __shared__ cg::block_tile_memory<512> scratch;
    auto block = cg::this_thread_block(scratch);
    auto t64 = cg::tiled_partition<64>(block);
    cg::thread_block_tile<128, cg::thread_block> t128 = cg::tiled_partition<128>(block);
    unsigned rank = block.thread_rank();
    int low = cg::reduce(t64, (int)rank, cg::plus<int>());
    wide w = { { 0, 0, 0, rank } };
    w = cg::reduce(cg::tiled_partition<512>(block), w, [](wide x, wide y) { x.a[3] += y.a[3]; return x; });
    if (rank == 0)
        o[0] = low, o[2] = w.a[3], o[3] = t64.num_threads();
    if (rank == 64)
        o[1] = low;
    /* One tile meets more often than another. */
    for (unsigned i = 0; i <= t128.meta_group_rank(); i++)
        t128.sync();
    int any = t64.any(rank == 70), all = t64.all(rank != 70), from = t64.shfl((int)rank, 7);
    if (rank == 127)
        o[4] = any, o[5] = all;
    if (rank == 3)
        o[6] = from;
    auto warp = cg::tiled_partition<32>(t64);
    if (rank == 100)
        o[7] = warp.shfl((int)rank, 0);
    else
        warp.shfl((int)rank, 0);
    int sums = cg::inclusive_scan(t64, (int)t64.thread_rank() + 1), first = cg::exclusive_scan(t64, 5);
    if (rank == 63)
        o[8] = sums;
    if (rank == 65)
        o[10] = first;
    o[9] = cg::invoke_one_broadcast(t64, [] { return 1; });
    if (cg::thread_rank(t128) == 3 && rank < 128)
        o[11] = cg::thread_rank(t128) * cg::group_size(t128) / cg::num_threads(t128);
}
int main()
{
    long long *o;
    cudaMallocManaged(&o, 12 * sizeof *o);
    k<<<2, 512>>>(o);
    cudaDeviceSynchronize();
    for (int i = 0; i < 12; i++)
        printf("%lld%c", o[i], i < 11 ? ' ' : '\n');
}
EOF

prints_as 'partitions know how many they are; what a group has reduced goes to one place' '3 5 12 1 31 500 64
000000' << 'EOF'
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda/atomic>
namespace cg = cooperative_groups;
__global__ void k(int *o, cuda::atomic<int> *a)
{
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    auto part = cg::labeled_partition(warp, (int)warp.thread_rank() % 5);
    auto half = cg::binary_partition(warp, warp.thread_rank() >= 10);
    auto all = cg::coalesced_threads();
    if (warp.thread_rank() == 13)
        o[0] = part.meta_group_rank(), o[1] = part.meta_group_size();
    if (warp.thread_rank() == 20)
        o[2] = half.meta_group_rank() * 10 + half.meta_group_size(), o[3] = all.meta_group_rank() * 10 + all.meta_group_size();
    cg::reduce_update_async(warp, a[0], (int)warp.thread_rank(), cg::plus<int>());
    cg::reduce_store_async(warp, o + 4, (int)warp.thread_rank(), cg::greater<int>());
    cg::reduce_store_async(warp, a[1], 2, cg::plus<int>());
}
int main()
{
    int *o;
    cuda::atomic<int> *a;
    cudaMallocManaged(&o, 5 * sizeof *o);
    cudaMallocManaged(&a, 2 * sizeof *a);
    a[0] = 4;
    k<<<1, 32>>>(o, a);
    cudaDeviceSynchronize();
    printf("%d %d %d %d %d %d %d\n", o[0], o[1], o[2], o[3], o[4], a[0].load(), a[1].load());
    /* CUDA 12's signature and CUDA 13's, by their third argument. */
    cudaStream_t s;
    cudaGraph_t g;
    cudaGraphNode_t n;
    size_t none = 0;
    cudaStreamCreate(&s);
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    const cudaError_t all[] = {
        cudaStreamUpdateCaptureDependencies(s, NULL, 0, cudaStreamSetCaptureDependencies), cudaStreamUpdateCaptureDependencies(s, nullptr, 0, 0),
        cudaStreamUpdateCaptureDependencies(s, &n, none), cudaStreamUpdateCaptureDependencies(s, &n, 0u, 0),
        cudaStreamUpdateCaptureDependencies(s, NULL, NULL, 0), cudaStreamUpdateCaptureDependencies(s, NULL, nullptr, 0, 0) };
    for (cudaError_t one : all)
        printf("%d", one);
    puts("");
    cudaStreamEndCapture(s, &g);
}
EOF

prints_as 'latches and semaphores' '50 192 32 0' << 'EOF'
#include <cuda/latch>
#include <cuda/semaphore>
#include <cuda/std/span>
__device__ cuda::binary_semaphore<cuda::thread_scope_device> one{1};
__global__ void add(int *p)
{
    if (threadIdx.x > 0)
        return;
    one.acquire();
    int now = *(volatile int *)p;
    *(volatile int *)p = now + 1;
    one.release();
}
typedef cuda::counting_semaphore<cuda::thread_scope_block, 4> some;
typedef cuda::latch<cuda::thread_scope_block> latch;
__global__ void each(int *p)
{
    __shared__ alignas(16) char places[2][64];
    some *two = (some *)places[0];
    latch *all = (latch *)places[1];
    if (threadIdx.x == 0)
        new (two) some(2), new (all) latch(blockDim.x);
    __syncthreads();
    two->acquire();
    atomicAdd(p, 1);
    two->release();
    if (blockIdx.x > 0)
        return;
    atomicAdd(p + 1, 1);
    all->arrive_and_wait();
    if (*(volatile int *)(p + 1) != 64 || !all->try_wait())
        atomicAdd(p + 2, 1);
}
int main()
{
    int *p;
    cudaMallocManaged(&p, 4 * sizeof *p);
    memset(p, 0, 4 * sizeof *p);
    add<<<50, 32>>>(p);
    each<<<3, 64>>>(p + 1);
    cudaDeviceSynchronize();
    printf("%d %d %d %d\n", p[0], p[1], p[2] / 2, p[3]);
}
EOF

prints_as 'copies in a batch, in the words of CUDA 12 and 13' '768 255 0 1 cudaErrorInvalidValue' << 'EOF'
int main()
{
    enum { N = 4 };
    cudaStream_t s;
    void *dst[N], *from[N];
    const void *src[N];
    size_t sizes[N], first = 0, failed = 0;
    int *d, *p, h[N * 256];
    cudaStreamCreate(&s);
    cudaMalloc(&d, sizeof h);
    cudaMallocHost(&p, sizeof h);
    for (int i = 0; i < N * 256; i++)
        p[i] = i;
    for (int i = 0; i < N; i++) {
        dst[i] = d + 256 * (N - 1 - i);
        src[i] = from[i] = p + 256 * i;
        sizes[i] = 1024;
    }
    struct cudaMemcpyAttributes a = {};
    a.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    cudaError_t both = cudaMemcpyBatchAsync(dst, src, sizes, N, &a, &first, 1, s);
    if (both == cudaSuccess)
        both = cudaMemcpyBatchAsync(dst, from, sizes, N, &a, &first, 1, &failed, s);
    cudaMemcpyAsync(h, d, sizeof h, cudaMemcpyDeviceToHost, s);
    cudaStreamSynchronize(s);
    printf("%d %d %d %d %s\n", h[0], h[1023], both, failed > N, cudaGetErrorName(cudaMemcpyBatchAsync(dst, from, sizes, N, &a, &first, 1, 0)));
}
EOF

prints_as "what a graph's nodes wait for, which are left out, and what memory it takes" '1 1 6 0 5 1 1048576 0 2097152 0 0' << 'EOF'
__global__ void add(int *p, int n) { *p += n; }
int main()
{
    int *d, *inner, h = 0;
    cudaStream_t s;
    cudaGraph_t g;
    cudaGraphExec_t x;
    cudaGraphNode_t a, b, c, other[4];
    cudaMalloc(&d, 4);
    cudaMemset(d, 0, 4);
    cudaStreamCreate(&s);
    cudaGraphCreate(&g, 0);
    int one = 1, five = 5;
    void *of_a[] = { &d, &one }, *of_b[] = { &d, &five };
    cudaKernelNodeParams k = {};
    k.func = (void *)add, k.gridDim = k.blockDim = dim3(1), k.kernelParams = of_a;
    cudaGraphAddKernelNode(&a, g, NULL, 0, &k);
    k.kernelParams = of_b;
    cudaGraphAddKernelNode(&b, g, &a, 1, &k);
    cudaGraphAddMemcpyNode1D(&c, g, &b, 1, &h, d, 4, cudaMemcpyDeviceToHost);
    size_t before = 4, after = 4;
    cudaGraphNodeGetDependencies(b, other, &before);
    cudaGraphNodeGetDependentNodes_v2(b, other, NULL, &after);
    cudaGraphInstantiateParams how = {};
    if (cudaGraphInstantiateWithParams(&x, g, &how) != cudaSuccess || how.result_out != cudaGraphInstantiateSuccess)
        return 1;
    cudaGraphLaunch(x, s);
    cudaStreamSynchronize(s);
    printf("%zu %zu %d ", before, after, h);
    unsigned enabled = 1;
    cudaMemset(d, 0, 4);
    cudaGraphNodeSetEnabled(x, a, 0);
    cudaGraphNodeGetEnabled(x, a, &enabled);
    cudaGraphLaunch(x, s);
    cudaStreamSynchronize(s);
    printf("%u %d ", enabled, h);
    cudaGraphNodeSetEnabled(x, a, 1);
    cudaGraphNodeGetEnabled(x, a, &enabled);
    /* Two allocations, one of them freed by the graph. */
    void *p;
    unsigned long long used, high, left, reserved, zero = 0;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    cudaMallocAsync(&p, 1 << 20, s);
    cudaMallocAsync(&inner, 1 << 20, s);
    cudaFreeAsync(inner, s);
    cudaStreamEndCapture(s, &g);
    cudaGraphInstantiate(&x, g, 0);
    cudaGraphLaunch(x, s);
    cudaStreamSynchronize(s);
    cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &used);
    cudaFree(p);
    cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &left);
    cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrReservedMemCurrent, &reserved);
    printf("%u %llu %llu %llu ", enabled, used, left, reserved);
    cudaDeviceGraphMemTrim(0);
    cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrReservedMemCurrent, &reserved);
    cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &zero);
    cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &high);
    printf("%llu %llu\n", reserved, high);
}
EOF

cat > "$dir/domains.cu" << 'EOF'
#include <stdio.h>
int main()
{
    int domains = -1;
    cudaError_t status = cudaDeviceGetAttribute(&domains, cudaDevAttrMemSyncDomainCount, 0);
    printf("%s %d\n", cudaGetErrorName(status), domains);
}
EOF
build domains
for profile in 'h200 4' 'rtx3090 1'; do
    SIM_PROFILE=${profile% *} play domains
    ok "${profile% *} says how many kinds of fences there are that do not wait for each other" eval 'ends 0 && prints "cudaSuccess ${profile#* }"'
done

done_testing
