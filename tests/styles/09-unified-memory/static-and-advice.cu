/* SPDX-License-Identifier: MIT */
/* A __managed__ array for the probes where they are few, advice where the pages belong. */
#include "lesson.h"

#include <stdlib.h>

static __device__ __managed__ unsigned probes[256];

template <class T> struct managed {
    T *at;
    explicit managed(size_t n) { CHECK(cudaMallocManaged((void **)&at, n * sizeof(T))); }
    ~managed() { CHECK(cudaFree(at)); }
    managed(const managed &) = delete;
};

/*
 * (a) An explicit program, ported.
 */
void calibrate_all(int n)
{
    size_t bytes = n * sizeof(unsigned);
    //> calibrate
    (void)bytes;
    managed<unsigned> in(n), out(n);
    put_readings(in.at, n);
    calibrate<<<(n + THREADS) / THREADS, THREADS>>>(in.at, out.at, n);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    take_results(out.at, n);
    //< calibrate
}

/*
 * (b) No page fault left.
 */
void accumulate_all(const struct sums *s)
{
    size_t bytes = s->n * sizeof *s->in;
    put_readings(s->in, s->n);
    //> prefetch
    struct cudaMemLocation device = {};
    device.type = cudaMemLocationTypeDevice;
    CHECK(cudaMemAdvise(s->in, bytes, cudaMemAdviseSetPreferredLocation, device));
    CHECK(prefetch(s->in, bytes, 0, cudaStreamPerThread));
    CHECK(prefetch(s->out, bytes, 0, cudaStreamPerThread));
    for (int pass = 0; pass < PASSES; pass++)
        accumulate<<<BLOCKS, THREADS, 0, cudaStreamPerThread>>>(s->in, s->out, s->n, pass);
    CHECK(cudaGetLastError());
    CHECK(prefetch(s->out, bytes, cudaCpuDeviceId, cudaStreamPerThread));
    CHECK(cudaStreamSynchronize(cudaStreamPerThread));
    //< prefetch
    take_results(s->out, s->n);
}

/*
 * (c) A controller that looks at a few cells, each round.
 */
void control(const struct plate *p)
{
    unsigned gain = p->gain;
    //> control
    const int few = sizeof probes / sizeof *probes;
    managed<unsigned> more(p->probes > few ? p->probes : 1);
    unsigned *probe = p->probes > few ? more.at : probes;
    CHECK(prefetch(p->cell, p->n * sizeof *p->cell, 0, NULL));
    for (int round = 0; round < p->rounds; round++) {
        step<<<BLOCKS, THREADS>>>(p->cell, p->n, gain);
        collect<<<1, 256>>>(probe, p->cell, p->probes, p->stride);
        CHECK(cudaGetLastError());
        CHECK(cudaDeviceSynchronize());
        gain = steer(probe, p->probes);
    }
    //< control
}
