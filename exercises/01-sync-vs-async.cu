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
    /* TODO
     * - Three readings of now_ns(): m->before and m->returned immediately before and after the launch, m->done when
     *   the kernel has ended.
     * - A launch that is refused ends the program, through CHECK.
     * - m->done comes from a clock that was read after a wait, not after a guess.
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
     * - When host_work() begins, the kernel is queued, and nothing has waited for it.
     * - When the loop reads `result`, the copy has ended, and a call of yours has waited to know it.
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
     * - r->error is the error of this job, r->place where it was met: AT_LAUNCH if the launch was refused, AT_WAIT if
     *   the kernel failed while it ran.
     * - No error of this job is left for the next one to find.
     * - The program goes on, whatever happens: CHECK would end it.
     */
    scramble<<<blocks, job->threads>>>(job->data, job->n, job->kernel_ns);
    cudaDeviceSynchronize();
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
    /* TODO: this is right, but host and device never work at the same time.
     * - survey(), then plan() with the key that it found, then build() with what plan() returned: nothing else holds up
     *   any of the three.
     * - polish() and all letters are done meanwhile, in time that those three leave to the device or to the host.
     * - The lengths differ from run to run, but polish() is shorter than plan().
     */
    for (int k = 0; k < d->letters; k++)
        file_letter(k);
    polish<<<blocks, THREADS>>>(d->photo, d->n, d->polish_ns);
    survey<<<1, 1>>>(d->key, d->site, d->n, d->survey_ns);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&key, d->key, sizeof key, cudaMemcpyDeviceToHost));
    what = plan(key);
    build<<<blocks, THREADS>>>(d->house, d->n, what, d->build_ns);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    //< day
}
