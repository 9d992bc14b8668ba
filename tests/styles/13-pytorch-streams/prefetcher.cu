/* SPDX-License-Identifier: MIT */
/* A loader that is one batch ahead by the order of its lines, with wait_stream() alone. Blocks go back in a third stream, which waits for the audit. */
#include "lesson.h"

#include <string.h>

/* One event for all waits: a wait keeps what it was told when it was queued. */
static cudaEvent_t mark;

void wait_stream(cudaStream_t waiter, cudaStream_t other)
{
    //> wait
    bool mine = mark == NULL;
    if (mine)
        CHECK(cudaEventCreateWithFlags(&mark, cudaEventDisableTiming));
    CHECK(cudaEventRecord(mark, other));
    CHECK(cudaStreamWaitEvent(waiter, mark, 0));
    if (mine) {
        CHECK(cudaEventDestroy(mark));
        mark = NULL;
    }
    //< wait
}

void sum_beside(cudaStream_t current, cudaStream_t side, unsigned *x, unsigned *y, unsigned *sum, int n)
{
    //> beside
    CHECK(cudaEventCreateWithFlags(&mark, cudaEventDisableTiming));
    produce<<<1, THREADS, 0, current>>>(x, n);
    wait_stream(side, current);
    other_work<<<1, THREADS, 0, current>>>(y, n);
    total<<<1, THREADS, 0, side>>>(sum, x, n);
    wait_stream(current, side);
    settle<<<1, THREADS, 0, current>>>(x, sum, n);
    CHECK(cudaGetLastError());
    CHECK(cudaEventDestroy(mark));
    mark = NULL;
    //< beside
}

void audit_all(cudaStream_t current, cudaStream_t side, unsigned *sums, const unsigned *data, int n, int count)
{
    //> audit
    cudaStream_t undertaker;
    CHECK(cudaStreamCreateWithFlags(&undertaker, cudaStreamNonBlocking));
    unsigned *block = NULL, *last = NULL;
    for (int k = 0; k <= count; k++) {
        if (last) {
            wait_stream(undertaker, side);
            CHECK(cudaFreeAsync(last, undertaker));
        }
        last = NULL;
        if (k == count)
            break;
        CHECK(cudaMallocAsync((void **)&block, n * sizeof *block, current));
        fill<<<BLOCKS, THREADS, 0, current>>>(block, data + (size_t)k * n, n);
        wait_stream(side, current);
        audit<<<BLOCKS, THREADS, 0, side>>>(&sums[k], block, n);
        CHECK(cudaGetLastError());
        last = block;
    }
    CHECK(cudaStreamDestroy(undertaker));
    //< audit
}

void loader_open(struct loader *l, const unsigned *batches, int n, int count)
{
    //> open
    l->batches = batches;
    l->n = n;
    l->count = count;
    CHECK(cudaMallocHost((void **)&l->pinned, (size_t)n * count * sizeof *batches));
    memcpy(l->pinned, batches, (size_t)n * count * sizeof *batches);
    CHECK(cudaStreamCreateWithFlags(&l->side, cudaStreamNonBlocking));
    CHECK(cudaMalloc((void **)&l->x[0], 2 * n * sizeof *batches));
    l->x[1] = l->x[0] + n;
    //< open
}

void loader_run(struct loader *l, cudaStream_t current, unsigned *state)
{
    //> run
    size_t bytes = l->n * sizeof *state;
    CHECK(cudaMemcpyAsync(l->x[0], l->pinned, bytes, cudaMemcpyHostToDevice, l->side));
    for (int k = 0; k < l->count; k++) {
        wait_stream(current, l->side);          // this batch is there
        wait_stream(l->side, current);          // the model of the one before is done
        if (k + 1 < l->count)
            CHECK(cudaMemcpyAsync(l->x[(k + 1) % 2], l->pinned + (size_t)(k + 1) * l->n, bytes, cudaMemcpyHostToDevice, l->side));
        model<<<BLOCKS, THREADS, 0, current>>>(state, l->x[k % 2], l->n);
        CHECK(cudaGetLastError());
    }
    //< run
}

void loader_close(struct loader *l)
{
    //> close
    CHECK(cudaStreamDestroy(l->side));
    CHECK(cudaFreeHost(l->pinned));
    CHECK(cudaFree(l->x[0]));
    //< close
}
