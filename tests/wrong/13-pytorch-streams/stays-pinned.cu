// fails: c-leaks
/* SPDX-License-Identifier: MIT */
/* The caller's memory is pinned where it is, and stays so. */
#include <vector>

#include "lesson.h"

void wait_stream(cudaStream_t waiter, cudaStream_t other)
{
    cudaEvent_t e;
    CHECK(cudaEventCreate(&e));
    CHECK(cudaEventRecordWithFlags(e, other, cudaEventRecordDefault));
    CHECK(cudaStreamWaitEvent(waiter, e, cudaEventWaitDefault));
    CHECK(cudaEventDestroy(e));
}

void sum_beside(cudaStream_t current, cudaStream_t side, unsigned *x, unsigned *y, unsigned *sum, int n)
{
    cudaEvent_t made, summed;
    CHECK(cudaEventCreateWithFlags(&made, cudaEventDisableTiming));
    CHECK(cudaEventCreateWithFlags(&summed, cudaEventDisableTiming));
    produce<<<1, 1024, 0, current>>>(x, n);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(made, current));
    other_work<<<1, 1024, 0, current>>>(y, n);
    CHECK(cudaGetLastError());
    CHECK(cudaStreamWaitEvent(side, made, 0));
    total<<<1, 1024, 0, side>>>(sum, x, n);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(summed, side));
    CHECK(cudaStreamWaitEvent(current, summed, 0));
    settle<<<1, 1024, 0, current>>>(x, sum, n);
    CHECK(cudaGetLastError());
    CHECK(cudaEventDestroy(made));
    CHECK(cudaEventDestroy(summed));
}

void audit_all(cudaStream_t current, cudaStream_t side, unsigned *sums, const unsigned *data, int n, int count)
{
    const int lag = 2;
    std::vector<unsigned *> block(count);
    std::vector<cudaEvent_t> done(count);
    auto give = [&](int k) {
        CHECK(cudaStreamWaitEvent(current, done[k], 0));
        CHECK(cudaFreeAsync(block[k], current));
        CHECK(cudaEventDestroy(done[k]));
    };
    for (int k = 0; k < count; k++) {
        if (k >= lag)
            give(k - lag);
        CHECK(cudaMallocAsync(&block[k], n * sizeof(unsigned), current));
        fill<<<BLOCKS, THREADS, 0, current>>>(block[k], data + (size_t)k * n, n);
        CHECK(cudaGetLastError());
        wait_stream(side, current);
        audit<<<BLOCKS, THREADS, 0, side>>>(sums + k, block[k], n);
        CHECK(cudaGetLastError());
        CHECK(cudaEventCreateWithFlags(&done[k], cudaEventDisableTiming));
        CHECK(cudaEventRecord(done[k], side));
    }
    for (int k = count > lag ? count - lag : 0; k < count; k++)
        give(k);
}

void loader_open(struct loader *l, const unsigned *batches, int n, int count)
{
    l->batches = batches;
    l->n = n;
    l->count = count;
    CHECK(cudaHostRegister((void *)batches, (size_t)n * count * sizeof *batches, cudaHostRegisterDefault));
    CHECK(cudaStreamCreateWithFlags(&l->side, cudaStreamNonBlocking));
}
void loader_run(struct loader *l, cudaStream_t current, unsigned *state)
{
    size_t bytes = l->n * sizeof(unsigned);
    for (int k = 0; k < l->count; k++) {
        unsigned *x;
        cudaEvent_t here;
        CHECK(cudaMallocAsync(&x, bytes, l->side));
        CHECK(cudaMemcpyAsync(x, l->batches + (size_t)k * l->n, bytes, cudaMemcpyDefault, l->side));
        CHECK(cudaEventCreateWithFlags(&here, cudaEventDisableTiming));
        CHECK(cudaEventRecord(here, l->side));
        CHECK(cudaStreamWaitEvent(current, here, 0));
        CHECK(cudaEventDestroy(here));
        model<<<BLOCKS, THREADS, 0, current>>>(state, x, l->n);
        CHECK(cudaGetLastError());
        CHECK(cudaFreeAsync(x, current));
    }
}

void loader_close(struct loader *l)
{
    CHECK(cudaStreamDestroy(l->side));
}
