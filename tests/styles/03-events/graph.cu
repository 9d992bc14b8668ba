/* SPDX-License-Identifier: MIT */
/* The diamond is captured in a graph and launched into `one`; the copy comes
 * home in a stream of its own; events live from the first part to the last. */
#include "lesson.h"

static cudaEvent_t begin, end, mark;

float time_kernel(const unsigned *in, unsigned *out, unsigned *data, int n, long long kernel_ns, cudaStream_t stream)
{
    float ms = 0;
    //> timing
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreateWithFlags(&end, cudaEventBlockingSync));
    CHECK(cudaEventCreateWithFlags(&mark, cudaEventDisableTiming));
    cudaStream_t home;
    CHECK(cudaStreamCreate(&home));
    CHECK(cudaMemcpyAsync(data, in, n * sizeof *data, cudaMemcpyHostToDevice, stream));
    CHECK(cudaEventRecord(begin, stream));
    scramble<<<blocks_for(n), THREADS, 0, stream>>>(data, n, kernel_ns);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(end, stream));
    CHECK(cudaStreamWaitEvent(home, end, 0));
    CHECK(cudaMemcpyAsync(out, data, n * sizeof *data, cudaMemcpyDeviceToHost, home));
    CHECK(cudaStreamSynchronize(home));
    CHECK(cudaStreamDestroy(home));
    CHECK(cudaEventElapsedTime(&ms, begin, end));
    //< timing
    return ms;
}

void diamond(const struct diamond *x, cudaStream_t one, cudaStream_t two)
{
    //> diamond
    int blocks = blocks_for(x->n);
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaStream_t s;
    CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
    stage_a<<<blocks, THREADS, 0, s>>>(*x);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(mark, s));
    CHECK(cudaStreamWaitEvent(two, mark, 0));
    stage_b<<<blocks, THREADS, 0, two>>>(*x);
    CHECK(cudaGetLastError());
    stage_c<<<blocks, THREADS, 0, s>>>(*x);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(mark, two));
    CHECK(cudaStreamWaitEvent(s, mark, 0));
    stage_d<<<blocks, THREADS, 0, s>>>(*x);
    CHECK(cudaGetLastError());
    CHECK(cudaStreamEndCapture(s, &graph));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphLaunch(exec, one));
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaStreamDestroy(s));
    //< diamond
}

void work_until_done(const struct job *job, struct progress *p)
{
    //> slices
    int blocks = blocks_for(job->n);
    cudaEvent_t arrived;
    CHECK(cudaEventCreate(&arrived));
    scramble<<<blocks, THREADS, 0, job->stream>>>(job->data, job->n, job->scramble_ns);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(job->result, job->data, job->n * sizeof(unsigned), cudaMemcpyDeviceToHost, job->stream));
    CHECK(cudaEventRecord(arrived, job->stream));
    clear<<<blocks, THREADS, 0, job->stream>>>(job->data, job->n, job->clear_ns);
    CHECK(cudaGetLastError());
    int slices = 0;
    while (true) {
        cudaError_t status = cudaEventQuery(arrived);
        if (status == cudaSuccess)
            break;
        if (status != cudaErrorNotReady)
            CHECK(status);
        slices++;
        host_work(job->slice_ns);
    }
    unsigned long long sum = 0;
    for (const unsigned *e = job->result; e < job->result + job->n; e++)
        sum += *e;
    *p = progress{slices, sum};
    CHECK(cudaEventDestroy(arrived));
    CHECK(cudaEventDestroy(begin));
    CHECK(cudaEventDestroy(end));
    CHECK(cudaEventDestroy(mark));
    //< slices
}
