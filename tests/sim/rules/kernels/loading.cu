/* SPDX-License-Identifier: MIT */
/* Lazy loading [M]: the first launch of a kernel waits for all running kernels
 * and holds later ones up, unless the kernel was loaded before. */
#include "../rule.h"

template <int N> __global__ void fresh(int *p)
{
    *p = N;
}

/* How long until `s` is done when `other` runs a long kernel? */
template <typename F> static bool is_held(cudaStream_t other, cudaStream_t s, F launch)
{
    CHECK(cudaDeviceSynchronize());
    busy<<<1, 1, 0, other>>>(LONG);
    bool host = is_long(took(launch));
    bool device = is_long(took([&] { CHECK(cudaStreamSynchronize(s)); }));
    CHECK(cudaDeviceSynchronize());
    return device && !host;
}

int main()
{
    int *d = on_device<int>(4);
    warm_up(d);
    cudaStream_t a = stream(cudaStreamNonBlocking), b = stream(cudaStreamNonBlocking), c = stream(cudaStreamNonBlocking);

    rule(is_held(a, b, [&] { fresh<1><<<1, 1, 0, b>>>(d); }), "the first launch of a kernel waits for the kernels that run");
    rule(!is_held(a, b, [&] { fresh<1><<<1, 1, 0, b>>>(d); }), "the second does not");
    struct cudaFuncAttributes attributes;
    CHECK(cudaFuncGetAttributes(&attributes, fresh<2>));
    rule(!is_held(a, b, [&] { fresh<2><<<1, 1, 0, b>>>(d); }), "nor does the first after cudaFuncGetAttributes");
    rule(is_held(a, c, [&] { fresh<3><<<1, 1, 0, b>>>(d); busy<<<1, 1, 0, c>>>(0); }),
         "and holds up kernels that are launched after it");
    return rules_end();
}
