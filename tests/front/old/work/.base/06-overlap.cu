/* SPDX-License-Identifier: MIT */
/*
 * Lesson 06: overlap. Try it with: make lesson06
 *
 * Each function below is right and does one thing at a time: while a copy
 * runs nothing computes, and the other way round. Cut the work into chunks and
 * queue them in an order in which copies and kernels run at once. The contract
 * and the kernels are in lessons/06-overlap/lesson.h.
 */
#include "lesson.h"

static unsigned blocks(int count) { return (count + BLOCK - 1) / BLOCK; }

//> buffers
/*
 * TODO
 * - Take the memory with cudaMallocHost() and give it back with cudaFreeHost():
 *   a copy engine reaches pinned memory by itself, and no other.
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
 * - Create STREAMS streams with cudaStreamCreate(), one for each chunk. Chunk k
 *   begins at pixel k * n / STREAMS; the next chunk begins where it ends.
 * - Chunk by chunk, queue in its stream: cudaMemcpyAsync() in, brighten<<<>>>()
 *   on that chunk, cudaMemcpyAsync() out.
 * - Wait for the streams with cudaStreamSynchronize(), once, at the end.
 * - Give them back with cudaStreamDestroy().
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
 * - The same chunks and streams; queue all copies in, then all kernels, then
 *   all copies out.
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
 * - Choose how many chunks; n divides by no such number.
 * - Find an order of issue that serves all five cards: the C1060 stalls on one
 *   of the orders above, the C2050 on the other.
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
 * - Give each chain a stream, and launch the CHAINS * STEPS kernels in an order
 *   that lets a card with 8 hardware queues run all chains at once.
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
