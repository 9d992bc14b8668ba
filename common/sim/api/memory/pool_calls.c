/* SPDX-License-Identifier: MIT */
/* Pools as programs handle them. */
#include "sim/api/memory/pool_calls.h"
#include "sim/memory/because.h"
#include "sim/memory/pool_state.h"

static cudaError_t open_device(struct api_call *e, const char *name, int device)
{
    return refuse_device(e, api_open(e, CALL_OTHER, name), device, "argument, device");
}

/* A pool's handle, but for the lower half, which is the upper one of a number: a threshold was
 * written where there is room for half of it. */
static bool is_half_overwritten(cudaMemPool_t pool)
{
    uint64_t is = (uintptr_t)pool;
    bool overwritten = false;
    for (cudaMemPool_t p = pools.first; p && ((uint32_t)is == 0 || (uint32_t)is == UINT32_MAX);
         p = p->next)
        overwritten |= (uintptr_t)p >> 32 == is >> 32;
    return overwritten;
}

cudaError_t refuse_no_pool(struct api_call *e, cudaError_t status, cudaMemPool_t pool)
{
    status = REFUSE(
        e, status, !is_pool(pool) && is_half_overwritten(pool), cudaErrorInvalidValue,
        "the pool is not valid: four bytes of its handle have been overwritten. cudaMemPoolGetAttribute() writes a threshold or a size "
        "as a uint64_t, eight bytes, which do not fit into an int");
    return REFUSE(e, status, !is_pool(pool), cudaErrorInvalidValue,
                  "the pool is not valid: it was destroyed, or never created");
}

cudaError_t pool_refuse_imported(struct api_call *e, cudaError_t status, cudaMemPool_t pool)
{
    return REFUSE(
        e, status, pool->source > 0, cudaErrorInvalidValue,
        "the pool was imported: its owner's process alone allocates from it, exports it, and reads or sets what it is like");
}

static cudaError_t open_pool(struct api_call *e, const char *name, cudaMemPool_t pool)
{
    return refuse_no_pool(e, api_open(e, CALL_OTHER, name), pool);
}

/* What its owner alone can do with it [M]. */
static cudaError_t open_own_pool(struct api_call *e, const char *name, cudaMemPool_t pool)
{
    return pool_refuse_imported(e, open_pool(e, name, pool), pool);
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device)
{
    struct api_call e;
    cudaError_t status = refuse_null(&e, open_device(&e, "cudaDeviceGetDefaultMemPool", device),
                                     pool, "first argument, memPool");
    if (status == cudaSuccess)
        *pool = pool_default(device);
    return api_finish(&e, status);
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device)
{
    struct api_call e;
    cudaError_t status = refuse_null(&e, open_device(&e, "cudaDeviceGetMemPool", device), pool,
                                     "first argument, memPool");
    if (status == cudaSuccess)
        *pool = *pool_current(device);
    return api_finish(&e, status);
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool)
{
    struct api_call e;
    cudaError_t status = refuse_no_pool(&e, open_device(&e, "cudaDeviceSetMemPool", device), pool);
    status = pool_refuse_imported(&e, status, pool);
    status = REFUSE(&e, status, pool->device != device, cudaErrorInvalidValue,
                    "the pool is device %d's, and the first argument, device, is %d", pool->device,
                    device);
    if (status == cudaSuccess)
        *pool_current(device) = pool;
    return api_finish(&e, status);
}

/* Memory of the device, for this process alone or for others as well. */
cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const struct cudaMemPoolProps *properties)
{
    struct api_call e;
    const struct cudaMemPoolProps *p = properties;
    cudaError_t status = refuse_null(&e, api_open(&e, CALL_OTHER, "cudaMemPoolCreate"), pool,
                                     "first argument, memPool");
    status = refuse_null(&e, status, p, "second argument, poolProps");
    status = REFUSE(&e, status, p->allocType != cudaMemAllocationTypePinned, cudaErrorInvalidValue,
                    "poolProps->allocType is %d; the only one is cudaMemAllocationTypePinned",
                    (int)p->allocType);
    status = REFUSE(
        &e, status,
        p->handleTypes != cudaMemHandleTypeNone
            && p->handleTypes != cudaMemHandleTypePosixFileDescriptor,
        cudaErrorInvalidValue,
        "poolProps->handleTypes is %d; it may be cudaMemHandleTypeNone, or cudaMemHandleTypePosixFileDescriptor for a pool that other processes import",
        (int)p->handleTypes);
    status = REFUSE(&e, status,
                    p->location.type != cudaMemLocationTypeDevice || !is_device(p->location.id),
                    cudaErrorInvalidValue, "poolProps->location (type %d, id %d) is not a device",
                    (int)p->location.type, p->location.id);
    if (status == cudaSuccess) {
        *pool = pool_new(p->location.id, p->maxSize);
        (*pool)->handle_types = p->handleTypes;
        e.call.dst = (*pool)->number;
    }
    return api_finish(&e, status);
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool)
{
    struct api_call e;
    cudaError_t status = open_pool(&e, "cudaMemPoolDestroy", pool);
    status = REFUSE(&e, status, pool == pool_default(pool->device), cudaErrorInvalidValue,
                    "the pool is the default one of device %d, which stays", pool->device);
    status = REFUSE(&e, status, pool->source > 0 && pool->used > 0, cudaErrorInvalidValue,
                    "memory that was imported from the pool has not been freed here"); /* [M] */
    if (status == cudaSuccess) {
        e.call.dst = pool->number;
        pool->destroyed = true;
        if (*pool_current(pool->device) == pool)
            *pool_current(pool->device) = pool_default(pool->device);
        pool_trim(pool, 0);
        pools_bury();
    }
    return api_finish(&e, status);
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t keep)
{
    struct api_call e;
    cudaError_t status = open_own_pool(&e, "cudaMemPoolTrimTo", pool);
    if (status == cudaSuccess)
        pool_trim(pool, keep);
    return api_finish(&e, status);
}

/* The reuse of memory is an int, all the rest a uint64_t. */
static void look_at_room(struct api_call *e, enum cudaMemPoolAttr attribute, size_t room)
{
    bool is_int = attribute == cudaMemPoolReuseFollowEventDependencies
                  || attribute == cudaMemPoolReuseAllowOpportunistic
                  || attribute == cudaMemPoolReuseAllowInternalDependencies;
    api_short(e, "third argument, value", room, is_int ? sizeof(int) : sizeof(uint64_t),
              is_int ? "int" : "uint64_t");
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value)
{
    return sim_pool_set(pool, attribute, value, SIZE_MAX);
}

cudaError_t sim_pool_set(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value,
                         size_t room)
{
    struct api_call e;
    cudaError_t status = refuse_null(&e, open_own_pool(&e, "cudaMemPoolSetAttribute", pool), value,
                                     "third argument, value");
    if (status != cudaSuccess)
        return api_finish(&e, status);
    look_at_room(&e, attribute, room);
    switch (attribute) {
    case cudaMemPoolReuseFollowEventDependencies: pool->follows_events = *(int *)value != 0; break;
    case cudaMemPoolReuseAllowOpportunistic: pool->other_reuse[0] = *(int *)value != 0; break;
    case cudaMemPoolReuseAllowInternalDependencies:
        pool->other_reuse[1] = *(int *)value != 0;
        break;
    case cudaMemPoolAttrReleaseThreshold: pool->threshold = *(uint64_t *)value; break;
    case cudaMemPoolAttrReservedMemHigh:
    case cudaMemPoolAttrUsedMemHigh:
        if (*(uint64_t *)value != 0)
            status = because(&e.call, cudaErrorInvalidValue,
                             "a high watermark can be set to 0, and to nothing else"); /* [H] */
        else if (attribute == cudaMemPoolAttrUsedMemHigh)
            pool->used_high = pool->used;
        else
            pool->reserved_high = pool->reserved;
        break;
    default:
        status = because(&e.call, cudaErrorInvalidValue,
                         "the second argument, attr, is %d, which cannot be set", (int)attribute);
    }
    return api_finish(&e, status);
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value)
{
    return sim_pool_get(pool, attribute, value, SIZE_MAX);
}

cudaError_t sim_pool_get(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value,
                         size_t room)
{
    struct api_call e;
    cudaError_t status = refuse_null(&e, open_own_pool(&e, "cudaMemPoolGetAttribute", pool), value,
                                     "third argument, value");
    if (status != cudaSuccess)
        return api_finish(&e, status);
    look_at_room(&e, attribute, room);
    switch (attribute) {
    case cudaMemPoolReuseFollowEventDependencies: *(int *)value = pool->follows_events; break;
    case cudaMemPoolReuseAllowOpportunistic: *(int *)value = pool->other_reuse[0]; break;
    case cudaMemPoolReuseAllowInternalDependencies: *(int *)value = pool->other_reuse[1]; break;
    case cudaMemPoolAttrReleaseThreshold: *(uint64_t *)value = pool->threshold; break;
    case cudaMemPoolAttrReservedMemCurrent: *(uint64_t *)value = pool->reserved; break;
    case cudaMemPoolAttrReservedMemHigh: *(uint64_t *)value = pool->reserved_high; break;
    case cudaMemPoolAttrUsedMemCurrent: *(uint64_t *)value = pool->used; break;
    case cudaMemPoolAttrUsedMemHigh: *(uint64_t *)value = pool->used_high; break;
    default:
        status = because(&e.call, cudaErrorInvalidValue,
                         "the second argument, attr, is %d, which is not a valid one", (int)attribute);
    }
    return api_finish(&e, status);
}

/* ---- who reaches a pool's memory; its own device always does [G "Device Accessibility"] ---- */

static cudaError_t check_reach(struct api_call *e, cudaMemPool_t pool,
                               const struct cudaMemAccessDesc *desc)
{
    int device = desc->location.id;
    bool known = desc->flags == cudaMemAccessFlagsProtNone
                 || desc->flags == cudaMemAccessFlagsProtRead
                 || desc->flags == cudaMemAccessFlagsProtReadWrite;
    cudaError_t status = REFUSE(
        e, cudaSuccess, desc->location.type != cudaMemLocationTypeDevice, cudaErrorInvalidValue,
        "a location has type %d, which is not a device's", (int)desc->location.type);
    status = REFUSE(e, status, !known, cudaErrorInvalidValue,
                    "the flags %d are not a way to reach memory", (int)desc->flags);
    status = refuse_device(e, status, device, "location's number, id");
    status =
        REFUSE(e, status, device == pool->device && desc->flags != cudaMemAccessFlagsProtReadWrite,
               cudaErrorInvalidDevice,
               "the pool is device %d's own, and that cannot be taken from it", device);
    return REFUSE(
        e, status, device != pool->device && !sim.card->peer_access, cudaErrorInvalidDevice,
        "device %d cannot reach memory of device %d, whose pool it is", device, pool->device);
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const struct cudaMemAccessDesc *descs,
                                 size_t count)
{
    struct api_call e;
    cudaError_t status = open_pool(&e, "cudaMemPoolSetAccess", pool);
    status = REFUSE(&e, status, !descs && count > 0, cudaErrorInvalidValue,
                    "the second argument, descList, is NULL");
    for (size_t i = 0; i < count && status == cudaSuccess; i++)
        status = check_reach(&e, pool, &descs[i]);
    for (size_t i = 0; i < count && status == cudaSuccess; i++)
        pool->reach[descs[i].location.id] = descs[i].flags;
    return api_finish(&e, status);
}

cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags, cudaMemPool_t pool,
                                 struct cudaMemLocation *location)
{
    struct api_call e;
    cudaError_t status = refuse_null(&e, open_pool(&e, "cudaMemPoolGetAccess", pool), flags,
                                     "first argument, flags");
    status = refuse_null(&e, status, location, "third argument, location");
    status =
        REFUSE(&e, status, location->type != cudaMemLocationTypeDevice || !is_device(location->id),
               cudaErrorInvalidValue, "the location (type %d, id %d) is not a device",
               (int)location->type, location->id);
    if (status == cudaSuccess)
        *flags = pool->reach[location->id];
    return api_finish(&e, status);
}
