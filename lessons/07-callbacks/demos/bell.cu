/* SPDX-License-Identifier: MIT */
/* bell.cu - four results come home one by one; the host puts each away, and has
 * work of its own. It waits for each; then it is called.
 *
 *   build/bin/simcc -o bell lessons/07-callbacks/demos/bell.cu && ./bell */
#include <stdio.h>

#include "streams.h"

enum { RESULTS = 4, N = 100003 };

__global__ void compute(float *x, int n)
{
    kernel_cost(200000);
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        x[i] = 0.5f * x[i] + 1;
}

static float *host[RESULTS], *device[RESULTS];
static const size_t bytes = N * sizeof(float);

//> put_away
static void put_away(void *result)
{
    host_work(30000);           // 30 us, with the numbers at `result`
    (void)result;
}
//< put_away

static void waits(cudaStream_t stream)
{
    //> waits
    for (int k = 0; k < RESULTS; k++) {
        compute<<<8, 256, 0, stream>>>(device[k], N);
        CHECK(cudaMemcpyAsync(host[k], device[k], bytes, cudaMemcpyDeviceToHost, stream));
        CHECK(cudaStreamSynchronize(stream));
        put_away(host[k]);
    }
    host_work(800000);          // at last: the host's own work
    //< waits
}

static void is_called(cudaStream_t stream)
{
    //> called
    for (int k = 0; k < RESULTS; k++) {
        compute<<<8, 256, 0, stream>>>(device[k], N);
        CHECK(cudaMemcpyAsync(host[k], device[k], bytes, cudaMemcpyDeviceToHost, stream));
        CHECK(cudaLaunchHostFunc(stream, put_away, host[k]));
    }
    host_work(800000);          // the host's own work
    CHECK(cudaStreamSynchronize(stream));
    //< called
}

static double ms(const char *name, void (*program)(cudaStream_t), cudaStream_t stream)
{
    CHECK(cudaDeviceSynchronize());
    label_push(name);
    long long begin = now_ns();
    program(stream);
    label_pop();
    return (now_ns() - begin) / 1e6;
}

int main(void)
{
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    for (int k = 0; k < RESULTS; k++) {
        CHECK(cudaMallocHost((void **)&host[k], bytes));
        CHECK(cudaMalloc((void **)&device[k], bytes));
        CHECK(cudaMemset(device[k], 0, bytes));
    }
    double waiting = ms("waits", waits, stream), called = ms("is called", is_called, stream);
    printf("waits %.2f ms, is called %.2f ms\n", waiting, called);
    CHECK(cudaStreamDestroy(stream));
    for (int k = 0; k < RESULTS; k++) {
        CHECK(cudaFreeHost(host[k]));
        CHECK(cudaFree(device[k]));
    }
    return 0;
}
