/* SPDX-License-Identifier: MIT */
/*
 * lesson.h - the contract of lesson 07: what you write, the kernels that you
 * queue, and the host's work that they are followed by.
 *
 * Numbers are unsigned and wrap round at 2^32: every result is exact. All
 * kernels take any grid and block and touch each of their n elements once.
 * Every stream, event and buffer that you make you give back before the last
 * function of its part returns. Nothing is running when a part begins. The
 * functions of a part are called again, with other numbers and sizes, and
 * nothing may be left of the first time.
 */
#ifndef LESSON_H
#define LESSON_H

#include "notes.h"
#include "streams.h"

#define BLOCKS 8
#define THREADS 64

#define RIPEN_NS 200000         /* what a block takes */
#define ABSORB_NS 150000
#define FINISH_NS 150000        /* what a chunk takes the host */

/* ---- (a) each chunk as it arrives ---- */

struct harvest {
    unsigned *device, *home;    /* n elements each; `home` is pinned */
    int n, chunk;               /* elements; elements of a chunk, of which the last has fewer */
    /* Yours to fill in at the beginning and to use at the end. */
    cudaStream_t work, after;
    cudaEvent_t arrived;
    int *number;
};

static inline int chunk_count(const struct harvest *h) { return (h->n + h->chunk - 1) / h->chunk; }
static inline int chunk_size(const struct harvest *h, int c)
{
    int left = h->n - c * h->chunk;
    return left < h->chunk ? left : h->chunk;
}

/* The host's share of chunk number `chunk`, counted from 0, when that is home: FINISH_NS of the caller's time. Any
 * thread may call it; it calls nothing of CUDA's. */
void finish(int chunk);

/* Queues it all: each chunk through ripen() and from `device` to `home`, and finish() for each, once, as soon as it is
 * there, called from a function of a stream's or from another thread that sleeps until then and does not poll. (In
 * cudaEventSynchronize() a thread sleeps if the event has cudaEventBlockingSync, and polls if not.) It returns
 * while that is under way, and the caller has work of its own. While the host finishes a chunk the device is at work on
 * the next one, or all is done as early some other way. */
void harvest_begin(struct harvest *h);
/* Returns when all chunks are finished, however it waits for that, and gives everything back. There may be another harvest
 * afterwards, of more chunks or of fewer. */
void harvest_end(struct harvest *h);

/* ---- (b) a staging ring ---- */

#define RING 3

struct feed {
    int count, n;               /* batches; elements of one */
    unsigned *ring[RING];       /* pinned, n elements each: the staging slots */
    unsigned *inbox;            /* device memory: room for one batch */
    unsigned *total;            /* device memory: n elements, which the batches are added to, and in front of them
                                 * what absorb() notes */
};

/* Puts batch number `batch` of this part, from 0, into one of its slots: the host works on that for a while. */
void fill(unsigned *slot, int batch);

/* For each batch in turn: fills a slot of the ring, all of them in turn, copies it to `inbox`, adds it to `total` with absorb(). The host
 * fills slots while the device absorbs, and never one whose last copy is not done: then it sleeps, and a function of
 * the stream wakes it and returns at once: it waits for no thread that fills a slot. The simulator knows semaphores, conditions, mutexes and what C++ makes of
 * them, and no pipes or signals. When feed_all() returns, all batches are absorbed and all functions have run. */
void feed_all(const struct feed *f);

/* ---- (c) slots that come back in another order ---- */

#define POOL 4

struct feeds {
    int count, n;               /* batches; elements of one */
    const int *to;              /* to[k]: 0 or 1, the total that batch k is for */
    const long long *ns;        /* ns[k]: what a block of blend() takes for batch k; some take many times longer than others */
    unsigned *slot[POOL];       /* pinned, n elements each: staging slots, for both totals */
    unsigned *inbox[2];         /* device memory: room for one batch for total 0, and for one for total 1 */
    unsigned *total[2];         /* device memory, n elements each, which the batches are added to; blend() notes in front */
};

/* Each batch k is put into a slot with fill(slot, k), copied to inbox[to[k]], and added to total[to[k]] with blend(), the
 * batches of one total in their order. The totals need nothing of each other. They share the slots, and no slot is filled
 * before the copy of what it held is done.
 *
 * All of it, from the first copy to the last kernel, takes at most 1.2 times what blend() takes for the batches of that
 * total which has more to do, whichever of the two it is. In order, the batches fit: it is enough to fill batch 0 first,
 * then batch 1, and so on.
 *
 * While no slot can be filled, the host sleeps and does not poll. A function that a stream calls makes no CUDA call and
 * returns at once: it fills no slot, and waits for no thread that does. When feed_both() returns, all batches are in the
 * totals and all functions have run. */
void feed_both(const struct feeds *f);

/* ---- kernels ---- */

#ifdef __CUDACC__

#define EACH(i, n) (int i = blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += gridDim.x * blockDim.x)

[[maybe_unused]] static __global__ void ripen(unsigned *x, int n)
{
    kernel_cost(RIPEN_NS);
    for EACH (i, n)
        x[i] = 1664525u * x[i] + 1013904223u;
}

/* What comes later weighs less: the order of the batches counts. */
[[maybe_unused]] static __global__ void absorb(unsigned *total, const unsigned *inbox, int n)
{
    kernel_cost(ABSORB_NS);
    notes_in_front(total, inbox);
    for EACH (i, n)
        total[i] = 3 * total[i] + inbox[i];
}

/* The same, for part (c): each batch takes the device a time of its own. */
[[maybe_unused]] static __global__ void blend(unsigned *total, const unsigned *inbox, int n, long long ns)
{
    kernel_cost(ns);
    notes_in_front(total, inbox);
    for EACH (i, n)
        total[i] = 3 * total[i] + inbox[i];
}

#endif
#endif
