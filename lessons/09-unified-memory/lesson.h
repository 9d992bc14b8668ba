/* SPDX-License-Identifier: MIT */
/*
 * lesson.h - the contract of lesson 09: unified memory.
 *
 * Numbers are unsigned and wrap round at 2^32: every result is exact. You give
 * back all that you make before your function returns. Nothing is running when a
 * part begins, and nothing of yours is running when it ends.
 */
#ifndef LESSON_H
#define LESSON_H

#include "streams.h"

#define BLOCKS 8
#define THREADS 256

/* ---- what the host does; both call the runtime, so no host function may call them ---- */

/* The host writes n new elements to `in`. */
void put_readings(unsigned *in, int n);
/* The host reads the n elements of `out`. */
void take_results(const unsigned *out, int n);

/* ---- (a) a program to be ported ---- */

/* n readings from put_readings() go through calibrate(), the results to
 * take_results(): each once. Readings and results have an array each, as large as n asks for. */
void calibrate_all(int n);

/* ---- (b) no page fault left ---- */

#define PASSES 3

/* Managed memory of the caller's, n elements each. `out` has not been touched yet. */
struct sums {
    unsigned *in, *out;
    int n;
};

/* New readings into `in`, PASSES times through accumulate(), and `out` to take_results(). Pass 0 sets `out`. */
void accumulate_all(const struct sums *s);

/* ---- (c) a controller and its plate ---- */

struct plate {
    unsigned *cell;             /* managed memory of the caller's, n elements that the host has written */
    int n;
    int probes, stride;         /* the controller looks at cell[0], cell[stride], … cell[(probes - 1) * stride] */
    int rounds;
    unsigned gain;              /* of the first round */
};

/* The controller, on the host: reads what `probes` cells hold, returns the gain of the next round. */
unsigned steer(const unsigned *probe, int probes);

/* Each round: step() with the round's gain, then steer() with the cells of the
 * probes as the device has left them, one after the other. step() works on the plate itself; do not copy it.
 * The plate stays on the device, where its owner goes on with it. */
void control(const struct plate *p);

/* ---- kernels ---- */

#ifdef __CUDACC__

#define EACH(i, n) (int i = blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += gridDim.x * blockDim.x)

/* One thread for each element. */
[[maybe_unused]] static __global__ void calibrate(const unsigned *in, unsigned *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = 2654435761u * in[i] + i;
}

/* This and the following take any grid and block. */
[[maybe_unused]] static __global__ void accumulate(const unsigned *in, unsigned *out, int n, int pass)
{
    for EACH (i, n)
        out[i] = (pass == 0 ? 0 : 3 * out[i]) + in[i] + pass;
}

[[maybe_unused]] static __global__ void step(unsigned *cell, int n, unsigned gain)
{
    for EACH (i, n)
        cell[i] = gain * cell[i] + 1;
}

/* Puts the cells of the probes one after the other. */
[[maybe_unused]] static __global__ void collect(unsigned *probe, const unsigned *cell, int probes, int stride)
{
    for EACH (k, probes)
        probe[k] = cell[k * stride];
}

#endif
#endif
