/* SPDX-License-Identifier: MIT */
/*
 * Lesson 03: an event marks a place in a queue.
 *
 * Grade it:  make lesson03        Run it:  make run03
 * Read:      lessons/03-events/chapter.md; lesson.h beside it is the contract, with the kernels.
 */
#include "lesson.h"

/*
 * (a) How long did the kernel take, without the copies round it?
 */
float time_kernel(const unsigned *in, unsigned *out, unsigned *data, int n, long long kernel_ns, cudaStream_t stream)
{
    float ms = 0;
    size_t bytes = n * sizeof *data;
    //> timing
    /* TODO: this measures the copies, too, and the host's calls.
     * - ms is how long the kernel took, on the device's clock: no copy is in it, and no call of the host's.
     * - The host waits once, when all is queued, and `out` has arrived when the function returns.
     * - What you make is given back.
     */
    long long before = now_ns();
    CHECK(cudaMemcpyAsync(data, in, bytes, cudaMemcpyHostToDevice, stream));
    scramble<<<blocks_for(n), THREADS, 0, stream>>>(data, n, kernel_ns);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(out, data, bytes, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    ms = (now_ns() - before) / 1e6;
    //< timing
    return ms;
}

/*
 * (b) A, then B and C at once, then D; the host only queues.
 */
void diamond(const struct diamond *x, cudaStream_t one, cudaStream_t two)
{
    int blocks = blocks_for(x->n);
    //> diamond
    /* TODO: this is right, but B and C take turns.
     * - B and C come after A, and run at the same time.
     * - D comes after B and after C, in `one`; what the caller queues into `one` later comes after D.
     * - The host only queues: it neither waits nor asks.
     * - What you make is given back; events that only order things need not record the time.
     */
    (void)two;
    stage_a<<<blocks, THREADS, 0, one>>>(*x);
    stage_b<<<blocks, THREADS, 0, one>>>(*x);
    stage_c<<<blocks, THREADS, 0, one>>>(*x);
    stage_d<<<blocks, THREADS, 0, one>>>(*x);
    CHECK(cudaGetLastError());
    //< diamond
}

/*
 * (c) Work until a part of the queue is done.
 */
void work_until_done(const struct job *job, struct progress *p)
{
    int blocks = blocks_for(job->n);
    size_t bytes = job->n * sizeof *job->data;
    //> slices
    /* TODO: this waits for clear(), too, and works only when all is over.
     * - As long as the copy has not arrived, the host does slices of host_work(), and p->slices counts them.
     * - The host asks before each slice, and begins none once the copy is there.
     * - Nothing waits for clear(). (An answer "not yet" is no failure: CHECK would end the program.)
     */
    scramble<<<blocks, THREADS, 0, job->stream>>>(job->data, job->n, job->scramble_ns);
    CHECK(cudaMemcpyAsync(job->result, job->data, bytes, cudaMemcpyDeviceToHost, job->stream));
    clear<<<blocks, THREADS, 0, job->stream>>>(job->data, job->n, job->clear_ns);
    CHECK(cudaGetLastError());
    CHECK(cudaStreamSynchronize(job->stream));
    host_work(job->slice_ns);
    p->slices = 1;
    //< slices
    p->sum = 0;
    for (int i = 0; i < job->n; i++)
        p->sum += job->result[i];
}
