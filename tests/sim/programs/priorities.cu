/* SPDX-License-Identifier: MIT */
/* Two streams of different priority copy by kernels; occupancy chooses the size of blocks; a lambda looks at errors. */
#include <chrono>
#include <cstdio>
#include <iostream>
#include <memory>
#include <cuda_runtime.h>

__global__ void copy_by_kernel(int *dst, const int *src, size_t n)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        dst[i] = __ldg(src + i);
}

int main()
{
    auto check = [](cudaError_t status) {
        if (status != cudaSuccess)
            std::cerr << cudaGetErrorName(status) << std::endl, exit(1);
    };
    const size_t n = 1 << 20;
    int low, high, block, grid, got;
    check(cudaDeviceGetStreamPriorityRange(&low, &high));
    cudaStream_t s[2];
    check(cudaStreamCreateWithPriority(&s[0], cudaStreamNonBlocking, low));
    check(cudaStreamCreateWithPriority(&s[1], cudaStreamNonBlocking, high));
    check(cudaStreamGetPriority(s[1], &got));
    check(cudaOccupancyMaxPotentialBlockSize(&grid, &block, copy_by_kernel, 0, 0));
    auto freed = [](int *p) { cudaFree(p); };
    std::unique_ptr<int, decltype(freed)> buffers[4] = { { nullptr, freed }, { nullptr, freed }, { nullptr, freed }, { nullptr, freed } };
    for (auto &p : buffers) {
        int *raw;
        check(cudaMallocAsync(&raw, n * sizeof(int), s[0]));
        check(cudaMemsetAsync(raw, 0x11, n * sizeof(int), s[0]));
        p.reset(raw);
    }
    check(cudaStreamSynchronize(s[0]));
    auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < 2; i++)
        copy_by_kernel<<<grid, block, 0, s[i]>>>(buffers[2 * i].get(), buffers[2 * i + 1].get(), n);
    check(cudaGetLastError());
    check(cudaDeviceSynchronize());
    std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
    int h[2];
    check(cudaMemcpy(h, buffers[2].get(), sizeof h, cudaMemcpyDeviceToHost));
    printf("%s %s\n", h[1] == 0x11111111 && got == high ? "right" : "wrong", took.count() > 0 ? "timed" : "");
}
