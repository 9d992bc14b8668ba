/* SPDX-License-Identifier: MIT */
//> build
// build: --default-stream per-thread
//< build
/*
 * Lesson 04: the default stream, legacy and per-thread.
 *
 * Grade it:  make lesson04        Run it:  make run04
 * Read:      lessons/04-default-stream/chapter.md; lesson.h beside it is the
 *            contract, with the kernels.
 */
#include "lesson.h"

/*
 * (a) An event in `second`, after a kernel in `first`: does it wait?
 */
static bool is_held(cudaStream_t first, cudaStream_t second)
{
    bool held = false;
    //> held
    cudaEvent_t event;
    CHECK(cudaEventCreate(&event));
    long_one<<<1, 1, 0, first>>>();
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(event, second));
    CHECK(cudaEventSynchronize(event));
    held = cudaStreamQuery(first) == cudaSuccess;   // not ErrorNotReady: the kernel is done already
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEventDestroy(event));
    //< held
    return held;
}

void who_waits(const cudaStream_t stream[KINDS], bool waits[KINDS][KINDS])
{
    for (int first = 0; first < KINDS; first++)
        for (int second = 0; second < KINDS; second++)
            waits[first][second] = is_held(stream[first], stream[second]);
}

/*
 * (b) Your kernels beside vendor_blur(), in the one order that matters.
 */
void print_photo(const struct photo *p)
{
    //> photo
    cudaStream_t mine;
    cudaEvent_t developed, blurred;
    CHECK(cudaStreamCreateWithFlags(&mine, cudaStreamNonBlocking));
    CHECK(cudaEventCreateWithFlags(&developed, cudaEventDisableTiming));
    CHECK(cudaEventCreateWithFlags(&blurred, cudaEventDisableTiming));

    develop<<<BLOCKS, THREADS, 0, mine>>>(p->image, p->raw, p->n);
    CHECK(cudaEventRecord(developed, mine));
    CHECK(cudaStreamWaitEvent(cudaStreamLegacy, developed, 0));
    vendor_blur(p->image, p->n);
    CHECK(cudaEventRecord(blurred, cudaStreamLegacy));
    make_grain<<<BLOCKS, THREADS, 0, mine>>>(p->grain, p->raw, p->n);
    CHECK(cudaStreamWaitEvent(mine, blurred, 0));
    merge<<<BLOCKS, THREADS, 0, mine>>>(p->print, p->image, p->grain, p->n);
    CHECK(cudaGetLastError());

    CHECK(cudaStreamSynchronize(mine));
    CHECK(cudaEventDestroy(developed));
    CHECK(cudaEventDestroy(blurred));
    CHECK(cudaStreamDestroy(mine));
    //< photo
}

/*
 * (c) What each of four host threads does, all at the same time.
 */
void do_job(const struct job *job)
{
    size_t bytes = job->n * sizeof *job->in;
    //> job
    CHECK(cudaMemcpyAsync(job->device, job->in, bytes, cudaMemcpyHostToDevice));
    wash<<<BLOCKS, THREADS>>>(job->device, job->n);
    rinse<<<BLOCKS, THREADS>>>(job->device, job->n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(job->out, job->device, bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaStreamSynchronize(0));
    //< job
}
