/* SPDX-License-Identifier: MIT */
/* run: CUDA_MODULE_LOADING=EAGER */
/* All kernels are loaded at the beginning. [G, M] */
#include "../rule.h"

__global__ void fresh(int *p)
{
    *p = 1;
}

int main()
{
    int *d = on_device<int>(4);
    warm_up(d);
    cudaStream_t a = stream(cudaStreamNonBlocking), b = stream(cudaStreamNonBlocking);
    busy<<<1, 1, 0, a>>>(LONG);
    fresh<<<1, 1, 0, b>>>(d);
    rule(!is_long(took([&] { CHECK(cudaStreamSynchronize(b)); })),
         "with CUDA_MODULE_LOADING=EAGER the first launch of a kernel waits for no other");
    CHECK(cudaDeviceSynchronize());
    return rules_end();
}
