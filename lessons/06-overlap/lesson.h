/* SPDX-License-Identifier: MIT */
/*
 * lesson.h - lesson 06: the same work in different orders.
 *
 * For each of depth_first(), breadth_first() and pipeline() the driver calls
 *   1. host_buffer(n) twice: `in`, which it fills with pixels, and `out`;
 *   2. the function, which brightens every pixel once;
 *   3. nothing that waits: it reads `out` at once. free_host_buffer() comes last.
 * Then chains(), once. All these sizes are new in each run and divide by nothing. Last, host_buffer() for a few floats.
 *
 * Every function makes the streams and events that it needs and gives them back.
 */
#ifndef LESSON_H
#define LESSON_H

#include <stdint.h>

#define BLOCK 256           /* threads of every block */
#define STREAMS 4           /* chunks, and streams, of parts a and b */
#define CHAINS 32
#define STEPS 3             /* kernels of a chain */

#define BRIGHTEN_NS 20000   /* what a block of brighten() takes */
/* What a block of chain_step() takes: a millisecond, and its own number on top, in steps that a
 * real card can tell apart, so that the timeline tells one step from another. */
#define STEP_APART 3000
#define STEP_NS(chain, step) (1000000 + STEP_APART * ((chain) * STEPS + (step)))

/* Slots: for parts a, b, c the pixels; for d CHAINS rows. Then where the buffers were. */
enum { SLOT_A, SLOT_B, SLOT_C, SLOT_D, SLOT_BUFFERS };
struct buffers { uint64_t in, out, device; };
#define SMALL_PART "a small buffer"
#define SMALL_BUFFER 97

#ifdef __cplusplus
#include <stdlib.h>

#include "streams.h"

extern "C" {

/* Room for n floats that a copy engine can reach by itself. */
float *host_buffer(int n);
void free_host_buffer(float *buffer);

/* out[i] = brightened in[i] for all n pixels, through `device` (n floats). The device does the
 * brightening: the host leaves what has arrived in `out` as it is. When they return, `out` is
 * complete. */
void depth_first(const float *in, float *out, float *device, int n);
void breadth_first(const float *in, float *out, float *device, int n);
void pipeline(const float *in, float *out, float *device, int n);

/* `rows` is on the device: CHAINS rows of `count` floats, count <= BLOCK. Each
 * row goes through steps 0, 1 and 2; no row has to do with another. When it
 * returns, all are done. */
void chains(float *rows, int count);

}

/* Brightens pixels[first] up to, not including, pixels[first + count]. */
[[maybe_unused]] static __global__ void brighten(float *pixels, int first, int count)
{
    kernel_cost(BRIGHTEN_NS);
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        pixels[first + i] = 2 * pixels[first + i] + 1;
}

/* One step of one chain. One block. The steps of a chain do not commute. */
[[maybe_unused]] static __global__ void chain_step(float *rows, int count, int chain, int step)
{
    kernel_cost(STEP_NS(chain, step));
    int i = threadIdx.x;
    if (i < count)
        rows[chain * count + i] = 2 * (rows[chain * count + i] + step);
}

#endif
#endif
