/* SPDX-License-Identifier: MIT */
/* vendor.cu - a library that uses the default stream, and work that is to run beside it.
 *
 *   build/bin/simcc -o vendor lessons/04-default-stream/demos/vendor.cu && ./vendor */
#include <stdio.h>

#include "streams.h"

#define N 20001

__global__ void scan(int *page)
{
    kernel_cost(200000);
    for (int i = threadIdx.x; i < N; i += blockDim.x)
        page[i] = i;
}

__global__ void thumbnail(int *small)
{
    kernel_cost(1000000);
    for (int i = threadIdx.x; i < N / 8; i += blockDim.x)
        small[i] = 8 * i;
}

__global__ void bind(int *page, const int *small)
{
    kernel_cost(200000);
    for (int i = threadIdx.x; i < N / 8; i += blockDim.x)
        page[i] -= small[i];
}

__global__ void straighten(int *page)
{
    kernel_cost(900000);
    for (int i = threadIdx.x; i < N; i += blockDim.x)
        page[i] += 2 * i;
}

static void vendor_straighten(int *page)
{
    straighten<<<1, 256>>>(page);
}

static void in_step(cudaStream_t mine, int *page, int *small)
{
    scan<<<1, 256, 0, mine>>>(page);
    vendor_straighten(page);
    thumbnail<<<1, 256, 0, mine>>>(small);
    bind<<<1, 256, 0, mine>>>(page, small);
}

static void at_once(cudaStream_t mine, cudaEvent_t scanned, cudaEvent_t straight, int *page, int *small)
{
    //> vendor
    scan<<<1, 256, 0, mine>>>(page);
    CHECK(cudaEventRecord(scanned, mine));
    CHECK(cudaStreamWaitEvent(cudaStreamLegacy, scanned, 0));   // into the library's stream
    vendor_straighten(page);
    CHECK(cudaEventRecord(straight, cudaStreamLegacy));         // and out of it
    thumbnail<<<1, 256, 0, mine>>>(small);
    CHECK(cudaStreamWaitEvent(mine, straight, 0));
    bind<<<1, 256, 0, mine>>>(page, small);
    //< vendor
}

int main(void)
{
    int *page, *small, result[2];
    cudaStream_t blocking, free;
    cudaEvent_t scanned, straight;
    CHECK(cudaMalloc((void **)&page, N * sizeof *page));
    CHECK(cudaMalloc((void **)&small, N * sizeof *small));
    CHECK(cudaStreamCreate(&blocking));
    CHECK(cudaStreamCreateWithFlags(&free, cudaStreamNonBlocking));
    CHECK(cudaEventCreateWithFlags(&scanned, cudaEventDisableTiming));
    CHECK(cudaEventCreateWithFlags(&straight, cudaEventDisableTiming));
    CHECK(cudaDeviceSynchronize());

    long long begin = now_ns();
    label_push("blocking");
    in_step(blocking, page, small);
    CHECK(cudaStreamSynchronize(blocking));
    label_pop();
    CHECK(cudaMemcpy(&result[0], page + 100, sizeof *result, cudaMemcpyDeviceToHost));

    long long middle = now_ns();
    label_push("non-blocking");
    at_once(free, scanned, straight, page, small);
    CHECK(cudaStreamSynchronize(free));
    label_pop();
    long long end = now_ns();
    CHECK(cudaMemcpy(&result[1], page + 100, sizeof *result, cudaMemcpyDeviceToHost));
    CHECK(cudaGetLastError());

    printf("blocking %.2f ms, result %d; non-blocking with two events %.2f ms, result %d\n", (middle - begin) / 1e6,
           result[0], (end - middle) / 1e6, result[1]);
    CHECK(cudaEventDestroy(scanned));
    CHECK(cudaEventDestroy(straight));
    CHECK(cudaStreamDestroy(blocking));
    CHECK(cudaStreamDestroy(free));
    CHECK(cudaFree(page));
    CHECK(cudaFree(small));
    return 0;
}
