/* SPDX-License-Identifier: MIT */
/* ahead.cu - an urgent kernel beside a long one: cut into blocks, cut into launches, and with few launches queued at a time.
 *
 *   build/bin/simcc -o ahead lessons/08-priorities/demos/ahead.cu && ./ahead */
#include <stdio.h>

#include "streams.h"

#define WAVE_NS 500000
#define WAVES 20
#define COMES 2200000           /* ns: when the urgent kernel is wanted */
#define THREADS 32

__global__ void work(long long ns)
{
    kernel_cost(ns);
}

static int shared, wave;
static cudaStream_t bulk, urgent;

/* The bulk in `launches` of `blocks` blocks, each of which takes `ns`; at most `ahead` of them are queued and not done. */
static void beside(const char *label, int launches, int blocks, long long ns, int ahead)
{
    cudaEvent_t done[WAVES];
    long long begin = now_ns(), answered = 0;
    for (int k = 0; k < ahead; k++)
        CHECK(cudaEventCreateWithFlags(&done[k], cudaEventDisableTiming));
    for (int k = 0; k < launches || answered == 0;) {
        if (answered == 0 && now_ns() - begin >= COMES) {
            work<<<wave, THREADS, shared, urgent>>>(WAVE_NS);
            CHECK(cudaStreamSynchronize(urgent));
            answered = now_ns() - begin;
        } else if (k < launches && cudaEventQuery(done[k % ahead]) == cudaSuccess) {
            work<<<blocks, THREADS, shared, bulk>>>(ns);
            CHECK(cudaGetLastError());
            CHECK(cudaEventRecord(done[k++ % ahead], bulk));
        } else
            host_work(2000);
    }
    CHECK(cudaStreamSynchronize(bulk));
    printf("%-34s %4.1f ms, the bulk %4.1f\n", label, (answered - COMES) / 1e6, (now_ns() - begin) / 1e6);
    for (int k = 0; k < ahead; k++)
        CHECK(cudaEventDestroy(done[k]));
}

int main(void)
{
    int sms, fit, least, greatest;
    CHECK(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlock, 0));
    CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, work, THREADS, shared));
    wave = sms * fit;
    CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    CHECK(cudaStreamCreateWithPriority(&bulk, cudaStreamNonBlocking, least));
    CHECK(cudaStreamCreateWithPriority(&urgent, cudaStreamNonBlocking, greatest));
    work<<<1, 1>>>(1);
    CHECK(cudaDeviceSynchronize());
    printf("the urgent kernel takes\n");
    beside("one wave of blocks of 10 ms", 1, wave, WAVES * WAVE_NS, 1);
    beside("20 waves in one launch", 1, WAVES * wave, WAVE_NS, 1);
    beside("20 launches, queued at once", WAVES, wave, WAVE_NS, WAVES);
    beside("20 launches, two of them queued", WAVES, wave, WAVE_NS, 2);
    CHECK(cudaStreamDestroy(bulk));
    CHECK(cudaStreamDestroy(urgent));
    return 0;
}
