/* SPDX-License-Identifier: MIT */
/*
 * Issue order against hardware queues, as many as CUDA_DEVICE_MAX_CONNECTIONS says: in each of
 * many streams a kernel, something, and a kernel; stream by stream (depth-first) or step by step.
 */
#include <stdlib.h>

#include "scenario.h"

enum { MOST = 128 };
static const long long LENGTH = 300000;     /* ns */
static const size_t PIECE = 256 * KIB;

static struct streams s;
static cudaEvent_t events[MOST];
static char *d, *host;

static void CUDART_CB works(void *)
{
    host_work(20000);
}

static void kernel(int i)
{
    busy<<<1, 1, 0, s.at[i]>>>(LENGTH);
}

static void nothing(int)
{
}

static void copy_up(int i)
{
    CHECK(cudaMemcpyAsync(d + i % 16 * PIECE, host + i % 16 * PIECE, PIECE, cudaMemcpyHostToDevice, s.at[i]));
}

static void copy_down(int i)
{
    CHECK(cudaMemcpyAsync(host + i % 16 * PIECE, d + i % 16 * PIECE, PIECE, cudaMemcpyDeviceToHost, s.at[i]));
}

static void copy_inside(int i)
{
    CHECK(cudaMemcpyAsync(d + i % 16 * PIECE, d + 16 * PIECE, PIECE, cudaMemcpyDeviceToDevice, s.at[i]));
}

static void clear(int i)
{
    CHECK(cudaMemsetAsync(d + i % 16 * PIECE, 0, PIECE, s.at[i]));
}

static void function(int i)
{
    CHECK(cudaLaunchHostFunc(s.at[i], works, NULL));
}

static void record(int i)
{
    CHECK(cudaEventRecord(events[i], s.at[i]));
}

/* For the stream before: its first kernel. */
static void wait(int i)
{
    CHECK(cudaEventRecord(events[i], s.at[i]));
    if (i > 0)
        CHECK(cudaStreamWaitEvent(s.at[i], events[i - 1], 0));
}

struct shape {
    const char *name;
    void (*steps[3])(int stream);
    bool all_queues;                /* however many queues: or with the usual numbers alone */
};
static const struct shape shapes[] = {
    { "one kernel each", { kernel, nothing, nothing }, false },
    { "three kernels", { kernel, kernel, kernel }, true },
    { "kernel, copy to the device, kernel", { kernel, copy_up, kernel }, false },
    { "kernel, copy to the host, kernel", { kernel, copy_down, kernel }, false },
    { "copy, kernel, copy", { copy_up, kernel, copy_down }, false },
    { "kernel, copy in the device, kernel", { kernel, copy_inside, kernel }, false },
    { "kernel, memset, kernel", { kernel, clear, kernel }, false },
    { "kernel, host function, kernel", { kernel, function, kernel }, false },
    { "kernel, event, kernel", { kernel, record, kernel }, false },
    { "kernel, event of the stream before, kernel", { kernel, wait, kernel }, false },
};

static void run(const struct shape *shape, int streams, bool depth_first)
{
    for (int i = 0; i < 3 * streams; i++)
        shape->steps[depth_first ? i % 3 : i / streams](depth_first ? i / 3 : i % streams);
}

static void measure(const struct shape *shape, int queues, int streams)
{
    char name[96], variant[64];
    snprintf(name, sizeof name, "%d queues: %s", queues, shape->name);
    s = make_streams(streams);
    for (int depth_first = 1; depth_first >= 0; depth_first--) {
        snprintf(variant, sizeof variant, "%d streams, %s", streams, depth_first ? "depth-first" : "breadth-first");
        scenario(name, variant, [=] { run(shape, streams, depth_first == 1); });
    }
    drop_streams(&s);
}

int main()
{
    const char *said = getenv("CUDA_DEVICE_MAX_CONNECTIONS");
    int queues = said ? atoi(said) : 8;
    begin_scenarios();
    for (auto &e : events)
        CHECK(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
    d = device_memory(17 * PIECE);
    host = pinned_memory(16 * PIECE);
    for (auto &shape : shapes) {
        if (!shape.all_queues && queues != 1 && queues != 8 && queues != 32)
            continue;
        for (int streams : { 1, 2, 4, 8, 9, 16, 17, 24, 32, 33, 64, 128 })
            if (shape.all_queues ? streams < 128 || queues >= 8 : streams == 4 || streams == 8 || streams == 9 || streams == 16 || streams == 32)
                measure(&shape, queues, streams);
    }
    return 0;
}
