// fails: a-clock
// Hands over how long it took since the launch, not what the clock said.
/* SPDX-License-Identifier: MIT */
/*
 * Lesson 01: asking and getting are two moments.
 *
 * Grade it:  make lesson01        Run it:  make run01
 * Read:      lessons/01-sync-vs-async/chapter.md; lesson.h beside it is the contract,
 *            with the kernel scramble().
 */
#include "lesson.h"

enum { THREADS = 256 };

/*
 * (a) When did the launch come back, and when was the work done?
 */
void watch_launch(unsigned *data, int n, long long kernel_ns, struct moments *m)
{
    //> moments
    long long begin = now_ns();
    m->before = 0;
    scramble<<<blocks_for(n, THREADS), THREADS>>>(data, n, kernel_ns);
    m->returned = now_ns() - begin;
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    m->done = now_ns() - begin;
    //< moments
}

/*
 * (b) The host computes while the kernel runs.
 */
unsigned long long work_meanwhile(unsigned *data, unsigned *result, int n,
                                  long long kernel_ns, long long host_ns)
{
    unsigned long long sum = 0;
    //> overlap
    scramble<<<blocks_for(n, THREADS), THREADS>>>(data, n, kernel_ns);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(result, data, n * sizeof *result, cudaMemcpyDeviceToHost));
    host_work(host_ns);
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++)
        sum += result[i];
    //< overlap
    return sum;
}

/*
 * (c) Which call met the error, and what was it?
 */
void run_job(const struct job *job, struct report *r)
{
    int blocks = blocks_for(job->n, job->threads);
    r->place = NOWHERE;
    r->error = cudaSuccess;
    //> errors
    scramble<<<blocks, job->threads>>>(job->data, job->n, job->kernel_ns);
    r->error = cudaGetLastError();
    if (r->error != cudaSuccess) {
        r->place = AT_LAUNCH;
        return;
    }
    r->error = cudaDeviceSynchronize();
    if (r->error != cudaSuccess)
        r->place = AT_WAIT;
    //< errors
}
