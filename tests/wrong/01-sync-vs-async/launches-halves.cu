// fails: a-output
/* SPDX-License-Identifier: MIT */
/* Launches twice, over one half each. */
#include "lesson.h"

enum { THREADS = 256 };

/*
 * (a) When did the launch come back, and when was the work done?
 */
void watch_launch(unsigned *data, int n, long long kernel_ns, struct moments *m)
{
    //> moments
    m->before = now_ns();
    scramble<<<blocks_for(n / 2, THREADS), THREADS>>>(data, n / 2, kernel_ns);
    scramble<<<blocks_for(n - n / 2, THREADS), THREADS>>>(data + n / 2, n - n / 2, kernel_ns);
    m->returned = now_ns();
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    m->done = now_ns();
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
