/* SPDX-License-Identifier: MIT */
/*
 * Lesson 07: when the stream calls you.
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
 * - Write a function for the stream to call: static void chunk_arrived(void *number), which calls finish().
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
        /* TODO: this is right, and the caller stands by until all is done.
         * - Queue chunk_arrived behind the copy with cudaLaunchHostFunc(), and wait for nothing here.
         * - Give it an int that is still there when it runs: h->number has room for one of each chunk.
         * - A function holds its own stream up. Queue it in h->after, behind cudaEventRecord(h->arrived, h->work)
         *   and cudaStreamWaitEvent(h->after, h->arrived, 0), so that h->work goes on.
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
     * - Wait for the last function with cudaStreamSynchronize(h->after).
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
 * - Keep count of the empty slots: a semaphore (sem_t), or an int with a pthread_mutex_t and a pthread_cond_t.
 * - Write the function that the stream calls when a slot has been copied: sem_post(), or pthread_cond_signal().
 */
//< empty

void feed_all(const struct feed *f)
{
    size_t bytes = f->n * sizeof *f->inbox;
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    //> feed
    /* TODO: this is right, and host and device take turns.
     * - Use the slots in turn: f->ring[k % RING].
     * - Before fill(), sleep until a slot is empty: sem_wait(), or pthread_cond_wait() in a loop.
     * - Behind each copy, queue your function with cudaLaunchHostFunc().
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
