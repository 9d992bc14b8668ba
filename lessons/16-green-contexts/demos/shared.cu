/* SPDX-License-Identifier: MIT */
/* shared.cu - short kernels beside a long one: with the greatest priority, and on SMs of their own.
 *
 *   build/bin/simcc -Icommon -o shared lessons/16-green-contexts/demos/shared.cu && ./shared */
#include "parts.h"

#define WAVE_NS 500000
#define SHORT_NS 100000
#define WAVES 6
#define TIMES 3

static void beside(cudaStream_t bulk, cudaStream_t urgent, const char *label)
{
    long long begin, took[TIMES], first = now_ns();
    label_push(label);
    //> beside
    work<<<WAVES * whole.sm.smCount * fit, THREADS, shared, bulk>>>(WAVE_NS);
    for (int k = 0; k < TIMES; k++) {
        host_work(700000);
        begin = now_ns();
        work<<<1, THREADS, shared, urgent>>>(SHORT_NS);
        CHECK(cudaStreamSynchronize(urgent));
        took[k] = now_ns() - begin;
    }
    //< beside
    CHECK(cudaGetLastError());
    CHECK(cudaStreamSynchronize(bulk));
    label_pop();
    printf("%-9s a short kernel took %.2f, %.2f and %.2f ms, the bulk %.1f ms\n", label, took[0] / 1e6, took[1] / 1e6, took[2] / 1e6,
           (now_ns() - first) / 1e6);
}

int main(void)
{
    int least, greatest;
    cudaStream_t bulk, urgent;
    struct part few = {}, many = {};
    ask_device();
    CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    CHECK(cudaStreamCreateWithPriority(&bulk, cudaStreamNonBlocking, least));
    CHECK(cudaStreamCreateWithPriority(&urgent, cudaStreamNonBlocking, greatest));
    beside(bulk, urgent, "priority");
    CHECK(cudaStreamDestroy(bulk));
    CHECK(cudaStreamDestroy(urgent));
    split(8, &few, &many);
    beside(many.stream, few.stream, "SMs apart");
    part_close(&few);
    part_close(&many);
    return 0;
}
