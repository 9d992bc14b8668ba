/* SPDX-License-Identifier: MIT */
/* requests.cu - a copy within the device beside a kernel; and many requests, each waited for when it suits the host.
 *
 *   build/bin/simcc -o requests lessons/02-stream-queues/demos/requests.cu && ./requests */
#include <stdio.h>

#include "streams.h"

/* Few blocks: it leaves room for others on the card. */
__global__ void polish(float *x, int n, long long ns)
{
    kernel_cost(ns);
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        x[i] = 0.5f * x[i] + 1;
}

int main(void)
{
    enum { REQUESTS = 4 };
    const int n = 1000003, many = 1 << 26;
    size_t bytes = n * sizeof(float), much = many * sizeof(float);
    float *host[REQUESTS], *device[REQUESTS], *from, *to;
    cudaStream_t stream[REQUESTS];
    for (int k = 0; k < REQUESTS; k++) {
        CHECK(cudaStreamCreate(&stream[k]));
        CHECK(cudaMallocHost((void **)&host[k], bytes));
        CHECK(cudaMalloc((void **)&device[k], bytes));
        for (int i = 0; i < n; i++)
            host[k][i] = (float)k;
    }
    CHECK(cudaMalloc((void **)&from, much));
    CHECK(cudaMalloc((void **)&to, much));
    CHECK(cudaMemset(from, 0, much));
    CHECK(cudaMemset(device[0], 0, bytes));
    CHECK(cudaDeviceSynchronize());

    label_push("within");
    //> within
    polish<<<8, 256, 0, stream[0]>>>(device[0], n, 300000);                                 // 0.3 ms
    CHECK(cudaMemcpyAsync(to, from, much, cudaMemcpyDeviceToDevice, stream[1]));            // 256 MiB
    CHECK(cudaStreamSynchronize(stream[0]));
    CHECK(cudaStreamSynchronize(stream[1]));
    //< within
    label_pop();

    label_push("requests");
    //> requests
    for (int k = 0; k < REQUESTS; k++) {                                                    // ask four times
        CHECK(cudaMemcpyAsync(device[k], host[k], bytes, cudaMemcpyHostToDevice, stream[k]));
        polish<<<8, 256, 0, stream[k]>>>(device[k], n, 300000);
        CHECK(cudaMemcpyAsync(host[k], device[k], bytes, cudaMemcpyDeviceToHost, stream[k]));
    }
    host_work(200000);
    CHECK(cudaStreamSynchronize(stream[0]));                                                // the first is needed now,
    host_work(200000);
    for (int k = 1; k < REQUESTS; k++)                                                      // the others later
        CHECK(cudaStreamSynchronize(stream[k]));
    //< requests
    label_pop();
    CHECK(cudaGetLastError());

    for (int k = 0; k < REQUESTS; k++) {
        CHECK(cudaStreamDestroy(stream[k]));
        CHECK(cudaFree(device[k]));
        CHECK(cudaFreeHost(host[k]));
    }
    CHECK(cudaFree(from));
    CHECK(cudaFree(to));
    return 0;
}
