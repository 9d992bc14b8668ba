/* SPDX-License-Identifier: MIT */
/* urgent.cu - a short kernel beside a long one, with equal priorities and with the greatest.
 *
 *   build/bin/simcc -o urgent lessons/08-priorities/demos/urgent.cu && ./urgent */
#include <stdio.h>

#include "streams.h"

#define WAVE_NS 500000          /* what a block takes, and so a wave of them */
#define THREADS 32

__global__ void work(void)
{
    kernel_cost(WAVE_NS);
}

/* So much shared memory lets few blocks fit on a multiprocessor. */
static int shared, wave;

static void beside(int least, int priority, const char *label)
{
    cudaStream_t bulk, urgent;
    cudaEvent_t begin, bulk_done, urgent_done;
    float bulk_ms, urgent_ms;
    //> make
    CHECK(cudaStreamCreateWithPriority(&bulk, cudaStreamNonBlocking, least));
    CHECK(cudaStreamCreateWithPriority(&urgent, cudaStreamNonBlocking, priority));
    //< make
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&bulk_done));
    CHECK(cudaEventCreate(&urgent_done));
    label_push(label);
    CHECK(cudaEventRecord(begin, bulk));
    //> beside
    work<<<20 * wave, THREADS, shared, bulk>>>();           // 20 waves of 0.5 ms
    CHECK(cudaEventRecord(bulk_done, bulk));
    host_work(2000000);                                     // 2 ms later
    work<<<wave, THREADS, shared, urgent>>>();              // one wave
    CHECK(cudaEventRecord(urgent_done, urgent));
    //< beside
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    label_pop();
    CHECK(cudaEventElapsedTime(&bulk_ms, begin, bulk_done));
    CHECK(cudaEventElapsedTime(&urgent_ms, begin, urgent_done));
    printf("%-9s bulk done at %4.1f ms, urgent at %4.1f ms\n", label, bulk_ms, urgent_ms);
    CHECK(cudaEventDestroy(begin));
    CHECK(cudaEventDestroy(bulk_done));
    CHECK(cudaEventDestroy(urgent_done));
    CHECK(cudaStreamDestroy(bulk));
    CHECK(cudaStreamDestroy(urgent));
}

int main(void)
{
    int sms, fit;
    CHECK(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlock, 0));
    CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, work, THREADS, shared));
    wave = sms * fit;
    work<<<1, 1>>>();
    CHECK(cudaDeviceSynchronize());
    //> numbers
    int least, greatest;
    CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    beside(least, least, "equal");          // bulk, urgent, what to call it
    beside(least, greatest, "greatest");
    //< numbers
    return 0;
}
