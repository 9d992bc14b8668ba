/* SPDX-License-Identifier: MIT */
/* No host functions: a thread of the plant's own asks the oldest frame's event, naps, asks again, seals, and gives the room back. */
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "lesson.h"

//> plant
enum { ROOMS = 6 };

struct room {
    unsigned *frame, *x, *result;
    cudaEvent_t arrived, developed, done;
    struct page *page;
    int n;
};

struct plant {
    struct job job;
    cudaStream_t in, odd, even, out, urgent;
    unsigned *total, *asked;            // asked: a request's
    room rooms[ROOMS];
    std::mutex lock;
    std::condition_variable changed;
    std::deque<room *> empty, busy;     // the oldest first
    bool closing = false;
    int frames = 0;
    std::thread sealer;

    void work();
};

/* Asks for the oldest, and naps in between. */
void plant::work()
{
    for (;;) {
        room *r;
        {
            std::unique_lock<std::mutex> guard(lock);
            changed.wait(guard, [this] { return closing || !busy.empty(); });
            if (busy.empty())
                return;
            r = busy.front();
            busy.pop_front();
        }
        cudaError_t status;
        while ((status = cudaEventQuery(r->done)) == cudaErrorNotReady)
            std::this_thread::sleep_for(std::chrono::microseconds(4));
        CHECK(status);
        seal(r->page, r->result, r->n);
        std::lock_guard<std::mutex> guard(lock);
        empty.push_back(r);
        changed.notify_all();
    }
}

struct plant *plant_open(const struct job *j)
{
    plant *p = new plant;
    size_t bytes = j->frame * sizeof(unsigned);
    int least, greatest;
    p->job = *j;
    CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    for (cudaStream_t *s : std::initializer_list<cudaStream_t *>{ &p->in, &p->odd, &p->even, &p->out })
        CHECK(cudaStreamCreateWithPriority(s, cudaStreamNonBlocking, s == &p->out ? greatest : least));
    CHECK(cudaStreamCreateWithPriority(&p->urgent, cudaStreamNonBlocking, greatest));
    CHECK(cudaMalloc((void **)&p->total, bytes));
    CHECK(cudaMalloc((void **)&p->asked, j->request * sizeof(unsigned)));
    CHECK(cudaMemset(p->total, 0, bytes));
    CHECK(cudaDeviceSynchronize());
    for (room &r : p->rooms) {
        CHECK(cudaMallocHost((void **)&r.frame, bytes));
        CHECK(cudaMallocHost((void **)&r.result, bytes));
        CHECK(cudaMalloc((void **)&r.x, bytes));
        for (cudaEvent_t *e : { &r.arrived, &r.developed, &r.done })
            CHECK(cudaEventCreateWithFlags(e, cudaEventDisableTiming));
        p->empty.push_back(&r);
    }
    p->sealer = std::thread(&plant::work, p);
    return p;
}

unsigned *plant_room(struct plant *p)
{
    std::unique_lock<std::mutex> guard(p->lock);
    p->changed.wait(guard, [=] { return !p->empty.empty(); });
    return p->empty.front()->frame;
}

void plant_frame(struct plant *p, unsigned *frame, int n, struct page *page)
{
    std::unique_lock<std::mutex> guard(p->lock);
    room *r = p->empty.front();
    p->empty.pop_front();
    guard.unlock();
    cudaStream_t work = p->frames++ % 2 ? p->odd : p->even;
    r->page = page;
    r->n = n;
    CHECK(cudaMemcpyAsync(r->x, frame, n * sizeof *frame, cudaMemcpyHostToDevice, p->in));
    CHECK(cudaEventRecord(r->arrived, p->in));
    CHECK(cudaStreamWaitEvent(work, r->arrived, 0));
    develop<<<p->job.tiles, THREADS, p->job.shared, work>>>(r->x, n, p->job.tiles);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(r->developed, work));
    CHECK(cudaStreamWaitEvent(p->out, r->developed, 0));
    gather<<<GATHER_BLOCKS, THREADS, 0, p->out>>>(p->total, r->x, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(r->result, r->x, n * sizeof *frame, cudaMemcpyDeviceToHost, p->out));
    CHECK(cudaEventRecord(r->done, p->out));
    guard.lock();
    p->busy.push_back(r);
    p->changed.notify_all();
}

void plant_answer(struct plant *p, unsigned *out, const unsigned *in, int n)
{
    CHECK(cudaMemcpyAsync(p->asked, in, n * sizeof *in, cudaMemcpyHostToDevice, p->urgent));
    reply<<<REPLY_BLOCKS, THREADS, 0, p->urgent>>>(p->asked, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(out, p->asked, n * sizeof *out, cudaMemcpyDeviceToHost, p->urgent));
    CHECK(cudaStreamSynchronize(p->urgent));
}

void plant_close(struct plant *p)
{
    {
        std::lock_guard<std::mutex> guard(p->lock);
        p->closing = true;
        p->changed.notify_all();
    }
    p->sealer.join();
    for (room &r : p->rooms) {
        for (cudaEvent_t e : { r.arrived, r.developed, r.done })
            CHECK(cudaEventDestroy(e));
        CHECK(cudaFreeHost(r.frame));
        CHECK(cudaFreeHost(r.result));
        CHECK(cudaFree(r.x));
    }
    for (cudaStream_t s : { p->in, p->odd, p->even, p->out, p->urgent })
        CHECK(cudaStreamDestroy(s));
    CHECK(cudaFree(p->total));
    CHECK(cudaFree(p->asked));
    delete p;
}
//< plant
