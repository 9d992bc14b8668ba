/* SPDX-License-Identifier: MIT */
#include "allocation.h"
#include "effect.h"
#include "entry.h"
#include "stream.h"

static bool on_host(uint32_t kind)
{
    return kind == MEM_PAGEABLE || kind == MEM_PINNED;
}

/* The sides that a cudaMemcpyKind names: what may not be there. Managed and
 * pinned memory can be reached from both. */
static bool fits(enum cudaMemcpyKind direction, const struct call *c)
{
    switch (direction) {
    case cudaMemcpyHostToHost: return c->dst_kind != MEM_DEVICE && c->src_kind != MEM_DEVICE;
    case cudaMemcpyHostToDevice: return c->dst_kind != MEM_PAGEABLE && c->src_kind != MEM_DEVICE;
    case cudaMemcpyDeviceToHost: return c->dst_kind != MEM_DEVICE && c->src_kind != MEM_PAGEABLE;
    case cudaMemcpyDeviceToDevice: return c->dst_kind != MEM_PAGEABLE && c->src_kind != MEM_PAGEABLE;
    default: return true;
    }
}

static cudaError_t copy(const char *name, void *dst, const void *src, size_t bytes, enum cudaMemcpyKind direction,
                        cudaStream_t stream, uint32_t flags)
{
    struct entry e;
    cudaError_t status = entry_open(&e, CALL_COPY, name);
    if (status == cudaSuccess && (unsigned)direction > cudaMemcpyDefault)
        status = cudaErrorInvalidMemcpyDirection;
    if (status == cudaSuccess)
        status = stream_find(&e, stream);
    if (status == cudaSuccess && bytes == 0) {
        e.call.kind = CALL_OTHER;
        return entry_finish(&e, cudaSuccess);
    }
    e.call.flags = flags;
    e.call.dst = (uint64_t)(uintptr_t)dst;
    e.call.src = (uint64_t)(uintptr_t)src;
    e.call.bytes = bytes;
    e.call.dst_kind = memory_kind_of(dst, bytes);
    e.call.src_kind = memory_kind_of(src, bytes);
    if (status == cudaSuccess &&
        (e.call.dst_kind == MEM_NONE || e.call.src_kind == MEM_NONE || !fits(direction, &e.call)))
        status = cudaErrorInvalidValue;
    struct effect *effect = NULL;
    if (status == cudaSuccess)
        effect = effect_new(&(struct effect){
            .kind = EFFECT_COPY, .dst = dst, .src = src, .bytes = bytes,
            .stage = e.call.src_kind == MEM_PAGEABLE && !on_host(e.call.dst_kind) });
    return entry_close(&e, entry_make(&e, status, effect));
}

cudaError_t cudaMemcpy(void *dst, const void *src, size_t bytes, enum cudaMemcpyKind kind)
{
    return copy("cudaMemcpy", dst, src, bytes, kind, NULL, 0);
}

cudaError_t cudaMemcpyAsync(void *dst, const void *src, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    return copy("cudaMemcpyAsync", dst, src, bytes, kind, stream, CALL_ASYNC);
}

static cudaError_t set(const char *name, void *pointer, int value, size_t bytes, cudaStream_t stream, uint32_t flags)
{
    struct entry e;
    cudaError_t status = entry_open(&e, CALL_SET, name);
    if (status == cudaSuccess)
        status = stream_find(&e, stream);
    if (status == cudaSuccess && bytes == 0) {
        e.call.kind = CALL_OTHER;
        return entry_finish(&e, cudaSuccess);
    }
    e.call.flags = flags;
    e.call.dst = (uint64_t)(uintptr_t)pointer;
    e.call.bytes = bytes;
    e.call.dst_kind = memory_kind_of(pointer, bytes);
    if (status == cudaSuccess && (e.call.dst_kind == MEM_NONE || e.call.dst_kind == MEM_PAGEABLE))
        status = cudaErrorInvalidValue;
    struct effect *effect = NULL;
    if (status == cudaSuccess)
        effect = effect_new(&(struct effect){ .kind = EFFECT_SET, .dst = pointer, .value = value, .bytes = bytes });
    return entry_close(&e, entry_make(&e, status, effect));
}

cudaError_t cudaMemset(void *pointer, int value, size_t bytes)
{
    return set("cudaMemset", pointer, value, bytes, NULL, 0);
}

cudaError_t cudaMemsetAsync(void *pointer, int value, size_t bytes, cudaStream_t stream)
{
    return set("cudaMemsetAsync", pointer, value, bytes, stream, CALL_ASYNC);
}
