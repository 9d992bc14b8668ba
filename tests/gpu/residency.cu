/* SPDX-License-Identifier: MIT */
/*
 * residency.cu: when does a block run beside a grid that has a block on each SM? nvcc -O2 -Icommon -o residency tests/gpu/residency.cu
 *
 * A row is what a block of the grid has of shared memory, a column what the block beside it has, KiB; `+` they run at the same
 * time, `.` one after the other. The second table has the block first and the grid after it: does a block of the grid lie on its SM?
 * Then made-up pairs: threads and KiB of a block of the grid, of the block beside it.
 */
#include <cstdio>
#include "streams.h"

__global__ void spin(long long ns)
{
    kernel_cost(ns);
}

static cudaStream_t s, t;
static cudaEvent_t begin, middle, end;

static float took(int first_blocks, size_t first, int then_blocks, size_t then, int first_threads = 32, int then_threads = 32)
{
    float ms;
    cudaEventRecord(begin, s);
    spin<<<first_blocks, first_threads, first, s>>>(300000);
    spin<<<then_blocks, then_threads, then, t>>>(300000);
    cudaEventRecord(middle, t);
    cudaStreamWaitEvent(s, middle);
    cudaEventRecord(end, s);
    cudaDeviceSynchronize();
    cudaEventElapsedTime(&ms, begin, end);
    return ms;
}

int main()
{
    int sms, most;
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
    cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0);
    cudaFuncSetAttribute(spin, cudaFuncAttributeMaxDynamicSharedMemorySize, most);
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
    cudaEventCreate(&begin);
    cudaEventCreate(&middle);
    cudaEventCreate(&end);
    took(1, 0, 1, 0);
    static const int rows[] = { 0, 1, 3, 6, 7, 8, 12, 15, 20, 31, 32, 40, 50, 63, 64, 75, 80, 99, 100, 112, 113, 120, 131, 140, 163, 164, 180,
                                195, 196, 210, 226, 227 };
    static const int columns[] = { 0, 1, 2, 4, 7, 15, 16, 30, 31, 32, 48, 63, 64, 80, 98, 99, 100, 113, 130, 163, 195, 226, 227 };
    for (int order = 0; order < 2; order++) {
        printf("%4s", "");
        for (int c : columns)
            printf("%4d", c);
        printf("\n");
        for (int r : rows) {
            printf("%4d", r);
            for (int c : columns) {
                size_t grid = (size_t)r << 10, block = (size_t)c << 10;
                float ms = order == 0 ? took(sms, grid, 1, block) : took(1, block, sms, grid);
                printf("%4c", (int)grid > most || (int)block > most ? '-' : ms < 0.5f ? '+' : '.');
            }
            printf("\n");
        }
        printf("\n");
    }
    /* Threads of a block of the grid, its shared memory, the same of the block beside it. */
    unsigned random = 1;
    for (int i = 0; i < 200; i++) {
        int value[4];
        for (int &v : value)
            v = (random = random * 1664525u + 1013904223u) >> 16;
        int threads = 32 << value[0] % 6, beside = 32 << value[1] % 6;
        int grid = i < 36 || value[2] % 4 == 0 ? 0 : value[2] % 180, block = i < 36 || value[3] % 4 == 0 ? 0 : value[3] / 7 % 120;
        if (i < 36)
            threads = 32 << i / 6, beside = 32 << i % 6;
        float ms = took(sms, (size_t)grid << 10, 1, (size_t)block << 10, threads, beside);
        printf("%4d %3d %4d %3d %c\n", threads, grid, beside, block, ms < 0.5f ? '+' : '.');
    }
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
