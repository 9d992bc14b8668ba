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
    /* TODO: this is right, but it has every array twice. Port it to managed memory.
     * - Host and kernel use the same two arrays, of managed memory. Nothing is copied.
     * - take_results() reads when the kernel is done.
     * - Each element has a thread, the last ones too. What is taken is given back.
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
    /* TODO: this is right, but kernel and host fetch every page by a fault.
     * - When the first kernel starts, every page that the kernels touch is on the device.
     * - When take_results() reads, all that it reads is on the host.
     * - Nothing else travels, and the kernels stay as they are.
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
    /* TODO: this is right, but the plate goes to and fro in each round. Mend it.
     * - The plate travels to the device once, and stays there.
     * - In a round only the cells of the probes come home; lesson.h has a kernel that can help.
     * - steer() reads when the round's step() is done, and the next step() has its gain.
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
