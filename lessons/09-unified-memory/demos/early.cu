/* SPDX-License-Identifier: MIT */
/* early.cu - a static managed variable, read too soon and read in time.
 *
 *   build/bin/simcc -o early lessons/09-unified-memory/demos/early.cu && SIM_HAZARDS=1 ./early */
#include <stdio.h>

#include "streams.h"

//> static
static __device__ __managed__ int found = -1;

__global__ void search(const int *x, int n, int wanted)
{
    kernel_cost(100000);
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        if (x[i] == wanted)
            found = i;
}
//< static

int main(void)
{
    const int n = 1000;
    int *x;
    CHECK(cudaMallocManaged((void **)&x, n * sizeof *x));
    for (int i = 0; i < n; i++)
        x[i] = i * i;
    //> early
    search<<<1, 128>>>(x, n, 625);
    CHECK(cudaGetLastError());
    printf("too soon  %d\n", found);
    CHECK(cudaDeviceSynchronize());
    printf("in time   %d\n", found);
    //< early
    CHECK(cudaFree(x));
    return 0;
}
