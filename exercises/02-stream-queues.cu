/* SPDX-License-Identifier: MIT */
/*
 * Lesson 02: queues of your own.
 *
 * Grade it:  make lesson02        Run it:  make run02
 * Read:      lessons/02-stream-queues/chapter.md; lesson.h beside it is the
 *            contract, with the kernels.
 */
#include "lesson.h"

#include <string.h>

/*
 * (a) A round trip in a stream of its own: ask in one function, get in another.
 */
void trip_begin(struct trip *t, const unsigned *in, int n)
{
    size_t bytes = n * sizeof *in;
    t->n = n;
    CHECK(cudaMalloc((void **)&t->device, bytes));
    //> begin
    /* TODO: this does all of the trip before it returns.
     * - When it returns, copy in, kernel and copy out are queued in a stream of the trip's own, and nothing has waited.
     * - The copies run beside the host: their host side, t->host, is pinned.
     * - `in` is yours only until trip_begin() returns: no copy reads it after that.
     */
    t->host = NULL;
    CHECK(cudaMemcpy(t->device, in, bytes, cudaMemcpyHostToDevice));
    mix<<<BLOCKS, THREADS>>>(t->device, n);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    //< begin
}

void trip_end(struct trip *t, unsigned *out)
{
    //> end
    /* TODO
     * - `out` gets the elements when the trip has ended.
     * - What trip_begin() made is given back.
     */
    CHECK(cudaMemcpy(out, t->device, t->n * sizeof *out, cudaMemcpyDeviceToHost));
    //< end
    CHECK(cudaFree(t->device));
}

/*
 * (b) Two chains that have nothing to do with each other.
 */
void two_chains(const struct chain *left, const struct chain *right)
{
    size_t left_bytes = left->n * sizeof *left->in, right_bytes = right->n * sizeof *right->in;
    //> chains
    /* TODO: the result is correct, but the right chain waits for the left one.
     * - Nothing makes one chain wait for the other: their kernels run at the same time.
     * - When two_chains() returns, both chains have ended, and what you made is given back.
     */
    CHECK(cudaMemcpy(left->device, left->in, left_bytes, cudaMemcpyHostToDevice));
    left_step<<<BLOCKS, THREADS>>>(left->device, left->n);
    CHECK(cudaMemcpy(left->out, left->device, left_bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(right->device, right->in, right_bytes, cudaMemcpyHostToDevice));
    right_step<<<BLOCKS, THREADS>>>(right->device, right->n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(right->out, right->device, right_bytes, cudaMemcpyDeviceToHost));
    //< chains
}

/*
 * (c) Batches through a staging buffer that is not yours for long.
 */
void absorb_all(const struct batches *b)
{
    size_t bytes = b->n * sizeof *b->slot;
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    //> batches
    /* TODO: the totals come out wrong. Mend it.
     * - No buffer is packed or given back while a queued copy may still read it.
     * - When absorb_all() returns, the last batch is absorbed, and the neighbour's work was not waited for.
     */
    unsigned *buffer = take();
    for (int k = 0; k < b->count; k++) {
        pack(buffer, k);
        CHECK(cudaMemcpyAsync(b->slot, buffer, bytes, cudaMemcpyHostToDevice, stream));
        absorb<<<BLOCKS, THREADS, 0, stream>>>(b->total, b->slot, b->n);
    }
    CHECK(cudaGetLastError());
    give_back(buffer);
    CHECK(cudaDeviceSynchronize());
    //< batches
    CHECK(cudaStreamDestroy(stream));
}
