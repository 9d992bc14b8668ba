/* SPDX-License-Identifier: MIT */
/* ahead.cu - two blocks, two streams: sent when they are asked for, and sent ahead.
 *
 *   build/bin/simcc -Icommon -Ilessons/10-synced-memory -o ahead lessons/10-synced-memory/demos/ahead.cu && ./ahead */
#include <stdio.h>

#include "block.h"

__global__ void work(const float *x, float *sum)
{
    kernel_cost(150000);
    *sum = x[0];
}

static struct synced block[2];
static cudaStream_t stream[2];
static float *sum;

static void write_both(void)
{
    for (int k = 0; k < 2; k++)
        ((float *)synced_write_host(&block[k]))[0] = k;
}

int main(void)
{
    CHECK(cudaMalloc((void **)&sum, 2 * sizeof *sum));
    for (int k = 0; k < 2; k++) {
        synced_init(&block[k], 4 << 20, true);
        CHECK(cudaStreamCreateWithFlags(&stream[k], cudaStreamNonBlocking));
        synced_read_host(&block[k]);
        synced_read_device(&block[k]);
    }
    write_both();
    CHECK(cudaDeviceSynchronize());
    long long begin = now_ns();
    label_push("asked for");
    //> asked
    for (int k = 0; k < 2; k++)
        work<<<1, 1, 0, stream[k]>>>((const float *)synced_read_device(&block[k]), sum + k);
    host_work(250000);
    //< asked
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    label_pop();
    printf("asked for  %.3f ms\n", (now_ns() - begin) / 1e6);
    write_both();
    begin = now_ns();
    label_push("sent ahead");
    //> ahead
    for (int k = 0; k < 2; k++)
        synced_push(&block[k], stream[k]);              // queued, and no wait
    for (int k = 0; k < 2; k++)
        work<<<1, 1, 0, stream[k]>>>((const float *)synced_read_device(&block[k]), sum + k);
    host_work(250000);
    //< ahead
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    label_pop();
    printf("sent ahead %.3f ms\n", (now_ns() - begin) / 1e6);
    for (int k = 0; k < 2; k++) {
        synced_fini(&block[k]);
        CHECK(cudaStreamDestroy(stream[k]));
    }
    CHECK(cudaFree(sum));
    return 0;
}
