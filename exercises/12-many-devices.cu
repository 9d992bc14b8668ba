/* SPDX-License-Identifier: MIT */
/*
 * Lesson 12: many devices.
 *
 * Grade it:  make lesson12        Run it:  make run12
 * Read:      lessons/12-many-devices/chapter.md and lesson.h, the contract.
 */
#include "lesson.h"

/* (a) What goes across from one device to another? */
void across(int yes[QUESTIONS])
{
    //> across
    /* TODO: device 0 is current; what goes across to device 1? Answer each question of lesson.h.
     * - Set yes[RECORD_THERE], yes[WAIT_THERE], … to 1 for yes or to 0 for no. The grader asks the machine.
     */
    for (int q = 0; q < QUESTIONS; q++)
        yes[q] = -1;
    //< across
}

/* (b) All hands: one piece of work, shared out. */
void team_open(struct team *t, int most)
{
    //> open
    /* TODO: here the device that is current does it all. Prepare every device.
     * - t->count is the number of devices. t->lane[d] has a stream and memory of device d.
     * - The function may be called from any thread, with any device current.
     * - The device that was current at the call is current again when the function returns.
     */
    t->count = 1;
    CHECK(cudaStreamCreateWithFlags(&t->lane[0].stream, cudaStreamNonBlocking));
    CHECK(cudaMalloc((void **)&t->lane[0].x, most * sizeof(unsigned)));
    //< open
}

void team_run(struct team *t, unsigned *out, const unsigned *in, int n)
{
    //> run
    /* TODO: here one device does it all. Share the work among t->count devices.
     * - The shares differ by one element at most, and together they cover all n elements.
     * - All devices work at the same time.
     * - When the function returns, every share is in `out`, and the caller's device is current.
     */
    struct lane *l = &t->lane[0];
    CHECK(cudaMemcpyAsync(l->x, in, n * sizeof *in, cudaMemcpyHostToDevice, l->stream));
    scramble<<<BLOCKS, THREADS, 0, l->stream>>>(l->x, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(out, l->x, n * sizeof *out, cudaMemcpyDeviceToHost, l->stream));
    CHECK(cudaStreamSynchronize(l->stream));
    //< run
}

void team_close(struct team *t)
{
    for (int d = 0; d < t->count; d++) {
        CHECK(cudaStreamDestroy(t->lane[d].stream));
        CHECK(cudaFree(t->lane[d].x));
    }
}

/* (c) From hand to hand: one device presses, the other polishes. */
void line_open(struct line *l, int n)
{
    //> line
    /* TODO: here the device that is current owns everything. Prepare both devices of the line.
     * - stream[k] and x[k] belong to device[k], and each event to the device whose stream records it.
     * - Where one device can reach the other's memory, copies between them go directly.
     * - The caller's device is current again when the function returns.
     */
    for (int k = 0; k < 2; k++) {
        CHECK(cudaStreamCreateWithFlags(&l->stream[k], cudaStreamNonBlocking));
        CHECK(cudaEventCreateWithFlags(k == 0 ? &l->full : &l->empty, cudaEventDisableTiming));
        CHECK(cudaMalloc((void **)&l->x[k], n * sizeof(unsigned)));
    }
    //< line
}

void line_run(struct line *l, unsigned *out, const unsigned *in, int n, int batches)
{
    //> hands
    /* TODO: here one device does it all. Let device[1] polish while device[0] presses the next batch.
     * - A batch goes from x[0] to x[1] in stream[1] when it is pressed; it is polished and copied out there.
     * - The next batch goes into x[0] as soon as this one has been copied away, and no sooner.
     * - The caller's device is current when the function returns.
     */
    for (int k = 0; k < batches; k++) {
        CHECK(cudaMemcpyAsync(l->x[0], in + (size_t)k * n, n * sizeof *in, cudaMemcpyHostToDevice, l->stream[0]));
        press<<<BLOCKS, THREADS, 0, l->stream[0]>>>(l->x[0], n);
        polish<<<BLOCKS, THREADS, 0, l->stream[0]>>>(l->x[0], l->x[0], n);
        CHECK(cudaMemcpyAsync(out + (size_t)k * n, l->x[0], n * sizeof *out, cudaMemcpyDeviceToHost, l->stream[0]));
    }
    CHECK(cudaStreamSynchronize(l->stream[0]));
    //< hands
}

void line_close(struct line *l)
{
    for (int k = 0; k < 2; k++) {
        CHECK(cudaStreamDestroy(l->stream[k]));
        CHECK(cudaEventDestroy(k == 0 ? l->full : l->empty));
        CHECK(cudaFree(l->x[k]));
    }
}
