/* SPDX-License-Identifier: MIT */
/* Pages of managed memory go to whoever touches them, at a price; a prefetch brings them cheaper. [M]: measured on
 * an H200: 256 MiB, 30 to 36 ms for a kernel's faults, 34 to 49 for the host's, 5.5 prefetched, 0.2 with none. */
#include "../rule.h"

static const size_t BYTES = 64 << 20;

__global__ void add_one(float *a, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n)
        a[i] += 1;
}

__managed__ int variable = 5;

__global__ void increment()
{
    variable++;
}

static long long kernel_takes(float *a, size_t bytes = BYTES)
{
    size_t n = bytes / sizeof *a;
    return took([=] {
        add_one<<<(unsigned)((n + 255) / 256), 256>>>(a, n);
        CHECK(cudaDeviceSynchronize());
    });
}

static long long host_takes(float *a, size_t bytes = BYTES)
{
    return took([=] {
        for (size_t i = 0; i < bytes / sizeof *a; i += 1024)
            a[i] += 1;
    });
}

static long long prefetch_takes(float *a, int device)
{
    return took([=] {
        CHECK(prefetch(a, BYTES, device, 0));
        CHECK(cudaDeviceSynchronize());
    });
}

int main()
{
    float *a, *small;
    int *d = on_device<int>(4);
    warm_up(d);
    CHECK(cudaMallocManaged(&a, BYTES));
    CHECK(cudaMallocManaged(&small, 4096));
    memset(a, 0, BYTES);
    kernel_takes(small, 4096);

    long long faults = kernel_takes(a), resident = kernel_takes(a);
    rule(faults > 4 * resident, "a kernel that touches pages on the host takes far longer than one that has them [M]");
    long long back = host_takes(a);
    rule(back > 4 * resident, "so does the host, when it touches them again [M]");
    rule(host_takes(a) * 4 < back, "once they are there, it does not");
    rule(a[0] == 4 && a[1] == 2, "what either side wrote goes along");
    long long prefetched = prefetch_takes(a, 0);
    rule(prefetched * 2 < faults, "a prefetch to the device is cheaper than the faults [M]");
    rule(kernel_takes(a) * 3 < faults, "a kernel after it has none");
    long long home = prefetch_takes(a, cudaCpuDeviceId);
    rule(home > 0 && host_takes(a) * 3 < back * 2, "so it is with a prefetch to the host, but for the host's own page table [M]");
    kernel_takes(a, 2 << 20);
    rule(host_takes(a + (32 << 18), 32 << 20) * 3 < back, "pages that the kernel did not touch stay on the host");
    increment<<<1, 1>>>();
    CHECK(cudaDeviceSynchronize());
    rule(variable == 6, "variables that are managed are one for both sides");
    CHECK(cudaFree(a));
    CHECK(cudaFree(small));
    return rules_end();
}
