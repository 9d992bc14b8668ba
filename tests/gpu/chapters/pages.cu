/* SPDX-License-Identifier: MIT */
/* pages.cu - what 64 MiB of managed memory take, fetched and sent, on a card. */
#include <stdio.h>

#include "streams.h"

static const size_t BYTES = 64 << 20, PAGE = 4096;

/* A page each. */
__global__ void touch(volatile char *a)
{
    a[(threadIdx.x + (size_t)blockIdx.x * blockDim.x) * PAGE]++;
}

template <typename F> static void timed(const char *what, F work)
{
    long long begin = now_ns();
    work();
    CHECK(cudaDeviceSynchronize());
    printf("%s: %.2f ms\n", what, (now_ns() - begin) / 1e6);
}

int main()
{
    char *a, *other;
    CHECK(cudaMallocManaged(&a, BYTES));
    CHECK(cudaMalloc(&other, BYTES));
    CHECK(cudaMemset(other, 0, BYTES));
    auto kernel = [](char *p) { touch<<<BYTES / PAGE / 256, 256>>>(p); };
    auto host = [=] {
        for (size_t i = 0; i < BYTES; i += PAGE)
            ((volatile char *)a)[i]++;
    };
    kernel(other);                      /* loads it */
    CHECK(cudaDeviceSynchronize());
    for (size_t i = 0; i < BYTES; i++)
        a[i] = 1;
    timed("first kernel, pages on the host", [=] { kernel(a); });
    timed("the same kernel again", [=] { kernel(a); });
    timed("host touches every page after the kernel", host);
    timed("host touches them again", host);
    timed("prefetch to the device, the first", [=] { CHECK(prefetch(a, BYTES, 0, 0)); });
    timed("prefetch to the host", [=] { CHECK(prefetch(a, BYTES, cudaCpuDeviceId, 0)); });
    timed("host touches every page after that", host);
    timed("host touches them once more", host);
    timed("prefetch to the device, the second", [=] { CHECK(prefetch(a, BYTES, 0, 0)); });
    CHECK(cudaFree(a));
    CHECK(cudaFree(other));
    return 0;
}
