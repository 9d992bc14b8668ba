/* SPDX-License-Identifier: MIT */
/*
 * Lesson 06: overlap. Try it with: make lesson06
 *
 * Each function below is right and does one thing at a time: it copies or
 * computes. Cut the work into chunks and queue them in an order in which copies
 * and kernels run at once. The contract and the kernels are in
 * lessons/06-overlap/lesson.h.
 */
#include "lesson.h"

static unsigned blocks(int count) { return (count + BLOCK - 1) / BLOCK; }

//> buffers
float *host_buffer(int n)
{
    void *buffer;
    CHECK(cudaMallocHost(&buffer, n * sizeof(float)));
    return (float *)buffer;
}

void free_host_buffer(float *buffer)
{
    CHECK(cudaFreeHost(buffer));
}
//< buffers

//> depth_first
static void create(cudaStream_t *stream, int count)
{
    for (int k = 0; k < count; k++)
        CHECK(cudaStreamCreate(&stream[k]));
}

static void finish(cudaStream_t *stream, int count)
{
    CHECK(cudaGetLastError());
    for (int k = 0; k < count; k++) {
        CHECK(cudaStreamSynchronize(stream[k]));
        CHECK(cudaStreamDestroy(stream[k]));
    }
}

void depth_first(const float *in, float *out, float *device, int n)
{
    cudaStream_t stream[STREAMS];
    create(stream, STREAMS);
    for (int k = 0; k < STREAMS; k++) {
        int first = k * n / STREAMS, count = (k + 1) * n / STREAMS - first;
        size_t bytes = count * sizeof(float);
        CHECK(cudaMemcpyAsync(device + first, in + first, bytes, cudaMemcpyHostToDevice, stream[k]));
        brighten<<<blocks(count), BLOCK, 0, stream[k]>>>(device, first, count);
        CHECK(cudaMemcpyAsync(out + first, device + first, bytes, cudaMemcpyDeviceToHost, stream[k]));
    }
    finish(stream, STREAMS);
}
//< depth_first

//> breadth_first
void breadth_first(const float *in, float *out, float *device, int n)
{
    cudaStream_t stream[STREAMS];
    create(stream, STREAMS);
    int first[STREAMS + 1];
    for (int k = 0; k <= STREAMS; k++)
        first[k] = k * n / STREAMS;
    for (int k = 0; k < STREAMS; k++)
        CHECK(cudaMemcpyAsync(device + first[k], in + first[k], (first[k + 1] - first[k]) * sizeof(float),
                              cudaMemcpyHostToDevice, stream[k]));
    for (int k = 0; k < STREAMS; k++)
        brighten<<<blocks(first[k + 1] - first[k]), BLOCK, 0, stream[k]>>>(device, first[k], first[k + 1] - first[k]);
    for (int k = 0; k < STREAMS; k++)
        CHECK(cudaMemcpyAsync(out + first[k], device + first[k], (first[k + 1] - first[k]) * sizeof(float),
                              cudaMemcpyDeviceToHost, stream[k]));
    finish(stream, STREAMS);
}
//< breadth_first

//> pipeline
/*
 * A copy in is queued one chunk ahead: no copy out that waits for a kernel is
 * ahead of it (C1060), and no later kernel is ahead of a copy out (C2050).
 */
void pipeline(const float *in, float *out, float *device, int n)
{
    const int large = 2 << 20, chunks = n < 7 * large ? 7 : n / large;      /* large: pixels, 8 MiB */
    cudaStream_t stream[chunks];
    create(stream, chunks);
    int first[chunks + 1];
    for (int k = 0; k <= chunks; k++)
        first[k] = (int)((long long)k * n / chunks);
    for (int ahead = 0; ahead <= chunks; ahead++) {
        if (ahead < chunks)
            CHECK(cudaMemcpyAsync(device + first[ahead], in + first[ahead],
                                  (first[ahead + 1] - first[ahead]) * sizeof(float),
                                  cudaMemcpyHostToDevice, stream[ahead]));
        int k = ahead - 1;
        if (k < 0)
            continue;
        brighten<<<blocks(first[k + 1] - first[k]), BLOCK, 0, stream[k]>>>(device, first[k], first[k + 1] - first[k]);
        CHECK(cudaMemcpyAsync(out + first[k], device + first[k], (first[k + 1] - first[k]) * sizeof(float),
                              cudaMemcpyDeviceToHost, stream[k]));
    }
    finish(stream, chunks);
}
//< pipeline

//> chains
/* Step by step: each hardware queue then holds one step of all its chains before the next step. */
void chains(float *rows, int count)
{
    cudaStream_t stream[CHAINS];
    create(stream, CHAINS);
    for (int step = 0; step < STEPS; step++)
        for (int chain = 0; chain < CHAINS; chain++)
            chain_step<<<1, BLOCK, 0, stream[chain]>>>(rows, count, chain, step);
    finish(stream, CHAINS);
}
//< chains
