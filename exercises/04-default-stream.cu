/* SPDX-License-Identifier: MIT */
//> build
/* TODO (c)
 * - Put a line here that the compiler gets its options from: // build: --default-stream per-thread
 */
//< build
/*
 * Lesson 04: the stream that nobody made.
 *
 * Grade it:  make lesson04        Run it:  make run04
 * Read:      lessons/04-default-stream/chapter.md; lesson.h beside it is the
 *            contract, with the kernels.
 */
#include "lesson.h"

/*
 * (a) An event in `second`, behind a kernel in `first`: does it wait?
 */
static bool is_held(cudaStream_t first, cudaStream_t second)
{
    bool held = false;
    //> held
    /* TODO
     * - Launch long_one<<<1, 1, 0, first>>>(), then an event behind it: cudaEventRecord(event, second).
     * - Wait for the event with cudaEventSynchronize(). Ask cudaStreamQuery(first): is the kernel done already?
     * - Leave nothing running: cudaDeviceSynchronize(). Give the event back.
     */
    (void)first, (void)second;
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
    /* TODO: this is right, but nothing runs beside the blur.
     * - Put your three kernels into a stream of yours: cudaStreamCreateWithFlags(.., cudaStreamNonBlocking).
     * - Now nothing orders it and the blur. Let cudaStreamLegacy wait for an event behind develop(), and merge()
     *   for an event behind the blur: cudaEventRecord(), cudaStreamWaitEvent().
     * - Launch make_grain() before merge() has to wait; wait for your stream at the end; give all back.
     */
    develop<<<BLOCKS, THREADS>>>(p->image, p->raw, p->n);
    vendor_blur(p->image, p->n);
    make_grain<<<BLOCKS, THREADS>>>(p->grain, p->raw, p->n);
    merge<<<BLOCKS, THREADS>>>(p->print, p->image, p->grain, p->n);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    //< photo
}

/*
 * (c) What each of four host threads does, all at the same time.
 */
void do_job(const struct job *job)
{
    size_t bytes = job->n * sizeof *job->in;
    //> job
    /* TODO: this is right, but the four threads share one default stream.
     * - Ask for one per thread with the build line at the top of this file, and change nothing here.
     * - Or name a stream in all four calls and in the wait: cudaStreamPerThread, or one from cudaStreamCreate().
     */
    CHECK(cudaMemcpyAsync(job->device, job->in, bytes, cudaMemcpyHostToDevice));
    wash<<<BLOCKS, THREADS>>>(job->device, job->n);
    rinse<<<BLOCKS, THREADS>>>(job->device, job->n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(job->out, job->device, bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaStreamSynchronize(0));
    //< job
}
