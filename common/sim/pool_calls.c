/* SPDX-License-Identifier: MIT */
/* Pools as programs handle them. */
#include "pool_state.h"
#include "trace/memory.h"

static cudaError_t open_pool(struct entry *e, const char *name, int device, bool valid)
{
    cudaError_t status = entry_open(e, CALL_OTHER, name);
    if (status == cudaSuccess && !is_device(device))
        status = cudaErrorInvalidDevice;
    return status == cudaSuccess && !valid ? cudaErrorInvalidValue : status;
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device)
{
    struct entry e;
    cudaError_t status = open_pool(&e, "cudaDeviceGetDefaultMemPool", device, pool != NULL);
    if (status == cudaSuccess)
        *pool = pools.ordinary[device];
    return entry_finish(&e, status);
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device)
{
    struct entry e;
    cudaError_t status = open_pool(&e, "cudaDeviceGetMemPool", device, pool != NULL);
    if (status == cudaSuccess)
        *pool = pools.current[device];
    return entry_finish(&e, status);
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool)
{
    struct entry e;
    cudaError_t status = open_pool(&e, "cudaDeviceSetMemPool", device, is_pool(pool) && pool->device == device);
    if (status == cudaSuccess)
        pools.current[device] = pool;
    return entry_finish(&e, status);
}

/* Memory of the device for this process alone. */
cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const struct cudaMemPoolProps *properties)
{
    struct entry e;
    const struct cudaMemPoolProps *p = properties;
    bool valid = pool && p && p->allocType == cudaMemAllocationTypePinned && p->handleTypes == cudaMemHandleTypeNone &&
                 p->location.type == cudaMemLocationTypeDevice && is_device(p->location.id);
    cudaError_t status = open_pool(&e, "cudaMemPoolCreate", 0, valid);
    if (status == cudaSuccess)
        *pool = pool_new(p->location.id, p->maxSize);
    return entry_finish(&e, status);
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool)
{
    struct entry e;
    cudaError_t status = open_pool(&e, "cudaMemPoolDestroy", 0, is_pool(pool) && pool != pools.ordinary[pool->device]);
    if (status == cudaSuccess) {
        pool->destroyed = true;
        if (pools.current[pool->device] == pool)
            pools.current[pool->device] = pools.ordinary[pool->device];
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

/* ---- who reaches a pool's memory; its own device always does [G "Device Accessibility"] ---- */

static cudaError_t check_reach(cudaMemPool_t pool, const struct cudaMemAccessDesc *wish)
{
    int device = wish->location.id;
    bool known = wish->flags == cudaMemAccessFlagsProtNone || wish->flags == cudaMemAccessFlagsProtRead ||
                 wish->flags == cudaMemAccessFlagsProtReadWrite;
    if (wish->location.type != cudaMemLocationTypeDevice || !known)
        return cudaErrorInvalidValue;
    if (!is_device(device))
        return cudaErrorInvalidDevice;
    if (device == pool->device)
        return wish->flags == cudaMemAccessFlagsProtReadWrite ? cudaSuccess : cudaErrorInvalidDevice;
    return sim.card->peer_access ? cudaSuccess : cudaErrorInvalidDevice;
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const struct cudaMemAccessDesc *wishes, size_t count)
{
    struct entry e;
    cudaError_t status = open_pool(&e, "cudaMemPoolSetAccess", 0, is_pool(pool) && (wishes || count == 0));
    for (size_t i = 0; i < count && status == cudaSuccess; i++)
        status = check_reach(pool, &wishes[i]);
    for (size_t i = 0; i < count && status == cudaSuccess; i++)
        pool->reach[wishes[i].location.id] = wishes[i].flags;
    return entry_finish(&e, status);
}

cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags, cudaMemPool_t pool, struct cudaMemLocation *location)
{
    struct entry e;
    cudaError_t status = open_pool(&e, "cudaMemPoolGetAccess", 0, is_pool(pool) && flags && location);
    if (status == cudaSuccess && (location->type != cudaMemLocationTypeDevice || !is_device(location->id)))
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess)
        *flags = pool->reach[location->id];
    return entry_finish(&e, status);
}
