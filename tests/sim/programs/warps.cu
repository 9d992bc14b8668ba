/* SPDX-License-Identifier: MIT */
/* Scan with shuffles, reduction with tiles, histogram with shared atomics, one atomic a warp. */
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdio>
#include <numeric>
#include <vector>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

__global__ void scan(const int *in, int *out)
{
    __shared__ int sums[32];
    int lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize, value = in[threadIdx.x];
    for (int i = 1; i < warpSize; i *= 2) {
        int n = __shfl_up_sync(0xffffffffu, value, i);
        if (lane >= i)
            value += n;
    }
    if (lane == warpSize - 1)
        sums[warp] = value;
    __syncthreads();
    if (warp == 0) {
        int sum = lane < (int)blockDim.x / warpSize ? sums[lane] : 0;
        for (int i = 1; i < warpSize; i *= 2) {
            int n = __shfl_up_sync(0xffffffffu, sum, i);
            if (lane >= i)
                sum += n;
        }
        sums[lane] = sum;
    }
    __syncthreads();
    out[threadIdx.x] = value + (warp > 0 ? sums[warp - 1] : 0);
}

template <class T> __global__ void reduce(const T *in, T *out, unsigned n)
{
    extern __shared__ unsigned char raw[];
    T *shared = reinterpret_cast<T *>(raw);
    cg::thread_block block = cg::this_thread_block();
    T sum = 0;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        sum += in[i];
    cg::thread_block_tile<32> tile = cg::tiled_partition<32>(block);
    sum = cg::reduce(tile, sum, cg::plus<T>());
    if (tile.thread_rank() == 0)
        shared[threadIdx.x / 32] = sum;
    cg::sync(block);
    if (block.thread_rank() == 0) {
        for (unsigned i = 1; i < blockDim.x / 32; i++)
            shared[0] += shared[i];
        atomicAdd(out, shared[0]);
    }
}

__global__ void histogram(const unsigned char *in, unsigned n, unsigned *bins)
{
    __shared__ unsigned mine[64];
    for (unsigned i = threadIdx.x; i < 64; i += blockDim.x)
        mine[i] = 0;
    __syncthreads();
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        atomicAdd(&mine[in[i] & 63], 1u);
    __syncthreads();
    for (unsigned i = threadIdx.x; i < 64; i += blockDim.x)
        atomicAdd(bins + i, mine[i]);
}

__device__ int add_aggregated(int *counter)
{
    cg::coalesced_group active = cg::coalesced_threads();
    int first = 0;
    if (active.thread_rank() == 0)
        first = atomicAdd(counter, active.size());
    return active.shfl(first, 0) + active.thread_rank();
}

__global__ void filter(int *out, int *count, const int *in, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        if (in[i] % 3 == 0)
            out[add_aggregated(count)] = in[i];
}

template <typename T> static T *managed(size_t n)
{
    T *p;
    cudaMallocManaged(&p, n * sizeof(T));
    memset(p, 0, n * sizeof(T));
    return p;
}

int main()
{
    const int n = 1024;
    int *in = managed<int>(n), *out = managed<int>(n), *sum = managed<int>(1), *count = managed<int>(1);
    unsigned *bins = managed<unsigned>(64);
    unsigned char *bytes = managed<unsigned char>(n);
    for (int i = 0; i < n; i++)
        in[i] = i, bytes[i] = (unsigned char)(i * 7);
    scan<<<1, n>>>(in, out);
    reduce<<<4, 128, 4 * sizeof(int)>>>(in, sum, n);
    histogram<<<3, 96>>>(bytes, n, bins);
    cudaDeviceSynchronize();
    bool ok = true;
    for (int i = 0; i < n; i++)
        ok &= out[i] == i * (i + 1) / 2;
    ok &= *sum == n * (n - 1) / 2;
    for (int i = 0; i < 64; i++)
        ok &= bins[i] == n / 64;
    filter<<<4, 64>>>(out, count, in, n);
    cudaDeviceSynchronize();
    ok &= *count == (n + 2) / 3 && std::accumulate(out, out + *count, 0) == 3 * (341 * 342 / 2);
    puts(ok ? "right" : "wrong");
}
