/* SPDX-License-Identifier: MIT */
/*
 * Lesson 09: unified memory.
 *
 * Grade it:  make lesson09        Run it:  make run09
 * Read:      lessons/09-unified-memory/chapter.md; lesson.h beside it is the
 *            contract, with the kernels.
 */
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
    calibrate<<<(n + THREADS - 1) / THREADS, THREADS>>>(in, out, n);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());         // the launch was only asking
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
    CHECK(prefetch(s->in, bytes, 0, NULL));
    CHECK(prefetch(s->out, bytes, 0, NULL));
    for (int pass = 0; pass < PASSES; pass++)
        accumulate<<<BLOCKS, THREADS>>>(s->in, s->out, s->n, pass);
    CHECK(cudaGetLastError());
    CHECK(prefetch(s->out, bytes, cudaCpuDeviceId, NULL));
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
    size_t bytes = p->probes * sizeof *p->cell;
    unsigned *probe;
    CHECK(cudaMallocManaged((void **)&probe, bytes));
    CHECK(prefetch(p->cell, p->n * sizeof *p->cell, 0, NULL));
    for (int round = 0; round < p->rounds; round++) {
        step<<<BLOCKS, THREADS>>>(p->cell, p->n, gain);
        collect<<<1, THREADS>>>(probe, p->cell, p->probes, p->stride);
        CHECK(cudaGetLastError());
        CHECK(prefetch(probe, bytes, cudaCpuDeviceId, NULL));
        CHECK(cudaDeviceSynchronize());
        gain = steer(probe, p->probes);
    }
    CHECK(cudaFree(probe));
    //< control
}
