/* SPDX-License-Identifier: MIT */
/* ahead.cu - a short copy beside a long one: whole, in pieces, and in pieces of which few are queued at a time.
 *
 *   build/bin/simcc -o ahead lessons/08-priorities/ahead.cu && ./ahead */
#include <stdio.h>

#include "streams.h"

#define BULK (64 << 20)         /* bytes */
#define SMALL (1 << 20)
#define COMES 500000            /* ns: when the small copy is asked for */
#define PIECES 32

static char *host, *device;
static cudaStream_t low, high;

static void ask(cudaEvent_t done)
{
    CHECK(cudaMemcpyAsync(device + BULK, host + BULK, SMALL, cudaMemcpyHostToDevice, high));
    CHECK(cudaEventRecord(done, high));
}

/* At most `ahead` pieces are queued and not done. */
static void bulk(int pieces, int ahead, const char *label)
{
    cudaEvent_t done[PIECES], small_done;
    float ms;
    for (int k = 0; k < ahead; k++)
        CHECK(cudaEventCreateWithFlags(&done[k], cudaEventDisableTiming));
    cudaEvent_t begin;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&small_done));
    CHECK(cudaEventRecord(begin, low));
    label_push(label);
    long long start = now_ns();
    bool asked = false;
    for (int k = 0; k < pieces; k++) {
        if (k >= ahead)
            CHECK(cudaEventSynchronize(done[k % ahead]));
        if (!asked && now_ns() - start >= COMES) {
            ask(small_done);
            asked = true;
        }
        size_t bytes = BULK / pieces;
        CHECK(cudaMemcpyAsync(device + k * bytes, host + k * bytes, bytes, cudaMemcpyHostToDevice, low));
        CHECK(cudaEventRecord(done[k % ahead], low));
    }
    if (!asked) {
        host_work(COMES - (now_ns() - start));
        ask(small_done);
    }
    CHECK(cudaStreamSynchronize(low));
    long long took = now_ns() - start;
    CHECK(cudaDeviceSynchronize());
    label_pop();
    CHECK(cudaEventElapsedTime(&ms, begin, small_done));
    printf("%-30s the small copy took %4.2f ms, the large one %4.2f ms\n", label, ms - COMES / 1e6, took / 1e6);
    for (int k = 0; k < ahead; k++)
        CHECK(cudaEventDestroy(done[k]));
    CHECK(cudaEventDestroy(begin));
    CHECK(cudaEventDestroy(small_done));
}

int main(void)
{
    int least, greatest;
    CHECK(cudaMallocHost((void **)&host, BULK + SMALL));
    CHECK(cudaMalloc((void **)&device, BULK + SMALL));
    CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    CHECK(cudaStreamCreateWithPriority(&low, cudaStreamNonBlocking, least));
    CHECK(cudaStreamCreateWithPriority(&high, cudaStreamNonBlocking, greatest));
    CHECK(cudaDeviceSynchronize());
    bulk(1, 1, "in one copy");
    bulk(PIECES, PIECES, "in 32 copies");
    bulk(PIECES, 2, "in 32 copies, two at a time");
    CHECK(cudaStreamDestroy(low));
    CHECK(cudaStreamDestroy(high));
    CHECK(cudaFreeHost(host));
    CHECK(cudaFree(device));
    return 0;
}
