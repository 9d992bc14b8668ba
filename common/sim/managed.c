/* SPDX-License-Identifier: MIT */
/* Managed memory: where it is to be, and whose. */
#include "allocation.h"
#include "effect.h"
#include "entry.h"
#include "managed_range.h"
#include "stream.h"

/* Where managed memory can be told to go. */
static cudaError_t check_place(struct cudaMemLocation location, const void *pointer, size_t bytes)
{
    if (memory_kind_of(pointer, bytes) != MEM_MANAGED || bytes == 0)
        return cudaErrorInvalidValue;
    if (location.type == cudaMemLocationTypeDevice)
        return is_device(location.id) && sim.card->concurrent_managed ? cudaSuccess : cudaErrorInvalidDevice;
    bool host = location.type >= cudaMemLocationTypeHost && location.type <= cudaMemLocationTypeHostNumaCurrent;
    return host ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t bytes, struct cudaMemLocation location,
                                 unsigned int flags, cudaStream_t stream)
{
    struct entry e;
    cudaError_t status = entry_open(&e, CALL_PREFETCH, "cudaMemPrefetchAsync");
    if (status == cudaSuccess)
        status = flags != 0 ? cudaErrorInvalidValue : check_place(location, pointer, bytes);
    if (status == cudaSuccess)
        status = stream_find(&e, stream);
    e.call.src = (uint64_t)(uintptr_t)pointer;
    e.call.bytes = bytes;
    e.call.src_kind = MEM_MANAGED;
    e.call.dst_kind = location.type == cudaMemLocationTypeDevice ? MEM_DEVICE : MEM_PAGEABLE;
    e.call.dst_device = location.type == cudaMemLocationTypeDevice ? (uint32_t)location.id : 0;
    if (status == cudaSuccess)
        range_prefetch(pointer, bytes, location);
    return entry_close(&e, entry_make(&e, status, effect_new(&(struct effect){
        .kind = EFFECT_PREFETCH, .dst = (void *)(uintptr_t)pointer, .bytes = bytes,
        .to_host = e.call.dst_kind != MEM_DEVICE })));
}

cudaError_t cudaMemAdvise(const void *pointer, size_t bytes, enum cudaMemoryAdvise advice,
                          struct cudaMemLocation location)
{
    struct entry e;
    cudaError_t status = entry_open(&e, CALL_OTHER, "cudaMemAdvise");
    bool placeless = advice == cudaMemAdviseSetReadMostly || advice == cudaMemAdviseUnsetReadMostly ||
                     advice == cudaMemAdviseUnsetPreferredLocation;
    if (status == cudaSuccess && (advice < cudaMemAdviseSetReadMostly || advice > cudaMemAdviseUnsetAccessedBy))
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess)
        status = check_place(placeless ? (struct cudaMemLocation){ cudaMemLocationTypeHost, 0 } : location,
                             pointer, bytes);
    if (status == cudaSuccess)
        range_advise(pointer, bytes, advice, location);
    return entry_finish(&e, status);
}

/* Takes its place in the stream and no time. The rules are those of the comments of cuda_runtime_api.h 13.0;
 * they bind programs only where host and device may not use managed memory at the same time. */
cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *pointer, size_t bytes, unsigned int flags)
{
    struct entry e;
    cudaError_t status = entry_open(&e, CALL_OTHER, "cudaStreamAttachMemAsync");
    const struct allocation *a = allocation_find(pointer);
    bool whole = bytes == 0 || !a || (a->at == (uintptr_t)pointer && a->bytes == bytes);
    bool known = flags == cudaMemAttachGlobal || flags == cudaMemAttachHost || flags == cudaMemAttachSingle;
    if (status == cudaSuccess && (memory_kind_of(pointer, 1) != MEM_MANAGED || !whole || !known))
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess)
        status = stream_find(&e, stream);
    if (status == cudaSuccess && flags == cudaMemAttachSingle && stream_is_legacy(e.call.stream))
        status = cudaErrorInvalidValue;         /* the legacy stream is no specific one */
    return entry_finish(&e, status);
}
