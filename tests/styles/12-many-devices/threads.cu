/* SPDX-License-Identifier: MIT */
/* A host thread for each device: what is current in it is nobody else's affair. In the line the host hands each batch over. */
#include <thread>
#include <vector>

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


/* Runs f(d) for each device, at the same time, in a thread where it is current. */
template <typename F> static void everywhere(int count, F f)
{
    std::vector<std::thread> threads;
    for (int d = 0; d < count; d++)
        threads.emplace_back([=] {
            CHECK(cudaSetDevice(d));
            f(d);
        });
    for (std::thread &t : threads)
        t.join();
}

void team_open(struct team *t, int most)
{
    //> open
    CHECK(cudaGetDeviceCount(&t->count));
    everywhere(t->count, [=](int d) {
        CHECK(cudaStreamCreateWithFlags(&t->lane[d].stream, cudaStreamNonBlocking));
        CHECK(cudaMalloc((void **)&t->lane[d].x, (most + t->count - 1) / t->count * sizeof(unsigned)));
    });
    //< open
}

void team_run(struct team *t, unsigned *out, const unsigned *in, int n)
{
    //> run
    everywhere(t->count, [=](int d) {
        struct lane *l = &t->lane[d];
        int first = (int)((long long)n * d / t->count), m = (int)((long long)n * (d + 1) / t->count) - first;
        CHECK(cudaMemcpyAsync(l->x, in + first, m * sizeof *in, cudaMemcpyHostToDevice, l->stream));
        scramble<<<BLOCKS, THREADS, 0, l->stream>>>(l->x, m);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpyAsync(out + first, l->x, m * sizeof *out, cudaMemcpyDeviceToHost, l->stream));
        CHECK(cudaStreamSynchronize(l->stream));
    });
    //< run
}

void team_close(struct team *t)
{
    everywhere(t->count, [=](int d) {
        CHECK(cudaStreamDestroy(t->lane[d].stream));
        CHECK(cudaFree(t->lane[d].x));
    });
}

void line_open(struct line *l, int n)
{
    //> line
    std::thread([=] {
        for (int k = 0; k < 2; k++) {
            int can;
            CHECK(cudaSetDevice(l->device[k]));
            CHECK(cudaStreamCreateWithFlags(&l->stream[k], cudaStreamNonBlocking));
            CHECK(cudaMalloc((void **)&l->x[k], n * sizeof(unsigned)));
            CHECK(cudaDeviceCanAccessPeer(&can, l->device[k], l->device[1 - k]));
            if (can)
                CHECK(cudaDeviceEnablePeerAccess(l->device[1 - k], 0));
        }
        CHECK(cudaEventCreateWithFlags(&l->empty, cudaEventDisableTiming));
    }).join();
    //< line
}

/* The host hears of each batch that is pressed, while the other device polishes the one before. */
void line_run(struct line *l, unsigned *out, const unsigned *in, int n, int batches)
{
    //> hands
    std::thread([=] {
        size_t bytes = n * sizeof *in;
        for (int k = 0; k < batches; k++) {
            CHECK(cudaSetDevice(l->device[0]));
            CHECK(cudaStreamWaitEvent(l->stream[0], l->empty, 0));
            CHECK(cudaMemcpyAsync(l->x[0], in + (size_t)k * n, bytes, cudaMemcpyHostToDevice, l->stream[0]));
            press<<<BLOCKS, THREADS, 0, l->stream[0]>>>(l->x[0], n);
            CHECK(cudaGetLastError());
            CHECK(cudaStreamSynchronize(l->stream[0]));
            CHECK(cudaSetDevice(l->device[1]));
            CHECK(cudaMemcpyPeerAsync(l->x[1], l->device[1], l->x[0], l->device[0], bytes, l->stream[1]));
            CHECK(cudaEventRecord(l->empty, l->stream[1]));
            polish<<<BLOCKS, THREADS, 0, l->stream[1]>>>(l->x[1], l->x[1], n);
            CHECK(cudaGetLastError());
            CHECK(cudaMemcpyAsync(out + (size_t)k * n, l->x[1], bytes, cudaMemcpyDeviceToHost, l->stream[1]));
        }
        CHECK(cudaStreamSynchronize(l->stream[1]));
    }).join();
    //< hands
}

void line_close(struct line *l)
{
    for (int k = 0; k < 2; k++) {
        CHECK(cudaStreamDestroy(l->stream[k]));
        CHECK(cudaFree(l->x[k]));
    }
    CHECK(cudaEventDestroy(l->empty));
}
