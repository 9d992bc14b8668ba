/* SPDX-License-Identifier: MIT */
/*
 * Lesson 07: host functions in a stream.
 *
 * Grade it:  make lesson07        Run it:  make run07
 * Read:      lessons/07-callbacks/chapter.md; lesson.h beside it is the
 *            contract, with the kernels.
 */
#include "lesson.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

/*
 * (a) Each chunk is finished by the host as it arrives.
 */
//> arrived
/* TODO
 * - A function that a stream can call finishes the chunk whose number is at its address. It makes no CUDA call.
 */
//< arrived

void harvest_begin(struct harvest *h)
{
    int chunks = chunk_count(h);
    h->number = (int *)malloc(chunks * sizeof *h->number);
    CHECK(cudaStreamCreate(&h->work));
    CHECK(cudaStreamCreate(&h->after));
    CHECK(cudaEventCreateWithFlags(&h->arrived, cudaEventDisableTiming));
    for (int c = 0; c < chunks; c++) {
        unsigned *device = h->device + c * h->chunk, *home = h->home + c * h->chunk;
        int n = chunk_size(h, c);
        ripen<<<BLOCKS, THREADS, 0, h->work>>>(device, n);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpyAsync(home, device, n * sizeof *home, cudaMemcpyDeviceToHost, h->work));
        //> begin
        /* TODO: this is right, but the caller waits until all is done.
         * - The host only queues here: it waits for nothing, and calls finish() for no chunk.
         * - A function finishes each chunk, once, as soon as the chunk's copy has ended. (A thread may, if it sleeps until then.)
         * - The number at its address is that chunk's when it runs: h->number has room for one of each.
         * - h->work goes on with the next chunk while a function runs.
         */
        CHECK(cudaStreamSynchronize(h->work));
        finish(c);
        //< begin
    }
}

void harvest_end(struct harvest *h)
{
    //> end
    /* TODO
     * - The last function has run before anything is given back.
     */
    //< end
    CHECK(cudaEventDestroy(h->arrived));
    CHECK(cudaStreamDestroy(h->after));
    CHECK(cudaStreamDestroy(h->work));
    free(h->number);
}

/*
 * (b) A ring of three slots: the host fills what the stream has emptied.
 */
//> empty
/* TODO
 * - There is a count of the empty slots, and a thread can sleep while it is 0.
 * - A function that the stream can call adds one to it, wakes the thread that sleeps, and returns at once.
 */
//< empty

void feed_all(const struct feed *f)
{
    size_t bytes = f->n * sizeof *f->inbox;
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    //> feed
    /* TODO: this is right, but host and device take turns.
     * - The host fills all slots in turn, and a slot only when the last copy out of it has ended. Each copy is out of a slot.
     * - While no slot is empty the host sleeps, until a function of the stream wakes it.
     * - The batches are absorbed in their order.
     */
    for (int k = 0; k < f->count; k++) {
        fill(f->ring[0], k);
        CHECK(cudaMemcpyAsync(f->inbox, f->ring[0], bytes, cudaMemcpyHostToDevice, stream));
        absorb<<<BLOCKS, THREADS, 0, stream>>>(f->total, f->inbox, f->n);
        CHECK(cudaGetLastError());
        CHECK(cudaStreamSynchronize(stream));
    }
    //< feed
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaStreamDestroy(stream));
}

/*
 * (c) Two streams share the slots, which come back in another order than they went out.
 */
//> pool
/* TODO
 * - Whatever you need before feed_both(): what a function says when a slot has come back, and how the host comes to know.
 */
//< pool

void feed_both(const struct feeds *f)
{
    size_t bytes = f->n * sizeof *f->inbox[0];
    //> both
    /* TODO: this is right, but no two things happen at the same time.
     * - The batches of one total are added in their order. The two totals need nothing of each other.
     * - No slot is filled before the copy of what it held has ended. While no slot can be filled the host sleeps.
     * - A function that a stream calls returns at once and makes no CUDA call.
     * - feed_both() takes at most 1.2 times as long as the blend()s of the total that has more to do.
     */
    for (int k = 0; k < f->count; k++) {
        int m = f->to[k];
        fill(f->slot[0], k);
        CHECK(cudaMemcpy(f->inbox[m], f->slot[0], bytes, cudaMemcpyHostToDevice));
        blend<<<BLOCKS, THREADS>>>(f->total[m], f->inbox[m], f->n, f->ns[k]);
        CHECK(cudaGetLastError());
        CHECK(cudaDeviceSynchronize());
    }
    //< both
}
