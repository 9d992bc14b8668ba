/* SPDX-License-Identifier: MIT */
/* One event for everything, recorded again and again: a wait takes the record
 * that is the latest when it is queued. Streams the other way round; a stream
 * that waits for the event is asked in place of the event. */
#include "lesson.h"

float time_kernel(const unsigned *in, unsigned *out, unsigned *data, int n, long long kernel_ns, cudaStream_t stream)
{
    float ms = 0;
    //> timing
    cudaEvent_t e[2];
    for (cudaEvent_t &each : e)
        CHECK(cudaEventCreate(&each));
    /* Recorded too early at first; the later record counts. */
    CHECK(cudaEventRecord(e[0], stream));
    CHECK(cudaMemcpyAsync(data, in, n * sizeof *data, cudaMemcpyHostToDevice, stream));
    CHECK(cudaEventRecord(e[0], stream));
    scramble<<<blocks_for(n), THREADS, 0, stream>>>(data, n, kernel_ns);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(e[1], stream));
    CHECK(cudaMemcpyAsync(out, data, n * sizeof *data, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEventElapsedTime(&ms, e[0], e[1]));
    for (cudaEvent_t each : e)
        CHECK(cudaEventDestroy(each));
    //< timing
    return ms;
}

void diamond(const struct diamond *x, cudaStream_t one, cudaStream_t two)
{
    //> diamond
    int blocks = blocks_for(x->n);
    cudaEvent_t e;
    CHECK(cudaEventCreate(&e));
    CHECK(cudaEventRecord(e, one));
    CHECK(cudaStreamWaitEvent(two, e, 0));
    stage_a<<<blocks, THREADS, 0, two>>>(*x);
    CHECK(cudaEventRecord(e, two));
    CHECK(cudaStreamWaitEvent(one, e, 0));
    stage_c<<<blocks, THREADS, 0, one>>>(*x);
    stage_b<<<blocks, THREADS, 0, two>>>(*x);
    CHECK(cudaEventRecord(e, one));
    CHECK(cudaStreamWaitEvent(two, e, 0));
    stage_d<<<blocks, THREADS, 0, two>>>(*x);
    CHECK(cudaEventRecord(e, two));
    CHECK(cudaStreamWaitEvent(one, e, 0));
    CHECK(cudaGetLastError());
    CHECK(cudaEventDestroy(e));     /* still pending, and no harm done */
    //< diamond
}

void work_until_done(const struct job *job, struct progress *p)
{
    //> slices
    int blocks = blocks_for(job->n);
    cudaStream_t watcher;
    cudaEvent_t e;
    CHECK(cudaStreamCreateWithFlags(&watcher, cudaStreamNonBlocking));
    CHECK(cudaEventCreate(&e));
    scramble<<<blocks, THREADS, 0, job->stream>>>(job->data, job->n, job->scramble_ns);
    CHECK(cudaMemcpyAsync(job->result, job->data, job->n * sizeof(unsigned), cudaMemcpyDeviceToHost, job->stream));
    CHECK(cudaEventRecord(e, job->stream));
    CHECK(cudaStreamWaitEvent(watcher, e, 0));
    clear<<<blocks, THREADS, 0, job->stream>>>(job->data, job->n, job->clear_ns);
    CHECK(cudaGetLastError());
    cudaError_t status;
    for (p->slices = 0; (status = cudaStreamQuery(watcher)) == cudaErrorNotReady; p->slices++)
        host_work(job->slice_ns);
    CHECK(status);
    p->sum = 0;
    for (int i = 0; i < job->n; i++)
        p->sum += job->result[i];
    CHECK(cudaEventDestroy(e));
    CHECK(cudaStreamDestroy(watcher));
    //< slices
}
