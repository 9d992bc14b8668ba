/* SPDX-License-Identifier: MIT */
/* kernels: the bodies of bodies.h as kernels of the simulator; prints what loops.cc prints, and in a fourth column
 * the seconds that the busier of two cores had to do (SIM_CORES=2). */
#include <stdio.h>
#include <string.h>

#include "bodies.h"
#include "stopwatch.h"

__global__ void saxpy(float a, const float *x, float *y)
{
    saxpy_body(threadIdx.x + blockIdx.x * blockDim.x, a, x, y);
}

__global__ void stencil(const float *from, float *to)
{
    stencil_body(threadIdx.x + blockIdx.x * blockDim.x, from, to);
}

__global__ void sincos_(float *a)
{
    sincos_body(threadIdx.x + blockIdx.x * blockDim.x, a);
}

__global__ void word(const volatile unsigned *x, float *y)
{
    word_body(threadIdx.x + blockIdx.x * blockDim.x, x, y);
}

enum { TILE = 32 };

__global__ void product(const float *a, const float *b, float *c)
{
    __shared__ float of_a[TILE][TILE], of_b[TILE][TILE];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    float sum = 0;
    for (int tile = 0; tile < PRODUCT; tile += TILE) {
        of_a[threadIdx.y][threadIdx.x] = a[y * PRODUCT + tile + threadIdx.x];
        of_b[threadIdx.y][threadIdx.x] = b[(tile + threadIdx.y) * PRODUCT + x];
        __syncthreads();
        for (int k = 0; k < TILE; k++)
            sum += of_a[threadIdx.y][k] * of_b[k][threadIdx.x];
        __syncthreads();
    }
    c[y * PRODUCT + x] = sum;
}

int main()
{
    static const char *const names[] = { "saxpy", "stencil", "sincos", "word", "product" };
    const int blocks = ELEMENTS / 256;
    float *x, *y, *dx, *dy;
    cudaMallocHost(&x, ELEMENTS * sizeof *x);
    cudaMallocHost(&y, ELEMENTS * sizeof *y);
    cudaMalloc(&dx, ELEMENTS * sizeof *x);
    cudaMalloc(&dy, ELEMENTS * sizeof *y);
    for (int body = 0; body < 5; body++) {
        double best = 1e9, busier = 1e9;
        for (int round = 0; round < ROUNDS; round++) {
            for (int i = 0; i < ELEMENTS; i++)
                x[i] = (float)(i % 97), y[i] = (float)(i % 31);
            cudaMemcpy(dx, x, ELEMENTS * sizeof *x, cudaMemcpyHostToDevice);
            cudaMemcpy(dy, y, ELEMENTS * sizeof *y, cudaMemcpyHostToDevice);
            double begin = seconds_now(), own_begin = seconds_of(RUSAGE_THREAD);
            if (body == 0)
                saxpy<<<blocks, 256>>>(2.0f, dx, dy);
            else if (body == 1)
                stencil<<<blocks, 256>>>(dx, dy);
            else if (body == 2)
                sincos_<<<blocks, 256>>>(dy);
            else if (body == 3)
                word<<<blocks, 256>>>((const unsigned *)dx, dy);
            else
                product<<<dim3(PRODUCT / TILE, PRODUCT / TILE), dim3(TILE, TILE)>>>(dx, dx + PRODUCT_ELEMENTS, dy);
            cudaDeviceSynchronize();
            double own = seconds_of(RUSAGE_THREAD) - own_begin, took = seconds_now() - begin;
            double more = own > took - own ? own : took - own;
            best = took < best ? took : best;
            busier = more < busier ? more : busier;
        }
        cudaMemcpy(y, dy, ELEMENTS * sizeof *y, cudaMemcpyDeviceToHost);
        double sum = 0;
        for (int i = 0; i < ELEMENTS; i++)
            sum += y[i] * (1 + i % 7);
        printf("%s\t%.6f\t%.3f\t%.6f\n", names[body], best, sum, busier);
    }
}
