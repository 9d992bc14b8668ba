/* SPDX-License-Identifier: MIT */
/* shares.cu - one piece of work by one device, then by all of them.
 *
 *   SIM_PROFILE=dual ./shares after build/bin/simcc -o shares lessons/12-many-devices/demos/shares.cu */
#include <stdio.h>

#include "streams.h"

#define N (1 << 18)
#define MOST 8

__global__ void work(float *x, int n)
{
    kernel_cost(8ll * n);               /* as long as the share is */
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        x[i] += 1;
}

static cudaStream_t stream[MOST];
static float *x[MOST], *host;

static void by(int count, const char *label)
{
    label_push(label);
    long long begin = now_ns();
    //> shares
    for (int d = 0; d < count; d++) {
        int first = (int)((long long)N * d / count), m = (int)((long long)N * (d + 1) / count) - first;
        CHECK(cudaSetDevice(d));
        CHECK(cudaMemcpyAsync(x[d], host + first, m * sizeof *host, cudaMemcpyHostToDevice, stream[d]));
        work<<<1, 256, 0, stream[d]>>>(x[d], m);
        CHECK(cudaMemcpyAsync(host + first, x[d], m * sizeof *host, cudaMemcpyDeviceToHost, stream[d]));
    }
    for (int d = 0; d < count; d++)
        CHECK(cudaStreamSynchronize(stream[d]));
    //< shares
    printf("%s: %.2f ms\n", label, (now_ns() - begin) / 1e6);
    label_pop();
}

int main(void)
{
    int count;
    CHECK(cudaMallocHost((void **)&host, N * sizeof *host));
    for (int i = 0; i < N; i++)
        host[i] = (float)i;
    //> make
    CHECK(cudaGetDeviceCount(&count));
    for (int d = 0; d < count; d++) {
        CHECK(cudaSetDevice(d));
        CHECK(cudaStreamCreateWithFlags(&stream[d], cudaStreamNonBlocking));
        CHECK(cudaMalloc((void **)&x[d], N * sizeof(float)));
    }
    //< make
    for (int d = 0; d < count; d++) {
        CHECK(cudaSetDevice(d));
        work<<<1, 1, 0, stream[d]>>>(x[d], 0);
        CHECK(cudaDeviceSynchronize());
    }
    by(1, "one device");
    by(count, "all devices");
    for (int d = 0; d < count; d++) {
        CHECK(cudaStreamDestroy(stream[d]));
        CHECK(cudaFree(x[d]));
    }
    CHECK(cudaFreeHost(host));
    return 0;
}
