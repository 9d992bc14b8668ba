/* SPDX-License-Identifier: MIT */
/* A stream for each engine, joined by events; host memory by cudaHostAlloc(). */
#include "lesson.h"

float *host_buffer(int n)
{
    float *buffer;
    CHECK(cudaHostAlloc((void **)&buffer, sizeof(float) * n, cudaHostAllocDefault));
    return buffer;
}

void free_host_buffer(float *buffer)
{
    CHECK(cudaFreeHost(buffer));
}

#define MOST 8

struct engines {
    cudaStream_t in, compute, out;
    cudaEvent_t arrived[MOST], computed[MOST];
    const float *from;
    float *to, *device;
    int n, chunks;
};

static void begin(struct engines *e, const float *from, float *to, float *device, int n, int chunks)
{
    e->from = from;
    e->to = to;
    e->device = device;
    e->n = n;
    e->chunks = chunks;
    CHECK(cudaStreamCreate(&e->in));
    CHECK(cudaStreamCreate(&e->compute));
    CHECK(cudaStreamCreate(&e->out));
    for (int k = 0; k < chunks; k++) {
        CHECK(cudaEventCreateWithFlags(&e->arrived[k], cudaEventDisableTiming));
        CHECK(cudaEventCreateWithFlags(&e->computed[k], cudaEventDisableTiming));
    }
}

static void end(struct engines *e)
{
    CHECK(cudaGetLastError());
    CHECK(cudaStreamSynchronize(e->out));
    for (int k = 0; k < e->chunks; k++) {
        CHECK(cudaEventDestroy(e->arrived[k]));
        CHECK(cudaEventDestroy(e->computed[k]));
    }
    CHECK(cudaStreamDestroy(e->in));
    CHECK(cudaStreamDestroy(e->compute));
    CHECK(cudaStreamDestroy(e->out));
}

static int first(const struct engines *e, int k)
{
    int size = (e->n + e->chunks - 1) / e->chunks;
    return k * size < e->n ? k * size : e->n;
}

static void load(struct engines *e, int k)
{
    int at = first(e, k);
    CHECK(cudaMemcpyAsync(e->device + at, e->from + at, sizeof(float) * (first(e, k + 1) - at),
                          cudaMemcpyHostToDevice, e->in));
    CHECK(cudaEventRecord(e->arrived[k], e->in));
}

static void compute(struct engines *e, int k)
{
    int at = first(e, k), count = first(e, k + 1) - at;
    CHECK(cudaStreamWaitEvent(e->compute, e->arrived[k], 0));
    brighten<<<(count + BLOCK - 1) / BLOCK, BLOCK, 0, e->compute>>>(e->device, at, count);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(e->computed[k], e->compute));
}

static void store(struct engines *e, int k)
{
    int at = first(e, k);
    CHECK(cudaStreamWaitEvent(e->out, e->computed[k], 0));
    CHECK(cudaMemcpyAsync(e->to + at, e->device + at, sizeof(float) * (first(e, k + 1) - at),
                          cudaMemcpyDeviceToHost, e->out));
}

void depth_first(const float *in, float *out, float *device, int n)
{
    struct engines e;
    begin(&e, in, out, device, n, STREAMS);
    for (int k = 0; k < STREAMS; k++) {
        load(&e, k);
        compute(&e, k);
        store(&e, k);
    }
    end(&e);
}

void breadth_first(const float *in, float *out, float *device, int n)
{
    struct engines e;
    begin(&e, in, out, device, n, STREAMS);
    for (int k = 0; k < STREAMS; k++)
        load(&e, k);
    for (int k = 0; k < STREAMS; k++)
        compute(&e, k);
    for (int k = 0; k < STREAMS; k++)
        store(&e, k);
    end(&e);
}

void pipeline(const float *in, float *out, float *device, int n)
{
    struct engines e;
    begin(&e, in, out, device, n, MOST);
    load(&e, 0);
    for (int k = 0; k < MOST; k++) {
        if (k + 1 < MOST)
            load(&e, k + 1);
        compute(&e, k);
        store(&e, k);
    }
    end(&e);
}

/* Joins all streams into the first one and waits for that. */
void chains(float *rows, int count)
{
    cudaStream_t stream[CHAINS];
    cudaEvent_t all;
    CHECK(cudaEventCreateWithFlags(&all, cudaEventDisableTiming));
    for (int c = 0; c < CHAINS; c++)
        CHECK(cudaStreamCreateWithFlags(&stream[c], cudaStreamNonBlocking));
    for (int i = 0; i < STEPS * CHAINS; i++) {
        chain_step<<<1, BLOCK, 0, stream[i % CHAINS]>>>(rows, count, i % CHAINS, i / CHAINS);
        CHECK(cudaGetLastError());
    }
    for (int c = 1; c < CHAINS; c++) {
        CHECK(cudaEventRecord(all, stream[c]));
        CHECK(cudaStreamWaitEvent(stream[0], all, 0));
    }
    CHECK(cudaStreamSynchronize(stream[0]));
    for (int c = 0; c < CHAINS; c++)
        CHECK(cudaStreamDestroy(stream[c]));
    CHECK(cudaEventDestroy(all));
}
