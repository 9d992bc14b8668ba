/* SPDX-License-Identifier: MIT */
/* room.cu - more managed memory than the device has. For the simulator:
 *
 *   build/bin/simcc -o room lessons/09-unified-memory/demos/room.cu && SIM_MEMORY_MIB=8 ./room */
#include <stdio.h>

#include "streams.h"

__global__ void add_one(float *x, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        x[i] += 1;
}

int main(void)
{
    const int n = 3 << 20;                          // 12 MiB
    float *x;
    CHECK(cudaMallocManaged((void **)&x, n * sizeof *x));
    CHECK(prefetch(x, 4, cudaCpuDeviceId, NULL));
    for (int i = 0; i < n; i++)
        x[i] = 0;
    add_one<<<256, 256>>>(x, 0);
    CHECK(cudaDeviceSynchronize());
    //> room
    for (int pass = 1; pass <= 3; pass++) {
        long long begin = now_ns();
        add_one<<<256, 256>>>(x, n);                // from one end to the other
        CHECK(cudaGetLastError());
        CHECK(cudaDeviceSynchronize());
        printf("pass %d: %.3f ms\n", pass, (now_ns() - begin) / 1e6);
    }
    //< room
    printf("x[0] is %g\n", x[0]);
    CHECK(cudaFree(x));
    return 0;
}
