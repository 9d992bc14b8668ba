/* SPDX-License-Identifier: MIT */
/* early.cu - a row of six kernels, as ordinary launches and as dependent ones. From compute capability 9.0 on.
 *
 *   build/bin/simcc -o early lessons/15-dependent-launches/demos/early.cu && ./early */
#include <stdio.h>

#include "streams.h"

enum { LINKS = 6, N = 64 };

//> kernel
__global__ void link(unsigned *to, const unsigned *from, const unsigned *weights)
{
    cudaTriggerProgrammaticLaunchCompletion();      // the next kernel may begin
    kernel_cost(4000);
    unsigned weight = weights[threadIdx.x];         // needs no other kernel
    cudaGridDependencySynchronize();                // what is ahead is done
    kernel_cost(6000);
    to[threadIdx.x] = weight * from[threadIdx.x];
}
//< kernel

static void row(const char *label, cudaStream_t stream, unsigned *x, const unsigned *weights, bool early)
{
    label_push(label);
    for (int k = 0; k < LINKS; k++) {
        //> launch
        cudaLaunchAttribute attribute = {};
        attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
        attribute.val.programmaticStreamSerializationAllowed = early;

        cudaLaunchConfig_t how = {};
        how.gridDim = 1;
        how.blockDim = N;
        how.stream = stream;
        how.attrs = &attribute;
        how.numAttrs = 1;
        CHECK(cudaLaunchKernelEx(&how, link, x + (k + 1) * N, x + k * N, weights));
        //< launch
    }
    CHECK(cudaStreamSynchronize(stream));
    label_pop();
}

int main(void)
{
    unsigned *x, *weights, first, last;
    cudaStream_t stream;
    CHECK(cudaMalloc((void **)&x, (LINKS + 1) * N * sizeof *x));
    CHECK(cudaMalloc((void **)&weights, N * sizeof *weights));
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMemsetAsync(x, 1, (LINKS + 1) * N * sizeof *x, stream));
    CHECK(cudaMemsetAsync(weights, 1, N * sizeof *weights, stream));
    link<<<1, N, 0, stream>>>(x, x, weights);
    CHECK(cudaGetLastError());
    CHECK(cudaStreamSynchronize(stream));
    row("ordinary", stream, x, weights, false);
    CHECK(cudaMemcpy(&first, x + LINKS * N, sizeof first, cudaMemcpyDeviceToHost));
    row("dependent", stream, x, weights, true);
    CHECK(cudaMemcpy(&last, x + LINKS * N, sizeof last, cudaMemcpyDeviceToHost));
    printf("%s\n", first == last ? "the same result" : "another result");
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(x));
    CHECK(cudaFree(weights));
    return 0;
}
