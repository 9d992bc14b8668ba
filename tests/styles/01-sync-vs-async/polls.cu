// Right, in another style: C++, asks now and then whether the work is done, and does its host work in slices meanwhile.
/* SPDX-License-Identifier: MIT */
#include <algorithm>
#include <numeric>

#include "lesson.h"

template <typename Between> static void until_done(Between between)
{
    for (cudaError_t status; (status = cudaStreamQuery(0)) != cudaSuccess; between())
        if (status != cudaErrorNotReady)
            CHECK(status);
}

void watch_launch(unsigned *data, int n, long long kernel_ns, struct moments *m)
{
    //> moments
    long long clock[3];
    clock[0] = now_ns();
    scramble<<<blocks_for(n, 256), 256>>>(data, n, kernel_ns);
    clock[1] = now_ns();
    CHECK(cudaGetLastError());
    until_done([] {});
    clock[2] = now_ns();
    *m = { clock[0], clock[1], clock[2] };
    //< moments
}

unsigned long long work_meanwhile(unsigned *data, unsigned *result, int n,
                                  long long kernel_ns, long long host_ns)
{
    //> overlap
    scramble<<<blocks_for(n, 256), 256>>>(data, n, kernel_ns);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(result, data, sizeof(unsigned[1]) * n, cudaMemcpyDefault));
    for (long long left = host_ns, slice; left > 0; left -= slice)
        host_work(slice = std::min(left, 200000LL));
    until_done([] {});
    return std::accumulate(result, result + n, 0ULL);
    //< overlap
}

void run_job(const struct job *job, struct report *r)
{
    //> errors
    auto met = [r](enum place place, cudaError_t error) {
        r->place = error == cudaSuccess ? NOWHERE : place;
        r->error = error;
        return error != cudaSuccess;
    };
    scramble<<<blocks_for(job->n, job->threads), job->threads>>>(job->data, job->n, job->kernel_ns);
    if (!met(AT_LAUNCH, cudaGetLastError())) {
        cudaError_t status;
        while ((status = cudaStreamQuery(cudaStreamLegacy)) == cudaErrorNotReady)
            ;
        met(AT_WAIT, status);
    }
    //< errors
}

void whole_day(const struct day *d)
{
    survey<<<1, 1>>>(d->key, d->site, d->n, d->survey_ns);
    CHECK(cudaGetLastError());
    int k = d->letters;
    while (cudaStreamQuery(0) == cudaErrorNotReady)
        if (k > 0)
            file_letter(--k);
    unsigned key;
    CHECK(cudaMemcpy(&key, d->key, sizeof key, cudaMemcpyDeviceToHost));
    polish<<<blocks_for(d->n, 128), 128>>>(d->photo, d->n, d->polish_ns);
    CHECK(cudaGetLastError());
    build<<<blocks_for(d->n, 128), 128>>>(d->house, d->n, plan(key), d->build_ns);
    CHECK(cudaGetLastError());
    while (k > 0)
        file_letter(--k);
    cudaError_t status;
    while ((status = cudaStreamQuery(0)) == cudaErrorNotReady)
        ;
    CHECK(status);
}
