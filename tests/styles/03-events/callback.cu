/* SPDX-License-Identifier: MIT */
/* Host functions where they serve: one writes down when the copy came home.
 * Times are asked for only when a query says that all has passed; D's stream
 * waits for both branches though one of them is its own. */
#include "lesson.h"

static void note(void *flag) { *(int *)flag = 1; }

float time_kernel(const unsigned *in, unsigned *out, unsigned *data, int n, long long kernel_ns, cudaStream_t stream)
{
    float ms = -1;
    //> timing
    cudaEvent_t begin, end;
    int home = 0;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    CHECK(cudaMemcpyAsync(data, in, n * sizeof *data, cudaMemcpyHostToDevice, stream));
    CHECK(cudaEventRecord(begin, stream));
    scramble<<<blocks_for(n), THREADS, 0, stream>>>(data, n, kernel_ns);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(end, stream));
    CHECK(cudaMemcpyAsync(out, data, n * sizeof *data, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaLaunchHostFunc(stream, note, &home));
    while (cudaStreamQuery(stream) == cudaErrorNotReady)
        ;
    while (cudaEventElapsedTime(&ms, begin, end) == cudaErrorNotReady)
        ;
    if (!home)
        ms = -1;
    CHECK(cudaEventDestroy(begin));
    CHECK(cudaEventDestroy(end));
    //< timing
    return ms;
}

void diamond(const struct diamond *x, cudaStream_t one, cudaStream_t two)
{
    //> diamond
    int blocks = blocks_for(x->n);
    enum { AFTER_A, AFTER_B, AFTER_C, EVENTS };
    cudaEvent_t e[EVENTS];
    for (int i = 0; i < EVENTS; i++)
        CHECK(cudaEventCreateWithFlags(&e[i], cudaEventDisableTiming));
    stage_a<<<blocks, THREADS, 0, one>>>(*x);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(e[AFTER_A], one));
    CHECK(cudaStreamWaitEvent(two, e[AFTER_A], 0));
    stage_c<<<blocks, THREADS, 0, two>>>(*x);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(e[AFTER_C], two));
    stage_b<<<blocks, THREADS, 0, one>>>(*x);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(e[AFTER_B], one));
    CHECK(cudaStreamWaitEvent(one, e[AFTER_B], 0));
    CHECK(cudaStreamWaitEvent(one, e[AFTER_C], 0));
    stage_d<<<blocks, THREADS, 0, one>>>(*x);
    CHECK(cudaGetLastError());
    for (int i = EVENTS; i-- > 0;)
        CHECK(cudaEventDestroy(e[i]));
    //< diamond
}

void work_until_done(const struct job *job, struct progress *p)
{
    //> slices
    int blocks = blocks_for(job->n), slices = 0;
    cudaEvent_t arrived;
    CHECK(cudaEventCreateWithFlags(&arrived, cudaEventBlockingSync));
    scramble<<<blocks, THREADS, 0, job->stream>>>(job->data, job->n, job->scramble_ns);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(job->result, job->data, job->n * sizeof(unsigned), cudaMemcpyDeviceToHost, job->stream));
    CHECK(cudaEventRecord(arrived, job->stream));
    clear<<<blocks, THREADS, 0, job->stream>>>(job->data, job->n, job->clear_ns);
    CHECK(cudaGetLastError());
    cudaError_t status;
    while ((status = cudaEventQuery(arrived)) == cudaErrorNotReady) {
        ++slices;
        host_work(job->slice_ns);
    }
    CHECK(status);
    p->slices = slices;
    p->sum = 0;
    for (int i = job->n; i-- > 0;)
        p->sum += job->result[i];
    CHECK(cudaEventDestroy(arrived));
    //< slices
}
