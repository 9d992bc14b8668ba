/* SPDX-License-Identifier: MIT */
/* not.cu - what a priority does not do: speed copies up, share fairly, pass to another thread.
 *
 *   build/bin/simcc -o not lessons/08-priorities/demos/not.cu && ./not */
#include <pthread.h>
#include <stdio.h>

#include "streams.h"

#define THREADS 32

__global__ void work(void)
{
    kernel_cost(500000);
}

static int least, greatest;

static void copies(void)
{
    const size_t big = 64 << 20, small = 1 << 20;
    char *host, *device;
    cudaStream_t low, high;
    CHECK(cudaMallocHost((void **)&host, big + small));
    CHECK(cudaMalloc((void **)&device, big + small));
    CHECK(cudaStreamCreateWithPriority(&low, cudaStreamNonBlocking, least));
    CHECK(cudaStreamCreateWithPriority(&high, cudaStreamNonBlocking, greatest));
    CHECK(cudaDeviceSynchronize());
    //> copies
    label_push("copies");
    CHECK(cudaMemcpyAsync(device, host, big, cudaMemcpyHostToDevice, low));                 // 64 MiB
    CHECK(cudaMemcpyAsync(device + big, host + big, small, cudaMemcpyHostToDevice, high));  // 1 MiB
    long long begin = now_ns();
    CHECK(cudaStreamSynchronize(high));
    label_pop();
    printf("copies: the urgent one was done after %.2f ms\n", (now_ns() - begin) / 1e6);
    //< copies
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaStreamDestroy(low));
    CHECK(cudaStreamDestroy(high));
    CHECK(cudaFreeHost(host));
    CHECK(cudaFree(device));
}

static void starve(int wave, int shared)
{
    cudaStream_t low, high[2];
    CHECK(cudaStreamCreateWithPriority(&low, cudaStreamNonBlocking, least));
    for (int k = 0; k < 2; k++)
        CHECK(cudaStreamCreateWithPriority(&high[k], cudaStreamNonBlocking, greatest));
    //> starve
    label_push("starve");
    for (int k = 0; k < 12; k++) {
        work<<<wave, THREADS, shared, high[k % 2]>>>();     // 12 waves, in two streams
        if (k == 2)
            work<<<wave, THREADS, shared, low>>>();         // queued early: one wave
    }
    long long begin = now_ns();
    CHECK(cudaStreamSynchronize(low));
    label_pop();
    printf("starved: one wave of the lowest priority was done after %.1f ms\n", (now_ns() - begin) / 1e6);
    //< starve
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaStreamDestroy(low));
    for (int k = 0; k < 2; k++)
        CHECK(cudaStreamDestroy(high[k]));
}

//> thread
static void *child(void *)
{
    cudaStream_t stream;
    int priority, own;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaStreamGetPriority(stream, &priority));
    CHECK(cudaStreamGetPriority(cudaStreamPerThread, &own));
    printf("in a new thread: a new stream has %d, the thread's default stream %d\n", priority, own);
    CHECK(cudaStreamDestroy(stream));
    return NULL;
}
//< thread

int main(void)
{
    int sms, fit, shared;
    CHECK(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlock, 0));
    CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, work, THREADS, shared));
    CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    work<<<1, 1>>>();
    CHECK(cudaDeviceSynchronize());
    copies();
    starve(sms * fit, shared);

    cudaStream_t mine;
    pthread_t thread;
    CHECK(cudaStreamCreateWithPriority(&mine, cudaStreamNonBlocking, greatest));
    pthread_create(&thread, NULL, child, NULL);
    pthread_join(thread, NULL);
    CHECK(cudaStreamDestroy(mine));
    return 0;
}
