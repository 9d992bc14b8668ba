/* SPDX-License-Identifier: MIT */
/* two.cu - two pieces of work that do not need each other, in one queue and in two.
 *
 *   build/bin/simcc -o two lessons/02-stream-queues/demos/two.cu && ./two */
#include <stdio.h>

#include "streams.h"

/* Few blocks: it leaves room for another one on the card. */
__global__ void polish(float *x, int n)
{
    kernel_cost(400000);
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        x[i] = 0.5f * x[i] + 1;
}

int main(void)
{
    const int n = 2000003;
    size_t bytes = n * sizeof(float);
    float *host[2], *device[2];
    for (int k = 0; k < 2; k++) {
        CHECK(cudaMallocHost((void **)&host[k], bytes));
        CHECK(cudaMalloc((void **)&device[k], bytes));
        for (int i = 0; i < n; i++)
            host[k][i] = (float)k;
    }
    cudaStream_t stream[2];
    for (int k = 0; k < 2; k++)
        CHECK(cudaStreamCreate(&stream[k]));
    CHECK(cudaDeviceSynchronize());

    long long begin = now_ns();
    label_push("one queue");
    //> one
    for (int k = 0; k < 2; k++) {
        CHECK(cudaMemcpyAsync(device[k], host[k], bytes, cudaMemcpyHostToDevice, stream[0]));
        polish<<<8, 256, 0, stream[0]>>>(device[k], n);
        CHECK(cudaMemcpyAsync(host[k], device[k], bytes, cudaMemcpyDeviceToHost, stream[0]));
    }
    CHECK(cudaStreamSynchronize(stream[0]));
    //< one
    label_pop();

    long long middle = now_ns();
    label_push("two queues");
    //> two
    for (int k = 0; k < 2; k++) {
        CHECK(cudaMemcpyAsync(device[k], host[k], bytes, cudaMemcpyHostToDevice, stream[k]));
        polish<<<8, 256, 0, stream[k]>>>(device[k], n);
        CHECK(cudaMemcpyAsync(host[k], device[k], bytes, cudaMemcpyDeviceToHost, stream[k]));
    }
    CHECK(cudaStreamSynchronize(stream[0]));
    CHECK(cudaStreamSynchronize(stream[1]));
    //< two
    label_pop();
    CHECK(cudaGetLastError());

    long long end = now_ns();
    printf("one queue %.2f ms, two queues %.2f ms\n", (middle - begin) / 1e6, (end - middle) / 1e6);
    for (int k = 0; k < 2; k++) {
        CHECK(cudaStreamDestroy(stream[k]));
        CHECK(cudaFree(device[k]));
        CHECK(cudaFreeHost(host[k]));
    }
    return 0;
}
