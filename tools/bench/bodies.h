/* SPDX-License-Identifier: MIT */
/*
 * bodies.h - the bodies that kernels and plain loops share: saxpy, a 5-point
 * stencil, a[i] += sqrt(sin(i)^2 + cos(i)^2), and a loop that loads one
 * volatile word. PRODUCT is the side of matrices whose product the kernel
 * makes by tiles, with barriers.
 */
#ifndef BENCH_BODIES_H
#define BENCH_BODIES_H

#include <math.h>

enum { SIDE = 2048, ELEMENTS = SIDE * SIDE, PRODUCT = 512, PRODUCT_ELEMENTS = PRODUCT * PRODUCT };

#ifndef __CUDACC__
#define __host__
#define __device__
#endif

static __host__ __device__ inline void saxpy_body(int i, float a, const float *x, float *y)
{
    y[i] = a * x[i] + y[i];
}

static __host__ __device__ inline void stencil_body(int i, const float *from, float *to)
{
    int x = i % SIDE, y = i / SIDE;
    if (x > 0 && x < SIDE - 1 && y > 0 && y < SIDE - 1)
        to[i] = 0.2f * (from[i] + from[i - 1] + from[i + 1] + from[i - SIDE] + from[i + SIDE]);
}

static __host__ __device__ inline void word_body(int i, const volatile unsigned *word, float *a)
{
    unsigned sum = i;
    for (int k = 0; k < 32; k++)
        sum += *word;
    a[i] += (float)(sum % 16);
}

static __host__ __device__ inline void sincos_body(int i, float *a)
{
    float x = (float)i, s = sinf(x), c = cosf(x);
    a[i] = a[i] + sqrtf(s * s + c * c);
}

#endif
