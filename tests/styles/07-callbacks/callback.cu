/* SPDX-License-Identifier: MIT */
/* cudaStreamAddCallback, with the number in the pointer itself; a semaphore. */
#include "lesson.h"

#include <semaphore.h>
#include <stdint.h>
#include <stdlib.h>

/*
 * (a) Each chunk is finished by the host as it arrives.
 */
//> arrived
static void chunk_arrived(cudaStream_t, cudaError_t status, void *number)
{
    if (status == cudaSuccess)
        finish((int)(intptr_t)number);
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
        CHECK(cudaStreamAddCallback(h->after, chunk_arrived, (void *)(intptr_t)c, 0));
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
static void slot_is_empty(cudaStream_t, cudaError_t, void *empty)
{
    sem_post((sem_t *)empty);
}
//< empty

void feed_all(const struct feed *f)
{
    size_t bytes = f->n * sizeof *f->inbox;
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    //> feed
    sem_t empty;
    sem_init(&empty, 0, RING);
    for (int k = 0; k < f->count; k++) {
        unsigned *slot = f->ring[k % RING];
        sem_wait(&empty);
        fill(slot, k);
        CHECK(cudaMemcpyAsync(f->inbox, slot, bytes, cudaMemcpyHostToDevice, stream));
        CHECK(cudaStreamAddCallback(stream, slot_is_empty, &empty, 0));
        absorb<<<BLOCKS, THREADS, 0, stream>>>(f->total, f->inbox, f->n);
        CHECK(cudaGetLastError());
    }
    //< feed
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaStreamDestroy(stream));
}

/*
 * (c) Two streams share the slots, which come back in another order than they went out.
 */
//> pool
static sem_t back;
static unsigned long free_slots;         // bit s: slot s can be filled

static void slot_is_back(cudaStream_t, cudaError_t, void *slot)
{
    __atomic_fetch_or(&free_slots, 1ul << (intptr_t)slot, __ATOMIC_RELEASE);
    sem_post(&back);
}
//< pool

void feed_both(const struct feeds *f)
{
    size_t bytes = f->n * sizeof *f->inbox[0];
    //> both
    sem_init(&back, 0, POOL);
    __atomic_store_n(&free_slots, (1ul << POOL) - 1, __ATOMIC_RELEASE);
    cudaStream_t stream[2];
    for (int m = 0; m < 2; m++)
        CHECK(cudaStreamCreate(&stream[m]));
    for (int k = 0; k < f->count; k++) {
        int m = f->to[k];
        sem_wait(&back);
        int s = __builtin_ctzl(__atomic_load_n(&free_slots, __ATOMIC_ACQUIRE));
        __atomic_fetch_and(&free_slots, ~(1ul << s), __ATOMIC_ACQUIRE);
        fill(f->slot[s], k);
        CHECK(cudaMemcpyAsync(f->inbox[m], f->slot[s], bytes, cudaMemcpyHostToDevice, stream[m]));
        CHECK(cudaStreamAddCallback(stream[m], slot_is_back, (void *)(intptr_t)s, 0));
        blend<<<BLOCKS, THREADS, 0, stream[m]>>>(f->total[m], f->inbox[m], f->n, f->ns[k]);
        CHECK(cudaGetLastError());
    }
    for (int m = 0; m < 2; m++) {
        CHECK(cudaStreamSynchronize(stream[m]));
        CHECK(cudaStreamDestroy(stream[m]));
    }
    //< both
}
