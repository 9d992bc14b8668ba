/* SPDX-License-Identifier: MIT */
/* trip.cu - a stream from its creation to its end.
 *
 *   build/bin/simcc -o trip lessons/02-stream-queues/demos/trip.cu && ./trip */
#include <stdio.h>

#include "streams.h"

__global__ void polish(float *x, int n)
{
    kernel_cost(2000000);
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        x[i] = 0.5f * x[i] + 1;
}

int main(void)
{
    const int n = 1000003;
    size_t bytes = n * sizeof(float);
    float *host, *device;
    CHECK(cudaMallocHost((void **)&host, bytes));
    CHECK(cudaMalloc((void **)&device, bytes));
    for (int i = 0; i < n; i++)
        host[i] = 2;
    CHECK(cudaDeviceSynchronize());

    label_push("trip");
    //> trip
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, stream));    // ask
    polish<<<8, 256, 0, stream>>>(device, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, stream));

    int slices = 0;
    while (cudaStreamQuery(stream) == cudaErrorNotReady) {                          // meanwhile
        host_work(300000);
        slices++;
    }
    CHECK(cudaStreamSynchronize(stream));                                           // get
    printf("the host did %d slices of work of its own, host[0] is %g\n", slices, host[0]);
    CHECK(cudaStreamDestroy(stream));
    //< trip
    label_pop();

    //> destroy
    CHECK(cudaStreamCreate(&stream));
    polish<<<8, 256, 0, stream>>>(device, n);
    CHECK(cudaGetLastError());
    long long before = now_ns();
    CHECK(cudaStreamDestroy(stream));                                               // 2 ms of work are queued
    long long destroyed = now_ns();
    CHECK(cudaDeviceSynchronize());
    long long done = now_ns();
    //< destroy
    printf("destroyed after %.3f ms, its work was done after %.3f ms\n", (destroyed - before) / 1e6, (done - before) / 1e6);
    CHECK(cudaFree(device));
    CHECK(cudaFreeHost(host));
    return 0;
}
