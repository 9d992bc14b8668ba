/* SPDX-License-Identifier: MIT */
/* driver.cu - calls the parts of lesson 06 on the inputs that it is given. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver.h"
#include "lesson.h"

static void image(const char *part, int slot, void (*exercise)(const float *, float *, float *, int))
{
    size_t bytes;
    const void *input = driver_input(slot, &bytes);
    int n = (int)(bytes / sizeof(float));
    float *device;
    CHECK(cudaMalloc((void **)&device, bytes));
    /* What no copy fills is neither zero nor the last part's answer. */
    CHECK(cudaMemset(device, 0x7f, bytes));
    CHECK(cudaDeviceSynchronize());

    driver_part(part);
    float *in = host_buffer(n), *out = host_buffer(n);
    if (!in || !out) {
        fprintf(stderr, "host_buffer(%d) returned NULL\n", n);
        exit(1);
    }
    struct buffers *where = (struct buffers *)driver_output(SLOT_BUFFERS, NULL) + slot;
    where->in = (uint64_t)(uintptr_t)in;
    where->out = (uint64_t)(uintptr_t)out;
    where->device = (uint64_t)(uintptr_t)device;
    memcpy(in, input, bytes);
    memset(out, 0xff, bytes);
    driver_device_makes(out, bytes);
    exercise(in, out, device, n);
    driver_device_makes(NULL, 0);
    driver_part(NULL);

    memcpy(driver_output(slot, NULL), out, bytes);
    free_host_buffer(in);
    free_host_buffer(out);
    CHECK(cudaFree(device));
}

static void rows(void)
{
    size_t bytes;
    const void *input = driver_input(SLOT_D, &bytes);
    float *device;
    CHECK(cudaMalloc((void **)&device, bytes));
    CHECK(cudaMemcpy(device, input, bytes, cudaMemcpyHostToDevice));
    CHECK(cudaDeviceSynchronize());

    driver_part("d");
    chains(device, (int)(bytes / sizeof(float) / CHAINS));
    driver_part(NULL);

    /* A stream that waits for no other: what chains() left undone stays undone. */
    cudaStream_t stream;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaMemcpyAsync(driver_output(SLOT_D, NULL), device, bytes, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(device));
}

/* An answer that takes as much as was enough for every image so far takes too much here. The copy tells what memory it is. */
static void small_buffer(void)
{
    float *device;
    CHECK(cudaMalloc((void **)&device, SMALL_BUFFER * sizeof *device));
    driver_part(SMALL_PART);
    float *buffer = host_buffer(SMALL_BUFFER);
    if (buffer) {
        memset(buffer, 0, SMALL_BUFFER * sizeof *buffer);
        CHECK(cudaMemcpy(device, buffer, SMALL_BUFFER * sizeof *buffer, cudaMemcpyHostToDevice));
    }
    free_host_buffer(buffer);
    driver_part(NULL);
    CHECK(cudaFree(device));
}

int main(void)
{
    image("a", SLOT_A, depth_first);
    image("b", SLOT_B, breadth_first);
    image("c", SLOT_C, pipeline);
    rows();
    small_buffer();
    return 0;
}
