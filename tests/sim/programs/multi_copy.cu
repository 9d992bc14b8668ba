/* SPDX-License-Identifier: MIT */
/* Frames through four streams with an event each, so that a buffer is refilled when its copy is through. */
#include <cstdio>
#include <cuda_runtime.h>
#include <string.h>
#define STREAMS 4

__global__ void inc(int *out, int *in, int n, int repeats)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        for (int k = 0; k < repeats; ++k)
            out[i] = in[i] + 1;
}

int n = 1 << 18;
int *h_in[STREAMS], *d_in[STREAMS], *h_out[STREAMS], *d_out[STREAMS];
cudaEvent_t start, stop, cycle[STREAMS];
cudaStream_t stream[STREAMS];

float process(int used)
{
    int current = 0, size = n * (int)sizeof(int);
    float ms;
    cudaEventRecord(start, 0);
    for (int i = 0; i < 10; ++i) {
        int next = (current + 1) % used;
        cudaEventSynchronize(cycle[next]);
        inc<<<(n + 255) / 256, 256, 0, stream[current]>>>(d_out[current], d_in[current], n, 2);
        cudaMemcpyAsync(d_in[next], h_in[next], size, cudaMemcpyHostToDevice, stream[next]);
        cudaMemcpyAsync(h_out[current], d_out[current], size, cudaMemcpyDeviceToHost, stream[current]);
        cudaEventRecord(cycle[current], stream[current]);
        current = next;
    }
    cudaEventRecord(stop, 0);
    cudaDeviceSynchronize();
    cudaEventElapsedTime(&ms, start, stop);
    return ms;
}

int main()
{
    for (int i = 0; i < STREAMS; ++i) {
        cudaHostAlloc((void **)&h_in[i], n * sizeof(int), cudaHostAllocDefault);
        cudaMalloc((void **)&d_in[i], n * sizeof(int));
        cudaHostAlloc((void **)&h_out[i], n * sizeof(int), cudaHostAllocDefault);
        cudaMalloc((void **)&d_out[i], n * sizeof(int));
        cudaStreamCreate(&stream[i]);
        cudaEventCreate(&cycle[i]);
        cudaEventRecord(cycle[i], stream[i]);
        for (int k = 0; k < n; k++)
            h_in[i][k] = k;
        cudaMemcpy(d_in[i], h_in[i], n * sizeof(int), cudaMemcpyHostToDevice);
    }
    cudaEventCreate(&start);
    cudaEventCreate(&stop);
    inc<<<1, 1>>>(d_out[0], d_in[0], 1, 1);
    float serial = process(1), overlapped = process(STREAMS);
    bool ok = true;
    for (int i = 0; i < STREAMS; i++)
        for (int k = 0; k < n; k++)
            ok &= h_out[i][k] == k + 1;
    printf("%s %s\n", ok ? "right" : "wrong", overlapped < 0.9f * serial ? "overlapped" : "no faster");
}
