/* SPDX-License-Identifier: MIT */
/* Limits, flags, the cache, each device's own. Nothing here changes when things happen. */
#include "sim/api/device_settings.h"

#include "sim/api/api_call.h"
#include "sim/include/cuda_profiler_api.h"
#include "sim/memory/because.h"

/* ---- limits: the guide's defaults; the persisting part of L2 is the card's ---- */

static const struct { size_t value, most; } limits[] = {
    [cudaLimitStackSize] = { 1024, 512 << 10 },
    [cudaLimitPrintfFifoSize] = { 1 << 20, (size_t)1 << 40 },
    [cudaLimitMallocHeapSize] = { 8 << 20, (size_t)1 << 40 },
    [cudaLimitDevRuntimePendingLaunchCount] = { 2048, 1 << 30 },
    [cudaLimitMaxL2FetchGranularity] = { 64, 128 },
    [cudaLimitPersistingL2CacheSize] = { 0, 0 },
};

static struct settings {
    bool known;
    size_t limits[sizeof limits / sizeof *limits];
    unsigned flags;
    enum cudaFuncCache cache;
    bool wide_banks;
} settings[CARD_DEVICES];

static size_t most_persisting(void)
{
    return (size_t)sim.card->l2_persisting * 1024;
}

static size_t most_of(enum cudaLimit limit)
{
    if (limit == cudaLimitPersistingL2CacheSize)
        return most_persisting();
    return (size_t)limit < sizeof limits / sizeof *limits ? limits[limit].most : 0;
}

/* The cache is set aside in tenths of what there is, of which an H200 has three at first [M]. */
static size_t in_tenths(size_t bytes)
{
    size_t tenth = most_persisting() / 10;
    return tenth == 0 ? 0 : (bytes + tenth - 1) / tenth * tenth;
}

static struct settings *settings_of(const struct api_call *e)
{
    struct settings *s = &settings[e->thread->device];
    for (size_t i = 0; !s->known && i < sizeof limits / sizeof *limits; i++)
        s->limits[i] = i == cudaLimitPersistingL2CacheSize ? 3 * in_tenths(1) : limits[i].value;
    s->known = true;
    return s;
}

void settings_reset(int device)
{
    settings[device] = (struct settings){ 0 };
}

/* The depth of synchronisation on the device is gone since 9.0 [H]. */
static cudaError_t check_limit(struct api_call *e, cudaError_t status, enum cudaLimit limit)
{
    return REFUSE(e, status, most_of(limit) == 0, cudaErrorUnsupportedLimit,
                  "this device has no limit number %d", (int)limit);
}

cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value)
{
    struct api_call e;
    cudaError_t status = api_open(&e, CALL_OTHER, "cudaDeviceSetLimit");
    status = check_limit(&e, status, limit);
    status = REFUSE(&e, status, value > most_of(limit), cudaErrorInvalidValue,
                    "the second argument, value, is %zu, and this limit goes up to %zu", value,
                    most_of(limit));
    if (status == cudaSuccess)
        settings_of(&e)->limits[limit] =
            limit == cudaLimitPersistingL2CacheSize ? in_tenths(value) : value;
    return api_finish(&e, status);
}

cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit)
{
    struct api_call e;
    cudaError_t status = api_open(&e, CALL_OTHER, "cudaDeviceGetLimit");
    status = refuse_null(&e, status, value, "first argument, pValue");
    status = check_limit(&e, status, limit);
    if (status == cudaSuccess)
        *value = settings_of(&e)->limits[limit];
    return api_finish(&e, status);
}

/* ---- flags and preferences ---- */

cudaError_t cudaSetDeviceFlags(unsigned int value)
{
    struct api_call e;
    cudaError_t status = api_open(&e, CALL_OTHER, "cudaSetDeviceFlags");
    const unsigned known = cudaDeviceScheduleMask | cudaDeviceMapHost | cudaDeviceLmemResizeToMax
                           | cudaDeviceSyncMemops;
    unsigned schedule = value & cudaDeviceScheduleMask;
    bool one = (schedule & (schedule - 1)) == 0;    /* none or one of them */
    status = REFUSE(&e, status, value & ~known, cudaErrorInvalidValue,
                    "the argument, flags, is %#x, which has a bit that is not a device flag", value);
    status = REFUSE(&e, status, !one, cudaErrorInvalidValue,
                    "the argument, flags, is %#x, which has two ways to wait (cudaDeviceSchedule…)",
                    value);
    if (status == cudaSuccess)
        settings_of(&e)->flags = value;
    return api_finish(&e, status);
}

/* Host memory can always be mapped [H]. */
cudaError_t cudaGetDeviceFlags(unsigned int *value)
{
    struct api_call e;
    cudaError_t status = api_open(&e, CALL_OTHER, "cudaGetDeviceFlags");
    status = refuse_null(&e, status, value, "argument, flags");
    if (status == cudaSuccess)
        *value = settings_of(&e)->flags | cudaDeviceMapHost;
    return api_finish(&e, status);
}

cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache config)
{
    struct api_call e;
    cudaError_t status = api_open(&e, CALL_OTHER, "cudaDeviceSetCacheConfig");
    e.call.flags |= CALL_CACHE_CONFIG;
    status = REFUSE(&e, status, (unsigned)config > cudaFuncCachePreferEqual, cudaErrorInvalidValue,
                    "the argument, cacheConfig, is %d, which is not a valid one", (int)config);
    if (status == cudaSuccess)
        settings_of(&e)->cache = config;
    return api_finish(&e, status);
}

cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *config)
{
    struct api_call e;
    cudaError_t status = api_open(&e, CALL_OTHER, "cudaDeviceGetCacheConfig");
    status = refuse_null(&e, status, config, "argument, pCacheConfig");
    if (status == cudaSuccess)
        *config = settings_of(&e)->cache;
    return api_finish(&e, status);
}

/* Banks of eight bytes are there on Kepler alone, where a program may choose. */
cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config)
{
    struct api_call e;
    cudaError_t status = api_open(&e, CALL_OTHER, "cudaDeviceSetSharedMemConfig");
    status =
        REFUSE(&e, status, (unsigned)config > cudaSharedMemBankSizeEightByte, cudaErrorInvalidValue,
               "the argument, config, is %d, which is not a valid one", (int)config);
    if (status == cudaSuccess)
        settings_of(&e)->wide_banks =
            config == cudaSharedMemBankSizeEightByte && sim.card->major == 3;
    return api_finish(&e, status);
}

cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *config)
{
    struct api_call e;
    cudaError_t status = api_open(&e, CALL_OTHER, "cudaDeviceGetSharedMemConfig");
    status = refuse_null(&e, status, config, "argument, pConfig");
    if (status == cudaSuccess)
        *config = settings_of(&e)->wide_banks ? cudaSharedMemBankSizeEightByte
                                              : cudaSharedMemBankSizeFourByte;
    return api_finish(&e, status);
}

/* ---- the profiler: the timeline is there anyway ---- */

cudaError_t cudaProfilerStart(void)
{
    struct api_call e;
    return api_finish(&e, api_open(&e, CALL_OTHER, "cudaProfilerStart"));
}

cudaError_t cudaProfilerStop(void)
{
    struct api_call e;
    return api_finish(&e, api_open(&e, CALL_OTHER, "cudaProfilerStop"));
}
