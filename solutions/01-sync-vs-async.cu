/* SPDX-License-Identifier: MIT */
/*
 * Lesson 01: asking and getting are two moments.
 *
 * Grade it:  make lesson01        Run it:  make run01
 * Read:      lessons/01-sync-vs-async/chapter.md; lesson.h beside it is the contract,
 *            with the kernels.
 */
#include "lesson.h"

enum { THREADS = 256 };

/*
 * (a) When did the launch come back, and when was the work done?
 */
void watch_launch(unsigned *data, int n, long long kernel_ns, struct moments *m)
{
    //> moments
    m->before = now_ns();
    scramble<<<blocks_for(n, THREADS), THREADS>>>(data, n, kernel_ns);
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

/*
 * (d) What first, and what meanwhile?
 */
void whole_day(const struct day *d)
{
    int blocks = blocks_for(d->n, THREADS);
    unsigned key, what;
    //> day
    survey<<<1, 1>>>(d->key, d->site, d->n, d->survey_ns);
    CHECK(cudaGetLastError());
    int k = 0;
    for (long long ns = 0; k < d->letters && ns + d->letter_ns[k] <= d->survey_ns; k++) {
        file_letter(k);                                 // as many as there is time for
        ns += d->letter_ns[k];
    }
    CHECK(cudaMemcpy(&key, d->key, sizeof key, cudaMemcpyDeviceToHost));
    polish<<<blocks, THREADS>>>(d->photo, d->n, d->polish_ns);
    CHECK(cudaGetLastError());
    what = plan(key);                                   // beside polish()
    build<<<blocks, THREADS>>>(d->house, d->n, what, d->build_ns);
    CHECK(cudaGetLastError());
    for (; k < d->letters; k++)
        file_letter(k);
    CHECK(cudaDeviceSynchronize());
    //< day
}
