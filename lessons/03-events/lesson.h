/* SPDX-License-Identifier: MIT */
/*
 * lesson.h - the contract of lesson 03: three functions that mark places in queues.
 *
 * Times that go in are nanoseconds. Streams and memory are the caller's: host
 * memory is pinned, the streams are cudaStreamNonBlocking, so that the default
 * stream has no part in what they do (lesson 04). Everything that you make
 * yourself, events above all, you give back before you return. Every kernel is
 * launched once, with blocks of THREADS over all n elements; n divides by nothing.
 */
#ifndef LESSON_H
#define LESSON_H

#include "streams.h"

#define THREADS 256

static inline int blocks_for(int n)
{
    return (n + THREADS - 1) / THREADS;
}

/* Element i becomes 1664525 * data[i] + 1013904223, modulo 2^32. A block takes `ns`. */
[[maybe_unused]] static __global__ void scramble(unsigned *data, int n, long long ns)
{
    kernel_cost(ns);
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] = 1664525u * data[i] + 1013904223u;
}

/*
 * (a) Queues in `stream`: the n elements of `in` to `data`, scramble(data, n,
 * kernel_ns), the n elements back to `out`. Returns how long the kernel took, in
 * milliseconds, within 2 %. The host waits when all is queued and not before;
 * when the function returns `out` is complete.
 */
float time_kernel(const unsigned *in, unsigned *out, unsigned *data, int n, long long kernel_ns,
                  cudaStream_t stream);

/* n elements each, on the device. A block of stage X takes ns_x. */
struct diamond {
    const unsigned *in;
    unsigned *a, *b, *c, *d;
    int n;
    long long ns_a, ns_b, ns_c, ns_d;
};

/* Each takes a struct diamond: stage_a<<<blocks_for(x->n), THREADS, 0, stream>>>(*x). */
[[maybe_unused]] static __global__ void stage_a(struct diamond x)       /* reads in, writes a */
{
    kernel_cost(x.ns_a);
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < x.n)
        x.a[i] = 3u * x.in[i] + 1u;
}

[[maybe_unused]] static __global__ void stage_b(struct diamond x)       /* reads a, writes b */
{
    kernel_cost(x.ns_b);
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < x.n)
        x.b[i] = 5u * x.a[i] + 7u;
}

[[maybe_unused]] static __global__ void stage_c(struct diamond x)       /* reads a, writes c */
{
    kernel_cost(x.ns_c);
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < x.n)
        x.c[i] = x.a[i] ^ (x.a[i] >> 5);
}

[[maybe_unused]] static __global__ void stage_d(struct diamond x)       /* reads b and c, writes d */
{
    kernel_cost(x.ns_d);
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < x.n)
        x.d[i] = 9u * x.b[i] + x.c[i];
}

/*
 * (b) A, then B and C at once, then D. To its caller it looks like one operation
 * in stream `one`: what is in `one` already comes before A, and what the caller
 * puts into `one` afterwards comes after D. `two` is for whatever you like. The
 * function only queues: the host neither waits in it nor asks whether something is done.
 */
void diamond(const struct diamond *x, cudaStream_t one, cudaStream_t two);

struct job {
    unsigned *data, *result;    /* n elements each: on the device, pinned on the host */
    int n;
    long long scramble_ns, clear_ns, slice_ns;
    cudaStream_t stream;
};

/* Yours to fill in: nothing is in it when you are called. */
struct progress {
    int slices;                 /* how often you called host_work() */
    unsigned long long sum;     /* of the n elements of `result`, when they had arrived */
};

/* Element i becomes 0. A block takes `ns`. */
[[maybe_unused]] static __global__ void clear(unsigned *data, int n, long long ns)
{
    kernel_cost(ns);
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] = 0;
}

/*
 * (c) Queues in `stream`: scramble(data, n, scramble_ns), the n elements to
 * `result`, clear(data, n, clear_ns). Then the host works in slices, each a
 * host_work(slice_ns), and before each it asks an event whether `result` has
 * arrived. An answer that is an error does not mean that it has: look at the
 * last one before you read `result`.
 * When it has, no other slice begins: the function adds `result` up, fills in *p
 * and returns. It does not wait for clear().
 */
void work_until_done(const struct job *job, struct progress *p);

#endif
