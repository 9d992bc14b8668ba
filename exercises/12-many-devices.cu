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
     * - Set yes[RECORD_THERE], yes[WAIT_THERE], … to 1 for yes or to 0 for no: the machine is asked, too.
     */
    for (int q = 0; q < QUESTIONS; q++)
        yes[q] = -1;
    //< across
}

/* (b) All hands: one piece of work, shared out. */
void team_open(struct team *t, int most)
{
    //> open
    /* TODO: everybody works, wherever this is called from.
     * - Ask how many devices there are with cudaGetDeviceCount(&t->count).
     * - Make each lane's stream and memory with its own device current: cudaSetDevice(d).
     * - Leave the caller's device current: cudaGetDevice(&before) first, cudaSetDevice(before) at the end.
     */
    t->count = 1;
    CHECK(cudaStreamCreateWithFlags(&t->lane[0].stream, cudaStreamNonBlocking));
    CHECK(cudaMalloc((void **)&t->lane[0].x, most * sizeof(unsigned)));
    //< open
}

void team_run(struct team *t, unsigned *out, const unsigned *in, int n)
{
    //> run
    /* TODO: all at once.
     * - Give each device its share, from n * d / count to n * (d + 1) / count, in the stream of its lane.
     * - Wait when all have begun: cudaStreamSynchronize() for each lane, in a loop of its own.
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
    /* TODO: a stream, an event and memory on each of the two devices, and a way between them.
     * - Make stream[k] and x[k] with device[k] current, l->full on device[0], l->empty on device[1].
     * - Ask with cudaDeviceCanAccessPeer(); where it can, cudaDeviceEnablePeerAccess().
     * - Leave the caller's device current.
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
    /* TODO: here one device does it all. Let the other polish, while this one presses the next batch.
     * - Copy across with cudaMemcpyPeerAsync() in stream[1], and polish and copy out there.
     * - l->full: cudaEventRecord() behind press(), cudaStreamWaitEvent() before the copy across.
     * - l->empty: record it behind the copy across; stream[0] waits for it before the next batch.
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
