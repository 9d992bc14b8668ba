/* SPDX-License-Identifier: MIT */
/* Functions hand numbers to a queue that a thread empties; the slots are filled by a producer of its own. */
#include "lesson.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

#include <vector>

/*
 * (a) Each chunk is finished by the host as it arrives.
 */
//> arrived
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static std::vector<int> queue;
static int put, taken;
static pthread_t worker;

static void chunk_arrived(void *number)
{
    pthread_mutex_lock(&lock);
    queue[put++] = *(int *)number;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

static void *work(void *data)
{
    struct harvest *h = (struct harvest *)data;
    while (taken < chunk_count(h)) {
        pthread_mutex_lock(&lock);
        while (taken == put)
            pthread_cond_wait(&changed, &lock);
        int c = queue[taken++];
        pthread_mutex_unlock(&lock);
        finish(c);
    }
    return NULL;
}
//< arrived

void harvest_begin(struct harvest *h)
{
    int chunks = chunk_count(h);
    put = taken = 0;
    queue.resize(chunks);
    pthread_create(&worker, NULL, work, h);
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
        h->number[c] = c;
        CHECK(cudaLaunchHostFunc(h->work, chunk_arrived, &h->number[c]));
        //< begin
    }
}

void harvest_end(struct harvest *h)
{
    //> end
    pthread_join(worker, NULL);
    CHECK(cudaDeviceSynchronize());
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
struct ring {
    const struct feed *f;
    sem_t empty, full;
};

static void slot_is_empty(void *data)
{
    sem_post(&((struct ring *)data)->empty);
}

static void *produce(void *data)
{
    struct ring *r = (struct ring *)data;
    for (int k = 0; k < r->f->count; k++) {
        sem_wait(&r->empty);
        fill(r->f->ring[k % RING], k);
        sem_post(&r->full);
    }
    return NULL;
}
//< empty

void feed_all(const struct feed *f)
{
    size_t bytes = f->n * sizeof *f->inbox;
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    //> feed
    struct ring ring;
    pthread_t producer;
    ring.f = f;
    sem_init(&ring.empty, 0, RING);
    sem_init(&ring.full, 0, 0);
    pthread_create(&producer, NULL, produce, &ring);
    for (int k = 0; k < f->count; k++) {
        sem_wait(&ring.full);
        CHECK(cudaMemcpyAsync(f->inbox, f->ring[k % RING], bytes, cudaMemcpyHostToDevice, stream));
        CHECK(cudaLaunchHostFunc(stream, slot_is_empty, &ring));
        absorb<<<BLOCKS, THREADS, 0, stream>>>(f->total, f->inbox, f->n);
        CHECK(cudaGetLastError());
    }
    pthread_join(producer, NULL);
    //< feed
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaStreamDestroy(stream));
}

/*
 * (c) Two streams share the slots, which come back in another order than they went out.
 */
//> pool
static sem_t back, filled;
static pthread_mutex_t at_slots = PTHREAD_MUTEX_INITIALIZER;
static int free_slot[POOL], free_slots;
static std::vector<int> slot_of_batch;

static void slot_is_back(void *slot)
{
    pthread_mutex_lock(&at_slots);
    free_slot[free_slots++] = *(int *)slot;
    pthread_mutex_unlock(&at_slots);
    sem_post(&back);
}

static void *produce_both(void *data)
{
    const struct feeds *f = (const struct feeds *)data;
    for (int k = 0; k < f->count; k++) {
        sem_wait(&back);
        pthread_mutex_lock(&at_slots);
        slot_of_batch[k] = free_slot[--free_slots];
        pthread_mutex_unlock(&at_slots);
        fill(f->slot[slot_of_batch[k]], k);
        sem_post(&filled);
    }
    return NULL;
}
//< pool

void feed_both(const struct feeds *f)
{
    size_t bytes = f->n * sizeof *f->inbox[0];
    //> both
    pthread_t producer;
    int number[POOL];
    sem_init(&back, 0, 0);
    sem_init(&filled, 0, 0);
    free_slots = 0;
    for (int s = 0; s < POOL; s++) {
        number[s] = s;
        slot_is_back(&number[s]);
    }
    cudaStream_t stream[2];
    for (int m = 0; m < 2; m++)
        CHECK(cudaStreamCreate(&stream[m]));
    slot_of_batch.resize(f->count);
    pthread_create(&producer, NULL, produce_both, (void *)f);
    for (int k = 0; k < f->count; k++) {
        int m = f->to[k];
        sem_wait(&filled);
        int s = slot_of_batch[k];
        CHECK(cudaMemcpyAsync(f->inbox[m], f->slot[s], bytes, cudaMemcpyHostToDevice, stream[m]));
        CHECK(cudaLaunchHostFunc(stream[m], slot_is_back, &number[s]));
        blend<<<BLOCKS, THREADS, 0, stream[m]>>>(f->total[m], f->inbox[m], f->n, f->ns[k]);
        CHECK(cudaGetLastError());
    }
    pthread_join(producer, NULL);
    for (int m = 0; m < 2; m++) {
        CHECK(cudaStreamSynchronize(stream[m]));
        CHECK(cudaStreamDestroy(stream[m]));
    }
    //< both
}
