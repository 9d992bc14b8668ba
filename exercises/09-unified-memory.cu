/* SPDX-License-Identifier: MIT */
/*
 * Lesson 09: one pointer for both sides.
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
    /* TODO: this is right, and has every array twice. Port it to managed memory.
     * - Take each array once, with cudaMallocManaged(), and give it back with cudaFree().
     * - Leave both cudaMemcpy() out. One of them was also the wait: cudaDeviceSynchronize() in its place.
     * - Launch calibrate<<<blocks, THREADS>>>() with a thread for each element, the last ones too.
     */
    unsigned *in = (unsigned *)malloc(bytes), *out = (unsigned *)malloc(bytes), *device_in, *device_out;
    CHECK(cudaMalloc((void **)&device_in, bytes));
    CHECK(cudaMalloc((void **)&device_out, bytes));
    put_readings(in, n);
    CHECK(cudaMemcpy(device_in, in, bytes, cudaMemcpyHostToDevice));
    calibrate<<<(n + THREADS - 1) / THREADS, THREADS>>>(device_in, device_out, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(out, device_out, bytes, cudaMemcpyDeviceToHost));
    take_results(out, n);
    CHECK(cudaFree(device_in));
    CHECK(cudaFree(device_out));
    free(in);
    free(out);
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
    /* TODO: this is right, and kernel and host fetch every page by a fault.
     * - Send `in` and `out`, `bytes` each, to device 0 with prefetch() before the first kernel needs them.
     * - Send what the host reads to cudaCpuDeviceId with prefetch() behind the last kernel, and nothing else.
     * - A prefetch is queued like a copy: cudaDeviceSynchronize() behind it.
     */
    (void)bytes;
    for (int pass = 0; pass < PASSES; pass++)
        accumulate<<<BLOCKS, THREADS>>>(s->in, s->out, s->n, pass);
    CHECK(cudaGetLastError());
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
    /* TODO: this is right, and the plate goes to and fro in each round. Mend it.
     * - Take a small array `probe` with cudaMallocManaged(), outside the loop, and let the device fill it:
     *   collect<<<1, THREADS>>>(probe, p->cell, p->probes, p->stride) behind step().
     * - The host reads `probe` and never the plate: prefetch() it home, cudaDeviceSynchronize(), then steer().
     * - Send the plate to the device once, with prefetch() before the loop.
     */
    unsigned *probe = (unsigned *)malloc(p->probes * sizeof *probe);
    for (int round = 0; round < p->rounds; round++) {
        step<<<BLOCKS, THREADS>>>(p->cell, p->n, gain);
        CHECK(cudaGetLastError());
        CHECK(cudaDeviceSynchronize());
        for (int k = 0; k < p->probes; k++)
            probe[k] = p->cell[k * p->stride];
        gain = steer(probe, p->probes);
    }
    free(probe);
    //< control
}
