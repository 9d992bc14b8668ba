/* SPDX-License-Identifier: MIT */
/*
 * lesson.h - the contract of lesson 13: what you write, and the kernels that you queue.
 *
 * What PyTorch does with streams, in CUDA. `current` stands for
 * torch.cuda.current_stream(): it is often, but not always, the legacy default
 * stream. `side` stands for a torch.cuda.Stream(): it is non-blocking.
 *
 * All of your functions but loader_open() and loader_close() queue their work
 * and return: nothing in them holds the host up. Numbers are unsigned and wrap
 * round at 2^32: every result is exact. Every n and every count is at least 1.
 * To ask once whether a stream is done (cudaStreamQuery) is no wait; to ask
 * again and again is. Give back what you make before the last function of its
 * part returns.
 */
#ifndef LESSON_H
#define LESSON_H

#include "notes.h"
#include "streams.h"

#define BLOCKS 8
#define THREADS 512

#define PRODUCE_NS 300000       /* what a block takes */
#define TOTAL_NS 500000
#define OTHER_NS 600000
#define SETTLE_NS 100000
#define FILL_NS 100000
#define AUDIT_NS 300000
#define MODEL_NS 250000

/* ---- (a) a sum on the side ---- */

/* torch.cuda.Stream.wait_stream: what is queued to `waiter` from now on begins when all that is in `other` now is done.
 * What is queued to `other` later is not waited for, and does not wait; nor does any third stream. */
void wait_stream(cudaStream_t waiter, cudaStream_t other);

/* Queues produce(x), other_work(y) and settle(x, sum) to `current`, in this order, and total(sum, x) to `side`. total()
 * needs what produce() makes of x; settle() needs the sum, and writes x. other_work() is independent of them all:
 * it runs beside total(). x and y have n elements; *sum is 0. */
void sum_beside(cudaStream_t current, cudaStream_t side, unsigned *x, unsigned *y, unsigned *sum, int n);

/* ---- (b) memory that goes back ---- */

#define MOST_BLOCKS 3

/* For each of `count` batches: allocates a block of n elements from the pool with cudaMallocAsync, in `current`; fills it
 * with fill(block, data + k * n) in `current`; sums it with audit(&sums[k], block) in `side`; and frees it with
 * cudaFreeAsync. `current` fills the next ones while `side` is busy. In the order of the calls,
 * at most MOST_BLOCKS blocks are allocated and not yet freed: the device may be further behind. data: count * n elements
 * of device memory; sums: count of them, all 0. */
void audit_all(cudaStream_t current, cudaStream_t side, unsigned *sums, const unsigned *data, int n, int count);

/* ---- (c) batches for a model ---- */

/* Yours to fill in; use what you need of it. */
struct loader {
    const unsigned *batches;    /* `count` of them, one after the other, n elements each */
    int n, count;
    cudaStream_t side;
    unsigned *pinned;
    unsigned *x[2];
    cudaEvent_t ready[2], free[2];  /* of x[0] and x[1] */
    void *more;                 /* if that is not enough */
};

/* Prepares. `batches` is pageable memory. It stays as it is until loader_open() returns and, if you pin it (cudaHostRegister),
 * until loader_close(). This may take time, as DataLoader(pin_memory=True) does. */
void loader_open(struct loader *l, const unsigned *batches, int n, int count);
/* Each batch is copied to the device and goes through model(state, batch) in `current`, one after the other. The next
 * batch is copied while the model works on this one. `state`: n elements of device memory, not zero: do not clear them. model()
 * notes where each batch was in the NOTES words in front of it. */
void loader_run(struct loader *l, cudaStream_t current, unsigned *state);
/* The caller has waited for all queued work before it calls this. */
void loader_close(struct loader *l);

/* ---- kernels: any grid, any block; each element once ---- */

#ifdef __CUDACC__

#define EACH(i, n) (int i = blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += gridDim.x * blockDim.x)

[[maybe_unused]] static __global__ void produce(unsigned *x, int n)
{
    kernel_cost(PRODUCE_NS);
    for EACH (i, n)
        x[i] = 1664525u * x[i] + 1013904223u;
}

/* Adds the elements to *sum. */
[[maybe_unused]] static __global__ void total(unsigned *sum, const unsigned *x, int n)
{
    kernel_cost(TOTAL_NS);
    unsigned mine = 0;
    for EACH (i, n)
        mine += x[i];
    atomicAdd(sum, mine);
}

[[maybe_unused]] static __global__ void other_work(unsigned *y, int n)
{
    kernel_cost(OTHER_NS);
    for EACH (i, n)
        y[i] = 5 * y[i] + 1;
}

[[maybe_unused]] static __global__ void settle(unsigned *x, const unsigned *sum, int n)
{
    kernel_cost(SETTLE_NS);
    for EACH (i, n)
        x[i] ^= *sum;
}

[[maybe_unused]] static __global__ void fill(unsigned *block, const unsigned *data, int n)
{
    kernel_given(data);
    kernel_cost(FILL_NS);
    for EACH (i, n)
        block[i] = data[i] ^ data[i] >> 9;
}

/* Adds the elements to *sum. */
[[maybe_unused]] static __global__ void audit(unsigned *sum, const unsigned *block, int n)
{
    kernel_cost(AUDIT_NS);
    unsigned mine = 0;
    for EACH (i, n)
        mine += block[i];
    atomicAdd(sum, mine);
}

/* What comes later weighs less: the order of the batches counts. */
[[maybe_unused]] static __global__ void model(unsigned *state, const unsigned *batch, int n)
{
    kernel_cost(MODEL_NS);
    notes_in_front(state, batch);
    for EACH (i, n)
        state[i] = 3 * state[i] + batch[i];
}

#endif
#endif
