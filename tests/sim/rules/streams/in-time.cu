/* SPDX-License-Identifier: MIT */
/* build: -DCUDA_API_PER_THREAD_DEFAULT_STREAM=1 */
/* The macro before the headers does what the option does. [G] */
#include "../rule.h"

int main()
{
    int *d = on_device<int>(4);
    warm_up(d);
    cudaStream_t a = stream();
    busy<<<1, 1, 0, a>>>(LONG);
    busy<<<1, 1>>>(0);
    rule(!is_long(took([] { CHECK(cudaStreamSynchronize(0)); })), "the macro before the headers makes the default stream the thread's own");
    CHECK(cudaDeviceSynchronize());
    return rules_end();
}
