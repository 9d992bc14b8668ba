/* SPDX-License-Identifier: MIT */
/*
 * What a program can set on a device and ask back: limits, flags, the cache;
 * peers. Nothing here changes when things happen.
 */
#include "entry.h"
#include "include/cuda_profiler_api.h"

/* ---- limits: the guide's defaults ---- */

static struct { size_t value, most; } limits[] = {
    [cudaLimitStackSize] = { 1024, 512 << 10 },
    [cudaLimitPrintfFifoSize] = { 1 << 20, (size_t)1 << 40 },
    [cudaLimitMallocHeapSize] = { 8 << 20, (size_t)1 << 40 },
    [cudaLimitDevRuntimePendingLaunchCount] = { 2048, 1 << 30 },
    [cudaLimitMaxL2FetchGranularity] = { 64, 128 },
    [cudaLimitPersistingL2CacheSize] = { 0, (size_t)1 << 40 },
};

/* The depth of synchronisation on the device is gone since 9.0 [H]. */
static cudaError_t check_limit(enum cudaLimit limit)
{
    if ((size_t)limit >= sizeof limits / sizeof *limits)
        return cudaErrorUnsupportedLimit;
    return limits[limit].most > 0 ? cudaSuccess : cudaErrorUnsupportedLimit;
}

cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value)
{
    struct entry e;
    cudaError_t status = entry_open(&e, CALL_OTHER, "cudaDeviceSetLimit");
    if (status == cudaSuccess)
        status = check_limit(limit);
    if (status == cudaSuccess && value > limits[limit].most)
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess)
        limits[limit].value = value;
    return entry_finish(&e, status);
}

cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit)
{
    struct entry e;
    cudaError_t status = entry_open(&e, CALL_OTHER, "cudaDeviceGetLimit");
    if (status == cudaSuccess)
        status = value ? check_limit(limit) : cudaErrorInvalidValue;
    if (status == cudaSuccess)
        *value = limits[limit].value;
    return entry_finish(&e, status);
}

/* ---- flags and wishes ---- */

static unsigned flags;
static enum cudaFuncCache cache;

cudaError_t cudaSetDeviceFlags(unsigned int value)
{
    struct entry e;
    cudaError_t status = entry_open(&e, CALL_OTHER, "cudaSetDeviceFlags");
    const unsigned known = cudaDeviceScheduleMask | cudaDeviceMapHost | cudaDeviceLmemResizeToMax |
                           cudaDeviceSyncMemops;
    unsigned schedule = value & cudaDeviceScheduleMask;
    bool one = (schedule & (schedule - 1)) == 0;    /* none or one of them */
    if (status == cudaSuccess && ((value & ~known) || !one))
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess)
        flags = value;
    return entry_finish(&e, status);
}

/* Host memory can always be mapped [H]. */
cudaError_t cudaGetDeviceFlags(unsigned int *value)
{
    struct entry e;
    cudaError_t status = entry_open(&e, CALL_OTHER, "cudaGetDeviceFlags");
    if (status == cudaSuccess && !value)
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess)
        *value = flags | cudaDeviceMapHost;
    return entry_finish(&e, status);
}

cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache config)
{
    struct entry e;
    cudaError_t status = entry_open(&e, CALL_OTHER, "cudaDeviceSetCacheConfig");
    if (status == cudaSuccess && (unsigned)config > cudaFuncCachePreferEqual)
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess)
        cache = config;
    return entry_finish(&e, status);
}

cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *config)
{
    struct entry e;
    cudaError_t status = entry_open(&e, CALL_OTHER, "cudaDeviceGetCacheConfig");
    if (status == cudaSuccess && !config)
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess)
        *config = cache;
    return entry_finish(&e, status);
}

/* ---- peers: a device is none of its own ---- */

static bool is_device(int device)
{
    return device >= 0 && device < DEVICES;
}

cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
    struct entry e;
    cudaError_t status = entry_open(&e, CALL_OTHER, "cudaDeviceCanAccessPeer");
    if (status == cudaSuccess)
        status = !is_device(device) || !is_device(peer) ? cudaErrorInvalidDevice : can ? cudaSuccess : cudaErrorInvalidValue;
    if (status == cudaSuccess)
        *can = 0;
    return entry_finish(&e, status);
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned int unused)
{
    struct entry e;
    cudaError_t status = entry_open(&e, CALL_OTHER, "cudaDeviceEnablePeerAccess");
    if (status == cudaSuccess && unused != 0)
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess)          /* [M] the header has cudaErrorInvalidDevice for both */
        status = is_device(peer) ? cudaErrorPeerAccessUnsupported : cudaErrorInvalidDevice;
    return entry_finish(&e, status);
}

cudaError_t cudaDeviceDisablePeerAccess(int peer)
{
    struct entry e;
    cudaError_t status = entry_open(&e, CALL_OTHER, "cudaDeviceDisablePeerAccess");
    if (status == cudaSuccess)
        status = is_device(peer) ? cudaErrorPeerAccessNotEnabled : cudaErrorInvalidDevice;
    return entry_finish(&e, status);
}

/* ---- the profiler: the timeline is there anyway ---- */

cudaError_t cudaProfilerStart(void)
{
    struct entry e;
    return entry_finish(&e, entry_open(&e, CALL_OTHER, "cudaProfilerStart"));
}

cudaError_t cudaProfilerStop(void)
{
    struct entry e;
    return entry_finish(&e, entry_open(&e, CALL_OTHER, "cudaProfilerStop"));
}
