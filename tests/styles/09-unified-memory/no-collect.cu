/* SPDX-License-Identifier: MIT */
/* A copy with a stride fetches the probes; the first round brings the plate by its faults. */
#include "lesson.h"

#include <stdlib.h>

/*
 * (a) An explicit program, ported.
 */
void calibrate_all(int n)
{
    size_t bytes = n * sizeof(unsigned);
    //> calibrate
    unsigned *in, *out;
    CHECK(cudaMallocManaged((void **)&in, bytes));
    CHECK(cudaMallocManaged((void **)&out, bytes));
    put_readings(in, n);
    CHECK(prefetch(in, bytes, 0, NULL));
    CHECK(prefetch(out, bytes, 0, NULL));
    calibrate<<<(n - 1) / 128 + 1, 128>>>(in, out, n);
    CHECK(cudaGetLastError());
    CHECK(prefetch(out, bytes, cudaCpuDeviceId, NULL));
    CHECK(cudaStreamSynchronize(NULL));
    take_results(out, n);
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
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
    const size_t piece = 128 << 10;         // in pieces, those of the host's last
    for (size_t at = 0; at < bytes; at += piece) {
        size_t left = bytes - at < piece ? bytes - at : piece;
        CHECK(prefetch((char *)s->in + at, left, 0, NULL));
        CHECK(prefetch((char *)s->out + at, left, 0, NULL));
    }
    for (int pass = 0; pass < PASSES; pass++)
        accumulate<<<1, 1024>>>(s->in, s->out, s->n, pass);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    for (size_t at = 0; at < bytes; at += piece)
        CHECK(prefetch((char *)s->out + at, bytes - at < piece ? bytes - at : piece, cudaCpuDeviceId, NULL));
    CHECK(cudaDeviceSynchronize());
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
    unsigned *probe;
    CHECK(cudaMallocHost((void **)&probe, p->probes * sizeof *probe));
    for (int round = 0; round < p->rounds; round++) {
        step<<<BLOCKS, THREADS>>>(p->cell, p->n, gain);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpy2D(probe, sizeof *probe, p->cell, p->stride * sizeof *probe, sizeof *probe, p->probes,
                           cudaMemcpyDeviceToHost));
        gain = steer(probe, p->probes);
    }
    CHECK(cudaFreeHost(probe));
    //< control
}
