/* SPDX-License-Identifier: MIT */
/* Pins memory that it already has, keeps its streams for all parts until the
 * last one, waits for the whole device. */
#include <stdlib.h>

#include "lesson.h"

float *host_buffer(int n)
{
    float *buffer = (float *)aligned_alloc(4096, (n * sizeof(float) + 4095) / 4096 * 4096);
    CHECK(cudaHostRegister(buffer, n * sizeof(float), cudaHostRegisterDefault));
    return buffer;
}

void free_host_buffer(float *buffer)
{
    CHECK(cudaHostUnregister(buffer));
    free(buffer);
}

static cudaStream_t streams[CHAINS];
static int made;

static cudaStream_t get(int number)
{
    for (; made <= number; made++)
        CHECK(cudaStreamCreate(&streams[made]));
    return streams[number];
}

enum step { LOAD = 1, COMPUTE = 2, STORE = 4 };

/* The steps in `what` of the pixels first .. end - 1, in one stream. */
static void queue(int what, const float *in, float *out, float *device, int first, int end, cudaStream_t stream)
{
    if (first == end)
        return;
    int count = end - first;
    if (what & LOAD)
        CHECK(cudaMemcpyAsync(&device[first], &in[first], count * sizeof(float), cudaMemcpyHostToDevice, stream));
    if (what & COMPUTE) {
        brighten<<<(count - 1) / BLOCK + 1, BLOCK, 0, stream>>>(device, first, count);
        CHECK(cudaGetLastError());
    }
    if (what & STORE)
        CHECK(cudaMemcpyAsync(&out[first], &device[first], count * sizeof(float), cudaMemcpyDeviceToHost, stream));
}

/* Equal chunks and a last one that is whatever is left. */
#define CHUNK(k, chunks) (k) * (n / (chunks)), ((k) == (chunks) - 1 ? n : ((k) + 1) * (n / (chunks)))

void depth_first(const float *in, float *out, float *device, int n)
{
    for (int k = 0; k < STREAMS; k++)
        queue(LOAD | COMPUTE | STORE, in, out, device, CHUNK(k, STREAMS), get(k));
    CHECK(cudaDeviceSynchronize());
}

void breadth_first(const float *in, float *out, float *device, int n)
{
    for (int what = LOAD; what <= STORE; what *= 2)
        for (int k = 0; k < STREAMS; k++)
            queue(what, in, out, device, CHUNK(k, STREAMS), get(k));
    CHECK(cudaDeviceSynchronize());
}

/* One chunk ahead, in three streams by turns. */
void pipeline(const float *in, float *out, float *device, int n)
{
    const int chunks = 9;
    queue(LOAD, in, out, device, CHUNK(0, chunks), get(0));
    for (int k = 1; k <= chunks; k++) {
        if (k < chunks)
            queue(LOAD, in, out, device, CHUNK(k, chunks), get(k % 3));
        queue(COMPUTE | STORE, in, out, device, CHUNK(k - 1, chunks), get((k - 1) % 3));
    }
    CHECK(cudaDeviceSynchronize());
}

void chains(float *rows, int count)
{
    for (int step = 0; step < STEPS; step++)
        for (int chain = 0; chain < CHAINS; chain++) {
            chain_step<<<1, BLOCK, 0, get(chain)>>>(rows, count, chain, step);
            CHECK(cudaGetLastError());
        }
    CHECK(cudaDeviceSynchronize());
    while (made > 0)
        CHECK(cudaStreamDestroy(streams[--made]));
}
