/* SPDX-License-Identifier: MIT */
/* run: CUDA_MODULE_LOADING=EAGER */
#include "figure.h"

__global__ void fresh(int *p)
{
    *p = 1;
}

int main()
{
    int *d = on_device<int>(4);
    warm_up(d);
    cudaStream_t s = stream(), other = stream();
    busy<<<1, 1, 0, other>>>(50000000);
    figure("a first launch behind a kernel of 50 ms, loaded before", 16, us(took([&] {
               fresh<<<1, 1, 0, s>>>(d);
               CHECK(cudaStreamSynchronize(s));
           })), "us", 0.5);
    CHECK(cudaDeviceSynchronize());
    return rules_end();
}
