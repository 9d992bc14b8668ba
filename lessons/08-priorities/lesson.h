/* SPDX-License-Identifier: MIT */
/*
 * lesson.h - the contract of lesson 08: what you write, and the kernels that you queue.
 *
 * Numbers are unsigned and wrap round at 2^32: every result is exact. The
 * program is run on several cards, some with priorities and some without, and
 * has to be right on each. You give back all that you make before the part ends.
 */
#ifndef LESSON_H
#define LESSON_H

#include "streams.h"

#define THREADS 32
#define REPLY_BLOCKS 8

#define CRUNCH_NS 500000        /* what a block takes, and so a wave of them */
#define REPLY_NS 300000

/* ---- (a) what has this device? ---- */

struct levels {
    int least, greatest;        /* the numbers of the least and of the greatest priority */
    int count;                  /* how many priorities there are; 1: all streams are equal */
};
void find_levels(struct levels *l);

/* The priority that a stream really has when it is made with the number `wish`. Any `wish`. Ask such a stream, or go
 * by the rule that the CUDA reference gives. */
int granted(int wish);

/* ---- (b) bulk work, and requests that cannot wait for it ---- */

/* Device memory, n elements each: the caller's. One block does one tile. Each
 * takes a lot of shared memory, so that few blocks fit on a multiprocessor: the
 * bulk is some twenty waves of blocks long, on any card. */
struct bulk {
    const unsigned *in;
    unsigned *out;
    int n, tiles;
    size_t shared;              /* bytes for each block: the launch's third parameter */
};

/* n elements each, all the caller's: `in` and `out` are pinned, `device` is device memory. */
struct request {
    const unsigned *in;
    unsigned *out, *device;
    int n;
    size_t shared;              /* bytes for each block of reply(): the launch's third parameter */
};

/* Yours to fill in. */
struct service {
    cudaStream_t bulk, urgent;
};

/* Makes the streams. A priority that you ask for is one end of this device's
 * range, its least or its greatest, on every card. No request waits for the
 * default stream, where the caller may have work of its own. */
void service_open(struct service *s);
/* Queues the whole bulk, all tiles, waits for none of it, and comes back while it is under way. */
void bulk_begin(struct service *s, const struct bulk *b);
/* Copies `in` to `device`, sends that through reply(), copies it to `out`.
 * When it returns, `out` is complete. It may be called at any time between
 * service_open and service_close. Where the card has priorities, the bulk
 * costs a request no more than the wave that is running. */
void answer(struct service *s, const struct request *r);
/* When it returns, the bulk is done, in at most 1.1 x the time that its waves
 * and the requests take one after the other. */
void service_close(struct service *s);

/* ---- (c) a batch that nothing overtakes ---- */

/* Independent items. A block of grind() does some of them, one after another: you choose how many. Blocks of
 * reply() find no place beside a full wave of grind(). */
struct batch {
    const unsigned *in;         /* device memory, n elements each: the caller's */
    unsigned *out;              /* zeros at first: grind() adds to them, so what is done twice is wrong */
    int n, items;
    int wave;                   /* how many blocks of grind() run at once on this card */
    size_t shared;              /* bytes for each block: the launch's third parameter */
    long long setup_ns, item_ns;    /* a block takes setup_ns, and item_ns for each of its items */
    long long patience_ns;      /* how much longer than on an idle device a request may take */
    int requests;               /* how many come, at any time: the last perhaps when the batch is done */
};

/* Has a request come that you have not taken yet? Then *r is that request, and you owe it answer() and hand_out().
 * Takes the host ASK_NS. Call it in one host thread at a time. */
bool request_came(struct request *r);
#define ASK_NS 2000
/* Hands the answer out: r->out is complete. Once for each request. */
void hand_out(const struct request *r);

/* When it returns, each item of the batch is done, once, and all requests are answered and handed out. `s` comes fresh
 * from service_open(), and goes to service_close() afterwards. On every card, and at whatever moment it comes, a request
 * takes at most patience_ns longer beside the batch than on an idle device. A launch counts as done when a call has said
 * so, and not when its time should be over. The batch takes at most 1.2 x the time of one launch that does it all, and of
 * the requests. */
void grind_all(struct service *s, const struct batch *b);

/* ---- kernels ---- */

#ifdef __CUDACC__

/* Tiles first, first + 1, … of `tiles`: as many as there are blocks. */
[[maybe_unused]] static __global__ void crunch(unsigned *out, const unsigned *in, int n, int tiles, int first)
{
    kernel_cost(CRUNCH_NS);
    long long tile = first + (int)blockIdx.x;
    int end = (int)(n * (tile + 1) / tiles);
    for (int i = (int)(n * tile / tiles) + threadIdx.x; i < end; i += blockDim.x)
        out[i] = 1664525u * in[i] + 1013904223u;
}

/* Any grid and block; each element once. */
[[maybe_unused]] static __global__ void reply(unsigned *x, int n)
{
    kernel_cost(REPLY_NS);
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        x[i] = 5 * x[i] + 1;
}

/* Block k does the items first + k * each, …: `each` of them, or what is left of the batch. */
[[maybe_unused]] static __global__ void grind(struct batch b, int first, int each)
{
    kernel_cost(b.setup_ns + each * b.item_ns);
    long long from = first + (long long)blockIdx.x * each, to = from + each < b.items ? from + each : b.items;
    int end = (int)(b.n * to / b.items);
    for (int i = (int)(b.n * from / b.items) + threadIdx.x; i < end; i += blockDim.x)
        b.out[i] += 22695477u * b.in[i] + 1u;
}

#endif
#endif
