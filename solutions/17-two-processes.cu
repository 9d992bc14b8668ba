/* SPDX-License-Identifier: MIT */
/*
 * Lesson 17: two processes.
 *
 * Grade it:  make lesson17        Run it:  make run17
 * Read:      lessons/17-two-processes/chapter.md; lesson.h beside it is the
 *            contract, with the kernels.
 */
#include "lesson.h"

/* Blocks for n elements. */
[[maybe_unused]] static int blocks(int n)
{
    return (n + THREADS - 1) / THREADS;
}

/*
 * (a) What the other process has.
 */
void ring_open(struct ring *r, const struct offer *o)
{
    r->n = o->n;
    CHECK(cudaStreamCreateWithFlags(&r->stream, cudaStreamNonBlocking));
    //> open
    CHECK(cudaIpcOpenMemHandle((void **)&r->frames, o->frames, cudaIpcMemLazyEnablePeerAccess));
    for (int k = 0; k < SLOTS; k++) {
        CHECK(cudaIpcOpenEventHandle(&r->full[k], o->full[k]));
        CHECK(cudaIpcOpenEventHandle(&r->empty[k], o->empty[k]));
    }
    //< open
}

void ring_close(struct ring *r)
{
    //> close
    CHECK(cudaStreamSynchronize(r->stream));
    for (int k = 0; k < SLOTS; k++) {
        CHECK(cudaEventDestroy(r->full[k]));
        CHECK(cudaEventDestroy(r->empty[k]));
    }
    CHECK(cudaIpcCloseMemHandle(r->frames));    // the other process frees it
    CHECK(cudaStreamDestroy(r->stream));
    //< close
}

/*
 * (b) Frame by frame.
 */
void ring_take(struct ring *r, int frame, unsigned *result)
{
    int k = frame % SLOTS;
    //> take
    await_queued(frame);                        // full[k] has been recorded for this frame
    CHECK(cudaStreamWaitEvent(r->stream, r->full[k], 0));
    examine<<<blocks(r->n), THREADS, 0, r->stream>>>(result, r->frames + (size_t)k * r->n, r->n);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(r->empty[k], r->stream));
    tell_taken(frame);                          // empty[k] has been recorded for this frame
    //< take
}

/*
 * (c) Something for the other process.
 */
void share_open(struct share *s, struct ticket *t, int n)
{
    s->n = n;
    CHECK(cudaStreamCreateWithFlags(&s->stream, cudaStreamNonBlocking));
    //> share
    CHECK(cudaMalloc((void **)&s->x, n * sizeof *s->x));
    CHECK(cudaEventCreateWithFlags(&s->ready, cudaEventInterprocess | cudaEventDisableTiming));
    CHECK(cudaIpcGetMemHandle(&t->x, s->x));
    CHECK(cudaIpcGetEventHandle(&t->ready, s->ready));
    //< share
}

void share_fill(struct share *s, unsigned seed)
{
    //> fill
    produce<<<blocks(s->n), THREADS, 0, s->stream>>>(s->x, s->n, seed);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(s->ready, s->stream));
    tell_ready();
    //< fill
}

void share_close(struct share *s)
{
    //> unshare
    await_closed();                             // the other process reads x until then
    CHECK(cudaEventDestroy(s->ready));
    CHECK(cudaFree(s->x));
    CHECK(cudaStreamDestroy(s->stream));
    //< unshare
}
