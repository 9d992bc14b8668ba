/* SPDX-License-Identifier: MIT */
/* Limits, flags, the cache, each device's own. Nothing here changes when things happen. */
#include "device_settings.h"

#include "entry.h"
#include "include/cuda_profiler_api.h"

/* ---- limits: the guide's defaults ---- */

static const struct { size_t value, most; } limits[] = {
    [cudaLimitStackSize] = { 1024, 512 << 10 },
    [cudaLimitPrintfFifoSize] = { 1 << 20, (size_t)1 << 40 },
    [cudaLimitMallocHeapSize] = { 8 << 20, (size_t)1 << 40 },
    [cudaLimitDevRuntimePendingLaunchCount] = { 2048, 1 << 30 },
    [cudaLimitMaxL2FetchGranularity] = { 64, 128 },
    [cudaLimitPersistingL2CacheSize] = { 0, (size_t)1 << 40 },
};

static struct settings {
    bool known;
    size_t limits[sizeof limits / sizeof *limits];
    unsigned flags;
    enum cudaFuncCache cache;
} settings[CARD_DEVICES];

static struct settings *settings_of(const struct entry *e)
{
    struct settings *s = &settings[e->thread->device];
    for (size_t i = 0; !s->known && i < sizeof limits / sizeof *limits; i++)
        s->limits[i] = limits[i].value;
    s->known = true;
    return s;
}

void settings_forget(int device)
{
    settings[device] = (struct settings){ 0 };
}

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
        settings_of(&e)->limits[limit] = value;
    return entry_finish(&e, status);
}

cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit)
{
    struct entry e;
    cudaError_t status = entry_open(&e, CALL_OTHER, "cudaDeviceGetLimit");
    if (status == cudaSuccess)
        status = value ? check_limit(limit) : cudaErrorInvalidValue;
    if (status == cudaSuccess)
        *value = settings_of(&e)->limits[limit];
    return entry_finish(&e, status);
}

/* ---- flags and wishes ---- */

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
        settings_of(&e)->flags = value;
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
        *value = settings_of(&e)->flags | cudaDeviceMapHost;
    return entry_finish(&e, status);
}

cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache config)
{
    struct entry e;
    cudaError_t status = entry_open(&e, CALL_OTHER, "cudaDeviceSetCacheConfig");
    e.call.flags |= CALL_CACHE_CONFIG;
    if (status == cudaSuccess && (unsigned)config > cudaFuncCachePreferEqual)
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess)
        settings_of(&e)->cache = config;
    return entry_finish(&e, status);
}

cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *config)
{
    struct entry e;
    cudaError_t status = entry_open(&e, CALL_OTHER, "cudaDeviceGetCacheConfig");
    if (status == cudaSuccess && !config)
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess)
        *config = settings_of(&e)->cache;
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
