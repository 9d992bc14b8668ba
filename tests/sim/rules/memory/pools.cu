/* SPDX-License-Identifier: MIT */
/* Memory in the order of streams: cudaMallocAsync, cudaFreeAsync, pools. [H] is the comments of cuda_runtime_api.h 13.0. */
#include <stdint.h>

#include "../rule.h"

static uint64_t attribute(cudaMemPool_t pool, enum cudaMemPoolAttr which)
{
    uint64_t value = 77;
    CHECK(cudaMemPoolGetAttribute(pool, which, &value));
    return value;
}

template <typename F> static bool holds(cudaStream_t s, F something)
{
    CHECK(cudaDeviceSynchronize());
    busy<<<1, 1, 0, s>>>(LONG);
    bool held = is_long(took(something));
    CHECK(cudaDeviceSynchronize());
    return held;
}

int main()
{
    int *d = on_device<int>(4), *h = pinned<int>(4), *p = NULL, *q = NULL, *r = NULL;
    warm_up(d);
    cudaStream_t s = stream(cudaStreamNonBlocking), t = stream(cudaStreamNonBlocking);
    cudaEvent_t e = event(cudaEventDisableTiming);
    cudaMemPool_t pool, other, now;
    const size_t MIB = 1 << 20;

    CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
    CHECK(cudaDeviceGetMemPool(&now, 0));
    rule(now == pool && attribute(pool, cudaMemPoolAttrReleaseThreshold) == 0,
         "a device uses its default pool at first, which keeps nothing [H]");

    CHECK(cudaMallocAsync(&p, MIB, s));         /* the first of a program takes some 10 ms [M] */
    CHECK(cudaFreeAsync(p, s));
    CHECK(cudaStreamSynchronize(s));
    rule(!holds(s, [&] { CHECK(cudaMallocAsync(&p, MIB, s)); }), "cudaMallocAsync does not wait");
    rule(p != NULL && attribute(pool, cudaMemPoolAttrUsedMemCurrent) >= MIB &&
             attribute(pool, cudaMemPoolAttrReservedMemCurrent) >= MIB,
         "its pointer is there at once, its memory is in use");
    struct cudaPointerAttributes a;
    rule(cudaPointerGetAttributes(&a, p) == cudaSuccess && a.type == cudaMemoryTypeDevice, "it is device memory");
    put<<<1, 1, 0, s>>>(p, 5, 0);
    copy_int<<<1, 1, 0, s>>>(h, p);
    CHECK(cudaStreamSynchronize(s));
    rule(h[0] == 5, "work of its stream may use it");

    put<<<1, 1, 0, s>>>(p, 6, LONG);
    copy_int<<<1, 1, 0, s>>>(h, p);
    rule(!is_long(took([&] { CHECK(cudaFreeAsync(p, s)); })), "cudaFreeAsync does not wait");
    CHECK(cudaMallocAsync(&q, MIB, s));
    rule(q == p, "a freed block is handed out again to its stream at once");
    put<<<1, 1, 0, s>>>(q, 7, 0);
    CHECK(cudaStreamSynchronize(s));
    rule(h[0] == 6, "what was queued before the free still had it");

    uint64_t all = UINT64_MAX;
    CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all));
    CHECK(cudaFreeAsync(q, s));
    CHECK(cudaEventRecord(e, s));
    CHECK(cudaStreamWaitEvent(t, e, 0));
    CHECK(cudaMallocAsync(&r, MIB, t));
    rule(r == q, "to another stream when an event orders it after the free");
    CHECK(cudaFreeAsync(r, t));
    CHECK(cudaDeviceSynchronize());
    rule(attribute(pool, cudaMemPoolAttrReservedMemCurrent) >= MIB && attribute(pool, cudaMemPoolAttrUsedMemCurrent) == 0,
         "below its release threshold a pool keeps what is free");
    CHECK(cudaMallocAsync(&p, MIB, s));
    rule(p == r, "and hands it to any stream after a synchronisation");
    CHECK(cudaFreeAsync(p, s));
    CHECK(cudaStreamSynchronize(s));
    rule(cudaMemPoolTrimTo(pool, 0) == cudaSuccess && attribute(pool, cudaMemPoolAttrReservedMemCurrent) == 0,
         "cudaMemPoolTrimTo gives it back to the device");
    all = 0;
    CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all));
    CHECK(cudaMallocAsync(&p, MIB, s));
    CHECK(cudaFreeAsync(p, s));
    CHECK(cudaStreamSynchronize(s));
    rule(attribute(pool, cudaMemPoolAttrReservedMemCurrent) == 0, "with threshold 0 the next synchronisation does that");
    auto left_by = [&](uint64_t threshold) {
        CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
        CHECK(cudaMallocAsync(&p, 8 * MIB, s));
        CHECK(cudaFreeAsync(p, s));
        CHECK(cudaStreamSynchronize(s));
        return attribute(pool, cudaMemPoolAttrReservedMemCurrent);
    };
    rule(left_by(1) == 0 && left_by(MIB) == 0 && left_by(8 * MIB) == 0,
         "a threshold of what a block needs keeps nothing: pools take and return 32 MiB [M]");
    rule(left_by(64 * MIB) == 32 * MIB && left_by(0) == 0, "one above that keeps it [M]");
    void *big;
    CHECK(cudaMallocAsync(&big, 48 * MIB, s));
    CHECK(cudaMallocAsync(&p, 8 * MIB, s));
    CHECK(cudaFreeAsync(big, s));
    CHECK(cudaStreamSynchronize(s));
    rule(attribute(pool, cudaMemPoolAttrReservedMemCurrent) == 32 * MIB, "what is in use keeps its 32 MiB [M]");
    CHECK(cudaFreeAsync(p, s));
    CHECK(cudaStreamSynchronize(s));
    rule(attribute(pool, cudaMemPoolAttrReservedMemCurrent) == 0, "and no longer [M]");
    rule(attribute(pool, cudaMemPoolAttrUsedMemHigh) >= MIB, "a pool knows the most that was in use");
    CHECK(cudaMallocAsync(&p, 8 * MIB, s));
    all = 0;
    CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReservedMemHigh, &all));
    CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &all));
    rule(attribute(pool, cudaMemPoolAttrReservedMemHigh) == attribute(pool, cudaMemPoolAttrReservedMemCurrent) &&
             attribute(pool, cudaMemPoolAttrUsedMemHigh) == attribute(pool, cudaMemPoolAttrUsedMemCurrent),
         "each high watermark begins anew from what there is now [H]");
    all = 7;
    rule(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &all) == cudaErrorInvalidValue, "it can be set to 0 alone [H]");
    forget_errors();
    CHECK(cudaFreeAsync(p, s));
    CHECK(cudaStreamSynchronize(s));
    int no = 0, yes = 1, follow = 7, chance = 7, inside = 7;
    CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolReuseAllowOpportunistic, &yes));
    CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolReuseAllowInternalDependencies, &no));
    CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolReuseFollowEventDependencies, &follow));
    CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolReuseAllowOpportunistic, &chance));
    CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolReuseAllowInternalDependencies, &inside));
    rule(follow == 1 && chance == 1 && inside == 0, "each way of using a block again is allowed by itself [H]");
    CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolReuseAllowInternalDependencies, &yes));

    CHECK(cudaMallocAsync(&p, MIB, s));
    CHECK(cudaStreamSynchronize(s));
    rule(!holds(t, [&] { CHECK(cudaFree(p)); }), "cudaFree of such memory does not wait");
    CHECK(cudaMallocAsync(&p, MIB, s));
    CHECK(cudaFreeAsync(p, s));
    rule(cudaFreeAsync(p, s) == cudaErrorInvalidValue, "freeing twice: cudaErrorInvalidValue");
    rule(cudaMallocAsync((void **)NULL, MIB, s) == cudaErrorInvalidValue, "cudaMallocAsync to nowhere: cudaErrorInvalidValue");
    rule(cudaMallocAsync(&p, (size_t)1 << 50, s) == cudaErrorMemoryAllocation, "too much: cudaErrorMemoryAllocation");
    forget_errors();

    struct cudaMemPoolProps properties;
    memset(&properties, 0, sizeof properties);
    rule(cudaMemPoolCreate(&other, &properties) == cudaErrorInvalidValue, "a pool of nothing: cudaErrorInvalidValue");
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    rule(cudaMemPoolCreate(&other, &properties) == cudaSuccess && other != pool, "a program can have pools of its own");
    CHECK(cudaMallocFromPoolAsync(&p, MIB, other, s));
    CHECK(cudaMallocAsync(&q, MIB, other, s));
    rule(attribute(other, cudaMemPoolAttrUsedMemCurrent) >= 2 * MIB && p != q, "it hands out memory");
    rule(cudaDeviceSetMemPool(0, other) == cudaSuccess && cudaDeviceGetMemPool(&now, 0) == cudaSuccess && now == other,
         "it can be the device's");
    CHECK(cudaFreeAsync(p, s));
    CHECK(cudaFreeAsync(q, s));
    rule(cudaMemPoolDestroy(pool) == cudaErrorInvalidValue, "the default pool cannot be destroyed: cudaErrorInvalidValue [H]");
    rule(cudaMemPoolDestroy(other) == cudaSuccess && cudaDeviceGetMemPool(&now, 0) == cudaSuccess && now == pool,
         "when the device's pool is destroyed the default one takes its place [H]");
    CHECK(cudaStreamSynchronize(s));
    forget_errors();
    return rules_end();
}
