// fails: b-woken
/* SPDX-License-Identifier: MIT */
/* The stream's functions fill the slots. */
#include "lesson.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

/*
 * (a) Each chunk is finished by the host as it arrives.
 */
//> arrived
static void chunk_arrived(void *number)
{
    finish(*(const int *)number);
}
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
        CHECK(cudaEventRecord(h->arrived, h->work));
        CHECK(cudaStreamWaitEvent(h->after, h->arrived, 0));
        h->number[c] = c;
        CHECK(cudaLaunchHostFunc(h->after, chunk_arrived, &h->number[c]));
        //< begin
    }
}

void harvest_end(struct harvest *h)
{
    //> end
    CHECK(cudaStreamSynchronize(h->after));
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
struct job { unsigned *slot; int k; };
static void fill_it(void *data)
{
    struct job *j = (struct job *)data;
    fill(j->slot, j->k);
}
//< empty

void feed_all(const struct feed *f)
{
    size_t bytes = f->n * sizeof *f->inbox;
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    //> feed
    struct job job[64];
    for (int k = 0; k < f->count; k++) {
        unsigned *slot = f->ring[k % RING];
        job[k] = { slot, k };
        CHECK(cudaLaunchHostFunc(stream, fill_it, &job[k]));
        CHECK(cudaMemcpyAsync(f->inbox, slot, bytes, cudaMemcpyHostToDevice, stream));
        absorb<<<BLOCKS, THREADS, 0, stream>>>(f->total, f->inbox, f->n);
        CHECK(cudaGetLastError());
    }
    //< feed
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaStreamDestroy(stream));
}
