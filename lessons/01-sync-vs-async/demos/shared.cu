/* SPDX-License-Identifier: MIT */
/* shared.cu - the third parameter of a launch: memory that the threads of a block have in common.
 *
 *   build/bin/simcc -o shared lessons/01-sync-vs-async/demos/shared.cu && ./shared */
#include <stdio.h>

#include "streams.h"

//> kernel
__global__ void turn_round(int *x)
{
    extern __shared__ int ours[];                               // as large as the launch says
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    ours[threadIdx.x] = x[i];
    __syncthreads();                                            // all threads of the block have written
    x[i] = ours[blockDim.x - 1 - threadIdx.x];
}
//< kernel

int main(void)
{
    enum { THREADS = 256, BLOCKS = 4, N = BLOCKS * THREADS };
    int host[N], *x;
    for (int i = 0; i < N; i++)
        host[i] = i;
    CHECK(cudaMalloc(&x, sizeof host));
    CHECK(cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice));
    //> launch
    turn_round<<<BLOCKS, THREADS, THREADS * sizeof(int)>>>(x);
    //< launch
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost));
    printf("block 0: %d to %d, block 3: %d to %d\n", host[0], host[THREADS - 1], host[N - THREADS], host[N - 1]);
    CHECK(cudaFree(x));
    return 0;
}
