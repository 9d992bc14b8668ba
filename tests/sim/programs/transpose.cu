/* SPDX-License-Identifier: MIT */
/* Transposes through padded tiles, chosen by pointers to kernels; sizes from a constant. */
#include <cstdio>
#include <cuda_runtime.h>
#define TILE 32
#define ROWS 8
__constant__ int2 size;

__global__ void copy(float *out, const float *in)
{
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (int i = 0; i < TILE; i += ROWS)
        out[(y + i) * size.x + x] = in[(y + i) * size.x + x];
}

__global__ void transpose(float *out, const float *in)
{
    __shared__ float tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (int i = 0; i < TILE; i += ROWS)
        tile[threadIdx.y + i][threadIdx.x] = in[(y + i) * size.x + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x, y = blockIdx.x * TILE + threadIdx.y;
    for (int i = 0; i < TILE; i += ROWS)
        out[(y + i) * size.y + x] = tile[threadIdx.x][threadIdx.y + i];
}

int main()
{
    const int width = 128, height = 64;
    float *h, *in, *out;
    void (*kernel)(float *, const float *);
    int2 s = make_int2(width, height);
    cudaMemcpyToSymbol(size, &s, sizeof(s));
    cudaMallocHost(&h, width * height * sizeof(float));
    cudaMalloc(&in, width * height * sizeof(float));
    cudaMalloc(&out, width * height * sizeof(float));
    for (int i = 0; i < width * height; i++)
        h[i] = (float)i;
    cudaMemcpy(in, h, width * height * sizeof(float), cudaMemcpyHostToDevice);
    bool ok = true;
    for (int k = 0; k < 2; k++) {
        switch (k) {
        case 0: kernel = &copy; break;
        default: kernel = &transpose; break;
        }
        kernel<<<dim3(width / TILE, height / TILE), dim3(TILE, ROWS)>>>(out, in);
        cudaMemcpy(h, out, width * height * sizeof(float), cudaMemcpyDeviceToHost);
        for (int y = 0; y < height; y++)
            for (int x = 0; x < width; x++)
                ok &= h[k == 0 ? y * width + x : x * height + y] == (float)(y * width + x);
    }
    puts(ok && cudaGetLastError() == cudaSuccess ? "right" : "wrong");
}
