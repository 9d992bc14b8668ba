/* SPDX-License-Identifier: MIT */
/*
 * lesson.h - the contract of lesson 15: kernels that may begin early, loops on the device, and the pieces that they are made of.
 *
 * Numbers are unsigned and wrap round at 2^32: every result is exact. A kernel has BLOCKS(n) blocks of THREADS threads, one
 * thread for each of n elements. Every thread that has an element calls each piece of its kernel once; one that has none may
 * leave pieces out. What is said above a piece is all the memory that it reads and writes. All memory is the caller's, and so
 * are the streams, unless it says "yours".
 */
#ifndef LESSON_H
#define LESSON_H

#include "streams.h"

#define THREADS 64
#define BLOCKS(n) (((n) + THREADS - 1) / THREADS)

/* ---- (a) a chain of small kernels ---- */

struct net {
    int layers, n;
    const unsigned *weights;    /* device memory, layers * n: nothing writes it while your kernels run */
    unsigned *x;                /* device memory, layers + 1 rows of n: layer k makes row k + 1 of row k */
};

/* Queues each layer() once, from 0 to net->layers - 1, and does not wait. What was queued in `stream` before, a copy, makes row 0. The last
 * row is complete when `stream` has done what was queued. Each layer's load() runs while the layer before it is at work: the chain takes little
 * more than one load() and every apply(). */
void forward(const struct net *net, cudaStream_t stream);

/* ---- (b) what may move ---- */

struct step {
    int count, n;
    const unsigned *table;      /* device memory, n: nothing writes it while your kernels run */
    unsigned *in, *a, *b, *seen, *out;  /* device memory, n each */
    const unsigned *from;       /* pinned, count * n: what comes into `in` */
    unsigned *to;               /* pinned, count * n: what `out` was */
};

/* For step k: copies from + k * n to `in`, runs sense(), mix() and settle(), and copies `out` to to + k * n; queues all of it,
 * and does not wait: all is done when `stream` is. As much of mix() and settle() as may begins before the kernel ahead of it is done. */
void all_steps(const struct step *step, cudaStream_t stream);

/* ---- (c) the chain as a graph ---- */

/* All yours. */
struct replay {
    cudaStream_t stream, side;
    cudaEvent_t fork, join;
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    void *more;
};

/*
 * A run is all that forward() does, and audit() of the row that layer `tap` makes, beside the layers that come later: none of them
 * waits for it. replay_open() captures a run and makes it ready, and runs nothing. replay_run() queues a run in `stream` with a call or two, and
 * does not wait. Each layer's load() runs while the layer before it is at work. No run is under way when replay_close() is called.
 */
void replay_open(struct replay *r, const struct net *net, int tap, unsigned *tally);
void replay_run(struct replay *r, cudaStream_t stream);
void replay_close(struct replay *r);

/* ---- (d) a loop that needs no host ---- */

#if CUDART_VERSION < 12040
#error "part (d) has a conditional node in a graph: take CUDA 12.4 or later"
#endif

/* A ring of n elements. A round makes each element's distance the least that its neighbours offer, until a round changes none. */
struct ring {
    int n;
    const unsigned *toll;       /* device memory, n: nothing writes it while your kernels run */
    unsigned *x, *y;            /* device memory, n each: the distances, and what the round under way makes of them */
    unsigned *changed;          /* device memory, one: counts for changes(). 0 when a run begins */
    unsigned *rounds;           /* device memory, one: offer() counts its rounds there */
    unsigned *calls;            /* device memory: the pieces count there how often they are called, and how often too soon. For the grader */
};

/* All yours. */
struct loop {
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    cudaGraphConditionalHandle more;
    void *other;
};

/*
 * A round calls offer(), then take(), then changes(). Each of them has to see everything that the one before it wrote. A run repeats rounds
 * until changes() returns 0; that round is the last. The number of rounds depends on what `x` holds when the run begins.
 * loop_open() makes the graph of a run ready, with a While node, and runs nothing. loop_run() queues a run in `stream` with one call or two and
 * does not wait. It may be called any number of times, and several loops may be open at once, each with a ring of its own. No run is under way
 * when loop_close() is called.
 */
void loop_open(struct loop *r, const struct ring *ring);
void loop_run(struct loop *r, cudaStream_t stream);
void loop_close(struct loop *r);

/* ---- the pieces ---- */

#ifdef __CUDACC__

static __device__ inline int element(void) { return blockIdx.x * blockDim.x + threadIdx.x; }

#define LOAD_NS 4000
#define APPLY_NS 6000

/* (a), (c): brings a layer's weights into the block's shared memory, `own`: THREADS numbers. Reads `weights` alone. */
[[maybe_unused]] static __device__ void load(unsigned *own, const struct net &net, int layer)
{
    kernel_busy(LOAD_NS);
    if (element() < net.n)
        own[threadIdx.x] = net.weights[(size_t)layer * net.n + element()];
}

/* Reads `own` and row `layer`, writes row `layer` + 1. */
[[maybe_unused]] static __device__ void apply(const struct net &net, int layer, const unsigned *own)
{
    kernel_busy(APPLY_NS);
    const unsigned *x = net.x + (size_t)layer * net.n;
    int i = element();
    if (i < net.n)
        net.x[(size_t)(layer + 1) * net.n + i] = own[threadIdx.x] * x[i] + x[(i + 1) % net.n];
}

#define AUDIT_NS 50000

/* (c): adds the row that layer `tap` makes to `tally`, n elements. */
[[maybe_unused]] static __global__ void audit(struct net net, int tap, unsigned *tally)
{
    kernel_busy(AUDIT_NS);
    if (element() < net.n)
        tally[element()] += net.x[(size_t)(tap + 1) * net.n + element()];
}

/* (b): what a block keeps. */
struct own { unsigned tuned[THREADS], weight[THREADS]; };

#define SENSE_NS 16000
#define TUNE_NS 6000
#define WEIGH_NS 5000
#define MIX_NS 6000
#define SMALL_NS 3000

/* Of sense(): reads `in` and `seen`, writes `a`. */
[[maybe_unused]] static __device__ void collect(const struct step &s)
{
    kernel_busy(SENSE_NS);
    int i = element();
    if (i < s.n)
        s.a[i] = 3 * s.in[i] + s.seen[(i + 1) % s.n];
}

/* Of mix() and settle(): reads `table`, writes own->tuned. */
[[maybe_unused]] static __device__ void tune(struct own *own, const struct step &s)
{
    kernel_busy(TUNE_NS);
    if (element() < s.n)
        own->tuned[threadIdx.x] = 2654435761u * s.table[element()] + 1;
}

/* Of mix(): reads `in`, writes own->weight. */
[[maybe_unused]] static __device__ void weigh(struct own *own, const struct step &s)
{
    kernel_busy(WEIGH_NS);
    int i = element();
    if (i < s.n)
        own->weight[threadIdx.x] = s.in[i] ^ s.in[(i + 1) % s.n];
}

/* Of mix(), its last: reads `a`, `seen` and *own, writes `b`. */
[[maybe_unused]] static __device__ void blend(const struct step &s, const struct own *own)
{
    kernel_busy(MIX_NS);
    int i = element();
    if (i < s.n)
        s.b[i] = own->tuned[threadIdx.x] * s.a[(i + 1) % s.n] + own->weight[threadIdx.x] + s.seen[i];
}

/* Of settle(): reads `a`, writes own->weight. */
[[maybe_unused]] static __device__ void recall(struct own *own, const struct step &s)
{
    kernel_busy(SMALL_NS);
    int i = element();
    if (i < s.n)
        own->weight[threadIdx.x] = s.a[i] + s.a[s.n - 1 - i];
}

/* Of settle(): reads `in`, and changes `seen`. */
[[maybe_unused]] static __device__ void mark(const struct step &s)
{
    kernel_busy(SMALL_NS);
    int i = element();
    if (i < s.n)
        s.seen[i] = 5 * s.seen[i] + s.in[i];
}

/* Of settle(), its last: reads `b` and *own, writes `out`. */
[[maybe_unused]] static __device__ void finish(const struct step &s, const struct own *own)
{
    kernel_busy(SMALL_NS);
    int i = element();
    if (i < s.n)
        s.out[i] = own->tuned[threadIdx.x] * s.b[(i + 1) % s.n] + own->weight[threadIdx.x];
}

#define OFFER_NS 3000
#define TAKE_NS 2000

/* Of the pieces, for the grader: that many threads call number `piece`, and too soon if some have not called the one before it in this round. */
static __device__ inline void counted(const struct ring &r, int piece, unsigned threads)
{
    atomicAdd(&r.calls[piece], threads);
    unsigned ahead = piece > 0 ? atomicAdd(&r.calls[piece - 1], 0) : 0;
    if (piece > 0 && (ahead == 0 || ahead != *r.rounds * BLOCKS(r.n) * THREADS))
        atomicAdd(&r.calls[2 + piece], 1);
}

/* (d): reads `x` and `toll`, writes `y`; adds 1 to `rounds`. */
[[maybe_unused]] static __device__ void offer(const struct ring &r)
{
    kernel_busy(OFFER_NS);
    int i = element();
    if (i == 0)
        ++*r.rounds;
    if (threadIdx.x == 0)
        counted(r, 0, blockDim.x);
    if (i < r.n) {
        unsigned left = r.x[(i + r.n - 1) % r.n], right = r.x[(i + 1) % r.n], least = (left < right ? left : right) + r.toll[i];
        r.y[i] = least < r.x[i] ? least : r.x[i];
    }
}

/* (d): reads `y`, changes `x`, and adds the elements that it changes to `changed`. */
[[maybe_unused]] static __device__ void take(const struct ring &r)
{
    kernel_busy(TAKE_NS);
    int i = element();
    if (threadIdx.x == 0)
        counted(r, 1, blockDim.x);
    if (i < r.n && r.x[i] != r.y[i]) {
        r.x[i] = r.y[i];
        atomicAdd(r.changed, 1);
    }
}

/* (d): how many elements take() has changed in this round. Called by one thread, once a round: it sets `changed` to 0 for the next. */
[[maybe_unused]] static __device__ unsigned changes(const struct ring &r)
{
    unsigned n = *r.changed;
    *r.changed = 0;
    counted(r, 2, 1);
    return n;
}

#endif
#endif
