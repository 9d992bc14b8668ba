/* SPDX-License-Identifier: MIT */
//> build
/* TODO (c)
 * - Options for the compiler stand here if you want any, in a line of their own: // build: OPTIONS
 */
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
    /* TODO
     * - long_one() runs in `first`, and an event is recorded in `second` after the launch.
     * - held is true if the kernel is done by the time the event has passed.
     * - Nothing is running when the function returns, and the event is given back.
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
     * - make_grain() runs beside the blur: the vendor's stream does not reach yours.
     * - The blur comes after develop(), and merge() after the blur and the grain, because something guarantees it.
     * - The host waits once, when all is queued. `print` is complete on return, and what you made is given back.
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
     * - The jobs of different threads run at the same time; within a job the order stays.
     * - The job is done when its function returns.
     * - Either this function changes, or what "no stream" means in this file (the build line of the chapter). (b) still passes.
     */
    CHECK(cudaMemcpyAsync(job->device, job->in, bytes, cudaMemcpyHostToDevice));
    wash<<<BLOCKS, THREADS>>>(job->device, job->n);
    rinse<<<BLOCKS, THREADS>>>(job->device, job->n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(job->out, job->device, bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaStreamSynchronize(0));
    //< job
}
