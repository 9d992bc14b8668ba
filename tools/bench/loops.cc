/* SPDX-License-Identifier: MIT */
/*
 * loops: the bodies of bodies.h in plain loops, for kernels.cu to be compared
 * with. A line each, tab between: BODY SECONDS CHECKSUM; SECONDS is processor
 * time of the best of several rounds.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bodies.h"
#include "stopwatch.h"

static float *x, *y, *from, *to;

static void saxpy() { for (int i = 0; i < ELEMENTS; i++) saxpy_body(i, 2.0f, x, y); }
static void stencil() { for (int i = 0; i < ELEMENTS; i++) stencil_body(i, x, y); }
static void word() { for (int i = 0; i < ELEMENTS; i++) word_body(i, (const unsigned *)x, y); }
static void sincos_() { for (int i = 0; i < ELEMENTS; i++) sincos_body(i, y); }

/* g++ makes four columns at once where it knows that the matrices lie apart. */
static void product()
{
    static float a[PRODUCT_ELEMENTS], b[PRODUCT_ELEMENTS], c[PRODUCT_ELEMENTS];
    memcpy(a, x, sizeof a);
    memcpy(b, x + PRODUCT_ELEMENTS, sizeof b);
    for (int i = 0; i < PRODUCT; i++)
        for (int j = 0; j < PRODUCT; j++) {
            float sum = 0;
            for (int k = 0; k < PRODUCT; k++)
                sum += a[i * PRODUCT + k] * b[k * PRODUCT + j];
            c[i * PRODUCT + j] = sum;
        }
    memcpy(y, c, sizeof c);
}

int main()
{
    static const struct { const char *name; void (*run)(); } bodies[] = {
        { "saxpy", saxpy }, { "stencil", stencil }, { "sincos", sincos_ }, { "word", word },
        { "product", product },
    };
    x = (float *)malloc(ELEMENTS * sizeof *x);
    y = (float *)malloc(ELEMENTS * sizeof *y);
    from = (float *)malloc(ELEMENTS * sizeof *x);
    to = (float *)malloc(ELEMENTS * sizeof *y);
    for (auto &body : bodies) {
        double best = 1e9;
        for (int round = 0; round < ROUNDS; round++) {
            for (int i = 0; i < ELEMENTS; i++)
                from[i] = (float)(i % 97), to[i] = (float)(i % 31);
            memcpy(x, from, ELEMENTS * sizeof *x);
            memcpy(y, to, ELEMENTS * sizeof *y);
            double begin = seconds_now();
            body.run();
            double took = seconds_now() - begin;
            best = took < best ? took : best;
        }
        double sum = 0;
        for (int i = 0; i < ELEMENTS; i++)
            sum += y[i] * (1 + i % 7);
        printf("%s\t%.6f\t%.3f\n", body.name, best, sum);
    }
}
