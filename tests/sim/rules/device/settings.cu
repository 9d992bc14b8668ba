/* SPDX-License-Identifier: MIT */
/* What can be set on a device and asked of it. [H] is the comments of cuda_runtime_api.h 13.0. */
#include <cuda_profiler_api.h>

#include "../rule.h"

static int attribute(enum cudaDeviceAttr which)
{
    int value = -1;
    CHECK(cudaDeviceGetAttribute(&value, which, 0));
    return value;
}

int main()
{
    int *d = on_device<int>(4), runtime = 0, driver = 0, can = -1;
    warm_up(d);
    size_t value = 0, before, free, total;
    unsigned flags;
    enum cudaFuncCache cache;
    struct cudaDeviceProp prop;
    CHECK(cudaGetDeviceProperties(&prop, 0));

    rule(cudaDeviceGetLimit(&value, cudaLimitMallocHeapSize) == cudaSuccess && value == 8 << 20,
         "the heap of kernels has 8 MiB at first [G]");
    rule(cudaDeviceSetLimit(cudaLimitStackSize, 4096) == cudaSuccess &&
             cudaDeviceGetLimit(&value, cudaLimitStackSize) == cudaSuccess && value >= 4096,
         "a limit can be set");
    rule(cudaDeviceSetLimit(cudaLimitMaxL2FetchGranularity, 128) == cudaSuccess && cudaDeviceGetLimit(&value, cudaLimitMaxL2FetchGranularity) ==
             cudaSuccess && value == 128,
         "to the most that there is, too [H]");
    rule(cudaDeviceGetLimit(&value, (enum cudaLimit)77) != cudaSuccess, "one that does not exist cannot be asked for");
    rule(cudaDeviceGetLimit(NULL, cudaLimitStackSize) == cudaErrorInvalidValue, "a limit needs somewhere to go: cudaErrorInvalidValue");
    forget_errors();

    rule(cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync) == cudaSuccess && cudaGetDeviceFlags(&flags) == cudaSuccess &&
             (flags & cudaDeviceScheduleMask) == cudaDeviceScheduleBlockingSync && (flags & cudaDeviceMapHost),
         "the device knows its flags, cudaDeviceMapHost among them [H]");
    rule(cudaSetDeviceFlags(cudaDeviceScheduleSpin | cudaDeviceScheduleYield) == cudaErrorInvalidValue,
         "two ways to wait at once: cudaErrorInvalidValue");
    rule(cudaSetDeviceFlags(0x4000) == cudaErrorInvalidValue, "flags of a device that do not exist: cudaErrorInvalidValue");
    rule(cudaDeviceSetCacheConfig(cudaFuncCachePreferL1) == cudaSuccess && cudaDeviceGetCacheConfig(&cache) == cudaSuccess,
         "a wish for the cache is taken");
    forget_errors();

    rule(cudaDeviceCanAccessPeer(&can, 0, 0) == cudaSuccess && can == 0, "a device is no peer of its own");
    rule(cudaDeviceCanAccessPeer(&can, 0, 77) == cudaErrorInvalidDevice, "nor is one that is not there: cudaErrorInvalidDevice");
    rule(cudaDeviceEnablePeerAccess(0, 0) == cudaErrorPeerAccessUnsupported,
         "it cannot become one: cudaErrorPeerAccessUnsupported [M]");
    rule(cudaDeviceEnablePeerAccess(77, 0) == cudaErrorInvalidDevice, "nor can one that is not there: cudaErrorInvalidDevice");
    rule(cudaDeviceDisablePeerAccess(77) == cudaErrorInvalidDevice, "what is not there cannot be disabled: cudaErrorInvalidDevice");
    forget_errors();

    rule(cudaRuntimeGetVersion(&runtime) == cudaSuccess && cudaDriverGetVersion(&driver) == cudaSuccess &&
             runtime == CUDART_VERSION && driver >= runtime,
         "the runtime knows its version, the driver is not older");
    rule(cudaMemGetInfo(&before, &total) == cudaSuccess && before <= total && total <= prop.totalGlobalMem,
         "free memory is a part of all memory");
    CHECK(cudaMalloc(&d, 64 << 20));
    rule(cudaMemGetInfo(&free, &total) == cudaSuccess && free + (64 << 20) <= before, "what is allocated is not free");

    rule(attribute(cudaDevAttrMultiProcessorCount) == prop.multiProcessorCount &&
             attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin) == (int)prop.sharedMemPerBlockOptin &&
             attribute(cudaDevAttrMemoryPoolsSupported) == prop.memoryPoolsSupported &&
             attribute(cudaDevAttrMaxRegistersPerBlock) == prop.regsPerBlock,
         "attributes and properties say the same");
    rule(cudaDeviceGetAttribute(&can, (enum cudaDeviceAttr)7777, 0) == cudaErrorInvalidValue,
         "an attribute that does not exist: cudaErrorInvalidValue");
    rule(cudaDeviceGetAttribute(&can, cudaDevAttrWarpSize, 77) == cudaErrorInvalidDevice,
         "an attribute of a device that does not exist: cudaErrorInvalidDevice");
    forget_errors();
    rule(cudaProfilerStart() == cudaSuccess && cudaProfilerStop() == cudaSuccess, "profiling can be begun and ended");
    return rules_end();
}
