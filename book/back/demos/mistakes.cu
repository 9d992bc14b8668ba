/* SPDX-License-Identifier: MIT */
/* mistakes.cu - seven mistakes, one a run, to see which tool names which.
 *
 *   build/bin/simcc --hazards all -Icommon -o mistakes book/back/demos/mistakes.cu && MISTAKE=streams ./mistakes
 *   nvcc -lineinfo -Icommon -o mistakes book/back/demos/mistakes.cu common/streams.cu
 *   MISTAKE=streams compute-sanitizer --tool racecheck ./mistakes */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "streams.h"

enum { N = 256 };

__global__ void fill(int *to)
{
    kernel_cost(20000);
    to[threadIdx.x] = 1;
}

__global__ void sum(int *total, const int *from, int n)
{
    int s = 0;
    for (int i = 0; i < n; i++)
        s += from[i];
    *total = s;
}

__global__ void turn(int *to)
{
    __shared__ int row[N];
    row[threadIdx.x] = threadIdx.x;
    to[threadIdx.x] = row[N - 1 - threadIdx.x];     // no __syncthreads() before it
}

__global__ void some_meet(int *to)
{
    if (threadIdx.x < 100)                          // within a warp, too
        __syncthreads();
    to[threadIdx.x] = 1;
}

static int *x, *total, *pinned;
static cudaStream_t one, two;

static void streams(void)
{
    //> streams
    fill<<<1, N, 0, one>>>(x);
    sum<<<1, 1, 0, two>>>(total, x, N);             // no event, no wait
    //< streams
}

static void host(void)
{
    //> host
    fill<<<1, N, 0, one>>>(x);
    CHECK(cudaMemcpyAsync(pinned, x, N * sizeof *x, cudaMemcpyDeviceToHost, one));
    int first = pinned[0];                          // the host has not waited
    //< host
    printf("the host reads %d\n", first);
}

static void pool(void)
{
    int *p;
    CHECK(cudaMallocAsync((void **)&p, N * sizeof *p, one));
    fill<<<1, N, 0, two>>>(p);                      // `two` does not wait for the allocation
    CHECK(cudaFreeAsync(p, two));
}

static void block(void)
{
    turn<<<1, N, 0, one>>>(x);
}

static void bounds(void)
{
    fill<<<1, N, 0, one>>>(x + 1);                  // the last thread writes beyond the end
}

static void unwritten(void)
{
    sum<<<1, 1, 0, one>>>(total, x, N);
}

static void barrier(void)
{
    some_meet<<<1, 128, 0, one>>>(x);
}

static const struct { const char *name; void (*make)(void); } mistakes[] = {
    { "streams", streams }, { "host", host }, { "pool", pool }, { "block", block }, { "bounds", bounds }, { "unwritten", unwritten },
    { "barrier", barrier },
};

int main(void)
{
    const char *wanted = getenv("MISTAKE");
    CHECK(cudaMalloc((void **)&x, N * sizeof *x));
    CHECK(cudaMalloc((void **)&total, sizeof *total));
    CHECK(cudaMallocHost((void **)&pinned, N * sizeof *pinned));
    memset(pinned, 0, N * sizeof *pinned);
    CHECK(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking));
    for (auto &m : mistakes)
        if (wanted && !strcmp(wanted, m.name))
            m.make();
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaStreamDestroy(one));
    CHECK(cudaStreamDestroy(two));
    CHECK(cudaFreeHost(pinned));
    CHECK(cudaFree(total));
    CHECK(cudaFree(x));
    return 0;
}
