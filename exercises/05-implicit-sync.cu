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
    /* TODO: set true where something waits. Measure it with long_one(), make_call() and short_one():
     * - host: a kernel that was running in another stream when the call was made is over when the call returns.
     * - device: a kernel that is launched into stream b after the call does not end before that one does.
     * - What you make is given back.
     */
    for (int k = 0; k < SUBJECTS; k++)
        effect[k].host = effect[k].device = false;
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
    /* TODO
     * - All memory that a lane needs for every frame is taken here, once.
     * - A copy to lane->result does not hold up the host.
     */
    lane->out = NULL;
    lane->result = (unsigned *)malloc(bytes);
    //< open
}

static void close_lane(struct lane *lane)
{
    //> close
    /* TODO
     * - What open_lane() takes is given back.
     */
    free(lane->result);
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
    /* TODO: four of these calls make the lanes wait for each other.
     * - A frame waits for its own lane and for nothing else (part a says which of the calls wait, and for what).
     * - All the work stays: each frame is cleared, developed, copied to the archive and copied back, in this order.
     */
    CHECK(cudaMalloc((void **)&lane->out, bytes));
    CHECK(cudaMemset(lane->out, 0, bytes));
    CHECK(cudaMemcpyToSymbol(lane_gain, &f->gain[k], sizeof(unsigned), number * sizeof(unsigned)));
    develop_frame<<<BLOCKS, THREADS, 0, lane->stream>>>(lane->out, lane->in, number, f->n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(f->archive + first, lane->out, bytes, cudaMemcpyDeviceToDevice));
    CHECK(cudaMemcpyAsync(lane->result, lane->out, bytes, cudaMemcpyDeviceToHost, lane->stream));
    CHECK(cudaFree(lane->out));
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
