/* SPDX-License-Identifier: MIT */
/* chunks.cu - how long the same image takes in ever more chunks, over four streams.
 *
 *   simcc -Icommon -o chunks chunks.cu && ./chunks */
#include <stdio.h>

#include "../lesson.h"

int main(void)
{
    const long long n = 2000003;
    float *image, *device;
    CHECK(cudaMallocHost((void **)&image, n * sizeof(float)));
    CHECK(cudaMalloc((void **)&device, n * sizeof(float)));
    cudaStream_t stream[STREAMS];
    for (int k = 0; k < STREAMS; k++)
        CHECK(cudaStreamCreate(&stream[k]));
    for (int i = 0; i < n; i++)
        image[i] = 0;
    /* The first launch of a kernel loads it, which is no subject of ours. */
    brighten<<<1, BLOCK>>>(device, 0, 0);
    CHECK(cudaDeviceSynchronize());

    printf("chunks  ms\n");
    const int counts[] = {1, 2, 3, 4, 6, 8, 12, 16, 32, 64, 256, 1024};
    for (int chunks : counts) {
        long long begin = now_ns();
        for (int k = 0; k < chunks; k++) {
            int first = (int)(k * n / chunks), count = (int)((k + 1) * n / chunks) - first;
            cudaStream_t s = stream[k % STREAMS];
            CHECK(cudaMemcpyAsync(device + first, image + first, count * sizeof(float), cudaMemcpyHostToDevice, s));
            brighten<<<(count + BLOCK - 1) / BLOCK, BLOCK, 0, s>>>(device, first, count);
            CHECK(cudaMemcpyAsync(image + first, device + first, count * sizeof(float), cudaMemcpyDeviceToHost, s));
        }
        CHECK(cudaGetLastError());
        CHECK(cudaDeviceSynchronize());
        printf("%6d  %.3f\n", chunks, (now_ns() - begin) / 1e6);
    }

    for (int k = 0; k < STREAMS; k++)
        CHECK(cudaStreamDestroy(stream[k]));
    CHECK(cudaFree(device));
    CHECK(cudaFreeHost(image));
    return 0;
}
