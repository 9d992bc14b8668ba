// fails: c-stop
// Asks after every hundredth slice.
/* SPDX-License-Identifier: MIT */
#include "lesson.h"

/*
 * (a) How long did the kernel take, without the copies round it?
 */
float time_kernel(const unsigned *in, unsigned *out, unsigned *data, int n, long long kernel_ns, cudaStream_t stream)
{
    float ms = 0;
    size_t bytes = n * sizeof *data;
    //> timing
    cudaEvent_t begin, end;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    CHECK(cudaMemcpyAsync(data, in, bytes, cudaMemcpyHostToDevice, stream));
    CHECK(cudaEventRecord(begin, stream));
    scramble<<<blocks_for(n), THREADS, 0, stream>>>(data, n, kernel_ns);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(end, stream));
    CHECK(cudaMemcpyAsync(out, data, bytes, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaEventElapsedTime(&ms, begin, end));
    CHECK(cudaEventDestroy(begin));
    CHECK(cudaEventDestroy(end));
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
    cudaEvent_t forked, joined;
    CHECK(cudaEventCreateWithFlags(&forked, cudaEventDisableTiming));
    CHECK(cudaEventCreateWithFlags(&joined, cudaEventDisableTiming));
    stage_a<<<blocks, THREADS, 0, one>>>(*x);
    CHECK(cudaEventRecord(forked, one));
    CHECK(cudaStreamWaitEvent(two, forked, 0));
    stage_b<<<blocks, THREADS, 0, one>>>(*x);
    stage_c<<<blocks, THREADS, 0, two>>>(*x);
    CHECK(cudaEventRecord(joined, two));
    CHECK(cudaStreamWaitEvent(one, joined, 0));
    stage_d<<<blocks, THREADS, 0, one>>>(*x);
    CHECK(cudaGetLastError());
    CHECK(cudaEventDestroy(forked));
    CHECK(cudaEventDestroy(joined));
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
    cudaEvent_t arrived;
    CHECK(cudaEventCreateWithFlags(&arrived, cudaEventDisableTiming));
    scramble<<<blocks, THREADS, 0, job->stream>>>(job->data, job->n, job->scramble_ns);
    CHECK(cudaMemcpyAsync(job->result, job->data, bytes, cudaMemcpyDeviceToHost, job->stream));
    CHECK(cudaEventRecord(arrived, job->stream));
    clear<<<blocks, THREADS, 0, job->stream>>>(job->data, job->n, job->clear_ns);
    CHECK(cudaGetLastError());
    p->slices = 0;
    while (cudaEventQuery(arrived) == cudaErrorNotReady)
        for (int i = 0; i < 100; i++, p->slices++)
            host_work(job->slice_ns);
    CHECK(cudaEventDestroy(arrived));
    //< slices
    p->sum = 0;
    for (int i = 0; i < job->n; i++)
        p->sum += job->result[i];
}
