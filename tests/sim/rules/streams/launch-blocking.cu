/* SPDX-License-Identifier: MIT */
/* run: CUDA_LAUNCH_BLOCKING=1 */
/* For those who look for a fault: every launch waits for its kernel. [G, M] */
#include "../rule.h"

int main()
{
    int *d = on_device<int>(4);
    warm_up(d);
    cudaStream_t a = stream(cudaStreamNonBlocking);
    rule(is_long(took([&] { busy<<<1, 1, 0, a>>>(LONG); })), "with CUDA_LAUNCH_BLOCKING=1 a launch returns when its kernel is done");
    rule(cudaStreamQuery(a) == cudaSuccess, "then its stream is idle");
    return rules_end();
}
