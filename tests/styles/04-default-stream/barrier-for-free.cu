/* SPDX-License-Identifier: MIT */
/* A table from the book where that tells, and questions where it does not; the default stream's own rule for the blur, no event; cudaStreamPerThread by name. */
//> build
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
        { 1, 1, 1, 0, 1 },     // LEGACY
        { 1, 1, 0, 0, 0 },     // BLOCKING
        { 1, 0, 1, 0, 0 },     // ANOTHER
        { 0, 0, 0, 1, 0 },     // NON_BLOCKING
        { 1, 0, 0, 0, 1 },     // PER_THREAD
    };
    memcpy(waits, table, sizeof table);
    for (int first = 0; first < KINDS; first++)
        for (int second = first < GIVEN ? GIVEN : 0; second < KINDS; second++) {
            cudaEvent_t begin, end;
            float ms;
            CHECK(cudaEventCreate(&begin));
            CHECK(cudaEventCreate(&end));
            CHECK(cudaEventRecord(begin, cudaStreamLegacy));
            CHECK(cudaEventSynchronize(begin));
            long_one<<<1, 1, 0, stream[first]>>>();
            CHECK(cudaGetLastError());
            CHECK(cudaEventRecord(end, stream[second]));
            CHECK(cudaDeviceSynchronize());
            CHECK(cudaEventElapsedTime(&ms, begin, end));
            waits[first][second] = ms > LONG_NS / 1e6f / 2;
            CHECK(cudaEventDestroy(begin));
            CHECK(cudaEventDestroy(end));
        }
}

/*
 * (b) Your kernels beside vendor_blur(), in the one order that matters.
 */
void print_photo(const struct photo *p)
{
    //> photo
    // develop() and merge() in a blocking stream: towards the default stream it needs no event.
    cudaStream_t chain, beside;
    cudaEvent_t grained;
    CHECK(cudaStreamCreate(&chain));
    CHECK(cudaStreamCreateWithFlags(&beside, cudaStreamNonBlocking));
    CHECK(cudaEventCreate(&grained));
    make_grain<<<BLOCKS, THREADS, 0, beside>>>(p->grain, p->raw, p->n);
    CHECK(cudaEventRecord(grained, beside));
    develop<<<BLOCKS, THREADS, 0, chain>>>(p->image, p->raw, p->n);
    vendor_blur(p->image, p->n);
    CHECK(cudaStreamWaitEvent(chain, grained, 0));
    merge<<<BLOCKS, THREADS, 0, chain>>>(p->print, p->image, p->grain, p->n);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEventDestroy(grained));
    CHECK(cudaStreamDestroy(chain));
    CHECK(cudaStreamDestroy(beside));
    //< photo
}

/*
 * (c) What each of four host threads does, all at the same time.
 */
void do_job(const struct job *job)
{
    size_t bytes = job->n * sizeof *job->in;
    //> job
    CHECK(cudaMemcpyAsync(job->device, job->in, bytes, cudaMemcpyHostToDevice, cudaStreamPerThread));
    wash<<<BLOCKS, THREADS, 0, cudaStreamPerThread>>>(job->device, job->n);
    rinse<<<BLOCKS, THREADS, 0, cudaStreamPerThread>>>(job->device, job->n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(job->out, job->device, bytes, cudaMemcpyDeviceToHost, cudaStreamPerThread));
    CHECK(cudaStreamSynchronize(cudaStreamPerThread));
    //< job
}
