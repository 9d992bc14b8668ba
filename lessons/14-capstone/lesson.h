/* SPDX-License-Identifier: MIT */
/*
 * lesson.h - the contract of lesson 14: a plant that processes a camera's frames and answers requests in between.
 *
 * Only this file is required. You decide which streams, events, threads,
 * functions and memory there are; `struct plant` is yours. Numbers are unsigned
 * and wrap round at 2^32: every result is exact. Give back all that you make in
 * plant_close.
 *
 * Two host threads call: the camera's thread calls plant_room and plant_frame in
 * turn, and the desk's thread calls all the others. plant_open is the first call,
 * plant_close the last.
 */
#ifndef LESSON_H
#define LESSON_H

#include "streams.h"

#define THREADS 32
#define GATHER_BLOCKS 8
#define REPLY_BLOCKS 8

#define DEVELOP_NS 24000        /* what a block of develop() takes, and so a wave of them */
#define GATHER_NS 30000
#define REPLY_NS 20000
#define SEAL_NS 60000           /* what seal() takes on the host */

struct plant;                   /* yours */
struct page;                    /* the caller's: where the result of one frame belongs */

struct job {
    int frame, request;         /* elements of the longest frame, of the longest request */
    int tiles;                  /* of a frame: a block of develop() does one; a little more than four waves of blocks */
    size_t shared;              /* bytes for each block of develop(), the launch's third parameter */
};

struct plant *plant_open(const struct job *j);

/* Room for a frame, j->frame elements that the camera may write and nothing reads any more. Sleeps until there is one. */
unsigned *plant_room(struct plant *p);
/*
 * A frame of n elements is in `room`, which plant_room returned last. Returns without waiting for the frame, which goes
 *   1. to the device, and through develop();
 *   2. into the running total, gather(), frame by frame in the order of the camera;
 *   3. to the host, as the first n elements of the total at that point, and through seal() for `page`, page by page in order.
 */
void plant_frame(struct plant *p, unsigned *room, int n, struct page *page);

/* Urgent: n elements of `in` go to the device, through reply(), and to `out`; both are pinned. When it returns, `out` is
 * complete. In a busy plant a request takes at most one and a half waves of develop() longer than in an idle one. */
void plant_answer(struct plant *p, unsigned *out, const unsigned *in, int n);

/* When it returns, every page is sealed and all is given back. */
void plant_close(struct plant *p);

/* ---- the caller's ---- */

/* Takes n elements of `result` into the page: host work of SEAL_NS. Any thread may call it, one at a time; it makes no
 * CUDA call, so that a host function may call it, too. */
void seal(struct page *page, const unsigned *result, int n);

/* ---- kernels ---- */

#ifdef __CUDACC__

/* `tiles` blocks; block b does tile b. */
[[maybe_unused]] static __global__ void develop(unsigned *x, int n, int tiles)
{
    kernel_cost(DEVELOP_NS);
    int end = (int)(n * (blockIdx.x + 1ll) / tiles);
    for (int i = (int)((long long)n * blockIdx.x / tiles) + threadIdx.x; i < end; i += blockDim.x)
        x[i] = 1664525u * x[i] + 1013904223u;
}

/* GATHER_BLOCKS blocks: total = 3 * total + x, and x = total. The total begins with zeros, j->frame of them. */
[[maybe_unused]] static __global__ void gather(unsigned *total, unsigned *x, int n)
{
    kernel_cost(GATHER_NS);
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        x[i] = total[i] = 3 * total[i] + x[i];
}

/* REPLY_BLOCKS blocks. */
[[maybe_unused]] static __global__ void reply(unsigned *x, int n)
{
    kernel_cost(REPLY_NS);
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        x[i] = 5 * x[i] + 1;
}

#endif
#endif
