/* SPDX-License-Identifier: MIT */
/* four.cu - batches for a model: pageable or pinned, the model called at once or the next batch copied ahead.
 *
 *   build/bin/simcc -Icommon -o four lessons/13-pytorch-streams/demos/four.cu && ./four */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "streams.h"

#define BATCHES 5
#define BYTES (16 << 20)

__global__ void model(const char *batch)
{
    (void)batch;
    kernel_cost(500000);
}

static cudaStream_t side;
static cudaEvent_t ready[2], done[2];
static char *x[2];

static void at_once(const char *host)
{
    for (int k = 0; k < BATCHES; k++) {
        //> once
        CHECK(cudaMemcpyAsync(x[0], host, BYTES, cudaMemcpyHostToDevice, 0));   // x = batch.to("cuda", non_blocking=True)
        model<<<1, 32>>>(x[0]);                                                 // model(x)
        //< once
    }
}

static void ahead(const char *host)
{
    for (int k = 0; k < BATCHES; k++) {
        int b = k % 2;
        CHECK(cudaStreamWaitEvent(side, done[b], 0));
        //> ahead
        CHECK(cudaMemcpyAsync(x[b], host, BYTES, cudaMemcpyHostToDevice, side));
        CHECK(cudaEventRecord(ready[b], side));
        CHECK(cudaStreamWaitEvent(0, ready[b], 0));
        model<<<1, 32>>>(x[b]);
        //< ahead
        CHECK(cudaEventRecord(done[b], 0));
    }
}

static void measure(const char *what, void (*run)(const char *), const char *host)
{
    long long begin = now_ns(), back;
    label_push(what);
    run(host);
    back = now_ns();
    CHECK(cudaDeviceSynchronize());
    label_pop();
    printf("%-26s queued after %5.2f ms, done after %5.2f ms\n", what, (back - begin) / 1e6, (now_ns() - begin) / 1e6);
}

int main(void)
{
    char *pageable = (char *)malloc(BYTES), *pinned;
    CHECK(cudaMallocHost((void **)&pinned, BYTES));
    memset(pageable, 1, BYTES);
    memset(pinned, 1, BYTES);
    CHECK(cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking));
    for (int b = 0; b < 2; b++) {
        CHECK(cudaMalloc((void **)&x[b], BYTES));
        CHECK(cudaEventCreateWithFlags(&ready[b], cudaEventDisableTiming));
        CHECK(cudaEventCreateWithFlags(&done[b], cudaEventDisableTiming));
    }
    model<<<1, 32>>>(x[0]);
    CHECK(cudaDeviceSynchronize());
    measure("pageable, model at once", at_once, pageable);
    measure("pageable, copied ahead", ahead, pageable);
    measure("pinned, model at once", at_once, pinned);
    measure("pinned, copied ahead", ahead, pinned);
    CHECK(cudaStreamDestroy(side));
    for (int b = 0; b < 2; b++) {
        CHECK(cudaFree(x[b]));
        CHECK(cudaEventDestroy(ready[b]));
        CHECK(cudaEventDestroy(done[b]));
    }
    CHECK(cudaFreeHost(pinned));
    free(pageable);
    return 0;
}
