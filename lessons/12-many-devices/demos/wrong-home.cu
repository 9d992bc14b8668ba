/* SPDX-License-Identifier: MIT */
/* wrong-home.cu - a stream that was made a line too early. SIM_PROFILE=dual.
 *
 *   build/bin/simcc -o wrong-home lessons/12-many-devices/demos/wrong-home.cu && SIM_PROFILE=dual ./wrong-home */
#include <stdio.h>

#include "streams.h"

__global__ void put(int *x)
{
    *x = 1;
}

int main(void)
{
    int *x, count;
    CHECK(cudaGetDeviceCount(&count));
    if (count < 2) {
        printf("this needs two devices; there is %d\n", count);
        return 0;
    }
    //> early
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));               // of device 0
    CHECK(cudaSetDevice(1));
    CHECK(cudaMalloc((void **)&x, sizeof *x));      // of device 1
    put<<<1, 1, 0, stream>>>(x);                    // runs on device 0
    CHECK(cudaGetLastError());
    CHECK(cudaStreamSynchronize(stream));
    //< early
    return 0;
}
