/* SPDX-License-Identifier: MIT */
/* demo.cu - an image is brightened in one go, and then in four chunks.
 *
 *   simcc -Icommon -o demo demo.cu && ./demo */
#include <stdio.h>

#include "../lesson.h"

int main(void)
{
    const int n = 1000003;
    float *image, *device;
    CHECK(cudaMallocHost((void **)&image, n * sizeof(float)));
    CHECK(cudaMalloc((void **)&device, n * sizeof(float)));
    cudaStream_t stream[STREAMS];
    for (int k = 0; k < STREAMS; k++)
        CHECK(cudaStreamCreate(&stream[k]));
    for (int i = 0; i < n; i++)
        image[i] = 0.5f;
    /* The first launch of a kernel loads it, which is no subject of ours. */
    brighten<<<1, BLOCK>>>(device, 0, 0);
    CHECK(cudaDeviceSynchronize());

    long long begin = now_ns();
    label_push("in one go");
    //> one-go
    CHECK(cudaMemcpyAsync(device, image, n * sizeof(float), cudaMemcpyHostToDevice, stream[0]));
    brighten<<<(n + BLOCK - 1) / BLOCK, BLOCK, 0, stream[0]>>>(device, 0, n);
    CHECK(cudaMemcpyAsync(image, device, n * sizeof(float), cudaMemcpyDeviceToHost, stream[0]));
    CHECK(cudaDeviceSynchronize());
    //< one-go
    label_pop();

    long long middle = now_ns();
    label_push("in four chunks");
    //> chunks
    for (int k = 0; k < STREAMS; k++) {
        int first = k * n / STREAMS, count = (k + 1) * n / STREAMS - first;
        CHECK(cudaMemcpyAsync(device + first, image + first, count * sizeof(float), cudaMemcpyHostToDevice, stream[k]));
        brighten<<<(count + BLOCK - 1) / BLOCK, BLOCK, 0, stream[k]>>>(device, first, count);
        CHECK(cudaMemcpyAsync(image + first, device + first, count * sizeof(float), cudaMemcpyDeviceToHost, stream[k]));
    }
    CHECK(cudaDeviceSynchronize());
    //< chunks
    label_pop();

    long long end = now_ns();
    printf("in one go %.3f ms, in four chunks %.3f ms\n", (middle - begin) / 1e6, (end - middle) / 1e6);
    for (int i = 0; i < n; i++)
        if (image[i] != 5)
            return 1;
    for (int k = 0; k < STREAMS; k++)
        CHECK(cudaStreamDestroy(stream[k]));
    CHECK(cudaFree(device));
    CHECK(cudaFreeHost(image));
    return 0;
}
