/* SPDX-License-Identifier: MIT */
/* together.cu - a kernel of 5 ms and 3 ms of work on the host: side by side.
 *
 *   build/bin/simcc -o together lessons/01-sync-vs-async/demos/together.cu && ./together */
#include <stdio.h>

#include "streams.h"

__global__ void square(float *x, int n)
{
    kernel_cost(5000000);
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] = x[i] * x[i];
}

int main(void)
{
    const int n = 10001;
    float *x;
    CHECK(cudaMalloc(&x, n * sizeof *x));
    CHECK(cudaMemset(x, 0, n * sizeof *x));
    CHECK(cudaDeviceSynchronize());

    label_push("together");
    //> together
    long long before = now_ns();
    square<<<(n + 255) / 256, 256>>>(x, n);     // ask
    long long returned = now_ns();
    CHECK(cudaGetLastError());                  // was it accepted?
    host_work(3000000);                         // meanwhile
    long long worked = now_ns();
    CHECK(cudaDeviceSynchronize());             // get
    long long done = now_ns();
    //< together
    label_pop();

    printf("the launch returned after %6.3f ms\n", (returned - before) / 1e6);
    printf("the host had worked after %6.3f ms\n", (worked - before) / 1e6);
    printf("the kernel was done after %6.3f ms\n", (done - before) / 1e6);
    CHECK(cudaFree(x));
    return 0;
}
