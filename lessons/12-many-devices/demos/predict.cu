/* SPDX-License-Identifier: MIT */
/* predict.cu - five kernels, two devices: where does each run, and when does the host go on? SIM_PROFILE=dual.
 *
 *   build/bin/simcc -o predict lessons/12-many-devices/demos/predict.cu && SIM_PROFILE=dual ./predict */
#include <stdio.h>

#include "streams.h"

__global__ void work(long long ns)
{
    kernel_cost(ns);
}

#define MS 1000000ll

int main(void)
{
    cudaStream_t a, b;
    cudaEvent_t done;
    int count;
    CHECK(cudaGetDeviceCount(&count));
    if (count < 2) {
        printf("this needs two devices; there is %d\n", count);
        return 0;
    }
    for (int d = 0; d < 2; d++) {
        CHECK(cudaSetDevice(d));
        CHECK(cudaStreamCreateWithFlags(d == 0 ? &a : &b, cudaStreamNonBlocking));
        work<<<1, 1>>>(0);
        CHECK(cudaDeviceSynchronize());
    }
    CHECK(cudaSetDevice(0));
    CHECK(cudaEventCreate(&done));
    label_push("predict");
    //> predict
    CHECK(cudaSetDevice(0));                        // a is a stream of device 0, b of device 1, both non-blocking
    work<<<1, 1, 0, a>>>(2 * MS);                   // 1
    CHECK(cudaEventRecord(done, a));
    work<<<1, 1>>>(5 * MS);                         // 2
    CHECK(cudaStreamWaitEvent(b, done, 0));
    CHECK(cudaSetDevice(1));
    work<<<1, 1>>>(1 * MS);                         // 3
    work<<<1, 1, 0, b>>>(2 * MS);                   // 4
    CHECK(cudaDeviceSynchronize());
    work<<<1, 1, 0, a>>>(1 * MS);                   // 5
    //< predict
    CHECK(cudaGetLastError());
    CHECK(cudaSetDevice(0));
    CHECK(cudaDeviceSynchronize());
    label_pop();
    CHECK(cudaStreamDestroy(a));
    CHECK(cudaStreamDestroy(b));
    CHECK(cudaEventDestroy(done));
    return 0;
}
