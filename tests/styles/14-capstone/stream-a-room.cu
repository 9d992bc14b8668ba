/* SPDX-License-Identifier: MIT */
/* A stream for each room: the tail of one develop() is filled by the next. Gathering has one stream, and its functions keep a list of rooms. */
#include <condition_variable>
#include <mutex>
#include <vector>

#include "lesson.h"

namespace {

struct room {
    struct plant *plant;
    cudaStream_t stream;
    cudaEvent_t developed;
    unsigned *frame, *x, *result;
    struct page *page;
    int n;
};

}

//> plant
struct plant {
    struct job job;
    int least, greatest;
    cudaStream_t gathering, urgent;
    unsigned *total;
    room rooms[5];
    std::mutex lock;
    std::condition_variable changed;
    std::vector<room *> empty;
};

struct plant *plant_open(const struct job *j)
{
    plant *p = new plant;
    size_t bytes = j->frame * sizeof(unsigned);
    p->job = *j;
    CHECK(cudaDeviceGetStreamPriorityRange(&p->least, &p->greatest));
    CHECK(cudaStreamCreateWithPriority(&p->urgent, cudaStreamNonBlocking, p->greatest));
    CHECK(cudaStreamCreateWithPriority(&p->gathering, cudaStreamNonBlocking, p->least + (p->greatest - p->least) / 2));
    unsigned long long keep = ~0ull;
    cudaMemPool_t pool;
    CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
    CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
    CHECK(cudaMalloc((void **)&p->total, bytes));
    CHECK(cudaMemset(p->total, 0, bytes));
    for (room &r : p->rooms) {
        r.plant = p;
        CHECK(cudaStreamCreateWithPriority(&r.stream, cudaStreamNonBlocking, p->least));
        CHECK(cudaEventCreateWithFlags(&r.developed, cudaEventDisableTiming));
        CHECK(cudaMallocHost((void **)&r.frame, bytes));
        CHECK(cudaMallocHost((void **)&r.result, bytes));
        CHECK(cudaMalloc((void **)&r.x, bytes));
        p->empty.push_back(&r);
    }
    CHECK(cudaDeviceSynchronize());
    return p;
}

unsigned *plant_room(struct plant *p)
{
    std::unique_lock<std::mutex> guard(p->lock);
    p->changed.wait(guard, [=] { return !p->empty.empty(); });
    return p->empty.back()->frame;
}

static void sealed(void *data)
{
    room *r = (room *)data;
    seal(r->page, r->result, r->n);
    std::lock_guard<std::mutex> guard(r->plant->lock);
    r->plant->empty.insert(r->plant->empty.begin(), r);
    r->plant->changed.notify_one();
}

void plant_frame(struct plant *p, unsigned *, int n, struct page *page)
{
    room *r;
    {
        std::lock_guard<std::mutex> guard(p->lock);
        r = p->empty.back();
        p->empty.pop_back();
    }
    r->page = page;
    r->n = n;
    CHECK(cudaMemcpyAsync(r->x, r->frame, n * sizeof(unsigned), cudaMemcpyHostToDevice, r->stream));
    develop<<<p->job.tiles, THREADS, p->job.shared, r->stream>>>(r->x, n, p->job.tiles);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(r->developed, r->stream));
    CHECK(cudaStreamWaitEvent(p->gathering, r->developed, 0));
    gather<<<GATHER_BLOCKS, THREADS, 0, p->gathering>>>(p->total, r->x, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(r->result, r->x, n * sizeof(unsigned), cudaMemcpyDeviceToHost, p->gathering));
    CHECK(cudaLaunchHostFunc(p->gathering, sealed, r));
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
    CHECK(cudaStreamSynchronize(p->gathering));
    for (room &r : p->rooms) {
        CHECK(cudaStreamDestroy(r.stream));
        CHECK(cudaEventDestroy(r.developed));
        CHECK(cudaFreeHost(r.frame));
        CHECK(cudaFreeHost(r.result));
        CHECK(cudaFree(r.x));
    }
    CHECK(cudaStreamDestroy(p->gathering));
    CHECK(cudaStreamDestroy(p->urgent));
    CHECK(cudaFree(p->total));
    delete p;
}
//< plant
