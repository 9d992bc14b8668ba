/* SPDX-License-Identifier: MIT */
/*
 * lesson.h - the contract of lesson 04: the default stream, legacy and per-thread.
 *
 * Numbers are unsigned and wrap round at 2^32: every result is exact. The
 * kernels take any grid and block and touch each of their n elements once; n
 * divides by nothing. All memory is the caller's. Every stream and event that
 * you make you give back before your function returns. Nothing is running
 * when a part begins.
 */
#ifndef LESSON_H
#define LESSON_H

#include "streams.h"

#define BLOCKS 8
#define THREADS 256

/* ---- (a) who waits for whom? ---- */

enum kind { LEGACY, BLOCKING, ANOTHER, NON_BLOCKING, PER_THREAD, GIVEN, ALSO_GIVEN, KINDS };

/*
 * stream[LEGACY] is cudaStreamLegacy, the stream NULL of a file that is built
 * in the ordinary way; stream[BLOCKING] and stream[ANOTHER] come from
 * cudaStreamCreate(), stream[NON_BLOCKING] was made with cudaStreamNonBlocking,
 * stream[PER_THREAD] is cudaStreamPerThread. stream[GIVEN] and
 * stream[ALSO_GIVEN] come from other people's code: each is of one of these
 * kinds, or is one of the streams above. Which it is changes from run to run.
 *
 * long_one() is queued into stream[first], then an event is recorded in
 * stream[second]. Does the event wait for the kernel? Put the answers, all
 * KINDS * KINDS of them, into waits[first][second].
 */
void who_waits(const cudaStream_t stream[KINDS], bool waits[KINDS][KINDS]);

/* ---- (b) beside a vendor's library ---- */

/* Device memory, n elements each. `raw` is there when you are called. */
struct photo {
    const unsigned *raw;
    unsigned *image, *grain, *print;
    int n;
};

/* The vendor's. It blurs the n elements of `image` in place, in the legacy default stream, and returns at once. */
void vendor_blur(unsigned *image, int n);

/*
 * Queues develop(), vendor_blur(), make_grain() and merge(), each once. The blur
 * needs the developed image; merge() needs the blurred image and the grain;
 * make_grain() needs nothing but `raw`, and runs beside the blur. The host
 * waits once, when all is queued. When the function returns, `print` is complete.
 */
void print_photo(const struct photo *p);

/* ---- (c) four host threads ---- */

#define JOBS 4

/* n elements each; `in` and `out` are pinned host memory, `device` is device memory. */
struct job {
    const unsigned *in;
    unsigned *out, *device;
    int n;
};

/*
 * Four host threads call this at the same time, each with a job of its own:
 * `in` to `device`, wash(), rinse(), `device` to `out`. When it returns, `out`
 * is complete. The four jobs run at once.
 */
void do_job(const struct job *job);

/* ---- kernels ---- */

#ifdef __CUDACC__

#define LONG_NS 2000000         /* what a block takes */
#define DEVELOP_NS 200000
#define GRAIN_NS 1500000
#define MERGE_NS 200000
#define WASH_NS 1000000
#define RINSE_NS 800000

#define EACH(i, n) (int i = blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += gridDim.x * blockDim.x)

/* For (a). One block will do. */
[[maybe_unused]] static __global__ void long_one(void) { kernel_cost(LONG_NS); }

[[maybe_unused]] static __global__ void develop(unsigned *image, const unsigned *raw, int n)
{
    kernel_cost(DEVELOP_NS);
    for EACH (i, n)
        image[i] = 3 * raw[i] + 1;
}

[[maybe_unused]] static __global__ void make_grain(unsigned *grain, const unsigned *raw, int n)
{
    kernel_cost(GRAIN_NS);
    for EACH (i, n)
        grain[i] = raw[i] ^ raw[i] >> 7;
}

[[maybe_unused]] static __global__ void merge(unsigned *print, const unsigned *image, const unsigned *grain, int n)
{
    kernel_cost(MERGE_NS);
    for EACH (i, n)
        print[i] = 5 * image[i] + grain[i];
}

[[maybe_unused]] static __global__ void wash(unsigned *x, int n)
{
    kernel_cost(WASH_NS);
    for EACH (i, n)
        x[i] = 1664525u * x[i] + 1013904223u;
}

[[maybe_unused]] static __global__ void rinse(unsigned *x, int n)
{
    kernel_cost(RINSE_NS);
    for EACH (i, n)
        x[i] = 9 * x[i] + 7;
}

#endif
#endif
