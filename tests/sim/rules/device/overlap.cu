/* SPDX-License-Identifier: MIT */
/* The pattern of all streaming programs: copy in, kernel, copy out, in chunks. */
#include "../rule.h"

static const int CHUNKS = 4, COUNT = 1 << 22, CHUNK = COUNT / CHUNKS;

__global__ void add_one(float *a, int offset)
{
    int i = offset + threadIdx.x + blockIdx.x * blockDim.x;
    a[i] = a[i] + 1;
}

static float *host, *device;
static cudaStream_t streams[CHUNKS];

static void copy_in(int chunk)
{
    CHECK(cudaMemcpyAsync(&device[chunk * CHUNK], &host[chunk * CHUNK], CHUNK * sizeof(float),
                          cudaMemcpyHostToDevice, streams[chunk]));
}

static void kernel(int chunk)
{
    add_one<<<CHUNK / 256, 256, 0, streams[chunk]>>>(device, chunk * CHUNK);
}

static void copy_out(int chunk)
{
    CHECK(cudaMemcpyAsync(&host[chunk * CHUNK], &device[chunk * CHUNK], CHUNK * sizeof(float),
                          cudaMemcpyDeviceToHost, streams[chunk]));
}

static void sequential()
{
    CHECK(cudaMemcpy(device, host, COUNT * sizeof(float), cudaMemcpyHostToDevice));
    add_one<<<COUNT / 256, 256>>>(device, 0);
    CHECK(cudaMemcpy(host, device, COUNT * sizeof(float), cudaMemcpyDeviceToHost));
}

static void depth_first()
{
    for (int i = 0; i < CHUNKS; i++) {
        copy_in(i);
        kernel(i);
        copy_out(i);
    }
}

static void breadth_first()
{
    for (int i = 0; i < CHUNKS; i++)
        copy_in(i);
    for (int i = 0; i < CHUNKS; i++)
        kernel(i);
    for (int i = 0; i < CHUNKS; i++)
        copy_out(i);
}

/* ms that the events round it measure. */
static float timed(void (*version)())
{
    cudaEvent_t begin = event(), end = event();
    float ms;
    CHECK(cudaEventRecord(begin, 0));
    version();
    CHECK(cudaEventRecord(end, 0));
    CHECK(cudaEventSynchronize(end));
    CHECK(cudaEventElapsedTime(&ms, begin, end));
    return ms;
}

int main()
{
    host = pinned<float>(COUNT);
    device = on_device<float>(COUNT);
    for (int i = 0; i < CHUNKS; i++)
        streams[i] = stream();
    sequential();
    float one = timed(sequential), depth = timed(depth_first), breadth = timed(breadth_first);
    int wrong = 0;
    for (int i = 0; i < COUNT; i++)
        wrong += host[i] != 4;
    rule(wrong == 0, "in one piece and in chunks, every element is worked on once each time");
    rule(depth < 0.8f * one, "depth first, copies and kernels overlap");
    rule(breadth < 0.8f * one, "breadth first, copies and kernels overlap");
    rule(depth < 1.1f * breadth && breadth < 1.1f * depth, "with four streams both orders take as long");

    char *pageable = new char[COUNT * sizeof(float)];
    CHECK(cudaDeviceSynchronize());
    busy<<<1, 1, 0, streams[0]>>>(LONG);
    rule(is_long(took([&] {
             CHECK(cudaMemcpyAsync(pageable, device, COUNT, cudaMemcpyDeviceToHost, streams[0]));
             CHECK(cudaMemcpyAsync(pageable + COUNT, device, COUNT, cudaMemcpyDeviceToHost, streams[1]));
         })),
         "copies to pageable memory do not get out of each other's way");
    delete[] pageable;
    return rules_end();
}
