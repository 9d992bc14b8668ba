/* SPDX-License-Identifier: MIT */
/* Matrix product by tiles in shared memory, as a template, timed with events. */
#include <cmath>
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

template <int SIZE> __global__ void product(float *c, const float *a, const float *b, int n)
{
    __shared__ float as[SIZE][SIZE], bs[SIZE][SIZE];
    int x = blockIdx.x * SIZE + threadIdx.x, y = blockIdx.y * SIZE + threadIdx.y;
    float sum = 0;
    for (int tile = 0; tile < n; tile += SIZE) {
        as[threadIdx.y][threadIdx.x] = a[y * n + tile + threadIdx.x];
        bs[threadIdx.y][threadIdx.x] = b[(tile + threadIdx.y) * n + x];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < SIZE; ++k)
            sum += as[threadIdx.y][k] * bs[k][threadIdx.x];
        __syncthreads();
    }
    c[y * n + x] = sum;
}

int main()
{
    const int n = 64;
    const size_t bytes = n * n * sizeof(float);
    std::vector<float> a(n * n), b(n * n), c(n * n);
    for (int i = 0; i < n * n; i++)
        a[i] = (float)(i % 7), b[i] = (float)(i % 5);
    float *da, *db, *dc, ms = 0;
    cudaStream_t stream;
    cudaEvent_t start, stop;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaEventCreate(&start);
    cudaEventCreate(&stop);
    cudaMalloc(&da, bytes);
    cudaMalloc(reinterpret_cast<void **>(&db), bytes);
    cudaMalloc((void **)&dc, bytes);
    cudaMemcpyAsync(da, a.data(), bytes, cudaMemcpyHostToDevice, stream);
    cudaMemcpyAsync(db, b.data(), bytes, cudaMemcpyHostToDevice, stream);
    dim3 threads(16, 16), grid(n / threads.x, n / threads.y);
    product<16><<<grid, threads, 0, stream>>>(dc, da, db, n);
    cudaEventRecord(start, stream);
    for (int i = 0; i < 5; i++)
        product<16><<<grid, threads, 0, stream>>>(dc, da, db, n);
    cudaEventRecord(stop, stream);
    cudaMemcpyAsync(c.data(), dc, bytes, cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
    cudaEventElapsedTime(&ms, start, stop);
    int wrong = 0;
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++) {
            float sum = 0;
            for (int k = 0; k < n; k++)
                sum += a[y * n + k] * b[k * n + x];
            wrong += std::fabs(sum - c[y * n + x]) > 1e-3f;
        }
    printf("%s %s\n", wrong ? "wrong" : "right", ms > 0 ? "timed" : "no time");
    cudaFree(da), cudaFree(db), cudaFree(dc);
}
