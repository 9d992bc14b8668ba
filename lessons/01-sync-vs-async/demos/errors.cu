/* SPDX-License-Identifier: MIT */
/* errors.cu - two launches that go wrong, and which calls say so.
 *
 *   build/bin/simcc -o errors lessons/01-sync-vs-async/demos/errors.cu && ./errors */
#include <stdio.h>

#include "streams.h"

//> macro
#define LOOK(call) look((call), #call, __FILE__, __LINE__)

static void look(cudaError_t status, const char *call, const char *file, int line)
{
    printf("%s:%d: %-24s %s: %s\n", file, line, call, cudaGetErrorName(status), cudaGetErrorString(status));
}
//< macro

__global__ void clear(int *x, int n)
{
    kernel_cost(1000000);
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] = 0;
}

int main(void)
{
    const int n = 10001;
    int *x, *wild = (int *)0x1230, *more;
    CHECK(cudaMalloc(&x, n * sizeof *x));

    //> errors
    clear<<<5, 2048>>>(x, n);           // no card takes 2048 threads in a block
    LOOK(cudaGetLastError());
    LOOK(cudaGetLastError());
    LOOK(cudaDeviceSynchronize());

    clear<<<40, 256>>>(wild, n);        // no allocation returned that address
    LOOK(cudaGetLastError());
    LOOK(cudaDeviceSynchronize());
    LOOK(cudaGetLastError());
    LOOK(cudaMalloc(&more, 4));
    //< errors
    return 0;
}
