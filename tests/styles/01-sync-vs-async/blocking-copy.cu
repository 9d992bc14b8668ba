// Right, in another style: the blocking copy at the end does the waiting, streams are named, dim3 are spelt out.
/* SPDX-License-Identifier: MIT */
#include "lesson.h"

void watch_launch(unsigned *data, int n, long long kernel_ns, struct moments *m)
{
    const dim3 block(96, 1, 1), grid(blocks_for(n, 96), 1, 1);
    //> moments
    m->before = now_ns();
    scramble<<<grid, block, 0, 0>>>(data, n, kernel_ns);
    m->returned = now_ns();
    CHECK(cudaPeekAtLastError());
    CHECK(cudaStreamSynchronize(0));
    m->done = now_ns();
    //< moments
}

unsigned long long work_meanwhile(unsigned *data, unsigned *result, int n,
                                  long long kernel_ns, long long host_ns)
{
    const dim3 block(512), grid(blocks_for(n, 512));
    unsigned long long sum = 0;
    //> overlap
    scramble<<<grid, block>>>(data, n, kernel_ns);
    CHECK(cudaGetLastError());
    host_work(host_ns);
    CHECK(cudaMemcpy(result, data, n * sizeof(unsigned), cudaMemcpyDeviceToHost));
    for (int i = n; i-- > 0; )
        sum += result[i];
    //< overlap
    return sum;
}

void run_job(const struct job *job, struct report *r)
{
    //> errors
    *r = { NOWHERE, cudaSuccess };
    cudaGetLastError();
    scramble<<<blocks_for(job->n, job->threads), job->threads>>>(job->data, job->n, job->kernel_ns);
    cudaError_t launched = cudaGetLastError(), waited = cudaStreamSynchronize(0);
    if (launched != cudaSuccess)
        *r = { AT_LAUNCH, launched };
    else if (waited != cudaSuccess)
        *r = { AT_WAIT, waited };
    //< errors
}
