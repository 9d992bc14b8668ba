/* SPDX-License-Identifier: MIT */
/* timing.cu - how long did the kernel take? The host's clock is asked three times, then two events.
 *
 *   build/bin/simcc -Icommon -o timing lessons/03-events/demos/timing.cu && ./timing */
#include <stdio.h>

#include "../lesson.h"

static const int n = 1000003;
static const size_t bytes = n * sizeof(unsigned);
static const long long ns = 200000;
static unsigned *host, *data;
static cudaStream_t stream;

static void all_three(void)
{
    CHECK(cudaMemcpyAsync(data, host, bytes, cudaMemcpyHostToDevice, stream));
    scramble<<<blocks_for(n), THREADS, 0, stream>>>(data, n, ns);
    CHECK(cudaMemcpyAsync(host, data, bytes, cudaMemcpyDeviceToHost, stream));
}

static double ms_since(long long before)
{
    return (now_ns() - before) / 1e6;
}

static void by_the_clock(void)
{
    label_push("by the clock");
    //> clock
    long long before = now_ns();
    all_three();                                // copy, kernel, copy: queued
    CHECK(cudaStreamSynchronize(stream));
    printf("round everything        %6.3f ms\n", ms_since(before));
    //< clock
    label_pop();

    CHECK(cudaMemcpyAsync(data, host, bytes, cudaMemcpyHostToDevice, stream));
    before = now_ns();
    scramble<<<blocks_for(n), THREADS, 0, stream>>>(data, n, ns);
    printf("round the launch        %6.3f ms\n", ms_since(before));
    CHECK(cudaStreamSynchronize(stream));

    label_push("with stops");
    CHECK(cudaMemcpyAsync(data, host, bytes, cudaMemcpyHostToDevice, stream));
    CHECK(cudaStreamSynchronize(stream));
    before = now_ns();
    scramble<<<blocks_for(n), THREADS, 0, stream>>>(data, n, ns);
    CHECK(cudaStreamSynchronize(stream));
    printf("with a stop on each side%6.3f ms\n", ms_since(before));
    CHECK(cudaMemcpyAsync(host, data, bytes, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    label_pop();
}

static void by_events(void)
{
    label_push("by events");
    //> events
    cudaEvent_t begin, end;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));

    CHECK(cudaMemcpyAsync(data, host, bytes, cudaMemcpyHostToDevice, stream));
    CHECK(cudaEventRecord(begin, stream));
    scramble<<<blocks_for(n), THREADS, 0, stream>>>(data, n, ns);
    CHECK(cudaEventRecord(end, stream));
    CHECK(cudaMemcpyAsync(host, data, bytes, cudaMemcpyDeviceToHost, stream));

    float ms;
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaEventElapsedTime(&ms, begin, end));
    printf("between two events      %6.3f ms\n", ms);

    CHECK(cudaEventDestroy(begin));
    CHECK(cudaEventDestroy(end));
    //< events
    label_pop();
}

int main(void)
{
    CHECK(cudaMallocHost(&host, bytes));
    CHECK(cudaMalloc(&data, bytes));
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    for (int i = 0; i < n; i++)
        host[i] = i;
    by_the_clock();
    by_events();
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(data));
    CHECK(cudaFreeHost(host));
    return 0;
}
