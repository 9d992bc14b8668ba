/* SPDX-License-Identifier: MIT */
/*
 * lesson.h - the contract of lesson 17: what you write, and the kernels that run.
 *
 * You write one of two processes; both use device 0. The other one is the driver's. Numbers are
 * unsigned and wrap round at 2^32: every result is exact. All your streams are
 * cudaStreamNonBlocking ones. All calls are the runtime's: on a card nothing sees what the driver API
 * does with events. What a part opens or makes, it gives back.
 */
#ifndef LESSON_H
#define LESSON_H

#include "streams.h"

#define SLOTS 3
#define THREADS 256

/* ---- (a) what the other process has ---- */

/* The other process has made all of this, and keeps it until you are done. */
struct offer {
    /* Device memory: SLOTS slots, one after the other, of n elements each. */
    cudaIpcMemHandle_t frames;
    cudaIpcEventHandle_t full[SLOTS], empty[SLOTS];     /* two events for each slot */
    int n;
};

/* Yours to fill in. */
struct ring {
    unsigned *frames;           /* slot k begins at frames + k * n */
    cudaEvent_t full[SLOTS], empty[SLOTS];
    cudaStream_t stream;        /* of your own */
    int n;
};

/* Opens what is offered, and makes the stream. */
void ring_open(struct ring *r, const struct offer *o);
/* When it returns, all work in r->stream is done, and all that ring_open() opened and made is given
 * back. It closes the memory only after that work. */
void ring_close(struct ring *r);

/* ---- (b) frame by frame ---- */

/* The hosts of the two processes talk with these two functions, which the driver has. Frame f is in
 * slot f % SLOTS. What is in the slots is the other process's: you read it, and write nothing there. */

/* Returns when the other process has queued the copy of this frame into its slot, and has recorded
 * the slot's `full` after it. The copy itself may not be done, or may not have begun. */
void await_queued(int frame);
/* Tells the other process that the slot's `empty` has been recorded for this frame. From then on it
 * may queue its next copy into the slot: it makes its stream wait for `empty` first, and looks no
 * further. */
void tell_taken(int frame);

/* Called for frames 0, 1, 2, … in turn. Queues one examine() of the frame, into `result`: device
 * memory of the caller, n elements. It may wait for the other process in await_queued(), but waits
 * for nothing on the device, and returns with the work queued. */
void ring_take(struct ring *r, int frame, unsigned *result);

/* ---- (c) something for the other process ---- */

/* Yours to fill in. */
struct share {
    unsigned *x;                /* device memory, n elements */
    cudaEvent_t ready;
    cudaStream_t stream;        /* of your own */
    int n;
};

struct ticket {                 /* what the other process gets */
    cudaIpcMemHandle_t x;
    cudaIpcEventHandle_t ready;
};

/* The driver has these two. */

/* Tells the other process that `ready` has been recorded after the work that fills x. The other
 * process then makes a stream wait for `ready`, and reads x. */
void tell_ready(void);
/* Returns when the other process has read x and closed all that it had opened. */
void await_closed(void);

/* Makes what can be shared: n elements of device memory, and an event. Fills in the ticket. */
void share_open(struct share *s, struct ticket *t, int n);
/* Queues produce() for all elements of x, and tells the other process. It waits for nothing. */
void share_fill(struct share *s, unsigned seed);
/* Gives back all that share_open() made. The other process may still be reading when this is
 * called. */
void share_close(struct share *s);

/* ---- kernels ---- */

#define EXAMINE_NS 300000
#define PRODUCE_NS 400000

#ifdef __CUDACC__

/* Any grid of THREADS threads a block; each element once. */
[[maybe_unused]] static __global__ void examine(unsigned *result, const unsigned *frame, int n)
{
    kernel_given(frame);
    kernel_cost(EXAMINE_NS);
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        result[i] = 3 * frame[i] + 1;
}

[[maybe_unused]] static __global__ void produce(unsigned *x, int n, unsigned seed)
{
    kernel_cost(PRODUCE_NS);
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        x[i] = 2654435761u * i + seed;
}

/* The driver's. */
[[maybe_unused]] static __global__ void hold(long long ns)
{
    kernel_cost(ns);
}

#endif
#endif
