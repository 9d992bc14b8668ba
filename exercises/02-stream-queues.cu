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
     * - Make a stream with cudaStreamCreate(&t->stream).
     * - Take t->host with cudaMallocHost() and memcpy() the elements into it: `in` is not yours for long.
     * - Queue in t->stream: cudaMemcpyAsync() in, mix<<<BLOCKS, THREADS, 0, t->stream>>>(), cudaMemcpyAsync() out.
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
     * - Wait for the trip with cudaStreamSynchronize(), then memcpy() from t->host to `out`.
     * - Give back what you made: cudaStreamDestroy(), cudaFreeHost().
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
    /* TODO: this is right, and the right chain waits for the left one.
     * - Make two streams and queue each chain in its own: the last argument of cudaMemcpyAsync(), the fourth of a launch.
     * - Queue everything first, then wait for both with cudaStreamSynchronize(), then cudaStreamDestroy() both.
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
     * - The queue holds the buffer's address. Wait with cudaStreamSynchronize() before you pack() into it again.
     * - give_back() what no queued copy still needs, and nothing earlier.
     * - Wait for your own stream alone: cudaDeviceSynchronize() waits for the neighbour, too.
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
