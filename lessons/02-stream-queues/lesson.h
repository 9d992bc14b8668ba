/* SPDX-License-Identifier: MIT */
/*
 * lesson.h - the contract of lesson 02: what you write, and the kernels that you queue.
 *
 * Numbers are unsigned and wrap round at 2^32: every result is exact. All
 * kernels take any grid and block and touch each of their n elements once.
 * Every stream, event and buffer that you make you give back before the last
 * function of its part returns. Nothing is running when a part begins, but for
 * the neighbour of part (c).
 */
#ifndef LESSON_H
#define LESSON_H

#include "notes.h"
#include "streams.h"

#define BLOCKS 8
#define THREADS 256

#define MIX_NS 500000           /* what a block takes */
#define LEFT_NS 1000000
#define RIGHT_NS 1200000
#define ABSORB_NS 100000

/* ---- (a) a round trip ---- */

/* Yours to fill in at the beginning and to use at the end. */
struct trip {
    cudaStream_t stream;
    unsigned *host, *device;    /* n elements each */
    int n;
};

/* Sends the n elements of `in` off: to the device, through mix(), back to host
 * memory of yours. It comes back while that is under way. `in` is ordinary
 * memory, and the caller overwrites it as soon as you have returned. */
void trip_begin(struct trip *t, const unsigned *in, int n);
/* Waits for the trip, puts its n elements into `out`, gives everything back. */
void trip_end(struct trip *t, unsigned *out);

/* ---- (b) two chains ---- */

/* `in` and `out` are pinned, `device` is device memory: n elements each, all the caller's. */
struct chain {
    const unsigned *in;
    unsigned *out, *device;
    int n;
};

/* Takes each chain to the device, through its kernel (left_step() or
 * right_step()) and back. The two have nothing to do with each other. When it
 * returns, both `out` are complete. */
void two_chains(const struct chain *left, const struct chain *right);

/* ---- (c) staging buffers that come back ---- */

#define BUFFERS 3

/* A pinned buffer of n elements from the caller's pool, NULL when all BUFFERS are out. The pool has no lock: its three
 * functions are for the thread that calls absorb_all(), and not for functions in a stream. */
unsigned *take(void);
/* Puts batch number `batch` into it: the host works on that for a while. */
void pack(unsigned *buffer, int batch);
/* Back to the pool, whose next user overwrites it at once. */
void give_back(unsigned *buffer);

struct batches {
    int count, n;
    unsigned *slot;             /* device memory: room for one batch */
    unsigned *total;            /* device memory: n elements, and in front of them what absorb() notes */
};

/* For each batch in turn: packs it into a buffer of the pool, copies it to
 * `slot`, adds it up with absorb(). When it returns, all batches are absorbed
 * and all buffers are back in the pool. Another stream of the device is at work
 * meanwhile: it is not yours to wait for. */
void absorb_all(const struct batches *b);

/* ---- kernels ---- */

#ifdef __CUDACC__

#define EACH(i, n) (int i = blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += gridDim.x * blockDim.x)

[[maybe_unused]] static __global__ void mix(unsigned *x, int n)
{
    kernel_cost(MIX_NS);
    for EACH (i, n)
        x[i] = 1664525u * x[i] + 1013904223u;
}

[[maybe_unused]] static __global__ void left_step(unsigned *x, int n)
{
    kernel_cost(LEFT_NS);
    for EACH (i, n)
        x[i] = 5 * x[i] + 1;
}

[[maybe_unused]] static __global__ void right_step(unsigned *x, int n)
{
    kernel_cost(RIGHT_NS);
    for EACH (i, n)
        x[i] = 9 * x[i] + 7;
}

/* What comes later weighs less: the order of the batches counts. */
[[maybe_unused]] static __global__ void absorb(unsigned *total, const unsigned *slot, int n)
{
    kernel_cost(ABSORB_NS);
    notes_in_front(total, slot);
    for EACH (i, n)
        total[i] = 3 * total[i] + slot[i];
}

#endif
#endif
