/* SPDX-License-Identifier: MIT */
/* The host counts while it asks an event whether the device is through. */
#include <cstdio>
#include <cuda_runtime.h>
#include <cuda_profiler_api.h>

__global__ void increment(int *g, int by)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    g[i] = g[i] + by;
}

int main(int argc, char *argv[])
{
    int n = 1 << 20, device = argc > 5 ? atoi(argv[1]) : 0, *a = 0, *d = 0;
    cudaDeviceProp prop;
    cudaSetDevice(device);
    cudaGetDeviceProperties(&prop, device);
    cudaMallocHost((void **)&a, n * sizeof(int));
    memset(a, 0, n * sizeof(int));
    cudaMalloc((void **)&d, n * sizeof(int));
    cudaMemset(d, 255, n * sizeof(int));
    cudaEvent_t start, stop;
    cudaEventCreate(&start);
    cudaEventCreate(&stop);
    cudaDeviceSynchronize();
    cudaProfilerStart();
    cudaEventRecord(start, 0);
    cudaMemcpyAsync(d, a, n * sizeof(int), cudaMemcpyHostToDevice, 0);
    increment<<<dim3(n / 512, 1), dim3(512, 1), 0, 0>>>(d, 26);
    cudaMemcpyAsync(a, d, n * sizeof(int), cudaMemcpyDeviceToHost, 0);
    cudaEventRecord(stop, 0);
    cudaProfilerStop();
    unsigned long counter = 0;
    while (cudaEventQuery(stop) == cudaErrorNotReady)
        counter++;
    float ms;
    cudaEventElapsedTime(&ms, start, stop);
    bool ok = true;
    for (int i = 0; i < n; i++)
        ok &= a[i] == 26;
    printf("%s %s %s\n", ok ? "right" : "wrong", counter > 0 ? "counted" : "did not count", ms > 0 ? "timed" : "");
}
