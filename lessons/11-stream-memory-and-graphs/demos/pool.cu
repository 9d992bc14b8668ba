/* SPDX-License-Identifier: MIT */
/* pool.cu - scratch memory for each of eight rounds: from the device, from a pool, from a pool that keeps it.
 *
 *   build/bin/simcc -o pool lessons/11-stream-memory-and-graphs/demos/pool.cu && ./pool */
#include <stdint.h>
#include <stdio.h>

#include "streams.h"

#define BYTES ((size_t)8 << 20)
#define ROUNDS 8

__global__ void work(char *x)
{
    kernel_cost(30000);
    x[threadIdx.x] = 1;
}

static cudaStream_t s;

static void from_device(void)
{
    char *scratch;
    for (int k = 0; k < ROUNDS; k++) {
        CHECK(cudaMalloc((void **)&scratch, BYTES));
        work<<<1, 128, 0, s>>>(scratch);
        CHECK(cudaStreamSynchronize(s));
        CHECK(cudaFree(scratch));
    }
}

static void from_pool(void)
{
    char *scratch;
    //> pool
    for (int k = 0; k < ROUNDS; k++) {
        CHECK(cudaMallocAsync((void **)&scratch, BYTES, s));
        work<<<1, 128, 0, s>>>(scratch);
        CHECK(cudaFreeAsync(scratch, s));
        CHECK(cudaStreamSynchronize(s));        // the host looks at a result
    }
    //< pool
}

static void tell(const char *what, void (*rounds)(void))
{
    uint64_t kept;
    cudaMemPool_t pool;
    CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
    CHECK(cudaDeviceSynchronize());
    label_push(what);
    long long begin = now_ns();
    rounds();
    CHECK(cudaDeviceSynchronize());
    double us = (now_ns() - begin) / 1e3;
    label_pop();
    CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &kept));
    printf("%-20s %6.1f us a round, kept in the end %2d MiB\n", what, us / ROUNDS, (int)(kept >> 20));
}

int main(void)
{
    void *first;
    CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    CHECK(cudaMallocAsync(&first, 1, s));       // makes the pool, which takes its time
    CHECK(cudaFreeAsync(first, s));
    tell("cudaMalloc", from_device);
    tell("pool", from_pool);
    //> keep
    cudaMemPool_t pool;
    uint64_t all = UINT64_MAX;
    CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
    CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all));
    //< keep
    tell("pool that keeps", from_pool);
    CHECK(cudaMemPoolTrimTo(pool, 0));
    CHECK(cudaStreamDestroy(s));
    return 0;
}
