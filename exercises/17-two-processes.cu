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
    /* TODO: this is memory of our own, and these are events of our own.
     * - The memory r->frames is the other process's, and each event stands for the other process's event.
     */
    CHECK(cudaMalloc((void **)&r->frames, SLOTS * o->n * sizeof *r->frames));
    for (int k = 0; k < SLOTS; k++) {
        CHECK(cudaEventCreateWithFlags(&r->full[k], cudaEventDisableTiming));
        CHECK(cudaEventCreateWithFlags(&r->empty[k], cudaEventDisableTiming));
    }
    //< open
}

void ring_close(struct ring *r)
{
    //> close
    /* TODO: this comes back while work is queued, and gives back the stream alone.
     * - All work in r->stream is done before the memory goes.
     * - All that ring_open() opened is closed.
     */
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
    /* TODO: nothing on the device waits for the other process, and the host waits for the device.
     * - examine() waits for full[k], which has been recorded when await_queued() returns.
     * - empty[k] is recorded when the other process is told.
     * - The function comes back while the work is queued.
     */
    await_queued(frame);
    examine<<<blocks(r->n), THREADS, 0, r->stream>>>(result, r->frames + (size_t)k * r->n, r->n);
    CHECK(cudaGetLastError());
    CHECK(cudaStreamSynchronize(r->stream));
    tell_taken(frame);
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
    /* TODO: the ticket is empty.
     * - The other process can open x and ready from it.
     */
    (void)t;
    CHECK(cudaMalloc((void **)&s->x, n * sizeof *s->x));
    CHECK(cudaEventCreateWithFlags(&s->ready, cudaEventDisableTiming));
    //< share
}

void share_fill(struct share *s, unsigned seed)
{
    //> fill
    /* TODO: the other process is told too early.
     * - The event ready is recorded, and stands for produce(), when it is told.
     */
    tell_ready();
    produce<<<blocks(s->n), THREADS, 0, s->stream>>>(s->x, s->n, seed);
    CHECK(cudaGetLastError());
    //< fill
}

void share_close(struct share *s)
{
    //> unshare
    /* TODO: the other process may still be reading.
     * - x is there until it has closed it.
     * - All that share_open() made is given back.
     */
    CHECK(cudaFree(s->x));
    //< unshare
}
