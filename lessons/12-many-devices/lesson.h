/* SPDX-License-Identifier: MIT */
/*
 * lesson.h - the contract of lesson 12: what you write, and the kernels that you queue.
 *
 * The program runs on a machine with two devices that reach each other's memory,
 * on one with two that do not, on one with a single device and on one with four, and must be right
 * on each. Numbers are unsigned and wrap round at 2^32: every result is exact.
 *
 * Each function of (b) and (c) may be called by any host thread, with any
 * device current there, and leaves the current device as it was. There may be
 * more teams and lines than one. Give back what you make before the part ends;
 * peer access may stay on. No device is a peer of itself, and access that is on
 * cannot be enabled again: it is not on when line_open() is called.
 */
#ifndef LESSON_H
#define LESSON_H

#include "streams.h"

#define THREADS 128
#define BLOCKS 16
#define MOST_DEVICES 8

/* ---- (a) what goes across? ---- */

/* Device 0 is current, unless the question says otherwise; "there" is device 1. */
enum question {
    RECORD_THERE,               /* cudaEventRecord of an event of device 0 in a stream of device 1: does it succeed? */
    WAIT_THERE,                 /* cudaStreamWaitEvent for it in a stream of device 1: does it succeed? */
    ELAPSED_BETWEEN,            /* cudaEventElapsedTime from an event of device 0 to one of device 1: is there an answer? */
    LAUNCH_THERE,               /* a kernel launched into a stream of device 1: does it run? */
    COPY_THERE,                 /* cudaMemcpyAsync in a stream of device 1: does it succeed? */
    STREAM_SYNC_THERE,          /* cudaStreamSynchronize on a stream of device 1: does it wait for a kernel in it? */
    DEVICE_SYNC_THERE,          /* cudaDeviceSynchronize: does it wait for a kernel of device 1? */
    DEFAULT_THERE,              /* a kernel in the default stream of device 1: does it wait for one in that of device 0? */
    NEW_THREAD,                 /* device 1 is current; a new host thread: does it begin with device 1? */
    QUESTIONS
};
/* yes[q]: 1 for yes, 0 for no. Where there are two devices it is compared with what they do. */
void across(int yes[QUESTIONS]);

/* ---- (b) all hands ---- */

/* Yours to fill in; use what you need of it. */
struct lane {
    cudaStream_t stream;
    unsigned *x;
};
struct team {
    int count;                  /* how many devices */
    struct lane lane[MOST_DEVICES];
};

/* Prepares for up to `most` elements. */
void team_open(struct team *t, int most);
/* Sends each of n elements of `in`, one or more, to one device, through scramble() there and to its place in `out`. All
 * devices work at the same time, and their shares differ by one element at most. `in` and `out` are pinned. When the function returns, `out` is complete. */
void team_run(struct team *t, unsigned *out, const unsigned *in, int n);
void team_close(struct team *t);

/* ---- (c) from hand to hand ---- */

struct line {
    int device[2];              /* the caller's: [0] presses, [1] polishes; the same one if there is only one */
    /* Yours to fill in; use what you need of it. */
    cudaStream_t stream[2];
    unsigned *x[2];             /* a batch on each */
    cudaEvent_t full, empty;    /* of x[0] */
    void *more;                 /* if that is not enough */
};

/* Prepares for batches of n elements. */
void line_open(struct line *l, int n);
/* There are one or more batches. Batch k is the n elements from in + k * n on. Each goes to device[0], through press() there, to device[1] without a
 * detour through the host's memory, through polish() there, and to its place in `out`. While device[1] polishes a batch,
 * device[0] presses the next. `in` and `out` are pinned. When the function returns, `out` is complete. */
void line_run(struct line *l, unsigned *out, const unsigned *in, int n, int batches);
void line_close(struct line *l);

/* ---- kernels: any grid that fits on the device at once, any block; each element once ---- */

#ifdef __CUDACC__

#define SCRAMBLE_NS 16          /* for each element: a share takes its share of the time */
#define PRESS_NS 300000
#define POLISH_NS 300000

[[maybe_unused]] static __global__ void scramble(unsigned *x, int n)
{
    kernel_cost((long long)SCRAMBLE_NS * n);
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        x[i] = 1664525u * x[i] + 1013904223u;
}

[[maybe_unused]] static __global__ void press(unsigned *x, int n)
{
    kernel_cost(PRESS_NS);
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        x[i] = 3 * x[i] + 1;
}

/* `to` may be `from`. */
[[maybe_unused]] static __global__ void polish(unsigned *to, const unsigned *from, int n)
{
    kernel_cost(POLISH_NS);
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        to[i] = from[i] ^ from[i] >> 7;
}

#endif
#endif
