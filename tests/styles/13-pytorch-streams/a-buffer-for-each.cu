/* SPDX-License-Identifier: MIT */
/* Memory for every batch, each copied in halves through two streams of the loader's; blocks freed in their own stream, which waits for audits of two batches back. */
#include "lesson.h"

#include <stdlib.h>
#include <string.h>

void wait_stream(cudaStream_t waiter, cudaStream_t other)
{
    //> wait
    cudaEvent_t e;
    CHECK(cudaEventCreate(&e));
    CHECK(cudaEventRecord(e, other));
    CHECK(cudaStreamWaitEvent(waiter, e, cudaEventWaitDefault));
    CHECK(cudaGetLastError());
    CHECK(cudaEventDestroy(e));
    //< wait
}

void sum_beside(cudaStream_t current, cudaStream_t side, unsigned *x, unsigned *y, unsigned *sum, int n)
{
    //> beside
    cudaStream_t relay;                         // a third one passes the word on
    CHECK(cudaStreamCreateWithFlags(&relay, cudaStreamNonBlocking));
    produce<<<BLOCKS, THREADS, 0, current>>>(x, n);
    wait_stream(relay, current);
    wait_stream(side, relay);
    other_work<<<BLOCKS, THREADS, 0, current>>>(y, n);
    total<<<BLOCKS, THREADS, 0, side>>>(sum, x, n);
    wait_stream(relay, side);
    wait_stream(current, relay);
    settle<<<BLOCKS, THREADS, 0, current>>>(x, sum, n);
    CHECK(cudaGetLastError());
    CHECK(cudaStreamDestroy(relay));
    //< beside
}

void audit_all(cudaStream_t current, cudaStream_t side, unsigned *sums, const unsigned *data, int n, int count)
{
    //> audit
    unsigned *block[2];
    cudaEvent_t read[2];
    for (cudaEvent_t &e : read)
        CHECK(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
    for (int k = 0; k < count + 2; k++) {
        int r = k % 2;
        if (k >= 2) {
            CHECK(cudaStreamWaitEvent(current, read[r], 0));
            CHECK(cudaFreeAsync(block[r], current));
        }
        if (k >= count)
            continue;
        CHECK(cudaMallocAsync((void **)&block[r], n * sizeof **block, current));
        fill<<<BLOCKS, THREADS, 0, current>>>(block[r], data + (size_t)k * n, n);
        wait_stream(side, current);
        audit<<<BLOCKS, THREADS, 0, side>>>(&sums[k], block[r], n);
        CHECK(cudaGetLastError());
        CHECK(cudaEventRecord(read[r], side));
    }
    for (cudaEvent_t e : read)
        CHECK(cudaEventDestroy(e));
    //< audit
}

struct lanes {
    cudaStream_t stream[2];
    unsigned *all;
};

void loader_open(struct loader *l, const unsigned *batches, int n, int count)
{
    //> open
    size_t bytes = (size_t)n * count * sizeof *batches;
    struct lanes *lanes = (struct lanes *)malloc(sizeof *lanes);
    l->more = lanes;
    l->n = n;
    l->count = count;
    CHECK(cudaHostAlloc((void **)&l->pinned, bytes, cudaHostAllocDefault));
    memcpy(l->pinned, batches, bytes);
    CHECK(cudaMalloc((void **)&lanes->all, bytes));
    for (cudaStream_t &s : lanes->stream)
        CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    //< open
}

void loader_run(struct loader *l, cudaStream_t current, unsigned *state)
{
    //> run
    struct lanes *lanes = (struct lanes *)l->more;
    for (int k = 0; k < l->count; k++) {
        size_t half = l->n / 2, at = (size_t)k * l->n;
        size_t first[3] = { at, at + half, at + l->n };
        for (int h = 0; h < 2; h++) {
            CHECK(cudaMemcpyAsync(lanes->all + first[h], l->pinned + first[h], (first[h + 1] - first[h]) * sizeof *state, cudaMemcpyHostToDevice,
                                  lanes->stream[h]));
            wait_stream(current, lanes->stream[h]);
        }
        model<<<BLOCKS, THREADS, 0, current>>>(state, lanes->all + at, l->n);
        CHECK(cudaGetLastError());
    }
    //< run
}

void loader_close(struct loader *l)
{
    //> close
    struct lanes *lanes = (struct lanes *)l->more;
    for (cudaStream_t s : lanes->stream)
        CHECK(cudaStreamDestroy(s));
    CHECK(cudaFree(lanes->all));
    CHECK(cudaFreeHost(l->pinned));
    free(lanes);
    //< close
}
