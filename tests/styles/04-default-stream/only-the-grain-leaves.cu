/* SPDX-License-Identifier: MIT */
/* The chain stays in the default stream; streams of their own for the threads; times instead of queries. */
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

/*
 * (a) An event in `second`, behind a kernel in `first`: does it wait?
 */
static bool is_held(cudaStream_t first, cudaStream_t second)
{
    //> held
    cudaEvent_t long_end, mark;
    float ms;
    CHECK(cudaEventCreate(&long_end));
    CHECK(cudaEventCreate(&mark));
    long_one<<<1, 1, 0, first>>>();
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(mark, second));
    long long before = now_ns();
    CHECK(cudaEventSynchronize(mark));
    long long waited = now_ns() - before;
    CHECK(cudaEventRecord(long_end, first));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEventElapsedTime(&ms, mark, long_end));
    CHECK(cudaEventDestroy(long_end));
    CHECK(cudaEventDestroy(mark));
    return waited > LONG_NS / 2 && ms < LONG_NS / 2e6f;
    //< held
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
    // The chain stays in the default stream; only what has to run beside it leaves.
    cudaStream_t beside;
    cudaEvent_t grained;
    CHECK(cudaStreamCreateWithPriority(&beside, cudaStreamNonBlocking, 0));
    CHECK(cudaEventCreateWithFlags(&grained, cudaEventDisableTiming));
    make_grain<<<11, 96, 0, beside>>>(p->grain, p->raw, p->n);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(grained, beside));
    develop<<<3, 64>>>(p->image, p->raw, p->n);
    CHECK(cudaGetLastError());
    vendor_blur(p->image, p->n);
    CHECK(cudaStreamWaitEvent(0, grained, 0));
    merge<<<BLOCKS, THREADS>>>(p->print, p->image, p->grain, p->n);
    CHECK(cudaGetLastError());
    CHECK(cudaStreamSynchronize(0));
    CHECK(cudaEventDestroy(grained));
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
    cudaStream_t stream;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaMemcpyAsync(job->device, job->in, bytes, cudaMemcpyHostToDevice, stream));
    wash<<<BLOCKS, THREADS, 0, stream>>>(job->device, job->n);
    rinse<<<BLOCKS, THREADS, 0, stream>>>(job->device, job->n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(job->out, job->device, bytes, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaStreamDestroy(stream));
    //< job
}
