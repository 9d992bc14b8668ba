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

void whole_day(const struct day *d)
{
    cudaStream_t beside;                                // where polish() is in nobody's way, whenever it is asked for
    CHECK(cudaStreamCreateWithFlags(&beside, cudaStreamNonBlocking));
    survey<<<1, 1>>>(d->key, d->site, d->n, d->survey_ns);
    CHECK(cudaGetLastError());
    polish<<<blocks_for(d->n, 256), 256, 0, beside>>>(d->photo, d->n, d->polish_ns);
    CHECK(cudaGetLastError());
    int k = 0;
    for (long long ns = 0; ns < d->survey_ns && k < d->letters; k++) {
        ns += d->letter_ns[k];
        file_letter(k);
    }
    unsigned key;
    CHECK(cudaMemcpy(&key, d->key, sizeof key, cudaMemcpyDeviceToHost));
    build<<<blocks_for(d->n, 256), 256>>>(d->house, d->n, plan(key), d->build_ns);
    CHECK(cudaGetLastError());
    for (; k < d->letters; k++)
        file_letter(k);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaStreamDestroy(beside));
}
