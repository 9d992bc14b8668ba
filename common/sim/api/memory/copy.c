/* SPDX-License-Identifier: MIT */
#include "sim/api/memory/copy.h"

#include <string.h>

#include "sim/api/api_call.h"
#include "sim/api/stream.h"
#include "sim/kernel/effect.h"
#include "sim/memory/allocation.h"
#include "sim/memory/because.h"
#include "sim/memory/peer.h"

static bool on_host(uint32_t kind)
{
    return kind == MEM_PAGEABLE || kind == MEM_PINNED;
}

/* The sides that a cudaMemcpyKind names: what may not be there. Managed and
 * pinned memory can be reached from both. */
bool copy_fits(enum cudaMemcpyKind direction, const struct call *c)
{
    switch (direction) {
    case cudaMemcpyHostToHost: return c->dst_kind != MEM_DEVICE && c->src_kind != MEM_DEVICE;
    case cudaMemcpyHostToDevice: return c->dst_kind != MEM_PAGEABLE && c->src_kind != MEM_DEVICE;
    case cudaMemcpyDeviceToHost: return c->dst_kind != MEM_DEVICE && c->src_kind != MEM_PAGEABLE;
    case cudaMemcpyDeviceToDevice: return c->dst_kind != MEM_PAGEABLE && c->src_kind != MEM_PAGEABLE;
    default: return true;
    }
}

static const char *const directions[] = {
    "cudaMemcpyHostToHost", "cudaMemcpyHostToDevice", "cudaMemcpyDeviceToHost", "cudaMemcpyDeviceToDevice", "cudaMemcpyDefault",
};

static struct words words_of_side(uint64_t address)
{
    return words_of_memory((const void *)(uintptr_t)address);
}

/* The error of a copy whose memory is not there, or lies elsewhere than the direction says: dst and src are the arguments that
 * `dst` and `src` name, and have so many bytes from the first to the last. */
cudaError_t copy_refused(struct call *c, enum cudaMemcpyKind direction, const char *dst, size_t dst_bytes, const char *src,
                         size_t src_bytes)
{
    const uint64_t at[] = { c->dst, c->src };
    const size_t bytes[] = { dst_bytes, src_bytes };
    const char *const names[] = { dst, src };
    for (int k = 0; k < 2; k++) {
        const struct words missing = words_of_missing((const void *)(uintptr_t)at[k], bytes[k]);
        if (missing.text[0] && bytes[k] != SIZE_MAX)
            return because(c, cudaErrorInvalidValue, "the %s, is %s; the copy needs %zu", names[k], missing.text, bytes[k]);
        if (missing.text[0])
            return because(c, cudaErrorInvalidValue, "the %s, would have to have more bytes than there can be", names[k]);
    }
    struct call swapped = *c;
    swapped.dst_kind = c->src_kind;
    swapped.src_kind = c->dst_kind;
    return because(c, cudaErrorInvalidValue, "the direction is %s, but the %s, is %.110s and the %s, is %.110s%s",
                   directions[direction], dst, words_of_side(c->dst).text, src, words_of_side(c->src).text,
                   copy_fits(direction, &swapped) ? ": are they swapped?" : "");
}

/* Of memory: `rows` rows of `bytes`, a pitch apart. */
struct area {
    void *at;
    size_t pitch;
};

/* So many bytes lie from the first to the last; SIZE_MAX: more than there can be. */
static size_t extent(size_t pitch, size_t bytes, size_t rows)
{
    size_t before;
    if (__builtin_mul_overflow(rows - 1, pitch, &before) || __builtin_add_overflow(before, bytes, &bytes))
        return SIZE_MAX;
    return bytes;
}

/* `names`: dst and src as the call has them. */
static cudaError_t copy(const char *name, struct area dst, struct area src, size_t bytes, size_t rows,
                        enum cudaMemcpyKind direction, cudaStream_t stream, uint32_t flags, const char *const names[2])
{
    struct api_call e;
    cudaError_t status = api_open(&e, CALL_COPY, name);
    status = REFUSE(&e, status, (unsigned)direction > cudaMemcpyDefault, cudaErrorInvalidMemcpyDirection,
                    "the direction, kind, is %d, which is none", (int)direction);
    status = REFUSE(&e, status, rows > 1 && dst.pitch < bytes, cudaErrorInvalidPitchValue,
                    "the second argument, dpitch, is %zu bytes from row to row, and a row has %zu", dst.pitch, bytes);
    status = REFUSE(&e, status, rows > 1 && src.pitch < bytes, cudaErrorInvalidPitchValue,
                    "the fourth argument, spitch, is %zu bytes from row to row, and a row has %zu", src.pitch, bytes);
    if (status == cudaSuccess)
        status = stream_find(&e, stream);
    if (status == cudaSuccess && (bytes == 0 || rows == 0)) {
        e.call.kind = CALL_OTHER;
        return api_finish(&e, cudaSuccess);
    }
    e.call.flags = flags;
    e.call.dst = (uint64_t)(uintptr_t)dst.at;
    e.call.src = (uint64_t)(uintptr_t)src.at;
    e.call.bytes = bytes * rows;
    call_set_rows(&e.call, rows, dst.pitch, src.pitch);
    e.call.dst_kind = memory_kind_of(dst.at, extent(dst.pitch, bytes, rows));
    e.call.src_kind = memory_kind_of(src.at, extent(src.pitch, bytes, rows));
    if (status == cudaSuccess &&
        (e.call.dst_kind == MEM_NONE || e.call.src_kind == MEM_NONE || !copy_fits(direction, &e.call)))
        status = copy_refused(&e.call, direction, names[0], extent(dst.pitch, bytes, rows), names[1], extent(src.pitch, bytes, rows));
    struct effect *effect = NULL;
    if (status == cudaSuccess)
        peer_complete(&e.call);
    if (status == cudaSuccess)
        effect = effect_new(&(struct effect){
            .kind = EFFECT_COPY, .dst = dst.at, .dst_pitch = dst.pitch, .src = src.at, .src_pitch = src.pitch,
            .bytes = bytes, .rows = rows, .stage = e.call.src_kind == MEM_PAGEABLE && !on_host(e.call.dst_kind) });
    return api_close(&e, api_make(&e, status, effect));
}

cudaError_t copy_bytes(const char *name, void *dst, const void *src, size_t bytes, enum cudaMemcpyKind direction,
                       cudaStream_t stream, uint32_t flags)
{
    const char *from = strstr(name, "Peer") ? "third argument, src" : "second argument, src";
    return copy(name, (struct area){ dst, bytes }, (struct area){ (void *)(uintptr_t)src, bytes }, bytes, 1,
                direction, stream, flags, (const char *const[]){ "first argument, dst", from });
}

cudaError_t cudaMemcpy(void *dst, const void *src, size_t bytes, enum cudaMemcpyKind kind)
{
    return copy_bytes("cudaMemcpy", dst, src, bytes, kind, NULL, 0);
}

cudaError_t cudaMemcpyAsync(void *dst, const void *src, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    return copy_bytes("cudaMemcpyAsync", dst, src, bytes, kind, stream, CALL_ASYNC);
}

static const char *const of_rows[] = { "first argument, dst", "third argument, src" };

cudaError_t cudaMemcpy2D(void *dst, size_t dst_pitch, const void *src, size_t src_pitch, size_t width, size_t height,
                         enum cudaMemcpyKind kind)
{
    return copy("cudaMemcpy2D", (struct area){ dst, dst_pitch }, (struct area){ (void *)(uintptr_t)src, src_pitch },
                width, height, kind, NULL, 0, of_rows);
}

cudaError_t cudaMemcpy2DAsync(void *dst, size_t dst_pitch, const void *src, size_t src_pitch, size_t width,
                              size_t height, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return copy("cudaMemcpy2DAsync", (struct area){ dst, dst_pitch },
                (struct area){ (void *)(uintptr_t)src, src_pitch }, width, height, kind, stream, CALL_ASYNC, of_rows);
}

/* ---- memsets ---- */

static cudaError_t set(const char *name, struct area dst, int value, size_t bytes, size_t rows, cudaStream_t stream,
                       uint32_t flags)
{
    struct api_call e;
    cudaError_t status = api_open(&e, CALL_SET, name);
    if (status == cudaSuccess)
        status = stream_find(&e, stream);
    if (status == cudaSuccess && (bytes == 0 || rows == 0)) {
        e.call.kind = CALL_OTHER;
        return api_finish(&e, cudaSuccess);
    }
    e.call.flags = flags;
    e.call.dst = (uint64_t)(uintptr_t)dst.at;
    e.call.bytes = bytes * rows;
    call_set_rows(&e.call, rows, dst.pitch, 0);
    e.call.dst_kind = memory_kind_of(dst.at, extent(dst.pitch, bytes, rows));
    status = REFUSE(&e, status, rows > 1 && dst.pitch < bytes, cudaErrorInvalidValue,
                    "the second argument, pitch, is %zu bytes from row to row, and a row has %zu", dst.pitch, bytes);
    status = REFUSE(&e, status, e.call.dst_kind == MEM_NONE, cudaErrorInvalidValue, "the first argument, devPtr, is %s; the memset needs %zu",
                    words_of_missing(dst.at, extent(dst.pitch, bytes, rows)).text, extent(dst.pitch, bytes, rows));
    status = REFUSE(&e, status, e.call.dst_kind == MEM_PAGEABLE, cudaErrorInvalidValue, "the first argument, devPtr, is %s",
                    words_of_memory(dst.at).text);
    status = REFUSE(&e, status, !peer_may_set(&e.call, stream_device(e.call.stream)), cudaErrorInvalidValue,
                    "the first argument, devPtr, is %s, which device %d, whose stream is to do it, may not reach",
                    words_of_memory(dst.at).text, stream_device(e.call.stream));
    struct effect *effect = NULL;
    if (status == cudaSuccess)
        peer_complete(&e.call);
    if (status == cudaSuccess)
        effect = effect_new(&(struct effect){ .kind = EFFECT_SET, .dst = dst.at, .dst_pitch = dst.pitch,
                                              .value = value, .bytes = bytes, .rows = rows });
    return api_close(&e, api_make(&e, status, effect));
}

cudaError_t cudaMemset(void *pointer, int value, size_t bytes)
{
    return set("cudaMemset", (struct area){ pointer, bytes }, value, bytes, 1, NULL, 0);
}

cudaError_t cudaMemsetAsync(void *pointer, int value, size_t bytes, cudaStream_t stream)
{
    return set("cudaMemsetAsync", (struct area){ pointer, bytes }, value, bytes, 1, stream, CALL_ASYNC);
}

cudaError_t cudaMemset2D(void *pointer, size_t pitch, int value, size_t width, size_t height)
{
    return set("cudaMemset2D", (struct area){ pointer, pitch }, value, width, height, NULL, 0);
}

cudaError_t cudaMemset2DAsync(void *pointer, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream)
{
    return set("cudaMemset2DAsync", (struct area){ pointer, pitch }, value, width, height, stream, CALL_ASYNC);
}

/* ---- copies between devices: whose memory it is, the addresses say ---- */

static cudaError_t copy_peer(const char *name, void *dst, int dst_device, const void *src, int src_device,
                             size_t bytes, cudaStream_t stream, uint32_t flags)
{
    if (is_device(dst_device) && is_device(src_device))
        return copy_bytes(name, dst, src, bytes, cudaMemcpyDeviceToDevice, stream, flags);
    struct api_call e;
    cudaError_t status = api_open(&e, CALL_OTHER, name);
    status = refuse_device(&e, status, dst_device, "second argument, dstDevice");
    return api_finish(&e, refuse_device(&e, status, src_device, "fourth argument, srcDevice"));
}

cudaError_t cudaMemcpyPeer(void *dst, int dst_device, const void *src, int src_device, size_t bytes)
{
    return copy_peer("cudaMemcpyPeer", dst, dst_device, src, src_device, bytes, NULL, 0);
}

cudaError_t cudaMemcpyPeerAsync(void *dst, int dst_device, const void *src, int src_device, size_t bytes,
                                cudaStream_t stream)
{
    return copy_peer("cudaMemcpyPeerAsync", dst, dst_device, src, src_device, bytes, stream, CALL_ASYNC);
}
