// Right, in another style: events in place of device-wide waits, memory of its own for the copy, all given back.
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "lesson.h"

static void wait_for_everything(void)
{
    cudaEvent_t ended;
    CHECK(cudaEventCreateWithFlags(&ended, cudaEventDisableTiming));
    CHECK(cudaEventRecord(ended, 0));
    CHECK(cudaEventSynchronize(ended));
    CHECK(cudaEventDestroy(ended));
}

void watch_launch(unsigned *data, int n, long long kernel_ns, struct moments *m)
{
    //> moments
    int blocks = blocks_for(n, 128);
    m->before = now_ns();
    scramble<<<blocks, 128>>>(data, n, kernel_ns);
    m->returned = now_ns();
    CHECK(cudaGetLastError());
    wait_for_everything();
    m->done = now_ns();
    //< moments
}

unsigned long long work_meanwhile(unsigned *data, unsigned *result, int n,
                                  long long kernel_ns, long long host_ns)
{
    unsigned long long sum = 0;
    //> overlap
    size_t bytes = n * sizeof(unsigned);
    unsigned *copy;
    CHECK(cudaMallocHost(&copy, bytes));
    scramble<<<blocks_for(n, 32), 32>>>(data, n, kernel_ns);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(copy, data, bytes, cudaMemcpyDeviceToHost, 0));
    host_work(host_ns);
    wait_for_everything();
    memcpy(result, copy, bytes);
    for (const unsigned *p = result; p < result + n; p++)
        sum += *p;
    CHECK(cudaFreeHost(copy));
    //< overlap
    return sum;
}

void run_job(const struct job *job, struct report *r)
{
    //> errors
    enum place places[] = { AT_LAUNCH, AT_WAIT };
    r->place = NOWHERE;
    r->error = cudaSuccess;
    scramble<<<blocks_for(job->n, job->threads), job->threads>>>(job->data, job->n, job->kernel_ns);
    for (int step = 0; step < 2 && r->error == cudaSuccess; step++) {
        r->error = step == 0 ? cudaGetLastError() : cudaDeviceSynchronize();
        if (r->error != cudaSuccess)
            r->place = places[step];
    }
    //< errors
}

void whole_day(const struct day *d)
{
    cudaEvent_t home;                                   // polish() may be queued at once: only the key is waited for
    unsigned *key;
    CHECK(cudaEventCreate(&home));
    CHECK(cudaMallocHost(&key, sizeof *key));
    survey<<<1, 1>>>(d->key, d->site, d->n, d->survey_ns);
    CHECK(cudaMemcpyAsync(key, d->key, sizeof *key, cudaMemcpyDeviceToHost));
    CHECK(cudaEventRecord(home));
    polish<<<blocks_for(d->n, 256), 256>>>(d->photo, d->n, d->polish_ns);
    CHECK(cudaGetLastError());
    int k = 0;
    while (k < d->letters && cudaEventQuery(home) == cudaErrorNotReady)
        file_letter(k++);
    CHECK(cudaEventSynchronize(home));
    build<<<blocks_for(d->n, 256), 256>>>(d->house, d->n, plan(*key), d->build_ns);
    CHECK(cudaGetLastError());
    while (k < d->letters)
        file_letter(k++);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEventDestroy(home));
    CHECK(cudaFreeHost(key));
}
