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
    /* TODO: `waiter` waits for what is in `other`, and the host for neither.
     * - Make an event with cudaEventCreateWithFlags(&passed, cudaEventDisableTiming).
     * - Record it in `other` with cudaEventRecord(), and have `waiter` wait for it with cudaStreamWaitEvent().
     * - Give it back with cudaEventDestroy(): the wait that is queued stays.
     */
    (void)waiter;
    (void)other;
    //< wait
}

void sum_beside(cudaStream_t current, cudaStream_t side, unsigned *x, unsigned *y, unsigned *sum, int n)
{
    //> beside
    /* TODO: this is what `with torch.cuda.stream(side): total = x.sum()` comes to. Something is missing, twice.
     * - Call wait_stream() where total() needs what produce() makes.
     * - Call it, the other way round, where settle() needs the sum.
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
    /* TODO: this is what a tensor's end comes to, without record_stream().
     * - Have `side` wait for fill(): wait_stream().
     * - Give the block back when audit() is done with it: cudaFreeAsync() in which stream?
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
    /* TODO: what the loop needs.
     * - Get pinned memory for all batches with cudaMallocHost(), and copy them into it: pin_memory=True.
     * - Make a stream with cudaStreamCreateWithFlags(&l->side, cudaStreamNonBlocking).
     * - Get a second buffer x[1], and events with cudaEventCreateWithFlags().
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
     * - Copy from l->pinned with cudaMemcpyAsync() in l->side, into x[0] and x[1] by turns.
     * - Have `current` wait for the copy of its batch with cudaEventRecord() and cudaStreamWaitEvent().
     * - Have l->side wait for the model before it copies into the same buffer again.
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
    /* TODO: give back what you made.
     * - Call cudaFreeHost(), cudaFree(), cudaStreamDestroy() and cudaEventDestroy(), each for what it is for.
     */
    CHECK(cudaFree(l->x[0]));
    //< close
}
