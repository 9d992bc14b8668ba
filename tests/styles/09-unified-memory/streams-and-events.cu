/* SPDX-License-Identifier: MIT */
/* Streams of its own, events for waits, the range of a prefetch as CUDA 13 spells it. */
#include "lesson.h"

#include <stdlib.h>

/*
 * (a) An explicit program, ported.
 */
void calibrate_all(int n)
{
    size_t bytes = n * sizeof(unsigned);
    //> calibrate
    unsigned *both;                         // one array of twice the size
    cudaStream_t stream;
    cudaEvent_t done;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
    CHECK(cudaMallocManaged((void **)&both, 2 * bytes, cudaMemAttachGlobal));
    put_readings(both, n);
    calibrate<<<n / 1000 + 1, 1000, 0, stream>>>(both, both + n, n);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(done, stream));
    CHECK(cudaEventSynchronize(done));
    take_results(both + n, n);
    CHECK(cudaEventDestroy(done));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(both));
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
    cudaStream_t there, back;
    cudaEvent_t ready, done;
    CHECK(cudaStreamCreate(&there));
    CHECK(cudaStreamCreate(&back));
    CHECK(cudaEventCreate(&ready));
    CHECK(cudaEventCreate(&done));
    CHECK(prefetch(s->out, bytes, 0, back));
    CHECK(prefetch(s->in, bytes, 0, there));
    CHECK(cudaEventRecord(ready, there));
    CHECK(cudaStreamWaitEvent(back, ready, 0));
    for (int pass = 0; pass < PASSES; pass++)
        accumulate<<<2 * BLOCKS, THREADS, 0, back>>>(s->in, s->out, s->n, pass);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(done, back));
    CHECK(cudaStreamWaitEvent(there, done, 0));
    CHECK(prefetch(s->out, bytes, cudaCpuDeviceId, there));
    while (cudaStreamQuery(there) == cudaErrorNotReady)
        host_work(5000);
    CHECK(cudaStreamSynchronize(there));
    CHECK(cudaEventDestroy(ready));
    CHECK(cudaEventDestroy(done));
    CHECK(cudaStreamDestroy(there));
    CHECK(cudaStreamDestroy(back));
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
    unsigned *device, *probe;               // no managed memory for what is copied anyway
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMalloc((void **)&device, p->probes * sizeof *device));
    CHECK(cudaMallocHost((void **)&probe, p->probes * sizeof *probe));
    CHECK(prefetch(p->cell, p->n * sizeof *p->cell, 0, stream));
    for (int round = 0; round < p->rounds; round++) {
        step<<<BLOCKS, THREADS, 0, stream>>>(p->cell, p->n, gain);
        collect<<<1, 32, 0, stream>>>(device, p->cell, p->probes, p->stride);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpyAsync(probe, device, p->probes * sizeof *probe, cudaMemcpyDeviceToHost, stream));
        CHECK(cudaStreamSynchronize(stream));
        gain = steer(probe, p->probes);
    }
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(device));
    CHECK(cudaFreeHost(probe));
    //< control
}
