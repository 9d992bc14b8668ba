/* SPDX-License-Identifier: MIT */
/*
 * Lesson 05: which calls wait without saying so?
 *
 * Grade it:  make lesson05        Run it:  make run05
 * Read:      lessons/05-implicit-sync/chapter.md; lesson.h beside it is the
 *            contract, with the calls and the kernels.
 */
#include "lesson.h"

#include <stdlib.h>

/*
 * (a) What does each call hold up on this machine: the host, the device?
 */
void classify(struct effect effect[SUBJECTS])
{
    //> classify
    cudaStream_t a, b;
    CHECK(cudaStreamCreate(&a));
    CHECK(cudaStreamCreate(&b));
    for (int k = 0; k < SUBJECTS; k++) {
        long_one<<<1, 1, 0, a>>>();
        CHECK(cudaGetLastError());
        make_call((enum subject)k, b);
        effect[k].host = cudaStreamQuery(a) == cudaSuccess;     // done already when the call is back
        short_one<<<1, 1, 0, b>>>();
        CHECK(cudaGetLastError());
        CHECK(cudaStreamSynchronize(b));
        effect[k].device = cudaStreamQuery(a) == cudaSuccess;   // done already when B is
        CHECK(cudaStreamSynchronize(a));
    }
    CHECK(cudaStreamDestroy(a));
    CHECK(cudaStreamDestroy(b));
    //< classify
}

/*
 * (b) A pipeline in which five calls wait that need not.
 */
struct lane {
    cudaStream_t stream;
    unsigned *in, *out;         /* device memory, one frame each */
    unsigned *result;           /* host memory, one frame */
};

static void open_lane(struct lane *lane, size_t bytes)
{
    CHECK(cudaStreamCreate(&lane->stream));
    CHECK(cudaMalloc((void **)&lane->in, bytes));
    //> open
    CHECK(cudaMalloc((void **)&lane->out, bytes));
    CHECK(cudaMallocHost((void **)&lane->result, bytes));
    //< open
}

static void close_lane(struct lane *lane)
{
    //> close
    CHECK(cudaFree(lane->out));
    CHECK(cudaFreeHost(lane->result));
    //< close
    CHECK(cudaFree(lane->in));
    CHECK(cudaStreamDestroy(lane->stream));
}

static void queue_frame(const struct frames *f, int k, struct lane *lane)
{
    size_t bytes = f->n * sizeof(unsigned), first = (size_t)k * f->n;
    int number = k % LANES;
    CHECK(cudaMemcpyAsync(lane->in, f->in + first, bytes, cudaMemcpyHostToDevice, lane->stream));
    //> frame
    CHECK(cudaMemsetAsync(lane->out, 0, bytes, lane->stream));
    CHECK(cudaMemcpyToSymbolAsync(lane_gain, &f->gain[k], sizeof(unsigned), number * sizeof(unsigned),
                                  cudaMemcpyHostToDevice, lane->stream));
    develop_frame<<<BLOCKS, THREADS, 0, lane->stream>>>(lane->out, lane->in, number, f->n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(f->archive + first, lane->out, bytes, cudaMemcpyDeviceToDevice, lane->stream));
    CHECK(cudaMemcpyAsync(lane->result, lane->out, bytes, cudaMemcpyDeviceToHost, lane->stream));
    //< frame
}

void develop(const struct frames *f)
{
    struct lane lanes[LANES];
    for (int k = 0; k < LANES; k++)
        open_lane(&lanes[k], f->n * sizeof(unsigned));
    for (int k = 0; k < f->count + LANES; k++) {
        struct lane *lane = &lanes[k % LANES];
        if (k >= LANES && k - LANES < f->count) {
            CHECK(cudaStreamSynchronize(lane->stream));     // this one is needed: why?
            hand_over(k - LANES, lane->result);
        }
        if (k < f->count)
            queue_frame(f, k, lane);
    }
    for (int k = 0; k < LANES; k++)
        close_lane(&lanes[k]);
}
