/* SPDX-License-Identifier: MIT */
/* predict.cu - a kernel that triggers half way, a dependent one, and a third. From compute capability 9.0 on.
 *
 *   build/bin/simcc -o predict lessons/15-dependent-launches/demos/predict.cu && ./predict */
#include <stdio.h>

#include "streams.h"

//> kernels
__global__ void first(void)
{
    kernel_cost(100000);
    cudaTriggerProgrammaticLaunchCompletion();
    kernel_cost(100000);
}

__global__ void second(void)
{
    kernel_cost(50000);
    cudaGridDependencySynchronize();
    kernel_cost(50000);
}

__global__ void third(void)
{
    kernel_cost(50000);
}
//< kernels

int main(void)
{
    cudaStream_t stream;
    cudaLaunchAttribute attribute = {};
    cudaLaunchConfig_t early = {};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    CHECK(cudaStreamCreate(&stream));
    early.gridDim = early.blockDim = 1;
    early.stream = stream;
    early.attrs = &attribute;
    early.numAttrs = 1;
    first<<<1, 1, 0, stream>>>();
    second<<<1, 1, 0, stream>>>();
    third<<<1, 1, 0, stream>>>();
    CHECK(cudaGetLastError());
    CHECK(cudaStreamSynchronize(stream));
    label_push("predict");
    //> predict
    first<<<1, 1, 0, stream>>>();
    CHECK(cudaGetLastError());
    CHECK(cudaLaunchKernelEx(&early, second));      // with the attribute
    third<<<1, 1, 0, stream>>>();                   // without
    CHECK(cudaGetLastError());
    //< predict
    CHECK(cudaStreamSynchronize(stream));
    label_pop();
    CHECK(cudaStreamDestroy(stream));
    return 0;
}
