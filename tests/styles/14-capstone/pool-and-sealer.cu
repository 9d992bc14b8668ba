/* SPDX-License-Identifier: MIT */
/* A frame's memory comes from a pool, and goes back to it in its stream; a thread waits for one event after the other and seals. */
#include <pthread.h>
#include <stdlib.h>
#include <vector>

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
