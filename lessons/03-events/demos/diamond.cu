/* SPDX-License-Identifier: MIT */
/* diamond.cu - A, then B and C, then D: joined by the host, and joined by the streams.
 *
 *   build/bin/simcc -Icommon -o diamond lessons/03-events/demos/diamond.cu && ./diamond */
#include <stdio.h>

#include "../lesson.h"

static const int n = 10001;
static struct diamond x;
static cudaStream_t one, two;

static void stage(void (*kernel)(struct diamond), cudaStream_t stream)
{
    kernel<<<blocks_for(n), THREADS, 0, stream>>>(x);
    CHECK(cudaGetLastError());
}

static double the_host(void)
{
    long long before = now_ns();
    label_push("the host");
    //> host
    stage(stage_a, one);
    CHECK(cudaStreamSynchronize(one));          // A is done
    stage(stage_b, one);
    stage(stage_c, two);
    CHECK(cudaStreamSynchronize(one));          // B is done
    CHECK(cudaStreamSynchronize(two));          // C is done
    stage(stage_d, one);
    //< host
    CHECK(cudaStreamSynchronize(one));
    label_pop();
    return (now_ns() - before) / 1e6;
}

static double the_streams(void)
{
    long long before = now_ns();
    label_push("the streams");
    cudaEvent_t forked, joined;
    CHECK(cudaEventCreateWithFlags(&forked, cudaEventDisableTiming));
    CHECK(cudaEventCreateWithFlags(&joined, cudaEventDisableTiming));
    //> streams
    stage(stage_a, one);
    CHECK(cudaEventRecord(forked, one));            // A's place in the queue
    CHECK(cudaStreamWaitEvent(two, forked, 0));     // `two` goes on after it
    stage(stage_b, one);
    stage(stage_c, two);
    CHECK(cudaEventRecord(joined, two));            // C's place
    CHECK(cudaStreamWaitEvent(one, joined, 0));     // `one` goes on after that
    stage(stage_d, one);
    //< streams
    host_work(1000000);
    CHECK(cudaStreamSynchronize(one));
    label_pop();
    CHECK(cudaEventDestroy(forked));
    CHECK(cudaEventDestroy(joined));
    return (now_ns() - before) / 1e6;
}

int main(void)
{
    unsigned *memory;
    CHECK(cudaMalloc(&memory, 5 * n * sizeof *memory));
    CHECK(cudaMemset(memory, 0, 5 * n * sizeof *memory));
    x = { memory, memory + n, memory + 2 * n, memory + 3 * n, memory + 4 * n, n, 300000, 1000000, 800000, 300000 };
    CHECK(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking));
    CHECK(cudaDeviceSynchronize());
    double host = the_host(), streams = the_streams();
    printf("joined by the host %.2f ms, by the streams %.2f ms\n", host, streams);
    CHECK(cudaStreamDestroy(one));
    CHECK(cudaStreamDestroy(two));
    CHECK(cudaFree(memory));
    return 0;
}
