// fails: a-legacy
/* SPDX-License-Identifier: MIT */
/* A blocking stream is believed not to wait for the default stream. */
//> build
// build: --default-stream per-thread
//< build
/*
 * Lesson 04: the stream that nobody made.
 *
 * Grade it:  make lesson04        Run it:  make run04
 * Read:      lessons/04-default-stream/chapter.md; lesson.h beside it is the
 *            contract, with the kernels.
 */
#include "lesson.h"

#include <string.h>

/*
 * (a) Who waits for whom?
 */
void who_waits(const cudaStream_t stream[KINDS], bool waits[KINDS][KINDS])
{
    // legacy, blocking, another, non-blocking, per-thread
    static const bool table[KINDS][KINDS] = {
        { 1, 0, 0, 0, 1 },     // LEGACY
        { 1, 1, 0, 0, 0 },     // BLOCKING
        { 1, 0, 1, 0, 0 },     // ANOTHER
        { 0, 0, 0, 1, 0 },     // NON_BLOCKING
        { 1, 0, 0, 0, 1 },     // PER_THREAD
    };
    (void)stream;
    memcpy(waits, table, sizeof table);
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
