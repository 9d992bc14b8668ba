/* SPDX-License-Identifier: MIT */
#include "graph_parts.h"

#include <string.h>

#include "allocation.h"
#include "call_log.h"
#include "copy.h"
#include "kernel_table.h"
#include "peer.h"

static const char parameters[] = "pointer to the node's parameters, pNodeParams";

static struct parts begin_parts(const struct entry *e, enum cudaGraphNodeType type, enum call_kind kind)
{
    struct parts p = { .type = type, .call = e->call };
    p.call.kind = kind;
    return p;
}

cudaError_t parts_of_kernel(struct entry *e, const struct cudaKernelNodeParams *params, struct parts *p)
{
    struct sim_kernel kernel;
    cudaError_t status = refuse_null(e, cudaSuccess, params, parameters);
    status = REFUSE(e, status, params->extra, cudaErrorInvalidValue, "the parameters have `extra`; only kernelParams are known here");
    status = REFUSE(e, status, !kernel_entry_at(params->func), cudaErrorInvalidDeviceFunction, "the parameters' func is no kernel");
    struct kernel_entry *entry = status == cudaSuccess ? kernel_entry_at(params->func) : NULL;
    if (status == cudaSuccess)
        status = launch_check(&e->call, params->gridDim, params->blockDim, params->sharedMemBytes, entry);
    status = REFUSE(e, status, !kernel_bind(params->func, params->kernelParams, &kernel), cudaErrorInvalidValue,
                    "the parameters' kernelParams is NULL, and the kernel has parameters");
    if (status != cudaSuccess)
        return status;
    *p = begin_parts(e, cudaGraphNodeTypeKernel, CALL_LAUNCH);
    p->call.name = call_string(kernel.name);
    memcpy(p->call.grid, &params->gridDim, sizeof p->call.grid);
    memcpy(p->call.block, &params->blockDim, sizeof p->call.block);
    p->call.shared = params->sharedMemBytes;
    p->effect = effect_new(&(struct effect){ .kind = EFFECT_KERNEL, .kernel = kernel, .grid = params->gridDim,
                                             .block = params->blockDim, .shared = params->sharedMemBytes });
    if (kernel_loads_now(entry, e->thread->device))
        e->call.flags |= LAUNCH_LOADS;
    return cudaSuccess;
}

/* From the first to the last byte of `rows` rows; 0: more than there can be. */
static size_t extent_of_rows(size_t pitch, size_t bytes, size_t rows)
{
    size_t before, all;
    bool fits = !__builtin_mul_overflow(rows - 1, pitch, &before) && !__builtin_add_overflow(before, bytes, &all);
    return fits ? all : 0;
}

static enum memory_kind kind_of(const void *at, size_t pitch, size_t bytes, size_t rows)
{
    size_t all = extent_of_rows(pitch, bytes, rows);
    return all > 0 && (rows == 1 || pitch >= bytes) ? memory_kind_of(at, all) : MEM_NONE;
}

static cudaError_t parts_of_rows(struct entry *e, char *dst, size_t dst_pitch, const char *src, size_t src_pitch,
                                 size_t bytes, size_t rows, enum cudaMemcpyKind kind, struct parts *p)
{
    cudaError_t status = REFUSE(e, cudaSuccess, (unsigned)kind > cudaMemcpyDefault, cudaErrorInvalidMemcpyDirection,
                                "the direction, kind, is %d, which is none", (int)kind);
    status = REFUSE(e, status, bytes == 0 || rows == 0, cudaErrorInvalidValue, "a node that copies 0 bytes cannot be");
    status = REFUSE(e, status, rows > 1 && (dst_pitch < bytes || src_pitch < bytes), cudaErrorInvalidValue,
                    "from row to row it is %zu bytes at dst and %zu at src, and a row has %zu", dst_pitch, src_pitch, bytes);
    if (status != cudaSuccess)
        return status;
    *p = begin_parts(e, cudaGraphNodeTypeMemcpy, CALL_COPY);
    p->call.flags = CALL_ASYNC;
    p->call.dst = (uint64_t)(uintptr_t)dst;
    p->call.src = (uint64_t)(uintptr_t)src;
    p->call.bytes = bytes * rows;
    call_set_rows(&p->call, rows, dst_pitch, src_pitch);
    p->call.dst_kind = kind_of(dst, dst_pitch, bytes, rows);
    p->call.src_kind = kind_of(src, src_pitch, bytes, rows);
    if (p->call.dst_kind == MEM_NONE || p->call.src_kind == MEM_NONE || !copy_fits(kind, &p->call)) {
        size_t to = extent_of_rows(dst_pitch, bytes, rows), from = extent_of_rows(src_pitch, bytes, rows);
        status = copy_refused(&p->call, kind, "node's dst", to > 0 ? to : SIZE_MAX, "node's src", from > 0 ? from : SIZE_MAX);
        e->call.message = p->call.message;
        return status;
    }
    peer_complete(&p->call);
    p->effect = effect_new(&(struct effect){ .kind = EFFECT_COPY, .dst = dst, .dst_pitch = dst_pitch, .src = src,
                                             .src_pitch = src_pitch, .bytes = bytes, .rows = rows });
    return cudaSuccess;
}

cudaError_t parts_of_bytes(struct entry *e, void *dst, const void *src, size_t bytes, enum cudaMemcpyKind kind,
                           struct parts *p)
{
    return parts_of_rows(e, dst, bytes, src, bytes, bytes, 1, kind, p);
}

static char *corner(const struct cudaPitchedPtr *p, const struct cudaPos *at)
{
    return (char *)p->ptr + at->x + p->pitch * (at->y + p->ysize * at->z);
}

/* One plane, or whole planes one after the other. */
cudaError_t parts_of_copy(struct entry *e, const struct cudaMemcpy3DParms *params, struct parts *p)
{
    cudaError_t status = refuse_null(e, cudaSuccess, params, parameters);
    status = REFUSE(e, status, params->srcArray || params->dstArray, cudaErrorInvalidValue, "the parameters have an array; only pointers are known here");
    status = REFUSE(e, status, !params->srcPtr.ptr, cudaErrorInvalidValue, "the parameters' srcPtr.ptr is NULL");
    status = REFUSE(e, status, !params->dstPtr.ptr, cudaErrorInvalidValue, "the parameters' dstPtr.ptr is NULL");
    if (status != cudaSuccess)
        return status;
    const struct cudaExtent *size = &params->extent;
    bool whole = params->srcPtr.ysize == size->height && params->dstPtr.ysize == size->height;
    if (size->depth > 1 && !whole)
        return because(&e->call, cudaErrorInvalidValue, "the copy has several planes, and takes only part of each: that is not known here");
    return parts_of_rows(e, corner(&params->dstPtr, &params->dstPos), params->dstPtr.pitch,
                         corner(&params->srcPtr, &params->srcPos), params->srcPtr.pitch, size->width,
                         size->height * size->depth, params->kind, p);
}

cudaError_t parts_of_set(struct entry *e, const struct cudaMemsetParams *params, struct parts *p)
{
    cudaError_t status = refuse_null(e, cudaSuccess, params, parameters);
    status = REFUSE(e, status, params->elementSize != 1 && params->elementSize != 2 && params->elementSize != 4, cudaErrorInvalidValue,
                    "the parameters' elementSize is %u; it may be 1, 2 or 4", params->elementSize);
    size_t bytes = 0, rows = status == cudaSuccess ? params->height : 0;
    status = REFUSE(e, status, __builtin_mul_overflow(params->width, params->elementSize, &bytes), cudaErrorInvalidValue,
                    "the parameters' width is more than there can be");
    status = REFUSE(e, status, bytes == 0 || rows == 0, cudaErrorInvalidValue, "a node that sets 0 bytes cannot be");
    status = REFUSE(e, status, rows > 1 && params->pitch < bytes, cudaErrorInvalidValue,
                    "the parameters' pitch is %zu bytes from row to row, and a row has %zu", params->pitch, bytes);
    if (status != cudaSuccess)
        return status;
    *p = begin_parts(e, cudaGraphNodeTypeMemset, CALL_SET);
    p->call.flags = CALL_ASYNC;
    p->call.dst = (uint64_t)(uintptr_t)params->dst;
    p->call.bytes = bytes * rows;
    call_set_rows(&p->call, rows, params->pitch, 0);
    p->call.dst_kind = kind_of(params->dst, params->pitch, bytes, rows);
    if (p->call.dst_kind == MEM_NONE || p->call.dst_kind == MEM_PAGEABLE) {
        const struct words missing = words_of_missing(params->dst, extent_of_rows(params->pitch, bytes, rows));
        return because(&e->call, cudaErrorInvalidValue, "the parameters' dst is %s", missing.text[0] ? missing.text : words_of_memory(params->dst).text);
    }
    p->effect = effect_new(&(struct effect){ .kind = EFFECT_SET, .dst = params->dst, .dst_pitch = params->pitch,
                                             .value = (int)params->value, .element = params->elementSize,
                                             .bytes = bytes, .rows = rows });
    return cudaSuccess;
}

cudaError_t parts_of_function(struct entry *e, const struct cudaHostNodeParams *params, struct parts *p)
{
    cudaError_t status = refuse_null(e, cudaSuccess, params, parameters);
    status = REFUSE(e, status, !params->fn, cudaErrorInvalidValue, "the parameters' fn is NULL");
    if (status != cudaSuccess)
        return status;
    *p = begin_parts(e, cudaGraphNodeTypeHost, CALL_HOST_FUNC);
    p->effect = effect_new(&(struct effect){ .kind = EFFECT_FUNCTION, .function = params->fn,
                                             .data = params->userData });
    return cudaSuccess;
}
