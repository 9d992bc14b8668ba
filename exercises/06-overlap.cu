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
/*
 * TODO
 * - A copy engine can reach the memory by itself, without the host's help.
 * - What host_buffer() takes, free_host_buffer() gives back.
 */
float *host_buffer(int n)
{
    return (float *)malloc(n * sizeof(float));
}

void free_host_buffer(float *buffer)
{
    free(buffer);
}
//< buffers

//> depth_first
/*
 * TODO, part a
 * - The image goes in STREAMS chunks. Each pixel is in exactly one of them, for
 *   any n.
 * - Within a chunk, copy in, kernel and copy out are in a guaranteed order. No
 *   copy in waits for another chunk's kernel or copy out.
 * - All of one chunk is queued before the next one.
 * - The host waits for nothing until all is queued. When the function returns,
 *   `out` is complete, and what you made is given back.
 */
void depth_first(const float *in, float *out, float *device, int n)
{
    CHECK(cudaMemcpy(device, in, n * sizeof(float), cudaMemcpyHostToDevice));
    brighten<<<blocks(n), BLOCK>>>(device, 0, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(out, device, n * sizeof(float), cudaMemcpyDeviceToHost));
}
//< depth_first

//> breadth_first
/*
 * TODO, part b
 * - The same chunks, and the same within each chunk; but all copies in are
 *   queued before the first kernel, and all kernels before the first copy out.
 *   The chunks are in the same order each time.
 */
void breadth_first(const float *in, float *out, float *device, int n)
{
    CHECK(cudaMemcpy(device, in, n * sizeof(float), cudaMemcpyHostToDevice));
    brighten<<<blocks(n), BLOCK>>>(device, 0, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(out, device, n * sizeof(float), cudaMemcpyDeviceToHost));
}
//< breadth_first

//> pipeline
/*
 * TODO, part c
 * - How many chunks, and in which order they are queued, is your choice. Each
 *   pixel is still brightened once.
 * - On none of the five cards does the image take more than 1.16 times as long
 *   as in the reference solution. The C1060 stalls on one of the orders above,
 *   the C2050 on the other.
 */
void pipeline(const float *in, float *out, float *device, int n)
{
    CHECK(cudaMemcpy(device, in, n * sizeof(float), cudaMemcpyHostToDevice));
    brighten<<<blocks(n), BLOCK>>>(device, 0, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(out, device, n * sizeof(float), cudaMemcpyDeviceToHost));
}
//< pipeline

//> chains
/*
 * TODO, part d
 * - Each chain goes through its steps in a guaranteed order, and waits for no
 *   other chain.
 * - A card with 8 hardware queues runs all chains at once.
 * - When the function returns, all steps are done.
 */
void chains(float *rows, int count)
{
    for (int chain = 0; chain < CHAINS; chain++)
        for (int step = 0; step < STEPS; step++)
            chain_step<<<1, BLOCK>>>(rows, count, chain, step);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
}
//< chains
