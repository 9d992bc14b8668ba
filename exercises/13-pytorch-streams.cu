/* SPDX-License-Identifier: MIT */
/*
 * Lesson 13: what PyTorch does with streams.
 *
 * Grade it:  make lesson13        Run it:  make run13
 * Read:      lessons/13-pytorch-streams/chapter.md and lesson.h, the contract.
 */
#include "lesson.h"

#include <string.h>

/* (a) A sum on the side: torch.cuda.Stream.wait_stream, and where it is needed. */
void wait_stream(cudaStream_t waiter, cudaStream_t other)
{
    //> wait
    /* TODO: make one stream wait for another.
     * - What is queued to `waiter` from now on runs after all that is in `other` now.
     * - The host waits for neither.
     * - What you make is given back before the function returns. (A wait that is queued stays.)
     */
    (void)waiter;
    (void)other;
    //< wait
}

void sum_beside(cudaStream_t current, cudaStream_t side, unsigned *x, unsigned *y, unsigned *sum, int n)
{
    //> beside
    /* TODO: this is what `with torch.cuda.stream(side): total = x.sum()` comes to. Two waits are missing.
     * - The sum, total(), runs after produce(), and settle() runs after the sum.
     * - The other work runs beside the sum.
     */
    produce<<<BLOCKS, THREADS, 0, current>>>(x, n);
    total<<<BLOCKS, THREADS, 0, side>>>(sum, x, n);
    other_work<<<BLOCKS, THREADS, 0, current>>>(y, n);
    settle<<<BLOCKS, THREADS, 0, current>>>(x, sum, n);
    CHECK(cudaGetLastError());
    //< beside
}

/* (b) Memory that goes back: what record_stream() is for. */
void audit_all(cudaStream_t current, cudaStream_t side, unsigned *sums, const unsigned *data, int n, int count)
{
    //> audit
    /* TODO: this is what happens when a tensor ends, without record_stream().
     * - audit() runs after the fill() of its block.
     * - A block is freed when its audit() is done. Meanwhile `current` fills the next one.
     */
    for (int k = 0; k < count; k++) {
        unsigned *block;
        CHECK(cudaMallocAsync((void **)&block, n * sizeof *block, current));
        fill<<<BLOCKS, THREADS, 0, current>>>(block, data + (size_t)k * n, n);
        audit<<<BLOCKS, THREADS, 0, side>>>(&sums[k], block, n);
        CHECK(cudaGetLastError());
        CHECK(cudaFreeAsync(block, current));
    }
    //< audit
}

/* (c) Batches for a model: pinned, and one ahead. */
void loader_open(struct loader *l, const unsigned *batches, int n, int count)
{
    //> open
    /* TODO: prepare what loader_run() needs.
     * - l->pinned holds all batches, in pinned memory: that is pin_memory=True.
     * - l->side is a stream as torch.cuda.Stream() makes them.
     * - There are two buffers on the device, with the events that they need.
     */
    l->batches = batches;
    l->n = n;
    l->count = count;
    CHECK(cudaMalloc((void **)&l->x[0], n * sizeof *batches));
    //< open
}

void loader_run(struct loader *l, cudaStream_t current, unsigned *state)
{
    //> run
    /* TODO: this is non_blocking=True on ordinary memory, and the model called at once.
     * - The next batch is copied from l->pinned, in l->side, while the model works on this one.
     * - model() of a batch runs in `current`, after the copy of that batch.
     * - A buffer is overwritten when the model is done with it, and no sooner. The host waits for nothing.
     */
    for (int k = 0; k < l->count; k++) {
        CHECK(cudaMemcpyAsync(l->x[0], l->batches + (size_t)k * l->n, l->n * sizeof *state, cudaMemcpyHostToDevice, current));
        model<<<BLOCKS, THREADS, 0, current>>>(state, l->x[0], l->n);
        CHECK(cudaGetLastError());
    }
    //< run
}

void loader_close(struct loader *l)
{
    //> close
    /* TODO: give back what loader_open() made.
     * - Nothing is left: no memory on the host or the device, no stream, no event.
     */
    CHECK(cudaFree(l->x[0]));
    //< close
}
