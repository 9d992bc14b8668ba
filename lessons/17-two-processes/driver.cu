/* SPDX-License-Identifier: MIT */
/*
 * driver.cu - the other process, and what calls the learner's. The two talk through semaphores in
 * shared memory. It judges nothing.
 */
#include <errno.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "driver.h"
#include "lesson.h"
#include "slots.h"

enum { SHARE_MOST = 2560 };     /* elements of x */

struct shared {
    struct offer offer;
    struct ticket ticket;
    struct talk {               /* semaphores and nothing else */
        sem_t offered, ask[SLOTS], asked[SLOTS], held[SLOTS], filled[SLOTS], go, queued[FRAMES],
            taken[FRAMES];
        sem_t given[ROUNDS], opened[ROUNDS], ready[ROUNDS], closed[ROUNDS], over;
    } talk;
    int begun;                  /* these can be used */
    int32_t empty[SLOTS], opened_x[ROUNDS], opened_ready[ROUNDS], written;
    unsigned x[SHARE_MOST];
};
static_assert(sizeof(struct shared) <= DRIVER_SHARED, "more than fits");
static_assert(RING == SLOTS, "slots.h and lesson.h differ");

static struct shared *shared(void) { return (struct shared *)driver_shared(); }
static const struct sizes *sizes(void)
{
    return (const struct sizes *)driver_input(IN_SIZES, NULL);
}

static void wait_for(sem_t *s)
{
    while (sem_wait(s) != 0 && errno == EINTR)
        ;
}

static void launch_hold(cudaStream_t stream, long long ns)
{
    hold<<<1, 1, 0, stream>>>(ns);
    CHECK(cudaGetLastError());
}

/* ---- the other process ---- */

struct other {
    unsigned *frames, *host;    /* its ring, and all frames, pinned */
    cudaEvent_t full[SLOTS], empty[SLOTS];
    cudaStream_t stream;
};

static cudaEvent_t offered_event(cudaIpcEventHandle_t *handle)
{
    cudaEvent_t event;
    CHECK(cudaEventCreateWithFlags(&event, cudaEventInterprocess | cudaEventDisableTiming));
    CHECK(cudaIpcGetEventHandle(handle, event));
    return event;
}

static void other_opens(struct other *o)
{
    size_t n = sizes()->n, frame = n * sizeof(unsigned);
    struct offer *offer = &shared()->offer;
    CHECK(cudaStreamCreateWithFlags(&o->stream, cudaStreamNonBlocking));
    CHECK(cudaMalloc((void **)&o->frames, SLOTS * frame));
    CHECK(cudaMallocHost((void **)&o->host, FRAMES * frame));
    memcpy(o->host, driver_input(IN_FRAMES, NULL), FRAMES * frame);
    CHECK(cudaMemsetAsync(o->frames, 0, SLOTS * frame, o->stream));
    for (int k = 0; k < SLOTS; k++) {
        o->full[k] = offered_event(&offer->full[k]);
        o->empty[k] = offered_event(&offer->empty[k]);
    }
    CHECK(cudaIpcGetMemHandle(&offer->frames, o->frames));
    offer->n = (int)n;
    launch_hold(o->stream, 1000); /* its code is on the device before anything is asked */
    CHECK(cudaStreamSynchronize(o->stream));
}

/* Is `empty` the learner's r->empty? And full, held by a kernel of this process. Then the slot is
 * filled. */
static void other_is_asked(struct other *o, int k)
{
    size_t n = sizes()->n;
    wait_for(&shared()->talk.ask[k]);
    shared()->empty[k] = cudaEventQuery(o->empty[k]);
    launch_hold(o->stream, HOLD_NS);
    CHECK(cudaEventRecord(o->full[k], o->stream));
    sem_post(&shared()->talk.asked[k]);
    wait_for(&shared()->talk.held[k]);
    CHECK(cudaMemcpyAsync(o->frames + k * n, (const unsigned *)driver_input(IN_SLOTS, NULL) + k * n,
                          n * sizeof(unsigned), cudaMemcpyHostToDevice, o->stream));
    CHECK(cudaStreamSynchronize(o->stream));
    sem_post(&shared()->talk.filled[k]);
}

static void other_sends(struct other *o, int f)
{
    size_t n = sizes()->n;
    int k = f % SLOTS;
    host_work(sizes()->other_pause[f]);
    if (f >= SLOTS) {
        wait_for(&shared()->talk.taken[f - SLOTS]);
        CHECK(cudaStreamWaitEvent(o->stream, o->empty[k], 0));
    }
    CHECK(cudaMemcpyAsync(o->frames + k * n, o->host + f * n, n * sizeof(unsigned),
                          cudaMemcpyHostToDevice, o->stream));
    CHECK(cudaEventRecord(o->full[k], o->stream));
    sem_post(&shared()->talk.queued[f]);
}

/* Reads what the learner's process shares. */
static void other_reads(struct other *o, int round)
{
    unsigned *x;
    cudaEvent_t ready;
    struct shared *s = shared();
    size_t bytes = sizes()->share[round] * sizeof *x;
    wait_for(&s->talk.given[round]);
    s->opened_x[round] =
        cudaIpcOpenMemHandle((void **)&x, s->ticket.x, cudaIpcMemLazyEnablePeerAccess);
    s->opened_ready[round] = cudaIpcOpenEventHandle(&ready, s->ticket.ready);
    (void)cudaGetLastError();
    sem_post(&s->talk.opened[round]);
    wait_for(&s->talk.ready[round]);
    if (s->opened_ready[round] == cudaSuccess)
        CHECK(cudaStreamWaitEvent(o->stream, ready, 0));
    host_work(sizes()->late[round]);
    if (s->opened_x[round] == cudaSuccess && s->opened_ready[round] == cudaSuccess) {
        /* It is refused where `x` is shorter than that: which is for the grader to say of what made
         * it. */
        if (cudaMemcpyAsync(o->host, x, bytes, cudaMemcpyDeviceToHost, o->stream) != cudaSuccess)
            (void)cudaGetLastError();
        CHECK(cudaStreamSynchronize(o->stream));
        memcpy(s->x, o->host, bytes);
    }
    if (s->opened_ready[round] == cudaSuccess)
        CHECK(cudaEventDestroy(ready));
    if (s->opened_x[round] == cudaSuccess)
        CHECK(cudaIpcCloseMemHandle(x));
    sem_post(&s->talk.closed[round]);
}

/* Who examines a frame in its slot and copies it from there has the right result, too. */
static void other_looks(struct other *o)
{
    const unsigned *sent = (const unsigned *)driver_input(IN_FRAMES, NULL);
    int n = (int)sizes()->n;
    CHECK(cudaMemcpyAsync(o->host, o->frames, SLOTS * n * sizeof(unsigned), cudaMemcpyDeviceToHost,
                          o->stream));
    CHECK(cudaStreamSynchronize(o->stream));
    for (int i = FRAMES * n - 1; i >= (FRAMES - SLOTS) * n; i--)
        if (o->host[i / n % SLOTS * n + i % n] != sent[i])
            shared()->written = 1 + i;
}

static void other_closes(struct other *o)
{
    wait_for(&shared()->talk.over);
    other_looks(o);
    for (int k = 0; k < SLOTS; k++) {
        CHECK(cudaEventDestroy(o->full[k]));
        CHECK(cudaEventDestroy(o->empty[k]));
    }
    CHECK(cudaStreamDestroy(o->stream));
    CHECK(cudaFreeHost(o->host));
    CHECK(cudaFree(o->frames));
}

void driver_other(void)
{
    struct other o;
    while (!__atomic_load_n(&shared()->begun, __ATOMIC_ACQUIRE))
        usleep(100);
    other_opens(&o);
    sem_post(&shared()->talk.offered);
    for (int k = 0; k < SLOTS; k++)
        other_is_asked(&o, k);
    wait_for(&shared()->talk.go);
    for (int f = 0; f < FRAMES; f++)
        other_sends(&o, f);
    for (int round = 0; round < ROUNDS; round++)
        other_reads(&o, round);
    other_closes(&o);
}

/* ---- what lesson.h promises ---- */

static void label(const char *what, int k)
{
    char text[32];
    snprintf(text, sizeof text, "%s%d", what, k);
    label_push(text);
}

/* A second question gets the same answer. */
static void await(sem_t *s)
{
    wait_for(s);
    sem_post(s);
}

void await_queued(int frame)
{
    label(QUEUED, frame);
    if (frame >= 0 && frame < FRAMES)
        await(&shared()->talk.queued[frame]);
    label_pop();
}

void tell_taken(int frame)
{
    label(TAKEN, frame);
    label_pop();
    if (frame >= 0 && frame < FRAMES)
        sem_post(&shared()->talk.taken[frame]);
}

static int now_round;           /* of part (c) */

void tell_ready(void)
{
    label_push(READY);
    label_pop();
    sem_post(&shared()->talk.ready[now_round]);
}

void await_closed(void)
{
    label_push(CLOSED);
    await(&shared()->talk.closed[now_round]);
    label_pop();
}

/* ---- the learner's process ---- */

static void close_ring(struct ring *r)
{
    label_push(CLOSE);
    ring_close(r);
    label_pop();
    (void)cudaGetLastError();
}

static void know(struct ring *r)
{
    label_push(KNOWN);
    for (int k = 0; k < SLOTS; k++) {
        (void)cudaEventQuery(r->full[k]);
        (void)cudaEventQuery(r->empty[k]);
    }
    label_pop();
    (void)cudaGetLastError();
}

static void look_into(unsigned *pinned, struct answers *out)
{
    struct ring r = {};
    size_t bytes = SLOTS * sizes()->n * sizeof(unsigned);
    driver_part("a");
    ring_open(&r, &shared()->offer);
    know(&r);
    for (int k = 0; k < SLOTS; k++) {
        launch_hold(r.stream, HOLD_NS);
        (void)cudaEventRecord(r.empty[k], r.stream);    /* whatever the learner has made of it */
        sem_post(&shared()->talk.ask[k]);
        wait_for(&shared()->talk.asked[k]);
        out->full[k] = cudaEventQuery(r.full[k]);
        sem_post(&shared()->talk.held[k]);
        CHECK(cudaStreamSynchronize(r.stream));
        wait_for(&shared()->talk.filled[k]);
        (void)cudaEventSynchronize(r.full[k]);
        (void)cudaGetLastError();
        out->empty[k] = shared()->empty[k];
    }
    memset(pinned, 0xff, bytes);
    (void)cudaMemcpyAsync(pinned, r.frames, bytes, cudaMemcpyDeviceToHost, r.stream);
    CHECK(cudaStreamSynchronize(r.stream));
    (void)cudaGetLastError();
    memcpy(driver_output(OUT_SLOTS, NULL), pinned, bytes);
    launch_hold(r.stream, LAST_HOLD_NS);
    close_ring(&r);
    driver_part(NULL);
}

static void take(unsigned *pinned)
{
    struct ring r = {};
    size_t n = sizes()->n, bytes = FRAMES * n * sizeof(unsigned);
    unsigned *results;
    CHECK(cudaMalloc((void **)&results, bytes));
    CHECK(cudaMemset(results, 0xff, bytes));
    ring_open(&r, &shared()->offer);
    examine<<<1, THREADS, 0, r.stream>>>(results, results, 1);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    know(&r);
    driver_part("b");
    sem_post(&shared()->talk.go);
    for (int f = 0; f < FRAMES; f++) {
        host_work(sizes()->own_pause[f]);
        label(FRAME, f);
        ring_take(&r, f, results + f * n);
        label_pop();
        sem_post(&shared()->talk.taken[f]); /* the other process goes on, whatever it was told */
    }
    close_ring(&r);
    driver_part(NULL);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(pinned, results, bytes, cudaMemcpyDeviceToHost));
    memcpy(driver_output(OUT_RESULTS, NULL), pinned, bytes);
    CHECK(cudaFree(results));
}

static void give(struct answers *out)
{
    /* Between two rounds something else takes the memory that the first one had: x is not where it was. */
    void *others[ROUNDS];
    driver_part("c");
    for (int round = 0; round < ROUNDS; round++) {
        struct share s = {};
        now_round = round;
        memset(&shared()->ticket, 0, sizeof shared()->ticket);
        label(ROUND, round);
        share_open(&s, &shared()->ticket, (int)sizes()->share[round]);
        label_push(KNOWN);
        (void)cudaEventQuery(s.ready);
        label_pop();
        (void)cudaGetLastError();
        sem_post(&shared()->talk.given[round]);
        wait_for(&shared()->talk.opened[round]);
        label_push(FILL);
        share_fill(&s, (unsigned)sizes()->seed[round]);
        label_pop();
        sem_post(&shared()->talk.ready[round]);      /* the same */
        share_close(&s);
        label_pop();
        wait_for(&shared()->talk.closed[round]);
        out->opened_x[round] = shared()->opened_x[round];
        out->opened_ready[round] = shared()->opened_ready[round];
        memcpy(driver_output(OUT_SHARED + round, NULL), shared()->x,
               sizes()->share[round] * sizeof(unsigned));
        CHECK(cudaMalloc(&others[round], sizes()->share[round] * sizeof(unsigned)));
    }
    driver_part(NULL);
    for (int round = 0; round < ROUNDS; round++)
        CHECK(cudaFree(others[round]));
}

int main(void)
{
    unsigned *pinned, *x;
    struct answers *out = (struct answers *)driver_output(OUT_ANSWERS, NULL);
    struct shared *s = shared();
    out->written = 0; /* until the other process has looked: a program may end in (c) */
    for (sem_t *one = (sem_t *)&s->talk; one < (sem_t *)(&s->talk + 1); one++)
        sem_init(one, 1, 0);
    __atomic_store_n(&s->begun, 1, __ATOMIC_RELEASE);
    driver_other_begins();
    CHECK(cudaMallocHost((void **)&pinned, FRAMES * sizes()->n * sizeof *pinned));
    CHECK(cudaMalloc((void **)&x, sizeof *x));
    launch_hold(NULL, 1000);
    produce<<<1, THREADS>>>(x, 1, 0);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    wait_for(&s->talk.offered);
    look_into(pinned, out);
    take(pinned);
    give(out);
    sem_post(&s->talk.over);
    driver_other_ends();
    out->written = s->written;
    CHECK(cudaFree(x));
    CHECK(cudaFreeHost(pinned));
    return 0;
}
