/* SPDX-License-Identifier: MIT */
/*
 * Lesson 14: capstone, a pipeline with urgent work, and an archive on several devices.
 *
 * Grade it:  make lesson14        Run it:  make run14
 * Read:      lessons/14-capstone/chapter.md and lesson.h, the contract.
 */
#include <initializer_list>
#include <semaphore.h>
#include "lesson.h"

/* (a) A camera's plant. */
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
    struct sheet *sheet;                // job.sheets of them
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
    a->sheet = new struct sheet[j->sheets]();
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
    for (int k = 0; k < a->job.sheets; k++)
        CHECK(cudaStreamSynchronize(a->sheet[k].stream));
}

void archive_close(struct archive *a)
{
    for (int k = 0; k < a->job.sheets; k++) {
        struct sheet *s = &a->sheet[k];
        CHECK(cudaSetDevice(s->home));
        CHECK(cudaGraphExecDestroy(s->passes));
        CHECK(cudaStreamDestroy(s->stream));
        CHECK(cudaEventDestroy(s->queued));
        CHECK(cudaFreeHost(s->host));
        CHECK(cudaFree(s->x));
    }
    delete[] a->sheet;
    delete a;
}
//< archive
