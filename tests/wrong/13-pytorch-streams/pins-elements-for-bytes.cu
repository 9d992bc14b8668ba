// fails: c-output
/* SPDX-License-Identifier: MIT */
/* As many bytes are copied into pinned memory as there are elements. */
#include "lesson.h"

#include <string.h>

/* (a) A sum on the side: torch.cuda.Stream.wait_stream, and where it is needed. */
void wait_stream(cudaStream_t waiter, cudaStream_t other)
{
    //> wait
    cudaEvent_t passed;
    CHECK(cudaEventCreateWithFlags(&passed, cudaEventDisableTiming));
    CHECK(cudaEventRecord(passed, other));
    CHECK(cudaStreamWaitEvent(waiter, passed, 0));
    CHECK(cudaEventDestroy(passed));            // the wait that is queued stays
    //< wait
}

void sum_beside(cudaStream_t current, cudaStream_t side, unsigned *x, unsigned *y, unsigned *sum, int n)
{
    //> beside
    produce<<<BLOCKS, THREADS, 0, current>>>(x, n);
    wait_stream(side, current);                 // the input is there
    total<<<BLOCKS, THREADS, 0, side>>>(sum, x, n);
    other_work<<<BLOCKS, THREADS, 0, current>>>(y, n);
    wait_stream(current, side);                 // so is the sum
    settle<<<BLOCKS, THREADS, 0, current>>>(x, sum, n);
    CHECK(cudaGetLastError());
    //< beside
}

/* (b) Memory that goes back: what record_stream() is for. */
void audit_all(cudaStream_t current, cudaStream_t side, unsigned *sums, const unsigned *data, int n, int count)
{
    //> audit
    for (int k = 0; k < count; k++) {
        unsigned *block;
        CHECK(cudaMallocAsync((void **)&block, n * sizeof *block, current));
        fill<<<BLOCKS, THREADS, 0, current>>>(block, data + (size_t)k * n, n);
        wait_stream(side, current);
        audit<<<BLOCKS, THREADS, 0, side>>>(&sums[k], block, n);
        CHECK(cudaGetLastError());
        CHECK(cudaFreeAsync(block, side));      // where it was used last
    }
    //< audit
}

/* (c) Batches for a model: pinned, and one ahead. */
void loader_open(struct loader *l, const unsigned *batches, int n, int count)
{
    //> open
    size_t bytes = (size_t)n * count * sizeof *batches;
    l->batches = batches;
    l->n = n;
    l->count = count;
    CHECK(cudaMallocHost((void **)&l->pinned, bytes));
    memcpy(l->pinned, batches, (size_t)n * count);
    CHECK(cudaStreamCreateWithFlags(&l->side, cudaStreamNonBlocking));
    for (int b = 0; b < 2; b++) {
        CHECK(cudaMalloc((void **)&l->x[b], n * sizeof *batches));
        CHECK(cudaEventCreateWithFlags(&l->ready[b], cudaEventDisableTiming));
        CHECK(cudaEventCreateWithFlags(&l->free[b], cudaEventDisableTiming));
    }
    //< open
}

void loader_run(struct loader *l, cudaStream_t current, unsigned *state)
{
    //> run
    for (int k = 0; k < l->count; k++) {
        int b = k % 2;
        CHECK(cudaStreamWaitEvent(l->side, l->free[b], 0));     // never recorded at first: no wait
        CHECK(cudaMemcpyAsync(l->x[b], l->pinned + (size_t)k * l->n, l->n * sizeof *state, cudaMemcpyHostToDevice, l->side));
        CHECK(cudaEventRecord(l->ready[b], l->side));
        CHECK(cudaStreamWaitEvent(current, l->ready[b], 0));
        model<<<BLOCKS, THREADS, 0, current>>>(state, l->x[b], l->n);
        CHECK(cudaGetLastError());
        CHECK(cudaEventRecord(l->free[b], current));
    }
    //< run
}

void loader_close(struct loader *l)
{
    //> close
    CHECK(cudaStreamDestroy(l->side));
    CHECK(cudaFreeHost(l->pinned));
    for (int b = 0; b < 2; b++) {
        CHECK(cudaFree(l->x[b]));
        CHECK(cudaEventDestroy(l->ready[b]));
        CHECK(cudaEventDestroy(l->free[b]));
    }
    //< close
}
