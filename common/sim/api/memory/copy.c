/* SPDX-License-Identifier: MIT */
#include "sim/api/memory/copy.h"

#include "sim/api/api_call.h"
#include "sim/api/stream.h"
#include "sim/kernel/effect.h"
#include "sim/memory/because.h"
#include "sim/memory/peer.h"

static bool on_host(uint32_t kind)
{
    return kind == MEM_PAGEABLE || kind == MEM_PINNED;
}

static bool is_from_host(enum cudaMemcpyKind direction)
{
    return direction == cudaMemcpyHostToHost || direction == cudaMemcpyHostToDevice;
}

static bool is_to_host(enum cudaMemcpyKind direction)
{
    return direction == cudaMemcpyHostToHost || direction == cudaMemcpyDeviceToHost;
}

/* A card looks at the direction where one side is ordinary memory of the host, which it does not
 * know. Of all other memory the address says where it is. */
static bool copy_fits(enum cudaMemcpyKind direction, const struct call *c)
{
    return direction == cudaMemcpyDefault
           || ((c->dst_kind != MEM_PAGEABLE || is_to_host(direction))
               && (c->src_kind != MEM_PAGEABLE || is_from_host(direction)));
}

/* Does the direction say what is not so? Managed and pinned memory can be reached from both sides.
 * The reference calls such a copy undefined; a card makes it. */
static bool is_contrary(enum cudaMemcpyKind direction, const struct call *c)
{
    return direction != cudaMemcpyDefault
           && ((c->dst_kind == MEM_DEVICE && is_to_host(direction))
               || (c->src_kind == MEM_DEVICE && is_from_host(direction)));
}

static const char *const directions[] = {
    "cudaMemcpyHostToHost", "cudaMemcpyHostToDevice", "cudaMemcpyDeviceToHost",
    "cudaMemcpyDeviceToDevice", "cudaMemcpyDefault",
};

const char *copy_direction(enum cudaMemcpyKind direction)
{
    return directions[direction];
}

static struct words words_of_side(uint64_t address)
{
    return words_of_memory((const void *)(uintptr_t)address);
}

/* The error of a copy whose memory is not there, or lies elsewhere than the direction says: dst and
 * src are the arguments that `dst` and `src` name, and have that many bytes from the first to the
 * last. */
static cudaError_t copy_refused(struct call *c, enum cudaMemcpyKind direction, const char *dst,
                                size_t dst_bytes, const char *src, size_t src_bytes)
{
    const uint64_t at[] = { c->dst, c->src };
    const size_t bytes[] = { dst_bytes, src_bytes };
    const char *const names[] = { dst, src };
    for (int k = 0; k < 2; k++) {
        const struct words missing = words_of_missing((const void *)(uintptr_t)at[k], bytes[k]);
        if (missing.text[0] && bytes[k] != SIZE_MAX)
            return because(c, cudaErrorInvalidValue, "the %s, is %s; the copy needs %s",
                           names[k], missing.text, words_of_size(bytes[k]).text);
        if (missing.text[0])
            return because(c, cudaErrorInvalidValue,
                           "the %s, would have to have more bytes than there can be", names[k]);
    }
    struct call swapped = *c;
    swapped.dst_kind = c->src_kind;
    swapped.src_kind = c->dst_kind;
    return because(c, cudaErrorInvalidValue,
                   "the direction is %s, but the %s, is %.110s and the %s, is %.110s%s",
                   directions[direction], dst, words_of_side(c->dst).text, src,
                   words_of_side(c->src).text,
                   copy_fits(direction, &swapped) ? ": are they swapped?" : "");
}

/* So many bytes lie from the first to the last; SIZE_MAX: more than there can be. */
static size_t extent(const struct area *a, const struct box *box)
{
    size_t rows, before, all;
    if (__builtin_mul_overflow(box->slices - 1, a->height, &rows)
        || __builtin_add_overflow(rows, box->rows - 1, &rows)
        || __builtin_mul_overflow(rows, a->pitch, &before)
        || __builtin_add_overflow(before, box->bytes, &all))
        return SIZE_MAX;
    return all;
}

static bool is_empty(const struct box *box)
{
    return box->bytes == 0 || box->rows == 0 || box->slices == 0;
}

static size_t rows_in_all(const struct box *box)
{
    size_t rows;
    return __builtin_mul_overflow(box->rows, box->slices, &rows) || rows > UINT32_MAX ? SIZE_MAX
                                                                                      : rows;
}

/* Rows wider than their pitch, slices that overlap, more of both than there can be. */
static cudaError_t refuse_shape(struct api_call *e, cudaError_t status, const struct area *a,
                                const struct box *box, const char *pitch, cudaError_t too_wide)
{
    status = REFUSE(e, status, rows_in_all(box) > 1 && a->pitch < box->bytes, too_wide,
                    "the %s, is %zu bytes from row to row, and a row has %zu", pitch, a->pitch,
                    box->bytes);
    status = REFUSE(e, status, box->slices > 1 && a->height < box->rows, cudaErrorInvalidValue,
                    "a slice has %zu rows in memory (ysize), and %zu are asked for", a->height,
                    box->rows);
    return REFUSE(e, status, rows_in_all(box) == SIZE_MAX, cudaErrorInvalidValue,
                  "%zu slices of %zu rows are more than there can be", box->slices, box->rows);
}

/* Whose memory it is the addresses say: the copy is made all the same, as far as is known. */
static bool is_misnamed(const struct call *call, const struct copied *c)
{
    return c->names_devices
           && ((call->dst_kind == MEM_DEVICE && call->dst_device != (uint32_t)c->dst_device)
               || (call->src_kind == MEM_DEVICE && call->src_device != (uint32_t)c->src_device));
}

cudaError_t copy_box(struct api_call *e, cudaError_t status, const struct copied *c,
                     struct effect **effect)
{
    const struct area *dst = &c->dst, *src = &c->src;
    const struct box *box = &c->box;
    status = REFUSE(e, status, (unsigned)c->direction > cudaMemcpyDefault,
                    cudaErrorInvalidMemcpyDirection,
                    "the direction, kind, is %d, which is not a valid one", (int)c->direction);
    if (is_empty(box))
        return status;
    status = refuse_shape(e, status, dst, box, c->names->dst_pitch, cudaErrorInvalidPitchValue);
    status = refuse_shape(e, status, src, box, c->names->src_pitch, cudaErrorInvalidPitchValue);
    if (status != cudaSuccess)
        return status;
    size_t rows = rows_in_all(box), dst_bytes = extent(dst, box), src_bytes = extent(src, box);
    struct call *call = &e->call;
    call->dst = (uint64_t)(uintptr_t)dst->at;
    call->src = (uint64_t)(uintptr_t)src->at;
    call->bytes = box->bytes * rows;
    call_set_rows(call, rows, dst->pitch, src->pitch);
    call_set_slices(call, box->rows, dst->height, src->height);
    call->dst_kind = peer_kind_of(dst->at, dst_bytes);
    call->src_kind = peer_kind_of(src->at, src_bytes);
    if (call->dst_kind == MEM_NONE || call->src_kind == MEM_NONE || !copy_fits(c->direction, call))
        return copy_refused(call, c->direction, c->names->dst, dst_bytes, c->names->src, src_bytes);
    peer_complete(call);
    if (is_misnamed(call, c))
        call->flags |= COPY_MISNAMED;
    if (is_contrary(c->direction, call)) {
        call->flags |= COPY_CONTRARY;
        because(call, cudaSuccess,
                "the direction is %s, but the %s, is %.110s and the %s, is %.110s",
                directions[c->direction], c->names->dst, words_of_side(call->dst).text,
                c->names->src, words_of_side(call->src).text);
        api_contrary(e);
    }
    *effect = effect_new(&(struct effect){
        .kind = EFFECT_COPY, .dst = dst->at, .dst_pitch = dst->pitch, .src = src->at,
        .src_pitch = src->pitch, .bytes = box->bytes, .rows = rows, .slice = call->slice_rows,
        .dst_height = dst->height, .src_height = src->height,
        .stage = call->src_kind == MEM_PAGEABLE && !on_host(call->dst_kind) });
    return cudaSuccess;
}

cudaError_t copy_make(struct api_call *e, cudaError_t status, const struct copied *c,
                      cudaStream_t stream, uint32_t flags)
{
    struct effect *effect = NULL;
    if (status == cudaSuccess)
        status = stream_find(e, stream);
    e->call.flags = flags;
    status = copy_box(e, status, c, &effect);
    if (status == cudaSuccess && is_empty(&c->box)) {
        e->call.flags = 0;
        e->call.kind = CALL_OTHER;
    }
    return api_close(e, api_make(e, status, effect));
}

static cudaError_t copy(const char *name, struct area dst, struct area src, size_t bytes,
                        size_t rows, enum cudaMemcpyKind direction, cudaStream_t stream,
                        uint32_t flags, const struct copy_names *names)
{
    struct api_call e;
    cudaError_t status = api_open(&e, CALL_COPY, name);
    return copy_make(&e, status,
                     &(struct copied){ .dst = dst, .src = src, .box = { bytes, rows, 1 },
                                       .direction = direction, .names = names },
                     stream, flags);
}

cudaError_t copy_bytes(const char *name, void *dst, const void *src, size_t bytes,
                       enum cudaMemcpyKind direction, cudaStream_t stream, uint32_t flags)
{
    return copy(name, (struct area){ dst, bytes, 1 },
                (struct area){ (void *)(uintptr_t)src, bytes, 1 }, bytes, 1, direction, stream,
                flags,
                &(struct copy_names){ "first argument, dst", "second argument, src", "", "" });
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

/* In the order of the list, though CUDA promises none. The hints concern speed alone. */
cudaError_t cudaMemcpyBatchAsync(const void **dsts, const void **srcs, const size_t *sizes,
                                 size_t count, struct cudaMemcpyAttributes *attributes,
                                 size_t *first, size_t attribute_count, cudaStream_t stream)
{
    static const char name[] = "cudaMemcpyBatchAsync";
    struct api_call e;
    cudaError_t status = api_open(&e, CALL_OTHER, name);
    status = REFUSE(&e, status, !dsts || !srcs || !sizes || count == 0, cudaErrorInvalidValue,
                    "one of the arguments dsts, srcs and sizes is NULL, or count is 0");
    status = REFUSE(
        &e, status,
        !attributes || !first || attribute_count == 0 || attribute_count > count || first[0] != 0,
        cudaErrorInvalidValue,
        "there has to be an attribute for the first copy: attrs, attrsIdxs with 0 in front, and numAttrs from 1 to count");
    for (size_t i = 0; status == cudaSuccess && i < attribute_count; i++)
        status = REFUSE(&e, status,
                        attributes[i].srcAccessOrder < cudaMemcpySrcAccessOrderStream
                            || attributes[i].srcAccessOrder > cudaMemcpySrcAccessOrderAny,
                        cudaErrorInvalidValue,
                        "attrs[%zu].srcAccessOrder is %d, which is not one of the orders", i,
                        (int)attributes[i].srcAccessOrder);
    status = status == cudaSuccess ? stream_find(&e, stream) : status;
    status = REFUSE(&e, status, stream_is_legacy(e.call.stream), cudaErrorInvalidValue,
                    "the stream is the legacy default stream, which takes no batches"); /* [H] */
    if (status != cudaSuccess)
        return api_finish(&e, status);
    struct call from = e.call;
    api_close(&e, status);
    for (size_t i = 0; status == cudaSuccess && i < count; i++) {
        sim_call_site(timeline_string(&sim.timeline, from.file), (int)from.line,
                      SIM_ZERO_IS_PER_THREAD);
        status = copy_bytes(name, (void *)(uintptr_t)dsts[i], srcs[i], sizes[i], cudaMemcpyDefault,
                            stream, CALL_ASYNC);
    }
    return status;
}

static const struct copy_names of_rows = { "first argument, dst", "third argument, src",
                                           "second argument, dpitch", "fourth argument, spitch" };

cudaError_t cudaMemcpy2D(void *dst, size_t dst_pitch, const void *src, size_t src_pitch,
                         size_t width, size_t height, enum cudaMemcpyKind kind)
{
    return copy("cudaMemcpy2D", (struct area){ dst, dst_pitch, height },
                (struct area){ (void *)(uintptr_t)src, src_pitch, height }, width, height, kind,
                NULL, 0, &of_rows);
}

cudaError_t cudaMemcpy2DAsync(void *dst, size_t dst_pitch, const void *src, size_t src_pitch,
                              size_t width, size_t height, enum cudaMemcpyKind kind,
                              cudaStream_t stream)
{
    return copy("cudaMemcpy2DAsync", (struct area){ dst, dst_pitch, height },
                (struct area){ (void *)(uintptr_t)src, src_pitch, height }, width, height, kind,
                stream, CALL_ASYNC, &of_rows);
}

/* ---- memsets ---- */

/* For set() alone: what is set is given as a cudaPitchedPtr. */
enum { OF_SLICES = 1 << 30 };

static cudaError_t set_elements(const char *name, struct area dst, struct box box, int value,
                                cudaStream_t stream, uint32_t flags, unsigned element)
{
    struct api_call e;
    cudaError_t status = api_open(&e, CALL_SET, name);
    if (status == cudaSuccess)
        status = stream_find(&e, stream);
    if (status == cudaSuccess && is_empty(&box)) {
        e.call.kind = CALL_OTHER;
        return api_finish(&e, cudaSuccess);
    }
    status = refuse_shape(&e, status, &dst, &box,
                          flags & OF_SLICES ? "first argument's pitch" : "second argument, pitch",
                          cudaErrorInvalidValue);
    size_t rows = rows_in_all(&box), bytes = extent(&dst, &box);
    const char *pointer = flags & OF_SLICES ? "first argument's ptr" : "first argument, devPtr";
    e.call.flags = flags & CALL_ASYNC;
    e.call.dst = (uint64_t)(uintptr_t)dst.at;
    e.call.bytes = box.bytes * rows;
    call_set_rows(&e.call, rows, dst.pitch, 0);
    call_set_slices(&e.call, box.rows, dst.height, box.rows);
    e.call.dst_kind = peer_kind_of(dst.at, bytes);
    status = REFUSE(&e, status, e.call.dst_kind == MEM_NONE, cudaErrorInvalidValue,
                    "the %s, is %s; the memset needs %s", pointer,
                    words_of_missing(dst.at, bytes).text, words_of_size(bytes).text);
    status = REFUSE(&e, status, e.call.dst_kind == MEM_PAGEABLE, cudaErrorInvalidValue,
                    "the %s, is %s", pointer, words_of_memory(dst.at).text);
    status = REFUSE(&e, status, !peer_may_set(&e.call, stream_device(e.call.stream)),
                    cudaErrorInvalidValue,
                    "the %s, is %s, which device %d, whose stream is to do it, may not reach",
                    pointer, words_of_memory(dst.at).text, stream_device(e.call.stream));
    struct effect *effect = NULL;
    if (status == cudaSuccess)
        peer_complete(&e.call);
    if (status == cudaSuccess)
        effect = effect_new(&(struct effect){ .kind = EFFECT_SET,
                                              .dst = dst.at,
                                              .dst_pitch = dst.pitch,
                                              .value = value,
                                              .element = element,
                                              .bytes = box.bytes,
                                              .rows = rows,
                                              .slice = e.call.slice_rows,
                                              .dst_height = dst.height });
    return api_close(&e, api_make(&e, status, effect));
}

static cudaError_t set(const char *name, struct area dst, struct box box, int value,
                       cudaStream_t stream, uint32_t flags)
{
    return set_elements(name, dst, box, value, stream, flags, 1);
}

/* For the driver API, in which words have a value (cuda.h). */
VISIBLE cudaError_t sim_set_words(const char *name, void *at, unsigned int value,
                                  unsigned int bytes, size_t count, cudaStream_t stream, int async)
{
    size_t all = count < SIZE_MAX / bytes ? count * bytes : SIZE_MAX;
    return set_elements(name, (struct area){ at, all, 1 }, (struct box){ all, 1, 1 }, (int)value,
                        stream, async ? CALL_ASYNC : 0, bytes);
}

cudaError_t cudaMemset(void *pointer, int value, size_t bytes)
{
    return set("cudaMemset", (struct area){ pointer, bytes, 1 }, (struct box){ bytes, 1, 1 }, value,
               NULL, 0);
}

cudaError_t cudaMemsetAsync(void *pointer, int value, size_t bytes, cudaStream_t stream)
{
    return set("cudaMemsetAsync", (struct area){ pointer, bytes, 1 }, (struct box){ bytes, 1, 1 },
               value, stream, CALL_ASYNC);
}

cudaError_t cudaMemset2D(void *pointer, size_t pitch, int value, size_t width, size_t height)
{
    return set("cudaMemset2D", (struct area){ pointer, pitch, height },
               (struct box){ width, height, 1 }, value, NULL, 0);
}

cudaError_t cudaMemset2DAsync(void *pointer, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream)
{
    return set("cudaMemset2DAsync", (struct area){ pointer, pitch, height },
               (struct box){ width, height, 1 }, value, stream, CALL_ASYNC);
}

cudaError_t cudaMemset3D(struct cudaPitchedPtr to, int value, struct cudaExtent extent)
{
    return set("cudaMemset3D", (struct area){ to.ptr, to.pitch, to.ysize },
               (struct box){ extent.width, extent.height, extent.depth }, value, NULL, OF_SLICES);
}

cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr to, int value, struct cudaExtent extent,
                              cudaStream_t stream)
{
    return set("cudaMemset3DAsync", (struct area){ to.ptr, to.pitch, to.ysize },
               (struct box){ extent.width, extent.height, extent.depth }, value, stream,
               CALL_ASYNC | OF_SLICES);
}

/* ---- copies between devices: whose memory it is, the addresses say ---- */

static cudaError_t copy_peer(const char *name, void *dst, int dst_device, const void *src,
                             int src_device, size_t bytes, cudaStream_t stream, uint32_t flags)
{
    static const struct copy_names names = { "first argument, dst", "third argument, src", "", "" };
    struct api_call e;
    if (is_device(dst_device) && is_device(src_device))
        return copy_make(&e, api_open(&e, CALL_COPY, name),
                         &(struct copied){ .dst = { dst, bytes, 1 },
                                           .src = { (void *)(uintptr_t)src, bytes, 1 },
                                           .box = { bytes, 1, 1 },
                                           .direction = cudaMemcpyDeviceToDevice, .names = &names,
                                           .names_devices = true, .dst_device = dst_device,
                                           .src_device = src_device },
                         stream, flags);
    cudaError_t status = api_open(&e, CALL_OTHER, name);
    status = refuse_device(&e, status, dst_device, "second argument, dstDevice");
    return api_finish(&e, refuse_device(&e, status, src_device, "fourth argument, srcDevice"));
}

cudaError_t cudaMemcpyPeer(void *dst, int dst_device, const void *src, int src_device, size_t bytes)
{
    return copy_peer("cudaMemcpyPeer", dst, dst_device, src, src_device, bytes, NULL, 0);
}

cudaError_t cudaMemcpyPeerAsync(void *dst, int dst_device, const void *src, int src_device,
                                size_t bytes, cudaStream_t stream)
{
    return copy_peer("cudaMemcpyPeerAsync", dst, dst_device, src, src_device, bytes, stream,
                     CALL_ASYNC);
}
