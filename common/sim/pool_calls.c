/* SPDX-License-Identifier: MIT */
/* Pools as programs handle them. */
#include "pool_state.h"
#include "trace/memory.h"

static cudaError_t open_pool(struct entry *e, const char *name, int device, bool valid)
{
    cudaError_t status = entry_open(e, CALL_OTHER, name);
    if (status == cudaSuccess && (device < 0 || device >= DEVICES))
        status = cudaErrorInvalidDevice;
    return status == cudaSuccess && !valid ? cudaErrorInvalidValue : status;
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device)
{
    struct entry e;
    cudaError_t status = open_pool(&e, "cudaDeviceGetDefaultMemPool", device, pool != NULL);
    if (status == cudaSuccess)
        *pool = pools.ordinary;
    return entry_finish(&e, status);
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device)
{
    struct entry e;
    cudaError_t status = open_pool(&e, "cudaDeviceGetMemPool", device, pool != NULL);
    if (status == cudaSuccess)
        *pool = pools.current;
    return entry_finish(&e, status);
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool)
{
    struct entry e;
    cudaError_t status = open_pool(&e, "cudaDeviceSetMemPool", device, is_pool(pool));
    if (status == cudaSuccess)
        pools.current = pool;
    return entry_finish(&e, status);
}

/* Memory of the device for this process alone. */
cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const struct cudaMemPoolProps *properties)
{
    struct entry e;
    const struct cudaMemPoolProps *p = properties;
    bool valid = pool && p && p->allocType == cudaMemAllocationTypePinned && p->handleTypes == cudaMemHandleTypeNone &&
                 p->location.type == cudaMemLocationTypeDevice && p->location.id >= 0 && p->location.id < DEVICES;
    cudaError_t status = open_pool(&e, "cudaMemPoolCreate", 0, valid);
    if (status == cudaSuccess) {
        cudaMemPool_t made = memory_resize(NULL, sizeof *made);
        *made = (struct CUmemPoolHandle_st){ .follows_events = true, .other_reuse = { 1, 1 }, .most = p->maxSize,
                                             .next = pools.first };
        *pool = pools.first = made;
    }
    return entry_finish(&e, status);
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool)
{
    struct entry e;
    cudaError_t status = open_pool(&e, "cudaMemPoolDestroy", 0, is_pool(pool) && pool != pools.ordinary);
    if (status == cudaSuccess) {
        pool->destroyed = true;
        if (pools.current == pool)
            pools.current = pools.ordinary;
        pool_trim(pool, 0);
        pools_bury();
    }
    return entry_finish(&e, status);
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t keep)
{
    struct entry e;
    cudaError_t status = open_pool(&e, "cudaMemPoolTrimTo", 0, is_pool(pool));
    if (status == cudaSuccess)
        pool_trim(pool, keep);
    return entry_finish(&e, status);
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value)
{
    struct entry e;
    cudaError_t status = open_pool(&e, "cudaMemPoolSetAttribute", 0, is_pool(pool) && value);
    if (status != cudaSuccess)
        return entry_finish(&e, status);
    switch (attribute) {
    case cudaMemPoolReuseFollowEventDependencies: pool->follows_events = *(int *)value != 0; break;
    case cudaMemPoolReuseAllowOpportunistic: pool->other_reuse[0] = *(int *)value != 0; break;
    case cudaMemPoolReuseAllowInternalDependencies: pool->other_reuse[1] = *(int *)value != 0; break;
    case cudaMemPoolAttrReleaseThreshold: pool->threshold = *(uint64_t *)value; break;
    case cudaMemPoolAttrReservedMemHigh:
    case cudaMemPoolAttrUsedMemHigh:
        if (*(uint64_t *)value != 0)
            status = cudaErrorInvalidValue;             /* it can be reset, no more [H] */
        else if (attribute == cudaMemPoolAttrUsedMemHigh)
            pool->used_high = pool->used;
        else
            pool->reserved_high = pool->reserved;
        break;
    default: status = cudaErrorInvalidValue;
    }
    return entry_finish(&e, status);
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value)
{
    struct entry e;
    cudaError_t status = open_pool(&e, "cudaMemPoolGetAttribute", 0, is_pool(pool) && value);
    if (status != cudaSuccess)
        return entry_finish(&e, status);
    switch (attribute) {
    case cudaMemPoolReuseFollowEventDependencies: *(int *)value = pool->follows_events; break;
    case cudaMemPoolReuseAllowOpportunistic: *(int *)value = pool->other_reuse[0]; break;
    case cudaMemPoolReuseAllowInternalDependencies: *(int *)value = pool->other_reuse[1]; break;
    case cudaMemPoolAttrReleaseThreshold: *(uint64_t *)value = pool->threshold; break;
    case cudaMemPoolAttrReservedMemCurrent: *(uint64_t *)value = pool->reserved; break;
    case cudaMemPoolAttrReservedMemHigh: *(uint64_t *)value = pool->reserved_high; break;
    case cudaMemPoolAttrUsedMemCurrent: *(uint64_t *)value = pool->used; break;
    case cudaMemPoolAttrUsedMemHigh: *(uint64_t *)value = pool->used_high; break;
    default: status = cudaErrorInvalidValue;
    }
    return entry_finish(&e, status);
}
