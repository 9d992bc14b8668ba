/* SPDX-License-Identifier: MIT */
/* four_streams.cu - the demo of overlap that everybody has seen: 16 MiB go to the device, a kernel adds one to each
 * float, 16 MiB come back. In one piece, then over four streams in both orders, timed by events in stream 0.
 *
 *   make demo06                                        on each simulated card
 *   nvcc -Icommon lessons/06-overlap/demos/four_streams.cu common/streams.cu -o four_streams && ./four_streams */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "streams.h"

enum { STREAMS = 4, BLOCK = 256, FLOATS = 4 << 20, PART = FLOATS / STREAMS };

//> kernel
/* What it adds is 1, but for what sinf(), cosf() and sqrtf() round. */
__global__ void add_one(float *x, int first)
{
    int i = first + blockIdx.x * blockDim.x + threadIdx.x;
    float s = sinf((float)i), c = cosf((float)i);
    x[i] += sqrtf(s * s + c * c);
}
//< kernel

static float *host, *device;
static cudaStream_t stream[STREAMS];

static void copy_in(int k)
{
    CHECK(cudaMemcpyAsync(device + k * PART, host + k * PART, PART * sizeof(float), cudaMemcpyHostToDevice, stream[k]));
}

static void kernel(int k)
{
    add_one<<<PART / BLOCK, BLOCK, 0, stream[k]>>>(device, k * PART);
    CHECK(cudaGetLastError());
}

static void copy_out(int k)
{
    CHECK(cudaMemcpyAsync(host + k * PART, device + k * PART, PART * sizeof(float), cudaMemcpyDeviceToHost, stream[k]));
}

static void sequential(void)
{
    CHECK(cudaMemcpy(device, host, FLOATS * sizeof(float), cudaMemcpyHostToDevice));
    add_one<<<FLOATS / BLOCK, BLOCK>>>(device, 0);
    CHECK(cudaMemcpy(host, device, FLOATS * sizeof(float), cudaMemcpyDeviceToHost));
}

//> orders
static void depth_first(void)
{
    for (int k = 0; k < STREAMS; k++) {
        copy_in(k);
        kernel(k);
        copy_out(k);
    }
}

static void breadth_first(void)
{
    for (int k = 0; k < STREAMS; k++)
        copy_in(k);
    for (int k = 0; k < STREAMS; k++)
        kernel(k);
    for (int k = 0; k < STREAMS; k++)
        copy_out(k);
}
//< orders

static float largest_error(void)
{
    float largest = 0;
    for (int i = 0; i < FLOATS; i++)
        largest = fmaxf(largest, fabsf(host[i] - 1));
    return largest;
}

static void show(const char *name, void (*work)(void))
{
    cudaEvent_t begin, end;
    float ms;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    memset(host, 0, FLOATS * sizeof(float));
    label_push(name);
    //> timed
    CHECK(cudaEventRecord(begin, 0));
    work();
    CHECK(cudaEventRecord(end, 0));
    CHECK(cudaEventSynchronize(end));
    CHECK(cudaEventElapsedTime(&ms, begin, end));
    //< timed
    CHECK(cudaDeviceSynchronize());
    label_pop();
    printf("%-28s %6.3f ms, largest error %.2e\n", name, ms, largest_error());
    CHECK(cudaEventDestroy(begin));
    CHECK(cudaEventDestroy(end));
}

/* Streams with these flags, for all that comes next. */
static void make_streams(unsigned flags)
{
    for (int k = 0; k < STREAMS; k++) {
        if (stream[k])
            CHECK(cudaStreamDestroy(stream[k]));
        CHECK(cudaStreamCreateWithFlags(&stream[k], flags));
    }
}

int main(void)
{
    cudaDeviceProp device_is;
    CHECK(cudaGetDeviceProperties(&device_is, 0));
    printf("%s\n", device_is.name);
    CHECK(cudaMallocHost((void **)&host, FLOATS * sizeof(float)));
    CHECK(cudaMalloc((void **)&device, FLOATS * sizeof(float)));
    make_streams(cudaStreamDefault);
    show("sequential", sequential);
    show("V1, depth first", depth_first);
    show("V2, breadth first", breadth_first);
    make_streams(cudaStreamNonBlocking);
    show("V2, non-blocking streams", breadth_first);

    for (int k = 0; k < STREAMS; k++)
        CHECK(cudaStreamDestroy(stream[k]));
    CHECK(cudaFree(device));
    CHECK(cudaFreeHost(host));
    return 0;
}
