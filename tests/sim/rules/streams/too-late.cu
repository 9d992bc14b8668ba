/* SPDX-License-Identifier: MIT */
/* In a .cu file the headers are there before its first line [G]: this comes too late for them. */
#define CUDA_API_PER_THREAD_DEFAULT_STREAM 1
#include "../rule.h"

int main()
{
    int *d = on_device<int>(4);
    warm_up(d);
    cudaStream_t a = stream();
    busy<<<1, 1, 0, a>>>(LONG);
    busy<<<1, 1>>>(0);
    rule(is_long(took([] { CHECK(cudaStreamSynchronize(0)); })), "the macro in the file leaves the default stream as it is");
    return rules_end();
}
