/* SPDX-License-Identifier: MIT */
/* The controller copies its probes from the plate as rows of one element: no array that the device fills. */
#include <vector>

#include "lesson.h"

void calibrate_all(int n)
{
    unsigned *in, *out;
    CHECK(cudaMallocManaged(&in, (size_t)n * sizeof *in));
    CHECK(cudaMallocManaged(&out, (size_t)n * sizeof *in));
    put_readings(in, n);
    calibrate<<<(n + THREADS - 1) / THREADS, THREADS, 0, cudaStreamPerThread>>>(in, out, n);
    CHECK(cudaGetLastError());
    CHECK(cudaStreamSynchronize(cudaStreamPerThread));
    take_results(out, n);
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
}

void accumulate_all(const struct sums *s)
{
    size_t bytes = s->n * sizeof(unsigned);
    put_readings(s->in, s->n);
    CHECK(cudaMemPrefetchAsync(s->out, bytes, cudaMemLocation{cudaMemLocationTypeDevice, 0}, 0, 0));
    CHECK(cudaMemPrefetchAsync(s->in, bytes, cudaMemLocation{cudaMemLocationTypeDevice, 0}, 0, 0));
    for (int k = 0; k < PASSES; k++) {
        accumulate<<<BLOCKS * 4, THREADS>>>(s->in, s->out, s->n, k);
        CHECK(cudaGetLastError());
    }
    CHECK(cudaMemPrefetchAsync(s->out, bytes, cudaMemLocation{cudaMemLocationTypeHost, 0}, 0, 0));
    CHECK(cudaDeviceSynchronize());
    take_results(s->out, s->n);
}

void control(const struct plate *p)
{
    unsigned gain = p->gain;
    std::vector<unsigned> probe(p->probes);
    CHECK(prefetch(p->cell, p->n * sizeof(unsigned), 0, 0));
    for (int r = 0; r < p->rounds; r++) {
        step<<<BLOCKS, THREADS>>>(p->cell, p->n, gain);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpy2D(probe.data(), sizeof(unsigned), p->cell, p->stride * sizeof(unsigned), sizeof(unsigned), p->probes,
                           cudaMemcpyDefault));
        gain = steer(probe.data(), p->probes);
    }
}
