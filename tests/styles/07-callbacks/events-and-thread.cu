/* SPDX-License-Identifier: MIT */
/* A thread of our own waits for events in turn; the ring has a semaphore for each slot and two streams. */
#include "lesson.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

#include <vector>

/*
 * (a) Each chunk is finished by the host as it arrives.
 */
//> arrived
static std::vector<cudaEvent_t> home_event;
static pthread_t worker;

static void *work(void *data)
{
    struct harvest *h = (struct harvest *)data;
    for (int c = 0; c < chunk_count(h); c++) {
        CHECK(cudaEventSynchronize(home_event[c]));
        finish(c);
    }
    return NULL;
}
//< arrived

void harvest_begin(struct harvest *h)
{
    int chunks = chunk_count(h);
    home_event.resize(chunks);
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
        CHECK(cudaEventCreateWithFlags(&home_event[c], cudaEventDisableTiming | cudaEventBlockingSync));
        CHECK(cudaEventRecord(home_event[c], h->work));
        //< begin
    }
    pthread_create(&worker, NULL, work, h);
}

void harvest_end(struct harvest *h)
{
    //> end
    pthread_join(worker, NULL);
    for (int c = 0; c < chunk_count(h); c++)
        CHECK(cudaEventDestroy(home_event[c]));
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
static void slot_is_empty(void *empty)
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
    sem_t empty[RING];
    for (int k = 0; k < RING; k++)
        sem_init(&empty[k], 0, 1);
    cudaStream_t device;
    cudaEvent_t came, absorbed;
    CHECK(cudaStreamCreateWithFlags(&device, cudaStreamNonBlocking));
    CHECK(cudaEventCreateWithFlags(&came, cudaEventDisableTiming));
    CHECK(cudaEventCreateWithFlags(&absorbed, cudaEventDisableTiming));
    for (int k = 0; k < f->count; k++) {
        sem_wait(&empty[k % RING]);
        fill(f->ring[k % RING], k);
        CHECK(cudaStreamWaitEvent(stream, absorbed, 0));
        CHECK(cudaMemcpyAsync(f->inbox, f->ring[k % RING], bytes, cudaMemcpyHostToDevice, stream));
        CHECK(cudaEventRecord(came, stream));
        CHECK(cudaLaunchHostFunc(stream, slot_is_empty, &empty[k % RING]));
        CHECK(cudaStreamWaitEvent(device, came, 0));
        absorb<<<BLOCKS, THREADS, 0, device>>>(f->total, f->inbox, f->n);
        CHECK(cudaGetLastError());
        CHECK(cudaEventRecord(absorbed, device));
    }
    CHECK(cudaStreamSynchronize(device));
    CHECK(cudaStreamDestroy(device));
    CHECK(cudaEventDestroy(came));
    CHECK(cudaEventDestroy(absorbed));
    //< feed
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaStreamDestroy(stream));
}

/*
 * (c) Two streams share the slots, which come back in another order than they went out.
 */
//> pool
struct side { const struct feeds *f; int m; };

static void *feed_one(void *data)
{
    const struct feeds *f = ((struct side *)data)->f;
    int m = ((struct side *)data)->m, next = 0;
    size_t bytes = f->n * sizeof *f->inbox[0];
    cudaStream_t stream;
    cudaEvent_t copied[2];
    CHECK(cudaStreamCreate(&stream));
    for (int s = 0; s < 2; s++)
        CHECK(cudaEventCreateWithFlags(&copied[s], cudaEventDisableTiming | cudaEventBlockingSync));
    for (int k = 0; k < f->count; k++) {
        if (f->to[k] != m)
            continue;
        unsigned *slot = f->slot[2 * m + next];
        CHECK(cudaEventSynchronize(copied[next]));
        fill(slot, k);
        CHECK(cudaMemcpyAsync(f->inbox[m], slot, bytes, cudaMemcpyHostToDevice, stream));
        CHECK(cudaEventRecord(copied[next], stream));
        blend<<<BLOCKS, THREADS, 0, stream>>>(f->total[m], f->inbox[m], f->n, f->ns[k]);
        CHECK(cudaGetLastError());
        next = 1 - next;
    }
    CHECK(cudaStreamSynchronize(stream));
    for (int s = 0; s < 2; s++)
        CHECK(cudaEventDestroy(copied[s]));
    CHECK(cudaStreamDestroy(stream));
    return NULL;
}
//< pool

void feed_both(const struct feeds *f)
{
    size_t bytes = f->n * sizeof *f->inbox[0];
    //> both
    (void)bytes;
    pthread_t thread[2];
    struct side side[2] = { { f, 0 }, { f, 1 } };
    for (int m = 0; m < 2; m++)
        pthread_create(&thread[m], NULL, feed_one, &side[m]);
    for (int m = 0; m < 2; m++)
        pthread_join(thread[m], NULL);
    //< both
}
