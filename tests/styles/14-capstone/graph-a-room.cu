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
#include <vector>

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

/* (b) An archive. */
//> archive
/* A sheet is at home on one device, in a stream of its own, and its passes are a graph. */
enum newest { NOWHERE, AT_HOST, AT_DEVICE, ON_BOTH };
struct sheet {
    int home;
    enum newest newest;
    unsigned *host, *x;                 // pinned, the device's
    cudaStream_t stream;
    cudaEvent_t queued;                 // what is in the stream so far
    cudaGraphExec_t passes;
};

struct archive {
    struct archive_job job;
    int devices;
    size_t bytes;                       // of a sheet
    std::vector<struct sheet> sheet;
};

/* What one device gives back stays in its pool, and each reads the others' memory directly if it can. */
static void open_device(const struct archive *a, int device)
{
    unsigned long long keep = ~0ull;
    cudaMemPool_t pool;
    int can;
    CHECK(cudaSetDevice(device));
    CHECK(cudaDeviceGetDefaultMemPool(&pool, device));
    CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
    for (int other = 0; other < a->devices; other++) {
        if (other == device)
            continue;
        CHECK(cudaDeviceCanAccessPeer(&can, device, other));
        if (can)
            CHECK(cudaDeviceEnablePeerAccess(other, 0));
    }
}

static void open_sheet(const struct archive *a, struct sheet *s, int home)
{
    cudaGraph_t graph;
    s->home = home;
    s->newest = NOWHERE;
    CHECK(cudaSetDevice(home));
    CHECK(cudaStreamCreateWithFlags(&s->stream, cudaStreamNonBlocking));
    CHECK(cudaEventCreateWithFlags(&s->queued, cudaEventDisableTiming));
    CHECK(cudaMallocHost((void **)&s->host, a->bytes));
    CHECK(cudaMalloc((void **)&s->x, a->bytes));
    CHECK(cudaStreamBeginCapture(s->stream, cudaStreamCaptureModeThreadLocal));
    for (int k = 0; k < PASSES; k++)
        pass<<<a->job.blocks, ARCHIVE_THREADS, a->job.shared, s->stream>>>(s->x, a->job.table, a->job.n, k);
    CHECK(cudaGetLastError());
    CHECK(cudaStreamEndCapture(s->stream, &graph));
    CHECK(cudaGraphInstantiate(&s->passes, graph, 0));
    CHECK(cudaGraphDestroy(graph));
}

/* Every device has a copy of its own. */
static void advise_read_mostly(const void *p, size_t bytes)
{
#if CUDART_VERSION >= 13000
    struct cudaMemLocation anywhere = {};       // not looked at for this advice
    anywhere.type = cudaMemLocationTypeDevice;
    CHECK(cudaMemAdvise(p, bytes, cudaMemAdviseSetReadMostly, anywhere));
#else
    CHECK(cudaMemAdvise(p, bytes, cudaMemAdviseSetReadMostly, 0));
#endif
}

struct archive *archive_open(const struct archive_job *j)
{
    struct archive *a = new archive();
    a->job = *j;
    a->bytes = j->n * sizeof(unsigned);
    a->sheet.resize(j->sheets);
    CHECK(cudaGetDeviceCount(&a->devices));
    for (int device = 0; device < a->devices; device++)
        open_device(a, device);
    for (int k = 0; k < j->sheets; k++)
        open_sheet(a, &a->sheet[k], k % a->devices);
    advise_read_mostly(j->table, TABLE * sizeof *j->table);
    return a;
}

void archive_begin(struct archive *a)
{
    for (int k = 0; k < a->job.sheets; k++) {
        struct sheet *s = &a->sheet[k];
        CHECK(cudaSetDevice(s->home));
        if (k < a->devices) {                   // the first sheet of its device
            CHECK(prefetch(a->job.table, TABLE * sizeof *a->job.table, s->home, s->stream));
            CHECK(cudaEventRecord(s->queued, s->stream));
        } else
            CHECK(cudaStreamWaitEvent(s->stream, a->sheet[s->home].queued, 0));
    }
}

const unsigned *archive_show(struct archive *a, int sheet)
{
    struct sheet *s = &a->sheet[sheet];
    if (s->newest == AT_DEVICE) {
        CHECK(cudaMemcpyAsync(s->host, s->x, a->bytes, cudaMemcpyDeviceToHost, s->stream));
        CHECK(cudaStreamSynchronize(s->stream));
        s->newest = ON_BOTH;
    }
    return s->host;
}

unsigned *archive_edit(struct archive *a, int sheet)
{
    struct sheet *s = &a->sheet[sheet];
    archive_show(a, sheet);
    CHECK(cudaStreamSynchronize(s->stream));    // a copy may still read what the caller is about to write
    s->newest = AT_HOST;
    return s->host;
}

/* From here on the device has the newest version; work in the sheet's stream finds it there. */
static void send(const struct archive *a, struct sheet *s)
{
    if (s->newest != AT_HOST)
        return;
    CHECK(cudaMemcpyAsync(s->x, s->host, a->bytes, cudaMemcpyHostToDevice, s->stream));
    s->newest = ON_BOTH;
}

void archive_retouch(struct archive *a, int sheet)
{
    struct sheet *s = &a->sheet[sheet];
    CHECK(cudaSetDevice(s->home));
    send(a, s);
    CHECK(cudaGraphLaunch(s->passes, s->stream));
    s->newest = AT_DEVICE;
}

void archive_blend(struct archive *a, int to, int from)
{
    struct sheet *t = &a->sheet[to], *f = &a->sheet[from];
    unsigned *x = f->x;
    send(a, f);
    send(a, t);
    CHECK(cudaSetDevice(f->home));
    CHECK(cudaEventRecord(f->queued, f->stream));
    CHECK(cudaSetDevice(t->home));
    CHECK(cudaStreamWaitEvent(t->stream, f->queued, 0));
    if (t->home != f->home) {
        CHECK(cudaMallocAsync((void **)&x, a->bytes, t->stream));
        CHECK(cudaMemcpyPeerAsync(x, t->home, f->x, f->home, a->bytes, t->stream));
    }
    blend<<<a->job.blocks, ARCHIVE_THREADS, a->job.shared, t->stream>>>(t->x, x, a->job.n);
    CHECK(cudaGetLastError());
    if (t->home != f->home)
        CHECK(cudaFreeAsync(x, t->stream));
    CHECK(cudaEventRecord(t->queued, t->stream));
    CHECK(cudaStreamWaitEvent(f->stream, t->queued, 0));    // what changes `from` comes after
    t->newest = AT_DEVICE;
}

void archive_end(struct archive *a)
{
    for (struct sheet &s : a->sheet)
        CHECK(cudaStreamSynchronize(s.stream));
}

void archive_close(struct archive *a)
{
    for (struct sheet &s : a->sheet) {
        CHECK(cudaSetDevice(s.home));
        CHECK(cudaGraphExecDestroy(s.passes));
        CHECK(cudaStreamDestroy(s.stream));
        CHECK(cudaEventDestroy(s.queued));
        CHECK(cudaFreeHost(s.host));
        CHECK(cudaFree(s.x));
    }
    delete a;
}
//< archive
