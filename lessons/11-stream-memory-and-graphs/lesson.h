/* SPDX-License-Identifier: MIT */
/*
 * lesson.h - the contract of lesson 11: stream-ordered memory, and work that is recorded once.
 *
 * Numbers are unsigned and wrap round at 2^32: every result is exact. All
 * kernels take any grid and block. Give back what you make, before the
 * function returns or in pipeline_close().
 */
#ifndef LESSON_H
#define LESSON_H

#include <stdint.h>

#include "streams.h"

#define BLOCKS 8
#define THREADS 256

/* ---- (a) scratch memory, frame by frame ---- */

/* All memory is the caller's, and so is the stream. */
struct frames {
    int count;                  /* two or more */
    const int *n;               /* elements of each frame; no frame is larger than the first */
    const unsigned *in;         /* device memory: the frames, one after the other */
    unsigned *out;              /* pinned: room for a frame */
    cudaStream_t stream;
};

/* The host looks at the n[frame] elements of `out`. cudaFreeAsync() has been called for that frame's scratch memory.
 * This calls the runtime, so no host function may call it. */
void look(int frame);

/* Works on one frame after the other, in the stream: spread() writes scratch memory
 * of the frame's own size, gather() reads it and writes `out`; then look(). Between
 * two frames a pool keeps the scratch memory: the device's default pool, or one of
 * your own. Others use the default pool too: at the end its release threshold is
 * what it was before, which need not be 0. How high it is meanwhile, and whether the
 * pool still holds memory at the end, is up to you.
 * Meanwhile an unrelated kernel runs in another stream. Do not wait for it. */
void frames_all(const struct frames *f);

/* ---- (b) from one stream to another ---- */

/* All that is named here is the caller's. */
struct relay {
    int rounds, n;              /* two rounds or more */
    const unsigned *in;         /* device memory: rounds * n elements */
    unsigned *out;              /* the same */
    cudaStream_t one, two;      /* neither waits for the default stream */
};

/* For each round: a stream allocates scratch memory of n elements, for this round
 * alone, fill() writes it in `one`, drain() reads it in `two`, and a stream frees it.
 * The function returns while that work is under way: the caller waits for both streams. */
void relay_all(const struct relay *r);

/* ---- (c) a pipeline that is asked for once, (d) with a gain that changes ---- */

/* Device memory of the caller's, n elements each. */
struct work {
    unsigned *x, *left, *right;
    int n;
    unsigned gain;
};

/* All yours. */
struct pipeline {
    struct work w;
    cudaStream_t stream, side;
    cudaEvent_t fork, join;
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    cudaGraphNode_t node;
    void *more;
};

/*
 * A run of the pipeline is split() of x into left and right, then to_left() and
 * to_right(), which may run at the same time, then merge() of both into x, with
 * the gain: four kernels, and nothing else. pipeline_run() queues one run in the
 * caller's stream, with a call or two, and does not wait. pipeline_open() runs
 * nothing. After pipeline_gain() later runs have the new gain, and runs queued before
 * keep the old one. No gain is special, and 0 is one. `*w` is the caller's, and may
 * change when pipeline_open() has returned.
 * Several pipelines may be open at once, each with memory of its own and a size and
 * a gain of its own; their runs come in any order. No run of a pipeline is under way
 * when pipeline_close() is called for it.
 */
void pipeline_open(struct pipeline *p, const struct work *w);
void pipeline_run(struct pipeline *p, cudaStream_t stream);
void pipeline_gain(struct pipeline *p, unsigned gain);
void pipeline_close(struct pipeline *p);

/* ---- kernels ---- */

#ifdef __CUDACC__

#define EACH(i, n) (int i = blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += gridDim.x * blockDim.x)

#define FRAME_NS 20000          /* what a block takes */
#define RELAY_NS 30000
#define SPLIT_NS 2000
#define SIDE_NS 6000

[[maybe_unused]] static __global__ void spread(unsigned *scratch, const unsigned *in, int n)
{
    kernel_cost(FRAME_NS);
    for EACH (i, n)
        scratch[n - 1 - i] = 2654435761u * in[i];
}

[[maybe_unused]] static __global__ void gather(unsigned *out, const unsigned *scratch, int n)
{
    kernel_cost(FRAME_NS);
    for EACH (i, n)
        out[i] = scratch[i] + scratch[(i + 1) % n];
}

[[maybe_unused]] static __global__ void fill(unsigned *scratch, const unsigned *in, int n)
{
    kernel_given(in);
    kernel_cost(RELAY_NS);
    for EACH (i, n)
        scratch[n - 1 - i] = 5 * in[i] + 1;
}

[[maybe_unused]] static __global__ void drain(unsigned *out, const unsigned *scratch, int n)
{
    kernel_given(out);
    kernel_cost(RELAY_NS);
    for EACH (i, n)
        out[i] = 3 * scratch[i] + scratch[(i + 1) % n];
}

[[maybe_unused]] static __global__ void split(const struct work w)
{
    kernel_cost(SPLIT_NS);
    for EACH (i, w.n) {
        w.left[i] = w.x[i] + 1;
        w.right[i] = w.x[w.n - 1 - i];
    }
}

[[maybe_unused]] static __global__ void to_left(const struct work w)
{
    kernel_cost(SIDE_NS);
    for EACH (i, w.n)
        w.left[i] = 1664525u * w.left[i] + 7;
}

[[maybe_unused]] static __global__ void to_right(const struct work w)
{
    kernel_cost(SIDE_NS);
    for EACH (i, w.n)
        w.right[i] = 22695477u * w.right[i] + 1;
}

[[maybe_unused]] static __global__ void merge(const struct work w)
{
    kernel_cost(SPLIT_NS);
    for EACH (i, w.n)
        w.x[i] = w.gain * w.left[i] + w.right[i];
}

#endif
#endif
