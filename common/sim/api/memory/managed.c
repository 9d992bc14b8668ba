/* SPDX-License-Identifier: MIT */
/* Managed memory: where it is to be, and whose. */
#include "sim/api/api_call.h"
#include "sim/api/memory/managed_range_calls.h"
#include "sim/api/stream.h"
#include "sim/kernel/effect.h"
#include "sim/memory/allocation.h"
#include "sim/memory/because.h"
#include "sim/memory/managed_range.h"
#include "sim/memory/residency.h"

/* Where managed memory can be told to go. */
static cudaError_t check_location(struct api_call *e, struct cudaMemLocation location,
                                  const void *pointer, size_t bytes)
{
    bool device = location.type == cudaMemLocationTypeDevice;
    bool host = location.type >= cudaMemLocationTypeHost
                && location.type <= cudaMemLocationTypeHostNumaCurrent;
    cudaError_t status =
        refuse_not_managed(e, cudaSuccess, pointer, bytes, "first argument, devPtr");
    status = device ? refuse_device(e, status, location.id, "location's number, id") : status;
    status = REFUSE(
        e, status, device && !sim.card->concurrent_managed, cudaErrorInvalidDevice,
        "this device cannot be told where managed memory is to be: host and device may not use it at the same time");
    return REFUSE(e, status, !device && !host, cudaErrorInvalidValue,
                  "the location's type is %d, which is neither the device's nor the host's",
                  (int)location.type);
}

cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t bytes, struct cudaMemLocation location,
                                 unsigned int flags, cudaStream_t stream)
{
    struct api_call e;
    cudaError_t status = api_open(&e, CALL_PREFETCH, "cudaMemPrefetchAsync");
    status = REFUSE(&e, status, flags != 0, cudaErrorInvalidValue,
                    "the argument flags is %#x and must be 0", flags);
    if (status == cudaSuccess)
        status = check_location(&e, location, pointer, bytes);
    if (status == cudaSuccess)
        status = stream_find(&e, stream);
    e.call.src = (uint64_t)(uintptr_t)pointer;
    e.call.bytes = bytes;
    e.call.src_kind = MEM_MANAGED;
    e.call.dst_kind = location.type == cudaMemLocationTypeDevice ? MEM_DEVICE : MEM_PAGEABLE;
    int to = location.type == cudaMemLocationTypeDevice ? location.id : SIDE_HOST;
    e.call.dst_device = to == SIDE_HOST ? 0 : (uint32_t)to;
    if (status == cudaSuccess) {
        range_prefetch(pointer, bytes, location);
        e.call.cost = (int64_t)residency_elsewhere((uintptr_t)pointer, bytes, to);
    }
    status = api_make(&e, status, effect_new(&(struct effect){
        .kind = EFFECT_PREFETCH, .dst = (void *)(uintptr_t)pointer, .bytes = bytes, .to = to }));
    if (status == cudaSuccess && !(e.call.flags & CALL_CAPTURED))
        residency_leaves((uintptr_t)pointer, bytes, to, sim.timeline.calls[e.index].node);
    return api_close(&e, status);
}

cudaError_t cudaMemAdvise(const void *pointer, size_t bytes, enum cudaMemoryAdvise advice,
                          struct cudaMemLocation location)
{
    struct api_call e;
    cudaError_t status = api_open(&e, CALL_OTHER, "cudaMemAdvise");
    bool no_location = advice == cudaMemAdviseSetReadMostly
                       || advice == cudaMemAdviseUnsetReadMostly
                       || advice == cudaMemAdviseUnsetPreferredLocation;
    status = REFUSE(&e, status,
                    advice < cudaMemAdviseSetReadMostly || advice > cudaMemAdviseUnsetAccessedBy,
                    cudaErrorInvalidValue,
                    "the third argument, advice, is %d, which is not a valid one", (int)advice);
    if (status == cudaSuccess)
        status = check_location(
            &e, no_location ? (struct cudaMemLocation){ cudaMemLocationTypeHost, 0 } : location,
            pointer, bytes);
    if (status == cudaSuccess)
        range_advise(pointer, bytes, advice, location);
    return api_finish(&e, status);
}

/* Takes its place in the stream and no time. The rules are those of the comments of
 * cuda_runtime_api.h 13.0; they bind programs only where host and device may not use managed memory
 * at the same time. */
cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *pointer, size_t bytes,
                                     unsigned int flags)
{
    struct api_call e;
    cudaError_t status = api_open(&e, CALL_OTHER, "cudaStreamAttachMemAsync");
    const struct allocation *a = allocation_find(pointer);
    bool whole = bytes == 0 || !a || (a->at == (uintptr_t)pointer && a->bytes == bytes);
    bool known =
        flags == cudaMemAttachGlobal || flags == cudaMemAttachHost || flags == cudaMemAttachSingle;
    status = refuse_not_managed(&e, status, pointer, 1, "second argument, devPtr");
    status = REFUSE(&e, status, !whole, cudaErrorInvalidValue,
                    "the third argument, length, is %zu; it may be 0 or all the %zu bytes of the "
                    "allocation",
                    bytes, a->bytes);
    status = REFUSE(&e, status, !known, cudaErrorInvalidValue,
                    "the fourth argument, flags, is %#x, which is not a way to attach", flags);
    if (status == cudaSuccess)
        status = stream_find(&e, stream);
    status = REFUSE(
        &e, status, flags == cudaMemAttachSingle && stream_is_legacy(e.call.stream),
        cudaErrorInvalidValue,
        "the fourth argument, flags, is cudaMemAttachSingle, and the legacy default stream is not a single stream");
    return api_finish(&e, status);
}
