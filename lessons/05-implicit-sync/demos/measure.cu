/* SPDX-License-Identifier: MIT */
/* measure.cu - what does a call hold up: the host, the device, nothing?
 *
 *   build/bin/simcc -o measure lessons/05-implicit-sync/demos/measure.cu && CUDA_MODULE_LOADING=EAGER ./measure */
#include <stdio.h>

#include "streams.h"

__global__ void long_one(void) { kernel_cost(2000000); }
__global__ void short_one(void) { kernel_cost(1); }

static void *made;

static void measure(const char *name, void (*call)(cudaStream_t b))
{
    //> measure
    cudaStream_t a, b;
    CHECK(cudaStreamCreate(&a));
    CHECK(cudaStreamCreate(&b));

    long_one<<<1, 1, 0, a>>>();                         // A is busy for 2 ms
    call(b);
    bool host = cudaStreamQuery(a) == cudaSuccess;      // is it over, now that the call has returned?

    short_one<<<1, 1, 0, b>>>();                        // next to nothing, in another stream
    CHECK(cudaStreamSynchronize(b));
    bool device = cudaStreamQuery(a) == cudaSuccess;    // is it over, now that B is done?
    //< measure
    printf("%-28s host %-6s device %s\n", name, host ? "waits" : "-", device ? "waits" : "-");
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaStreamDestroy(a));
    CHECK(cudaStreamDestroy(b));
}

int main(void)
{
    /* What happens once in a program is over before we measure. */
    long_one<<<1, 1>>>();
    short_one<<<1, 1>>>();
    CHECK(cudaDeviceSynchronize());

    //> three
    measure("nothing", [](cudaStream_t) { });
    measure("cudaMalloc", [](cudaStream_t) { CHECK(cudaMalloc(&made, 1 << 20)); });
    measure("cudaMemset", [](cudaStream_t) { CHECK(cudaMemset(made, 0, 1 << 20)); });
    measure("cudaMemsetAsync in B", [](cudaStream_t b) { CHECK(cudaMemsetAsync(made, 0, 1 << 20, b)); });
    measure("cudaFree", [](cudaStream_t) { CHECK(cudaFree(made)); });
    //< three
    return 0;
}
