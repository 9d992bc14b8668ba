/* SPDX-License-Identifier: MIT */
/* A frame's memory comes from a pool, and goes back to it in its stream; a thread waits for one event after the other and seals. */
#include <pthread.h>
#include <stdlib.h>

#include "lesson.h"

//> plant
enum { PLACES = 6 };

struct place {
    unsigned *room, *result, *x;
    cudaStream_t stream;
    cudaEvent_t gathered, done;
    struct page *page;
    int n;
};

struct plant {
    struct job job;
    cudaStream_t urgent;
    unsigned *total;
    struct place places[PLACES];
    /* Frames that came, and frames that are sealed: the ring lies between the two. */
    unsigned long came, sealed;
    int closing;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    pthread_t sealer;
};

static void *seal_all(void *data)
{
    struct plant *p = (struct plant *)data;
    for (;;) {
        pthread_mutex_lock(&p->lock);
        while (p->sealed == p->came && !p->closing)
            pthread_cond_wait(&p->changed, &p->lock);
        int over = p->sealed == p->came;
        pthread_mutex_unlock(&p->lock);
        if (over)
            return NULL;
        struct place *s = &p->places[p->sealed % PLACES];
        CHECK(cudaEventSynchronize(s->done));
        seal(s->page, s->result, s->n);
        pthread_mutex_lock(&p->lock);
        p->sealed++;
        pthread_cond_broadcast(&p->changed);
        pthread_mutex_unlock(&p->lock);
    }
}

struct plant *plant_open(const struct job *j)
{
    struct plant *p = (struct plant *)calloc(1, sizeof *p);
    size_t bytes = j->frame * sizeof(unsigned);
    cudaMemPool_t pool;
    unsigned long long keep = ~0ull;
    int least, greatest;
    p->job = *j;
    CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
    CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
    CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    CHECK(cudaStreamCreateWithPriority(&p->urgent, cudaStreamNonBlocking, greatest));
    CHECK(cudaMalloc((void **)&p->total, bytes));
    CHECK(cudaMemset(p->total, 0, bytes));
    for (int k = 0; k < PLACES; k++) {
        struct place *s = &p->places[k];
        CHECK(cudaStreamCreateWithPriority(&s->stream, cudaStreamNonBlocking, least));
        CHECK(cudaEventCreateWithFlags(&s->gathered, cudaEventDisableTiming));
        CHECK(cudaEventCreateWithFlags(&s->done, cudaEventDisableTiming));
        CHECK(cudaMallocHost((void **)&s->room, bytes));
        CHECK(cudaMallocHost((void **)&s->result, bytes));
        /* So that the pool has been asked for as much before. */
        CHECK(cudaMallocAsync((void **)&s->x, bytes, s->stream));
    }
    for (struct place *s = p->places; s < p->places + PLACES; s++)
        CHECK(cudaFreeAsync(s->x, s->stream));
    CHECK(cudaDeviceSynchronize());
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->changed, NULL);
    pthread_create(&p->sealer, NULL, seal_all, p);
    return p;
}

unsigned *plant_room(struct plant *p)
{
    pthread_mutex_lock(&p->lock);
    while (p->came - p->sealed == PLACES)
        pthread_cond_wait(&p->changed, &p->lock);
    unsigned *room = p->places[p->came % PLACES].room;
    pthread_mutex_unlock(&p->lock);
    return room;
}

/* A stream for each place; the total goes from one to the next by an event. */
void plant_frame(struct plant *p, unsigned *room, int n, struct page *page)
{
    unsigned long k = p->came;          /* nobody else changes it */
    struct place *s = &p->places[k % PLACES], *before = &p->places[(k + PLACES - 1) % PLACES];
    s->page = page;
    s->n = n;
    CHECK(cudaMallocAsync((void **)&s->x, n * sizeof *s->x, s->stream));
    CHECK(cudaMemcpyAsync(s->x, room, n * sizeof *room, cudaMemcpyHostToDevice, s->stream));
    develop<<<p->job.tiles, THREADS, p->job.shared, s->stream>>>(s->x, n, p->job.tiles);
    CHECK(cudaGetLastError());
    CHECK(cudaStreamWaitEvent(s->stream, before->gathered, 0));
    gather<<<GATHER_BLOCKS, THREADS, 0, s->stream>>>(p->total, s->x, n);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(s->gathered, s->stream));
    CHECK(cudaMemcpyAsync(s->result, s->x, n * sizeof *room, cudaMemcpyDeviceToHost, s->stream));
    CHECK(cudaEventRecord(s->done, s->stream));
    CHECK(cudaFreeAsync(s->x, s->stream));
    pthread_mutex_lock(&p->lock);
    p->came++;
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
}

void plant_answer(struct plant *p, unsigned *out, const unsigned *in, int n)
{
    unsigned *x;
    CHECK(cudaMallocAsync((void **)&x, n * sizeof *x, p->urgent));
    CHECK(cudaMemcpyAsync(x, in, n * sizeof *x, cudaMemcpyHostToDevice, p->urgent));
    reply<<<REPLY_BLOCKS, THREADS, 0, p->urgent>>>(x, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(out, x, n * sizeof *x, cudaMemcpyDeviceToHost, p->urgent));
    CHECK(cudaFreeAsync(x, p->urgent));
    CHECK(cudaStreamSynchronize(p->urgent));
}

void plant_close(struct plant *p)
{
    pthread_mutex_lock(&p->lock);
    p->closing = 1;
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
    pthread_join(p->sealer, NULL);
    for (struct place *s = p->places; s < p->places + PLACES; s++) {
        CHECK(cudaStreamSynchronize(s->stream));
        CHECK(cudaStreamDestroy(s->stream));
        CHECK(cudaEventDestroy(s->gathered));
        CHECK(cudaEventDestroy(s->done));
        CHECK(cudaFreeHost(s->room));
        CHECK(cudaFreeHost(s->result));
    }
    CHECK(cudaStreamDestroy(p->urgent));
    CHECK(cudaFree(p->total));
    pthread_cond_destroy(&p->changed);
    pthread_mutex_destroy(&p->lock);
    free(p);
}
//< plant
