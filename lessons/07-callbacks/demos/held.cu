/* SPDX-License-Identifier: MIT */
/* held.cu - who waits for a function that takes its time?
 *
 *   build/bin/simcc -o held lessons/07-callbacks/demos/held.cu && ./held */
#include <stdio.h>

#include "streams.h"

enum { CHUNKS = 4 };

__global__ void compute(void) { kernel_cost(200000); }

static void digest(void *)
{
    host_work(150000);
}

static cudaStream_t work, after;

static void in_line(void)
{
    //> in_line
    for (int c = 0; c < CHUNKS; c++) {
        compute<<<8, 256, 0, work>>>();
        CHECK(cudaLaunchHostFunc(work, digest, NULL));      // 150 us
    }
    //< in_line
}

static void beside(void)
{
    cudaEvent_t done;
    CHECK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
    //> beside
    for (int c = 0; c < CHUNKS; c++) {
        compute<<<8, 256, 0, work>>>();
        CHECK(cudaEventRecord(done, work));
        CHECK(cudaStreamWaitEvent(after, done, 0));
        CHECK(cudaLaunchHostFunc(after, digest, NULL));     // 150 us
    }
    //< beside
    CHECK(cudaEventDestroy(done));
}

static double ms(const char *name, void (*program)(void))
{
    CHECK(cudaDeviceSynchronize());
    label_push(name);
    long long begin = now_ns();
    program();
    CHECK(cudaGetLastError());
    CHECK(cudaStreamSynchronize(work));
    CHECK(cudaStreamSynchronize(after));
    label_pop();
    return (now_ns() - begin) / 1e6;
}

int main(void)
{
    CHECK(cudaStreamCreate(&work));
    CHECK(cudaStreamCreate(&after));
    double one = ms("in line", in_line), two = ms("beside", beside);
    printf("in the line %.2f ms, beside it %.2f ms\n", one, two);
    CHECK(cudaStreamDestroy(work));
    CHECK(cudaStreamDestroy(after));
    return 0;
}
