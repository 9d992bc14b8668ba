/* SPDX-License-Identifier: MIT */
/*
 * Lesson 14, another way: the copy in and develop() are a graph, one for each
 * room, captured anew for each frame and brought up to date with that. Callbacks
 * of the old kind seal; a mutex and a condition count the rooms; a request asks
 * its stream until it is done, with memory of its own.
 */
#include <initializer_list>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "lesson.h"

enum { ROOMS = 4, LANES = 2 };

namespace {
struct Room {
    unsigned *buf, *x;
    cudaEvent_t developed;
    cudaGraphExec_t graph;
    page *pg;
    int n;
    struct plant *p;
};
}

struct plant {
    job j;
    int low, high;
    cudaStream_t lane[LANES], pen, out, urgent;
    unsigned *total, *asked;
    Room room[ROOMS];
    int next = 0, rooms_free = ROOMS;
    std::mutex m;
    std::condition_variable c;
};

static void finish(cudaStream_t, cudaError_t status, void *data)
{
    Room *r = (Room *)data;
    CHECK(status);
    seal(r->pg, r->buf, r->n);
    std::lock_guard<std::mutex> l(r->p->m);
    r->p->rooms_free++;
    r->p->c.notify_one();
}

struct plant *plant_open(const struct job *j)
{
    plant *p = new plant;
    p->j = *j;
    size_t bytes = j->frame * sizeof(unsigned);
    CHECK(cudaDeviceGetStreamPriorityRange(&p->low, &p->high));
    for (auto s : { &p->lane[0], &p->lane[1], &p->pen, &p->out })
        CHECK(cudaStreamCreateWithPriority(s, cudaStreamNonBlocking, p->low));
    CHECK(cudaStreamCreateWithPriority(&p->urgent, cudaStreamNonBlocking, p->high));
    CHECK(cudaMalloc((void **)&p->total, bytes));
    CHECK(cudaMalloc((void **)&p->asked, j->request * sizeof(unsigned)));
    CHECK(cudaMemsetAsync(p->total, 0, bytes, p->out));
    for (auto &r : p->room) {
        r.p = p;
        r.graph = NULL;
        CHECK(cudaMallocHost((void **)&r.buf, bytes));
        CHECK(cudaMalloc((void **)&r.x, bytes));
        CHECK(cudaEventCreateWithFlags(&r.developed, cudaEventDisableTiming));
    }
    return p;
}

unsigned *plant_room(struct plant *p)
{
    std::unique_lock<std::mutex> l(p->m);
    p->c.wait(l, [&] { return p->rooms_free > 0; });
    return p->room[p->next].buf;
}

void plant_frame(struct plant *p, unsigned *room, int n, struct page *page)
{
    {
        std::lock_guard<std::mutex> l(p->m);
        p->rooms_free--;
    }
    Room &r = p->room[p->next];
    cudaStream_t lane = p->lane[p->next % LANES];
    p->next = (p->next + 1) % ROOMS;
    r.n = n;
    r.pg = page;
    size_t bytes = n * sizeof(unsigned);
    cudaGraph_t g;
    CHECK(cudaStreamBeginCapture(p->pen, cudaStreamCaptureModeThreadLocal));
    CHECK(cudaMemcpyAsync(r.x, room, bytes, cudaMemcpyHostToDevice, p->pen));
    develop<<<p->j.tiles, THREADS, p->j.shared, p->pen>>>(r.x, n, p->j.tiles);
    CHECK(cudaGetLastError());
    CHECK(cudaStreamEndCapture(p->pen, &g));
    cudaGraphExecUpdateResultInfo info;
    if (!r.graph)
        CHECK(cudaGraphInstantiate(&r.graph, g, 0));
    else
        CHECK(cudaGraphExecUpdate(r.graph, g, &info));
    CHECK(cudaGraphDestroy(g));
    CHECK(cudaGraphLaunch(r.graph, lane));
    CHECK(cudaEventRecord(r.developed, lane));
    CHECK(cudaStreamWaitEvent(p->out, r.developed, 0));
    gather<<<GATHER_BLOCKS, THREADS, 0, p->out>>>(p->total, r.x, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(room, r.x, bytes, cudaMemcpyDeviceToHost, p->out));
    CHECK(cudaStreamAddCallback(p->out, finish, &r, 0));
}

void plant_answer(struct plant *p, unsigned *out, const unsigned *in, int n)
{
    size_t bytes = n * sizeof(unsigned);
    CHECK(cudaMemcpyAsync(p->asked, in, bytes, cudaMemcpyDefault, p->urgent));
    reply<<<REPLY_BLOCKS, THREADS, 0, p->urgent>>>(p->asked, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(out, p->asked, bytes, cudaMemcpyDefault, p->urgent));
    cudaError_t s;
    while ((s = cudaStreamQuery(p->urgent)) == cudaErrorNotReady)
        std::this_thread::yield();
    CHECK(s);
}

void plant_close(struct plant *p)
{
    CHECK(cudaStreamSynchronize(p->out));
    for (auto &r : p->room) {
        CHECK(cudaFreeHost(r.buf));
        CHECK(cudaFree(r.x));
        CHECK(cudaEventDestroy(r.developed));
        if (r.graph)
            CHECK(cudaGraphExecDestroy(r.graph));
    }
    for (auto s : { p->lane[0], p->lane[1], p->pen, p->out, p->urgent })
        CHECK(cudaStreamDestroy(s));
    CHECK(cudaFree(p->total));
    CHECK(cudaFree(p->asked));
    delete p;
}
