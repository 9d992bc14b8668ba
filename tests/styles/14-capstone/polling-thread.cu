/* SPDX-License-Identifier: MIT */
/* No host functions: a thread of the plant's own asks the oldest frame's event, naps, asks again, seals, and gives the room back. */
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

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
