// fails: c-ahead
/* SPDX-License-Identifier: MIT */
/* pin_memory() in front of each copy. */
#include "lesson.h"

#include <string.h>
#include <vector>

static std::vector<unsigned *> pinned;

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
    l->batches = batches;
    l->n = n;
    l->count = count;
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
        CHECK(cudaMallocHost((void **)&l->pinned, l->n * sizeof *state));
        pinned.push_back(l->pinned);
        memcpy(l->pinned, l->batches + (size_t)k * l->n, l->n * sizeof *state);
        CHECK(cudaStreamWaitEvent(l->side, l->free[b], 0));     // never recorded at first: no wait
        CHECK(cudaMemcpyAsync(l->x[b], l->pinned, l->n * sizeof *state, cudaMemcpyHostToDevice, l->side));
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
    for (unsigned *p : pinned)
        CHECK(cudaFreeHost(p));
    for (int b = 0; b < 2; b++) {
        CHECK(cudaFree(l->x[b]));
        CHECK(cudaEventDestroy(l->ready[b]));
        CHECK(cudaEventDestroy(l->free[b]));
    }
    //< close
}
