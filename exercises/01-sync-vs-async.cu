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
    /* TODO
     * - Take m->before and m->returned with now_ns(), right before and right after the launch.
     * - Look at the launch's own error with CHECK(cudaGetLastError()).
     * - Wait for the kernel with CHECK(cudaDeviceSynchronize()), then take m->done.
     */
    m->before = m->returned = m->done = now_ns();
    scramble<<<blocks_for(n, THREADS), THREADS>>>(data, n, kernel_ns);
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
    /* TODO: this is right, but kernel and host take turns.
     * - Queue the copy behind the kernel with cudaMemcpyAsync() in place of cudaMemcpy().
     * - Call host_work() when both are queued and before you wait for them.
     * - Wait with CHECK(cudaDeviceSynchronize()) before you read `result`.
     */
    scramble<<<blocks_for(n, THREADS), THREADS>>>(data, n, kernel_ns);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(result, data, n * sizeof *result, cudaMemcpyDeviceToHost));
    host_work(host_ns);
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
    /* TODO
     * - Ask for the launch's own error with cudaGetLastError(); if there is one, report it as AT_LAUNCH and return.
     * - Keep what cudaDeviceSynchronize() returns; an error that comes from there is AT_WAIT.
     * - Leave CHECK out here: it would end the program, and you are asked for a report.
     */
    scramble<<<blocks, job->threads>>>(job->data, job->n, job->kernel_ns);
    cudaDeviceSynchronize();
    //< errors
}
