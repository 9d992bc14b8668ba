/* SPDX-License-Identifier: MIT */
/* Managed memory: prefetches, and faults. */
#include "scenario.h"

static cudaStream_t s;
static char *m;

/* A page each: all of it is touched, little of it read. */
__global__ void touch(char *a, long long step)
{
    a[(threadIdx.x + (long long)blockIdx.x * blockDim.x) * step]++;
}

static const size_t PAGE = 4096;

static void touch_all(size_t bytes)
{
    touch<<<(unsigned)(bytes / PAGE + 255) / 256, bytes / PAGE < 256 ? bytes / PAGE : 256, 0, s>>>(m, PAGE);
}

static void host_touches(size_t bytes)
{
    for (size_t i = 0; i < bytes; i += PAGE)
        ((volatile char *)m)[i]++;
}

static void to_host(void)
{
    CHECK(prefetch(m, 64 * (size_t)MIB, cudaCpuDeviceId, s));
}

static void to_device(void)
{
    CHECK(prefetch(m, 64 * (size_t)MIB, 0, s));
}

int main()
{
    begin_scenarios();
    int concurrent = 0;
    CHECK(cudaDeviceGetAttribute(&concurrent, cudaDevAttrConcurrentManagedAccess, 0));
    if (!concurrent)
        return 0;
    CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    CHECK(cudaMallocManaged(&m, 64 * (size_t)MIB));
    memset(m, 1, 64 * (size_t)MIB);
    touch_all(MIB);
    for (int mib : { 1, 4, 16, 64 }) {
        size_t bytes = mib * (size_t)MIB;
        const char *size = named("%d MiB", mib);
        scenario_after("prefetch to the device", size, to_host, [=] { CHECK(prefetch(m, bytes, 0, s)); });
        scenario_after("prefetch to the host", size, to_device, [=] { CHECK(prefetch(m, bytes, cudaCpuDeviceId, s)); });
        scenario_after("a kernel touches what the host has", size, to_host, [=] { touch_all(bytes); });
        scenario_after("the host touches what the device has", size, to_device, [=] { host_touches(bytes); });
        scenario_after("prefetch, then a kernel", size, to_host, [=] {
            CHECK(prefetch(m, bytes, 0, s));
            touch_all(bytes);
        });
        scenario_after("a kernel touches what it has", size, to_device, [=] { touch_all(bytes); });
    }
    for (int mib : { 1, 4 })
        scenario_after("to the device and back, four times", named("%d MiB", mib), to_host, [=] {
            for (int i = 0; i < 4; i++) {
                touch_all(mib * (size_t)MIB);
                CHECK(cudaStreamSynchronize(s));
                host_touches(mib * (size_t)MIB);
            }
        });
    return 0;
}
