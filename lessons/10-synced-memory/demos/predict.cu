/* SPDX-License-Identifier: MIT */
/* predict.cu - which of these lines copy, and which of them make the host wait?
 *
 *   build/bin/simcc -Icommon -Ilessons/10-synced-memory -o predict lessons/10-synced-memory/demos/predict.cu
 *   build/bin/timeline --label predict ./predict */
#include <stdio.h>

#include "block.h"

__global__ void look(const float *x, float *sum)
{
    kernel_cost(200000);
    *sum = x[0] + x[1];
}

__global__ void change(float *x)
{
    kernel_cost(200000);
    x[0] += 1;
}

int main(void)
{
    struct synced m;
    float *sum;
    CHECK(cudaMalloc((void **)&sum, sizeof *sum));
    synced_init(&m, 4 << 20, true);
    synced_read_host(&m);
    synced_read_device(&m);
    CHECK(cudaDeviceSynchronize());
    label_push("predict");
    //> predict
    ((float *)synced_write_host(&m))[0] = 1;                        // 1    4 MiB, pinned, on both sides by now
    look<<<1, 1>>>((const float *)synced_read_device(&m), sum);     // 2    0.2 ms; reads alone
    float a = ((const float *)synced_read_host(&m))[0];             // 3
    change<<<1, 1>>>((float *)synced_write_device(&m));             // 4    0.2 ms
    look<<<1, 1>>>((const float *)synced_read_device(&m), sum);     // 5
    float b = ((const float *)synced_read_host(&m))[0];             // 6
    float c = ((const float *)synced_read_host(&m))[1];             // 7
    //< predict
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    label_pop();
    printf("%g %g %g\n", a, b, c);
    synced_fini(&m);
    CHECK(cudaFree(sum));
    return 0;
}
