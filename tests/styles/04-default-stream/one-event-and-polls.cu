/* SPDX-License-Identifier: MIT */
/* One event recorded twice, a poll at the end; the build line, and an event for each thread. */
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

/*
 * (a) An event in `second`, behind a kernel in `first`: does it wait?
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
    cudaStream_t mine[2];
    cudaEvent_t event;
    for (cudaStream_t &stream : mine)
        CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaEventCreate(&event));
    develop<<<BLOCKS, THREADS, 0, mine[0]>>>(p->image, p->raw, p->n);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(event, mine[0]));
    CHECK(cudaStreamWaitEvent(cudaStreamLegacy, event, 0));
    make_grain<<<BLOCKS, THREADS, 0, mine[1]>>>(p->grain, p->raw, p->n);
    CHECK(cudaGetLastError());
    vendor_blur(p->image, p->n);
    CHECK(cudaEventRecord(event, cudaStreamLegacy));    // the same event: earlier waits do not move
    CHECK(cudaStreamWaitEvent(mine[1], event, 0));
    merge<<<BLOCKS, THREADS, 0, mine[1]>>>(p->print, p->image, p->grain, p->n);
    CHECK(cudaGetLastError());
    while (cudaStreamQuery(mine[1]) == cudaErrorNotReady)
        host_work(10000);
    CHECK(cudaStreamSynchronize(mine[1]));
    for (cudaStream_t stream : mine)
        CHECK(cudaStreamDestroy(stream));
    CHECK(cudaEventDestroy(event));
    //< photo
}

/*
 * (c) What each of four host threads does, all at the same time.
 */
void do_job(const struct job *job)
{
    size_t bytes = job->n * sizeof *job->in;
    //> job
    static thread_local cudaEvent_t done;
    CHECK(cudaEventCreateWithFlags(&done, cudaEventBlockingSync | cudaEventDisableTiming));
    CHECK(cudaMemcpyAsync(job->device, job->in, bytes, cudaMemcpyHostToDevice));
    wash<<<BLOCKS, THREADS>>>(job->device, job->n);
    rinse<<<BLOCKS, THREADS>>>(job->device, job->n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(job->out, job->device, bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaEventRecord(done));
    CHECK(cudaEventSynchronize(done));
    CHECK(cudaEventDestroy(done));
    //< job
}
