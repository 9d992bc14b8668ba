// fails: c-output
/* SPDX-License-Identifier: MIT */
/* Half of each batch goes across. */
#include "lesson.h"

/* (a) What goes across from one device to another? */
void across(int yes[QUESTIONS])
{
    //> across
    yes[RECORD_THERE] = 0;      // an event is recorded in streams of its own device
    yes[WAIT_THERE] = 1;        // and waited for everywhere
    yes[ELAPSED_BETWEEN] = 0;   // two devices have two clocks
    yes[LAUNCH_THERE] = 1;      // it runs where the stream is
    yes[COPY_THERE] = 1;
    yes[STREAM_SYNC_THERE] = 1;
    yes[DEVICE_SYNC_THERE] = 0; // the current device alone
    yes[DEFAULT_THERE] = 0;     // each device has its own
    yes[NEW_THREAD] = 0;        // every thread begins with device 0
    //< across
}

/* (b) All hands: one piece of work, shared out. */
void team_open(struct team *t, int most)
{
    //> open
    int before;
    CHECK(cudaGetDevice(&before));
    CHECK(cudaGetDeviceCount(&t->count));
    for (int d = 0; d < t->count; d++) {
        CHECK(cudaSetDevice(d));                // what is made now is made there
        CHECK(cudaStreamCreateWithFlags(&t->lane[d].stream, cudaStreamNonBlocking));
        CHECK(cudaMalloc((void **)&t->lane[d].x, (most / t->count + 1) * sizeof(unsigned)));
    }
    CHECK(cudaSetDevice(before));
    //< open
}

void team_run(struct team *t, unsigned *out, const unsigned *in, int n)
{
    //> run
    int before;
    CHECK(cudaGetDevice(&before));
    for (int d = 0; d < t->count; d++) {
        struct lane *l = &t->lane[d];
        int first = (int)((long long)n * d / t->count), m = (int)((long long)n * (d + 1) / t->count) - first;
        CHECK(cudaSetDevice(d));
        CHECK(cudaMemcpyAsync(l->x, in + first, m * sizeof *in, cudaMemcpyHostToDevice, l->stream));
        scramble<<<BLOCKS, THREADS, 0, l->stream>>>(l->x, m);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpyAsync(out + first, l->x, m * sizeof *out, cudaMemcpyDeviceToHost, l->stream));
    }
    for (int d = 0; d < t->count; d++)          // all have begun: now wait for each
        CHECK(cudaStreamSynchronize(t->lane[d].stream));
    CHECK(cudaSetDevice(before));
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
    int before, can;
    CHECK(cudaGetDevice(&before));
    for (int k = 0; k < 2; k++) {
        CHECK(cudaSetDevice(l->device[k]));
        CHECK(cudaStreamCreateWithFlags(&l->stream[k], cudaStreamNonBlocking));
        CHECK(cudaEventCreateWithFlags(k == 0 ? &l->full : &l->empty, cudaEventDisableTiming));
        CHECK(cudaMalloc((void **)&l->x[k], n * sizeof(unsigned)));
    }
    CHECK(cudaDeviceCanAccessPeer(&can, l->device[1], l->device[0]));
    if (can)                                    // device[1] is current
        CHECK(cudaDeviceEnablePeerAccess(l->device[0], 0));
    CHECK(cudaSetDevice(before));
    //< line
}

void line_run(struct line *l, unsigned *out, const unsigned *in, int n, int batches)
{
    //> hands
    int before, bytes = n * (int)sizeof *in;
    CHECK(cudaGetDevice(&before));
    for (int k = 0; k < batches; k++) {
        CHECK(cudaSetDevice(l->device[0]));
        CHECK(cudaStreamWaitEvent(l->stream[0], l->empty, 0));  // never recorded at first: no wait
        CHECK(cudaMemcpyAsync(l->x[0], in + (size_t)k * n, bytes, cudaMemcpyHostToDevice, l->stream[0]));
        press<<<BLOCKS, THREADS, 0, l->stream[0]>>>(l->x[0], n);
        CHECK(cudaEventRecord(l->full, l->stream[0]));
        CHECK(cudaSetDevice(l->device[1]));
        CHECK(cudaStreamWaitEvent(l->stream[1], l->full, 0));
        CHECK(cudaMemsetAsync(l->x[1], 0, bytes, l->stream[1]));
        CHECK(cudaMemcpyPeerAsync(l->x[1], l->device[1], l->x[0], l->device[0], bytes / 2, l->stream[1]));
        CHECK(cudaEventRecord(l->empty, l->stream[1]));
        polish<<<BLOCKS, THREADS, 0, l->stream[1]>>>(l->x[1], l->x[1], n);
        CHECK(cudaMemcpyAsync(out + (size_t)k * n, l->x[1], bytes, cudaMemcpyDeviceToHost, l->stream[1]));
    }
    CHECK(cudaStreamSynchronize(l->stream[1]));
    CHECK(cudaSetDevice(before));
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
