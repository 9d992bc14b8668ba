/* SPDX-License-Identifier: MIT */
/*
 * bound.cu - how near pipeline() of lesson 06's solution comes to what the card can do, over 256 MiB.
 *
 * Each label is one run: the solution where the kernel is what takes longest, where the copies in do, and where copies
 * of both directions do; the classic pattern of four chunks in four streams (depth_first()) beside it; and for the last
 * case a sweep over chunks and streams. shares.c says of each how long it took and how busy its busiest engine was.
 * The kernel's length and how much is copied back are turned here, beneath the solution's own lines.
 */
#include <stdio.h>
#include <stdlib.h>

#include "streams.h"

static __device__ long long block_ns;
static size_t out_part = 1;     /* only one of so many bytes goes back */

static __device__ void turned_cost(long long ns)
{
    if (block_ns > 0)
        kernel_cost(block_ns);
    (void)ns;
}

static cudaError_t turned_copy(void *dst, const void *src, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream)
{
    return cudaMemcpyAsync(dst, src, kind == cudaMemcpyDeviceToHost ? bytes / out_part : bytes, kind, stream);
}

#define kernel_cost turned_cost
#define cudaMemcpyAsync turned_copy
#include "../../../solutions/06-overlap.cu"
#undef cudaMemcpyAsync
#undef kernel_cost

#define PIXELS (64 << 20)

static float *in, *out, *device;

static void turn(long long ns, size_t part)
{
    CHECK(cudaMemcpyToSymbol(block_ns, &ns, sizeof ns));
    out_part = part;
    CHECK(cudaDeviceSynchronize());
}

static void show(const char *label, void (*function)(const float *, float *, float *, int))
{
    label_push(label);
    function(in, out, device, PIXELS);
    label_pop();
    CHECK(cudaDeviceSynchronize());
}

static void sweep(int chunks, int streams)
{
    char label[64];
    cudaStream_t stream[16];
    snprintf(label, sizeof label, "both ways, sweep: %d chunks, %d streams", chunks, streams);
    create(stream, streams);
    CHECK(cudaDeviceSynchronize());
    label_push(label);
    for (int k = 0; k < chunks; k++) {
        int first = (int)((long long)k * PIXELS / chunks), count = (int)((long long)(k + 1) * PIXELS / chunks) - first;
        cudaStream_t s = stream[k % streams];
        CHECK(cudaMemcpyAsync(device + first, in + first, count * sizeof(float), cudaMemcpyHostToDevice, s));
        brighten<<<blocks(count), BLOCK, 0, s>>>(device, first, count);
        CHECK(cudaMemcpyAsync(out + first, device + first, count * sizeof(float), cudaMemcpyDeviceToHost, s));
    }
    CHECK(cudaDeviceSynchronize());
    label_pop();
    finish(stream, streams);
}

int main(void)
{
    const size_t bytes = PIXELS * sizeof(float);
    CHECK(cudaMallocHost((void **)&in, bytes));
    CHECK(cudaMallocHost((void **)&out, bytes));
    CHECK(cudaMalloc((void **)&device, bytes));
    for (int i = 0; i < PIXELS; i++)
        in[i] = out[i] = 1;
    turn(0, 1);
    pipeline(in, out, device, PIXELS);      /* warm */
    CHECK(cudaDeviceSynchronize());

    turn(90000, 1);
    show("kernel-bound: pipeline", pipeline);
    show("kernel-bound: four chunks, four streams", depth_first);
    turn(180000, 1);
    show("kernel-bound, twice as long: pipeline", pipeline);
    turn(2000, 16);
    show("copies in: pipeline", pipeline);
    show("copies in: four chunks, four streams", depth_first);
    turn(2000, 1);
    show("both ways: pipeline", pipeline);
    show("both ways: pipeline again", pipeline);
    show("both ways: four chunks, four streams", depth_first);
    static const int chunks[] = { 4, 8, 16, 24, 32, 48, 64, 128 }, streams[] = { 2, 4, 8, 16 };
    for (int c : chunks)
        for (int s : streams)
            sweep(c, s);
    CHECK(cudaFree(device));
    CHECK(cudaFreeHost(in));
    CHECK(cudaFreeHost(out));
    return 0;
}
