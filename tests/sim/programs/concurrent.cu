/* SPDX-License-Identifier: MIT */
/* Kernels that spin on the clock in streams of their own, and one that waits for all of them by events. */
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void clock_block(clock_t *out, clock_t cycles)
{
    unsigned int start = (unsigned int)clock();
    clock_t offset = 0;
    while (offset < cycles) {
        unsigned int end = (unsigned int)clock();
        offset = (clock_t)(end - start);
    }
    out[0] = offset;
}

__global__ void sum(clock_t *clocks, int n)
{
    __shared__ clock_t shared[32];
    clock_t mine = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        mine += clocks[i];
    shared[threadIdx.x] = mine;
    __syncthreads();
    for (int i = 16; i > 0; i /= 2) {
        if (threadIdx.x < (unsigned)i)
            shared[threadIdx.x] += shared[threadIdx.x + i];
        __syncthreads();
    }
    clocks[0] = shared[0];
}

int main()
{
    const int kernels = 8, streams = kernels + 1;
    cudaDeviceProp prop;
    cudaGetDeviceProperties(&prop, 0);
    clock_t *a = 0, *d = 0, cycles = 10 * prop.clockRate;
    cudaMallocHost((void **)&a, kernels * sizeof(clock_t));
    cudaMalloc((void **)&d, kernels * sizeof(clock_t));
    cudaStream_t *s = (cudaStream_t *)malloc(streams * sizeof(cudaStream_t));
    cudaEvent_t start, stop, *each = (cudaEvent_t *)malloc(kernels * sizeof(cudaEvent_t));
    for (int i = 0; i < streams; i++)
        cudaStreamCreate(&s[i]);
    for (int i = 0; i < kernels; i++)
        cudaEventCreateWithFlags(&each[i], cudaEventDisableTiming);
    cudaEventCreate(&start);
    cudaEventCreate(&stop);
    clock_block<<<1, 1>>>(d, 10);
    sum<<<1, 32>>>(d, 0);
    cudaDeviceSynchronize();
    cudaEventRecord(start, 0);
    for (int i = 0; i < kernels; ++i) {
        clock_block<<<1, 1, 0, s[i]>>>(&d[i], cycles);
        cudaEventRecord(each[i], s[i]);
        cudaStreamWaitEvent(s[streams - 1], each[i], 0);
    }
    sum<<<1, 32, 0, s[streams - 1]>>>(d, kernels);
    cudaMemcpyAsync(a, d, sizeof(clock_t), cudaMemcpyDeviceToHost, s[streams - 1]);
    cudaEventRecord(stop, 0);
    cudaEventSynchronize(stop);
    float ms;
    cudaEventElapsedTime(&ms, start, stop);
    printf("%s %s\n", a[0] >= kernels * cycles ? "right" : "wrong", ms < 30 ? "together" : "one by one");
}
