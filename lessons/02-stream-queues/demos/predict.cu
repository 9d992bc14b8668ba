/* SPDX-License-Identifier: MIT */
/* predict.cu - three streams: what runs at the same time as what?
 *
 *   build/bin/simcc -o predict lessons/02-stream-queues/demos/predict.cu && ./predict */
#include <stdio.h>

#include "streams.h"

__global__ void polish(float *x, int n)
{
    kernel_cost(300000);
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        x[i] = 0.5f * x[i] + 1;
}

int main(void)
{
    const int n = 2000003;
    size_t bytes = n * sizeof(float);
    float *host[3], *device[3];
    cudaStream_t a, b, c;
    CHECK(cudaStreamCreate(&a));
    CHECK(cudaStreamCreate(&b));
    CHECK(cudaStreamCreate(&c));
    for (int k = 0; k < 3; k++) {
        CHECK(cudaMallocHost((void **)&host[k], bytes));
        CHECK(cudaMalloc((void **)&device[k], bytes));
        CHECK(cudaMemset(device[k], 0, bytes));
    }
    float *x = device[0], *y = device[1], *z = device[2];
    CHECK(cudaDeviceSynchronize());

    long long begin = now_ns();
    label_push("predict");
    //> predict
    CHECK(cudaMemcpyAsync(x, host[0], bytes, cudaMemcpyHostToDevice, a));   // 0.15 ms
    polish<<<8, 256, 0, a>>>(x, n);                                         // 0.3 ms
    CHECK(cudaMemcpyAsync(y, host[1], bytes, cudaMemcpyHostToDevice, b));   // 0.15 ms
    polish<<<8, 256, 0, b>>>(y, n);                                         // 0.3 ms
    CHECK(cudaMemcpyAsync(host[2], z, bytes, cudaMemcpyDeviceToHost, c));   // 0.15 ms
    CHECK(cudaGetLastError());
    CHECK(cudaStreamSynchronize(b));
    //< predict
    label_pop();
    printf("%.2f ms\n", (now_ns() - begin) / 1e6);

    CHECK(cudaDeviceSynchronize());
    CHECK(cudaStreamDestroy(a));
    CHECK(cudaStreamDestroy(b));
    CHECK(cudaStreamDestroy(c));
    for (int k = 0; k < 3; k++) {
        CHECK(cudaFree(device[k]));
        CHECK(cudaFreeHost(host[k]));
    }
    return 0;
}
