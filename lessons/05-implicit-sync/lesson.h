/* SPDX-License-Identifier: MIT */
/*
 * lesson.h - the contract of lesson 05: which calls wait without saying so.
 *
 * Numbers are unsigned and wrap round at 2^32. Everything that you make you
 * give back before your function returns.
 */
#ifndef LESSON_H
#define LESSON_H

#include "streams.h"

/* ---- (a) what do these calls hold up? ---- */

#define LIBRARY_CALLS 8

/* The calls. B is a stream, what is not said to be in B names none. */
enum subject {
    MALLOC,                 /* cudaMalloc, 1 MiB */
    FREE,                   /* cudaFree of that */
    MALLOC_HOST,            /* cudaMallocHost, 1 MiB */
    FREE_HOST,              /* cudaFreeHost of that */
    MALLOC_FREE_ASYNC,      /* cudaMallocAsync and cudaFreeAsync in B, one after the other */
    MEMSET,                 /* cudaMemset of device memory */
    MEMSET_ASYNC,           /* cudaMemsetAsync of device memory in B */
    COPY_INSIDE,            /* cudaMemcpy from device to device, 64 KiB */
    COPY_PAGEABLE,          /* cudaMemcpy from pageable memory to the device, 64 KiB */
    COPY_PINNED_ASYNC,      /* cudaMemcpyAsync from pinned memory to the device in B, 64 KiB */
    TO_SYMBOL,              /* cudaMemcpyToSymbol, four bytes */
    RECORD,                 /* cudaEventRecord in the default stream (NULL) */
    LIBRARY,                /* and LIBRARY + 1, …, LIBRARY_CALLS in all: a library that you cannot look into, others in each run */
    SUBJECTS = LIBRARY + LIBRARY_CALLS
};

struct effect {
    bool host;              /* made while a kernel runs in another stream, the call returns only when that is done */
    bool device;            /* a kernel launched into B after the call runs only when that is done */
};

/* Makes the call. Memory that it needs is there. Memory that it makes is kept for the call that frees it: MALLOC comes
 * before FREE, MALLOC_HOST before FREE_HOST. */
void make_call(enum subject subject, cudaStream_t b);

/* Finds out what each call does on this machine: nothing else is running, and each has been made once before. */
void classify(struct effect effect[SUBJECTS]);

/* ---- (b) frames ---- */

#define LANES 3
#define BLOCKS 8
#define THREADS 256
#define DEVELOP_NS 400000       /* what a block of develop_frame() takes */

/* All memory is the caller's. */
struct frames {
    int count, n;               /* frames, and elements of each */
    const unsigned *in;         /* pinned: count * n elements */
    const unsigned *gain;       /* pinned: one for each frame */
    unsigned *archive;          /* device memory: count * n elements */
};

/* The finished frame is in host memory at `result` and is read before this
 * returns. Once for each frame, in their order. */
void hand_over(int frame, const unsigned *result);

/* Develops every frame: its elements into a device buffer of zeros, with the
 * frame's gain; keeps the result in the frame's place in the archive, and hands
 * it over. LANES frames are under way at once. What a copy reads stays as it is
 * until the host has waited for that copy. */
void develop(const struct frames *f);

#ifdef __CUDACC__

#define LONG_NS 10000000

/* For (a): runs several times as long as any call takes by itself (on an H200 cudaMallocHost() takes the most, 0.8 to
 * 1.4 ms); runs for next to nothing. One block will do. */
[[maybe_unused]] static __global__ void long_one(void) { kernel_cost(LONG_NS); }
[[maybe_unused]] static __global__ void short_one(void) { kernel_cost(1); }

/* The gain of the frame that is in lane k: lanes do not share it. */
[[maybe_unused]] static __device__ unsigned lane_gain[LANES];

/* Adds to `out`, which therefore begins as zeros. BLOCKS blocks of THREADS, or as
 * many threads in others. */
[[maybe_unused]] static __global__ void develop_frame(unsigned *out, const unsigned *in, int lane, int n)
{
    kernel_cost(DEVELOP_NS);
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] += lane_gain[lane] * in[i] + 1;
}

#endif
#endif
