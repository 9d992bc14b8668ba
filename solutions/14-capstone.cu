/* SPDX-License-Identifier: MIT */
/*
 * Lesson 14: capstone, a pipeline with urgent work.
 *
 * Grade it:  make lesson14        Run it:  make run14
 * Read:      lessons/14-capstone/chapter.md and lesson.h, the contract.
 */
#include <initializer_list>
#include <semaphore.h>
#include "lesson.h"

//> plant
/* A stream for each stage; events hand a frame on; a function seals its page and gives its place in the ring back. */
#define RING 4
struct place {
    struct plant *plant;
    unsigned *room, *x, *result;        // pinned, the device's, pinned
    cudaEvent_t arrived, developed;
    struct page *page;
    int n;
};

struct plant {
    struct job job;
    cudaStream_t in, work, out, urgent;
    unsigned *total;
    struct place ring[RING];
    int next;
    sem_t empty;
};

struct plant *plant_open(const struct job *j)
{
    struct plant *p = new plant();
    size_t bytes = j->frame * sizeof(unsigned);
    int least, greatest;
    unsigned long long keep = ~0ull;    // what requests give back stays in the pool for the next one
    cudaMemPool_t pool;
    CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
    CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
    p->job = *j;
    sem_init(&p->empty, 0, RING);
    CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    CHECK(cudaStreamCreateWithPriority(&p->in, cudaStreamNonBlocking, least));
    CHECK(cudaStreamCreateWithPriority(&p->work, cudaStreamNonBlocking, least));
    CHECK(cudaStreamCreateWithPriority(&p->out, cudaStreamNonBlocking, (least + greatest) / 2));
    CHECK(cudaStreamCreateWithPriority(&p->urgent, cudaStreamNonBlocking, greatest));
    CHECK(cudaMalloc((void **)&p->total, bytes));
    CHECK(cudaMemsetAsync(p->total, 0, bytes, p->out));
    for (struct place &s : p->ring) {
        s.plant = p;
        CHECK(cudaMallocHost((void **)&s.room, bytes));
        CHECK(cudaMallocHost((void **)&s.result, bytes));
        CHECK(cudaMalloc((void **)&s.x, bytes));
        CHECK(cudaEventCreateWithFlags(&s.arrived, cudaEventDisableTiming));
        CHECK(cudaEventCreateWithFlags(&s.developed, cudaEventDisableTiming));
    }
    return p;
}

unsigned *plant_room(struct plant *p)
{
    sem_wait(&p->empty);                // a place whose frame has gone all the way
    return p->ring[p->next].room;
}

static void finish(void *data)
{
    struct place *s = (struct place *)data;
    seal(s->page, s->result, s->n);
    sem_post(&s->plant->empty);
}

void plant_frame(struct plant *p, unsigned *room, int n, struct page *page)
{
    struct place *s = &p->ring[p->next];
    p->next = (p->next + 1) % RING;
    s->page = page, s->n = n;
    CHECK(cudaMemcpyAsync(s->x, room, n * sizeof *room, cudaMemcpyHostToDevice, p->in));
    CHECK(cudaEventRecord(s->arrived, p->in));
    CHECK(cudaStreamWaitEvent(p->work, s->arrived, 0));
    develop<<<p->job.tiles, THREADS, p->job.shared, p->work>>>(s->x, n, p->job.tiles);
    CHECK(cudaEventRecord(s->developed, p->work));
    CHECK(cudaStreamWaitEvent(p->out, s->developed, 0));
    gather<<<GATHER_BLOCKS, THREADS, 0, p->out>>>(p->total, s->x, n);
    CHECK(cudaMemcpyAsync(s->result, s->x, n * sizeof *room, cudaMemcpyDeviceToHost, p->out));
    CHECK(cudaLaunchHostFunc(p->out, finish, s));
    CHECK(cudaGetLastError());
}

void plant_answer(struct plant *p, unsigned *out, const unsigned *in, int n)
{
    unsigned *x;
    CHECK(cudaMallocAsync((void **)&x, n * sizeof *x, p->urgent));
    CHECK(cudaMemcpyAsync(x, in, n * sizeof *x, cudaMemcpyHostToDevice, p->urgent));
    reply<<<REPLY_BLOCKS, THREADS, 0, p->urgent>>>(x, n);
    CHECK(cudaMemcpyAsync(out, x, n * sizeof *x, cudaMemcpyDeviceToHost, p->urgent));
    CHECK(cudaGetLastError());
    CHECK(cudaFreeAsync(x, p->urgent));
    CHECK(cudaStreamSynchronize(p->urgent));
}

void plant_close(struct plant *p)
{
    CHECK(cudaStreamSynchronize(p->out));       // the last thing of the last frame
    for (struct place &s : p->ring) {
        CHECK(cudaEventDestroy(s.arrived));
        CHECK(cudaEventDestroy(s.developed));
        CHECK(cudaFree(s.x));
        CHECK(cudaFreeHost(s.room));
        CHECK(cudaFreeHost(s.result));
    }
    for (cudaStream_t stream : { p->in, p->work, p->out, p->urgent })
        CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(p->total));
    sem_destroy(&p->empty);
    delete p;
}
//< plant
