/* SPDX-License-Identifier: MIT */
/*
 * lesson.h - the contract of lesson 01: what you write, and the kernels that you launch.
 *
 * Times are nanoseconds. `data` is device memory, `result` page-locked host
 * memory; the caller made both and frees both. Everything that you make
 * yourself you give back before you return. The default stream is enough for
 * all of it: leave the third and fourth launch parameters out. Nothing is
 * running and no error is pending when a function is called.
 */
#ifndef LESSON_H
#define LESSON_H

#include "streams.h"

/* Blocks of `threads` threads that cover n elements: rounded up, for the tail. */
static inline int blocks_for(int n, int threads)
{
    return (n + threads - 1) / threads;
}

/* Element i becomes 1664525 * data[i] + 1013904223, modulo 2^32. A block takes `ns`. */
[[maybe_unused]] static __global__ void scramble(unsigned *data, int n, long long ns)
{
    kernel_cost(ns);
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] = 1664525u * data[i] + 1013904223u;
}

/* Three readings of now_ns(). */
struct moments {
    long long before;       /* just before the launch */
    long long returned;     /* the launch came back */
    long long done;         /* the kernel had ended, and you had waited to know it */
};

/* (a) Launches scramble(data, n, kernel_ns) once, waits for it, and fills in *m. */
void watch_launch(unsigned *data, int n, long long kernel_ns, struct moments *m);

/* (b) Launches scramble(data, n, kernel_ns) once, calls host_work(host_ns)
 * while it runs (in one piece, or in several that make up host_ns), brings the
 * n elements to `result`, and returns their sum. The kernel and host_work()
 * together take at most 1.15 times the longer of them. */
unsigned long long work_meanwhile(unsigned *data, unsigned *result, int n,
                                  long long kernel_ns, long long host_ns);

/* A launch that may go wrong: `threads` a block, and `data` may point anywhere. */
struct job {
    unsigned *data;
    int n, threads;
    long long kernel_ns;
};

enum place { NOWHERE, AT_LAUNCH, AT_WAIT };

struct report {
    enum place place;       /* where the error was met: NOWHERE when there was none */
    cudaError_t error;      /* cudaSuccess when there was none */
};

/* (c) Launches scramble as the job says, waits for it, fills in *r and returns,
 * whatever happened. The error of one job must not turn up in the report of the next, unless the
 * device was lost: then every launch is refused. */
void run_job(const struct job *job, struct report *r);

/* ---- (d) what first, and what meanwhile? ---- */

/* Arrays of n elements and the key are device memory, the caller's. */
struct day {
    const unsigned *site;       /* survey() reads it */
    unsigned *key;              /* one number: what survey() finds */
    unsigned *house;            /* build() writes it */
    unsigned *photo;            /* polish() works on it, and on nothing else */
    int n;
    long long survey_ns, polish_ns, build_ns;
    int letters;                /* none on a quiet day */
    const long long *letter_ns; /* what letter k takes the host: host memory */
};

/* The host's work. Neither waits for the device nor calls CUDA. */
unsigned plan(unsigned key);    /* what build() needs, made from the survey's key: the host works, for longer than polish_ns */
void file_letter(int k);        /* letters 0 to letters - 1, in any order: they need nothing, and nothing needs them */

/* Launches survey(), polish() and build(), calls plan() with the survey's key and files each letter: all of it once.
 * When it returns, everything is done. From the first launch or letter to the end of all work it takes at most 1.1
 * times as long as survey(), plan() and build(), one after the other, take without the rest. */
void whole_day(const struct day *d);

/* Finds the key of the site: one block of one thread, survey<<<1, 1>>>. */
[[maybe_unused]] static __global__ void survey(unsigned *key, const unsigned *site, int n, long long ns)
{
    kernel_cost(ns);
    unsigned sum = 0;
    for (int i = 0; i < n; i += 16)
        sum += site[i];
    *key = sum;
}

/* As the plan says. */
[[maybe_unused]] static __global__ void build(unsigned *house, int n, unsigned plan, long long ns)
{
    kernel_cost(ns);
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        house[i] = plan * (2u * i + 1u);
}

[[maybe_unused]] static __global__ void polish(unsigned *photo, int n, long long ns)
{
    kernel_cost(ns);
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        photo[i] = 22695477u * photo[i] + 1u;
}

#endif
