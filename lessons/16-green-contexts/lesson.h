/* SPDX-License-Identifier: MIT */
/*
 * lesson.h - the contract of lesson 16: what you write, and the kernels that run.
 *
 * Numbers are unsigned and wrap round at 2^32: every result is exact. The program is run on several
 * cards, which have different numbers of SMs and split them differently, and has to be right on
 * each. You give back all that you make before the part ends. Green contexts are calls of the
 * driver API (CUDA 12.4 and later), all else is the runtime's. CHECK takes the results of both.
 */
#ifndef LESSON_H
#define LESSON_H

#include <cuda.h>

#if CUDA_VERSION < 12040
#error "lesson 16 needs CUDA 12.4 or later: green contexts are new there"
#endif

#include "streams.h"

#define THREADS 32

/* ---- (a) two sides of a device ---- */

/* Yours to fill in. */
struct sides {
    CUgreenCtx urgent_context, bulk_context;
    cudaStream_t urgent, bulk;  /* a stream of each context */
    int urgent_sms, bulk_sms;   /* how many SMs each side really has */
    cudaEvent_t tuned; /* for part (b): made in sides_open() or bulk_begin(), given back in
                          sides_close() or bulk_end() */
};

/* Device 0 is split. The urgent side is a group of the split, with `sms` SMs or, where the device
 * does not split so finely, as few more as it allows; the bulk side has what remains. Work in
 * s->urgent runs on the urgent side alone, and work in s->bulk on the bulk side alone. */
void sides_open(struct sides *s, int sms);
/* When it returns, all work of both sides is done, and all that sides_open() made is given back. */
void sides_close(struct sides *s);

/* ---- (b) requests that wait for no bulk ---- */

/* Device memory: the caller's. One block does one tile, and takes BULK_NS. Each takes a lot of
 * shared memory, so that few blocks fit on an SM. */
struct bulk {
    const unsigned *in;
    unsigned *out;              /* n elements each */
    unsigned *table;            /* TABLE elements, for tune() to fill */
    int n, tiles;
    size_t shared;              /* bytes for each block: the launch's third parameter */
};
#define TABLE 64

/* n elements each, all the caller's: `in` and `out` are pinned, `device` is device memory. */
struct request {
    const unsigned *in;
    unsigned *out, *device;
    const unsigned *table;      /* the bulk's */
    int n, blocks; /* as many blocks of reply() as fit on the urgent side at once; fewer will do */
    size_t shared;              /* bytes for each block of reply(): the launch's third parameter */
};

/* Queues tune() and then, on the bulk side, crunch() for all tiles, waits for none of it, and comes
 * back while it is under way. The bulk takes no longer than the waves of blocks that its side
 * needs, one after the other. */
void bulk_begin(struct sides *s, const struct bulk *b);
/* Copies `in` to `device`, sends that through reply(), copies it to `out`. When it returns, `out`
 * is complete. It may be called at any time between bulk_begin() and bulk_end(). reply() reads the
 * table, so it comes after tune(). Of the rest of the bulk it waits for nothing: beside the bulk a
 * request takes at most 1.25 x what the reference solution's takes on an idle device, counted from
 * the end of tune(). */
void answer(struct sides *s, const struct request *r);
/* When it returns, the bulk is done, and all that bulk_begin() made is given back. Another bulk may
 * begin then, with other inputs. */
void bulk_end(struct sides *s);

/* ---- (c) how many SMs? ---- */

/* One bulk kernel and one request kernel, queued at once, a side each. A kernel takes as many waves
 * as its blocks need on its side, and each wave takes what a block takes. A promise counts from the
 * beginning of its kernel, and is kept if it is met exactly. */
struct load {
    int bulk_blocks, request_blocks;
    int per_sm;                 /* how many blocks of either kernel an SM takes at once */
    long long bulk_block_ns, request_block_ns;      /* what each block takes */
    long long bulk_due_ns, request_due_ns;          /* the promises: each kernel takes no longer */
};

/* How many SMs to ask for: with sides_open(&s, that many) both promises are kept. 0: on this device
 * no count given to sides_open() keeps both; a load may need more SMs than the device has. */
int urgent_share(const struct load *l);

/* ---- kernels ---- */

#define TUNE_NS 200000
#define BULK_NS 2000000
#define REPLY_NS 300000

#ifdef __CUDACC__

/* The driver's, for (a) and (c): each block takes that long. */
[[maybe_unused]] static __global__ void hold(long long ns)
{
    kernel_cost(ns);
}

/* One block. */
[[maybe_unused]] static __global__ void tune(unsigned *table)
{
    kernel_cost(TUNE_NS);
    for (unsigned i = threadIdx.x; i < TABLE; i += blockDim.x)
        table[i] = 2654435761u * i + 1u;
}

/* Tiles first, first + 1, … of `tiles`: as many as there are blocks. */
[[maybe_unused]] static __global__ void crunch(unsigned *out, const unsigned *in, const unsigned *table, int n, int tiles, int first)
{
    kernel_cost(BULK_NS);
    long long tile = first + (int)blockIdx.x;
    int end = (int)(n * (tile + 1) / tiles);
    for (int i = (int)(n * tile / tiles) + threadIdx.x; i < end; i += blockDim.x)
        out[i] = 1664525u * in[i] + table[i % TABLE];
}

/* Any grid and block; each element once. */
[[maybe_unused]] static __global__ void reply(unsigned *x, const unsigned *table, int n)
{
    kernel_cost(REPLY_NS);
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        x[i] = 5 * x[i] + table[i % TABLE];
}

#endif
#endif
