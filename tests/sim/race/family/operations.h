/* SPDX-License-Identifier: MIT */
/*
 * operations.h - what programs of the family do (tests/sim/race/family.c), one
 * function each. Buffers: 0 to 2 device, 3 and 4 pinned, 5 managed, 6 pageable.
 * Streams: 0 legacy, 1 and 2 blocking, 3 and 4 not, 5 the first thread's default one.
 * Threads: 0 the first one, 1 and 2 others. They take turns (relay.c) by a plain variable, out of
 * sight: one goes on after another, and nothing of the language says so.
 */
#ifndef OPERATIONS_H
#define OPERATIONS_H

#include <atomic>
#include <mutex>
#include <semaphore.h>
#include <stdio.h>
#include <thread>

#include "relay.h"
#include "streams.h"

enum { BUFFERS = 7, BYTES = 256, STREAMS = 6, EVENTS = 4, THREADS = 3, OBJECTS = 2 };

static unsigned char *buffer[BUFFERS];
static cudaStream_t stream[STREAMS];
static cudaEvent_t event[EVENTS];

/* Bytes from, from + step, … below `to`. */
struct bytes { int buffer, from, to, step; };

static __host__ __device__ inline void use(unsigned char *at, struct bytes b, int write)
{
    for (int i = b.from; i < b.to; i += b.step) {
        if (write)
            at[i] = 1;
        asm volatile(""
                     :
                     : "r"(write ? 0 : at[i])
                     : "memory");     /* a volatile one is more than an access */
    }
}

static __global__ void touch(unsigned char *at, struct bytes b, int write, long long ns)
{
    kernel_cost(ns);
    use(at, b, write);
}

/* Operations are known by the label before them, kernels by their shared memory. */
static void name(int program, int operation)
{
    char text[40];
    snprintf(text, sizeof text, "%d %d", program, operation);
    label_push(text);
    label_pop();
}

static void kernel(int id, int s, struct bytes b, int write, long long ns)
{
    touch<<<1, 1, id, stream[s]>>>(buffer[b.buffer], b, write, ns);
    CHECK(cudaGetLastError());
}

/* `blocking`: cudaMemcpy, in the legacy stream. */
static void copy(int s, struct bytes to, struct bytes from, int blocking)
{
    unsigned char *dst = buffer[to.buffer] + to.from, *src = buffer[from.buffer] + from.from;
    size_t count = to.to - to.from;
    if (blocking)
        CHECK(cudaMemcpy(dst, src, count, cudaMemcpyDefault));
    else
        CHECK(cudaMemcpyAsync(dst, src, count, cudaMemcpyDefault, stream[s]));
}

static void set(int s, struct bytes b)
{
    CHECK(cudaMemsetAsync(buffer[b.buffer] + b.from, 1, b.to - b.from, stream[s]));
}

static struct task { struct bytes b; int write; } tasks[128];
static void run_task(void *argument)
{
    struct task *task = (struct task *)argument;
    use(buffer[task->b.buffer], task->b, task->write);
}

static void function(int id, int s, struct bytes b, int write)
{
    tasks[id % 128] = (struct task){ b, write };
    CHECK(cudaLaunchHostFunc(stream[s], run_task, &tasks[id % 128]));
}

static void host(struct bytes b, int write) { use(buffer[b.buffer], b, write); }
static void record(int e, int s) { CHECK(cudaEventRecord(event[e], stream[s])); }
static void wait(int s, int e) { CHECK(cudaStreamWaitEvent(stream[s], event[e], 0)); }
static void finish_stream(int s) { CHECK(cudaStreamSynchronize(stream[s])); }
static void finish_event(int e) { CHECK(cudaEventSynchronize(event[e])); }
static void finish_device() { CHECK(cudaDeviceSynchronize()); }

/* A graph of kernels, launched once: begin, nodes with the earlier ones that they wait for, end. */
static cudaGraph_t graph;
static cudaGraphNode_t nodes[8];
static int node_count;
static void graph_begin() { node_count = 0; CHECK(cudaGraphCreate(&graph, 0)); }
static void graph_kernel(int id, unsigned after, struct bytes b, int write, long long ns)
{
    void *arguments[] = { &buffer[b.buffer], &b, &write, &ns };
    struct cudaKernelNodeParams p = {};
    p.func = (void *)touch;
    p.gridDim = p.blockDim = dim3(1);
    p.sharedMemBytes = id;
    p.kernelParams = arguments;
    cudaGraphNode_t before[8];
    size_t count = 0;
    for (int i = 0; i < node_count; i++)
        if (after >> i & 1)
            before[count++] = nodes[i];
    CHECK(cudaGraphAddKernelNode(&nodes[node_count++], graph, before, count, &p));
}
static void graph_end(int s)
{
    cudaGraphExec_t exec;
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphLaunch(exec, stream[s]));
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
}

/* ---- threads ---- */

static std::mutex locks[OBJECTS];
static std::atomic<int> flags[OBJECTS];
static sem_t semaphores[OBJECTS];
static std::thread others[THREADS];

static void on(int thread, void (*step)())
{
    if (thread == 0)
        step();
    else
        relay_ask(thread, step);
}

static void meet(int o) { std::lock_guard<std::mutex> hold(locks[o]); }
static void store(int o) { flags[o].store(1, std::memory_order_release); }
static void load(int o) { (void)flags[o].load(std::memory_order_acquire); }
static void post(int o) { sem_post(&semaphores[o]); }
static void take(int o) { sem_wait(&semaphores[o]); }

static void start(int thread)
{
    others[thread] = std::thread([thread] { relay_answer(thread); });
}

static void end(int thread)
{
    relay_ask(thread, NULL);
    others[thread].join();
}

/* The first one waits for the thread's end and makes it anew. */
static void renew(int thread)
{
    end(thread);
    start(thread);
}

static void begin()
{
    for (int i = 0; i < OBJECTS; i++)
        sem_init(&semaphores[i], 0, 0);
    for (int i = 0; i < 3; i++) {
        CHECK(cudaMalloc(&buffer[i], BYTES));
        CHECK(cudaMemset(buffer[i], 0, BYTES));
    }
    CHECK(cudaMallocHost(&buffer[3], BYTES));
    CHECK(cudaMallocHost(&buffer[4], BYTES));
    CHECK(cudaMallocManaged(&buffer[5], BYTES));
    buffer[6] = (unsigned char *)malloc(BYTES);
    stream[0] = cudaStreamLegacy;
    stream[5] = cudaStreamPerThread;
    for (int i = 1; i < 5; i++)
        CHECK(cudaStreamCreateWithFlags(&stream[i],
                                        i < 3 ? cudaStreamDefault : cudaStreamNonBlocking));
    for (int i = 0; i < EVENTS; i++)
        CHECK(cudaEventCreate(&event[i]));
    CHECK(cudaDeviceSynchronize());
    for (int i = 1; i < THREADS; i++)
        start(i);
}

static void finish()
{
    for (int i = 1; i < THREADS; i++)
        end(i);
}

#endif
