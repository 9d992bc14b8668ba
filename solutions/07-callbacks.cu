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
struct ring {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int empty;                  /* slots that no copy will read any more */
};

static void slot_is_empty(void *data)
{
    struct ring *r = (struct ring *)data;
    pthread_mutex_lock(&r->lock);
    r->empty++;
    pthread_cond_signal(&r->changed);
    pthread_mutex_unlock(&r->lock);
}

static void take_slot(struct ring *r)
{
    pthread_mutex_lock(&r->lock);
    while (r->empty == 0)
        pthread_cond_wait(&r->changed, &r->lock);
    r->empty--;
    pthread_mutex_unlock(&r->lock);
}
//< empty

void feed_all(const struct feed *f)
{
    size_t bytes = f->n * sizeof *f->inbox;
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    //> feed
    struct ring ring = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, RING };
    for (int k = 0; k < f->count; k++) {
        unsigned *slot = f->ring[k % RING];
        take_slot(&ring);
        fill(slot, k);
        CHECK(cudaMemcpyAsync(f->inbox, slot, bytes, cudaMemcpyHostToDevice, stream));
        CHECK(cudaLaunchHostFunc(stream, slot_is_empty, &ring));
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
struct pool {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct loan *free[POOL];    /* which slots can be filled, not only how many */
    int count;
};

struct loan {
    struct pool *pool;
    unsigned *slot;
};

static void give_back(void *data)
{
    struct loan *l = (struct loan *)data;
    pthread_mutex_lock(&l->pool->lock);
    l->pool->free[l->pool->count++] = l;
    pthread_cond_signal(&l->pool->changed);
    pthread_mutex_unlock(&l->pool->lock);
}

static struct loan *take_any(struct pool *p)
{
    pthread_mutex_lock(&p->lock);
    while (p->count == 0)
        pthread_cond_wait(&p->changed, &p->lock);
    struct loan *l = p->free[--p->count];
    pthread_mutex_unlock(&p->lock);
    return l;
}
//< pool

void feed_both(const struct feeds *f)
{
    size_t bytes = f->n * sizeof *f->inbox[0];
    //> both
    struct pool pool = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, {}, 0 };
    struct loan loan[POOL];
    cudaStream_t stream[2];
    for (int s = 0; s < POOL; s++) {
        loan[s] = { &pool, f->slot[s] };
        give_back(&loan[s]);
    }
    for (int m = 0; m < 2; m++)
        CHECK(cudaStreamCreate(&stream[m]));
    for (int k = 0; k < f->count; k++) {
        int m = f->to[k];
        struct loan *l = take_any(&pool);
        fill(l->slot, k);
        CHECK(cudaMemcpyAsync(f->inbox[m], l->slot, bytes, cudaMemcpyHostToDevice, stream[m]));
        CHECK(cudaLaunchHostFunc(stream[m], give_back, l));
        blend<<<BLOCKS, THREADS, 0, stream[m]>>>(f->total[m], f->inbox[m], f->n, f->ns[k]);
        CHECK(cudaGetLastError());
    }
    for (int m = 0; m < 2; m++) {
        CHECK(cudaStreamSynchronize(stream[m]));
        CHECK(cudaStreamDestroy(stream[m]));
    }
    //< both
}
