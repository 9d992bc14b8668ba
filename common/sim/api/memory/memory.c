/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "sim/api/memory/allocate.h"
#include "sim/api/memory/graph_memory_calls.h"

#include "sim/memory/because.h"
#include "sim/memory/managed_range.h"
#include "sim/memory/peer.h"
#include "sim/memory/pool.h"
#include "sim/memory/residency.h"
#include "sim/race/access.h"

/* ---- making ---- */

static bool has_room(enum memory_kind kind, size_t bytes, int device)
{
    size_t total = (size_t)sim.card->memory_mib << 20;
    return kind != MEM_DEVICE
           || (bytes <= total && allocation_total(MEM_DEVICE, device) <= total - bytes);
}

static cudaError_t no_room(struct api_call *e, enum memory_kind kind, size_t bytes, int device)
{
    if (kind != MEM_DEVICE)
        return because(&e->call, cudaErrorMemoryAllocation, "the host cannot give %s",
                       words_of_size(bytes).text);
    return because(&e->call, cudaErrorMemoryAllocation,
                   "%s are asked for; device %d has %zu in all, and %zu of them are in use",
                   words_of_size(bytes).text, device, (size_t)sim.card->memory_mib << 20,
                   allocation_total(MEM_DEVICE, device));
}

cudaError_t memory_make(struct api_call *e, cudaError_t status, enum memory_kind kind,
                        void **pointer, size_t bytes)
{
    status = refuse_null(e, status, pointer, "first argument, where the address goes");
    if (status != cudaSuccess)
        return api_finish(e, status);
    if (bytes == 0) {
        *pointer = NULL;
        e->call.kind = CALL_OTHER;
        return api_finish(e, cudaSuccess);
    }
    int device = e->thread->device;
    void *memory = has_room(kind, bytes, device) ? allocation_make(kind, bytes, device) : NULL;
    if (!memory)
        return api_finish(e, no_room(e, kind, bytes, device));
    *pointer = memory;
    if (kind == MEM_MANAGED)
        residency_add((uintptr_t)memory, bytes, false);
    access_new(memory, bytes);
    e->call.dst = (uint64_t)(uintptr_t)memory;
    e->call.bytes = bytes;
    e->call.dst_kind = kind;
    e->call.dst_device = kind == MEM_DEVICE ? (uint32_t)device : 0;
    return api_finish(e, cudaSuccess);
}

cudaError_t cudaMalloc(void **pointer, size_t bytes)
{
    struct api_call e;
    cudaError_t status = api_open(&e, CALL_MALLOC, "cudaMalloc");
    return memory_make(&e, status, MEM_DEVICE, pointer, bytes);
}

cudaError_t cudaMallocHost(void **pointer, size_t bytes)
{
    struct api_call e;
    cudaError_t status = api_open(&e, CALL_MALLOC, "cudaMallocHost");
    return memory_make(&e, status, MEM_PINNED, pointer, bytes);
}

cudaError_t cudaHostAlloc(void **pointer, size_t bytes, unsigned int flags)
{
    struct api_call e;
    cudaError_t status = api_open(&e, CALL_MALLOC, "cudaHostAlloc");
    const unsigned known = cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;
    status = REFUSE(&e, status, flags & ~known, cudaErrorInvalidValue,
                    "the third argument, flags, is %#x, which has a bit that is "
                    "not a flag of cudaHostAlloc",
                    flags);
    status = memory_make(&e, status, MEM_PINNED, pointer, bytes);
    if (status == cudaSuccess && bytes > 0)
        allocation_set_flags(*pointer, flags);
    return status;
}

/* Rows begin at multiples of this: documented to be the card's choice. */
enum { PITCH = 512 };

static cudaError_t make_rows(struct api_call *e, cudaError_t status, void **pointer, size_t *pitch,
                             size_t width, size_t rows)
{
    size_t row = (width + PITCH - 1) / PITCH * PITCH, bytes = 0;
    status = REFUSE(e, status, row < width || __builtin_mul_overflow(row, rows, &bytes),
                    cudaErrorMemoryAllocation, "%zu rows of %zu bytes are more than there can be",
                    rows, width);
    if (status != cudaSuccess)
        return api_finish(e, status);
    status = memory_make(e, status, MEM_DEVICE, pointer, bytes);
    if (status == cudaSuccess)
        *pitch = row;
    for (size_t i = 0; status == cudaSuccess && bytes > 0 && i < rows; i++)
        access_padding((char *)*pointer + i * row + width, row - width);
    return status;
}

cudaError_t cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height)
{
    struct api_call e;
    cudaError_t status = refuse_null(&e, api_open(&e, CALL_MALLOC, "cudaMallocPitch"), pitch,
                                     "second argument, pitch");
    return make_rows(&e, status, pointer, pitch, width, height);
}

cudaError_t cudaMalloc3D(struct cudaPitchedPtr *pitched, struct cudaExtent extent)
{
    struct api_call e;
    struct cudaPitchedPtr made = { .xsize = extent.width, .ysize = extent.height };
    size_t rows = 0;
    cudaError_t status = refuse_null(&e, api_open(&e, CALL_MALLOC, "cudaMalloc3D"), pitched,
                                     "first argument, pitchedDevPtr");
    status = REFUSE(&e, status, __builtin_mul_overflow(extent.height, extent.depth, &rows),
                    cudaErrorMemoryAllocation, "%zu slices of %zu rows are more than there can be",
                    extent.depth, extent.height);
    status = make_rows(&e, status, &made.ptr, &made.pitch, extent.width, rows);
    if (status == cudaSuccess)
        *pitched = made;
    return status;
}

cudaError_t cudaMallocManaged(void **pointer, size_t bytes, unsigned int flags)
{
    struct api_call e;
    cudaError_t status = api_open(&e, CALL_MALLOC, "cudaMallocManaged");
    status = REFUSE(&e, status, !sim.card->managed, cudaErrorNotSupported,
                    "this device has no managed memory");
    status = REFUSE(&e, status, bytes == 0, cudaErrorInvalidValue,
                    "the second argument, size, is 0, which cudaMallocManaged does not take");
    status = REFUSE(
        &e, status, flags != cudaMemAttachGlobal && flags != cudaMemAttachHost,
        cudaErrorInvalidValue,
        "the third argument, flags, is %#x; it may be cudaMemAttachGlobal or cudaMemAttachHost",
        flags);
    return memory_make(&e, status, MEM_MANAGED, pointer, bytes);
}

/* What is to be said of memory that cannot be pinned: a call of its own has pinned it. */
static const char *undoing(const struct allocation *a)
{
    return a && a->registered ? ": cudaHostUnregister undoes that" : "";
}

cudaError_t cudaHostRegister(void *pointer, size_t bytes, unsigned int flags)
{
    struct api_call e;
    cudaError_t status = api_open(&e, CALL_REGISTER, "cudaHostRegister");
    const unsigned known = cudaHostRegisterPortable | cudaHostRegisterMapped
                           | cudaHostRegisterIoMemory | cudaHostRegisterReadOnly;
    status = refuse_null(&e, status, pointer, "first argument, ptr");
    status =
        REFUSE(&e, status, bytes == 0, cudaErrorInvalidValue, "the second argument, size, is 0");
    status = REFUSE(
        &e, status, flags & ~known, cudaErrorInvalidValue,
        "the third argument, flags, is %#x, which has a bit that is not a flag of cudaHostRegister",
        flags);
    status =
        REFUSE(&e, status, !allocation_register(pointer, bytes, e.thread->device),
               cudaErrorHostMemoryAlreadyRegistered,
               "some of the %zu bytes from the first argument, ptr, on are pinned already (%s)%s",
               bytes, words_of_memory(pointer).text, undoing(allocation_find(pointer)));
    if (status == cudaSuccess) {
        allocation_set_flags(pointer, flags);
        e.call.dst = (uint64_t)(uintptr_t)pointer;
        e.call.bytes = bytes;
        e.call.dst_kind = MEM_PINNED;
    }
    return api_finish(&e, status);
}

/* ---- giving back: the device may use it until the call has waited for it ---- */

cudaError_t memory_give_back(struct api_call *e, const struct allocation *a)
{
    const void *at = (const void *)a->at;
    e->call.dst = a->at;
    e->call.bytes = a->bytes;
    e->call.dst_kind = a->kind;
    e->call.device = (uint32_t)a->device;       /* that one waits, whichever is current */
    e->call.dst_device = a->kind == MEM_DEVICE ? e->call.device : 0;
    bool kept = allocation_openings(a) > 0;
    cudaError_t status = api_make(e, cudaSuccess, NULL);
    if (kept) {                                 /* another process has it open [M] */
        allocation_set_freed(at);
        return api_close(e, status);
    }
    access_given_back(e->index);
    range_remove(at);
    residency_drop(a->at);
    allocation_drop(at);
    return api_close(e, status);
}

/* What begins at `pointer`; NULL if nothing does. */
static const struct allocation *allocation_at(const void *pointer)
{
    const struct allocation *a = allocation_find(pointer);
    return a && a->at == (uintptr_t)pointer ? a : NULL;
}

static cudaError_t not_to_be_freed(struct call *c, const void *pointer, bool host)
{
    const struct allocation *a = allocation_find(pointer);
    const struct words what = words_of_memory(pointer);
    if (a && a->at != (uintptr_t)pointer)
        return because(c, cudaErrorInvalidValue,
                       "the argument points %zu bytes into %s, and not to its beginning",
                       (size_t)((uintptr_t)pointer - a->at), what.text);
    if (a && a->registered)
        return because(c, cudaErrorInvalidValue,
                       "the argument is %s: cudaHostUnregister undoes that", what.text);
    if (a && (a->kind == MEM_PINNED) != host)
        return because(c, cudaErrorInvalidValue, "the argument is %s, which %s frees", what.text,
                       host ? "cudaFree" : "cudaFreeHost");
    if (pointer && memory_kind_of(pointer, 1) == MEM_PAGEABLE)
        return because(
            c, cudaErrorInvalidValue, "the argument is %s, and %s", what.text,
            host
                ? "cudaFreeHost takes back what cudaMallocHost or cudaHostAlloc gave"
                : "cudaFree takes back what cudaMalloc, cudaMallocManaged or cudaMallocAsync gave");
    return because(c, cudaErrorInvalidValue, "the argument is %s%s", what.text,
                   strstr(what.text, "cudaIpcOpenMemHandle")
                       ? ": cudaIpcCloseMemHandle closes it, and its own process frees it"
                       : "");
}

static cudaError_t free_kind(const char *name, void *pointer, bool host)
{
    struct api_call e;
    cudaError_t status = api_open(&e, CALL_FREE, name);
    const struct allocation *a = allocation_at(pointer);
    if (status == cudaSuccess && !host && a && pool_owns(pointer))
        return pool_free_now(&e, pointer);
    struct graph_memory *m = host ? NULL : graph_memory_find(pointer);
    if (status == cudaSuccess && m)
        return graph_memory_free_now(&e, m);
    if (status == cudaSuccess && pointer && a && !a->registered && (a->kind == MEM_PINNED) == host
        && a->process == e.thread->process && !a->freed)
        return memory_give_back(&e, a);
    e.call.kind = CALL_OTHER;
    return api_finish(&e, status == cudaSuccess && pointer ? not_to_be_freed(&e.call, pointer, host)
                                                           : status);
}

cudaError_t cudaFree(void *pointer)
{
    return free_kind("cudaFree", pointer, false);
}

cudaError_t cudaFreeHost(void *pointer)
{
    return free_kind("cudaFreeHost", pointer, true);
}

cudaError_t cudaHostUnregister(void *pointer)
{
    struct api_call e;
    cudaError_t status = api_open(&e, CALL_UNREGISTER, "cudaHostUnregister");
    const struct allocation *a = allocation_at(pointer);
    if (status == cudaSuccess && a && a->registered)
        return memory_give_back(&e, a);
    status = refuse_null(&e, status, pointer, "argument, ptr");
    status = REFUSE(&e, status, true, cudaErrorHostMemoryNotRegistered,
                    "the argument, ptr, is %s, and not the beginning of what "
                    "cudaHostRegister has pinned",
                    words_of_memory(pointer).text);
    return api_finish(&e, status);
}

/* ---- questions ---- */

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *pointer)
{
    static const enum cudaMemoryType types[] = {
        [MEM_PINNED] = cudaMemoryTypeHost, [MEM_DEVICE] = cudaMemoryTypeDevice,
        [MEM_MANAGED] = cudaMemoryTypeManaged,
    };
    struct api_call e;
    cudaError_t status = api_open(&e, CALL_OTHER, "cudaPointerGetAttributes");
    status = refuse_null(&e, status, attributes, "first argument, attributes");
    if (status == cudaSuccess) {
        enum cudaMemoryType type = types[peer_kind_of(pointer, 1)];
        const struct allocation *a =
            type == cudaMemoryTypeUnregistered ? NULL : allocation_find(pointer);
        void *address = (void *)(uintptr_t)pointer;
        bool reached = !a || peer_reach(e.thread->device, a) != cudaMemAccessFlagsProtNone;
        *attributes = (struct cudaPointerAttributes){
            .type = type, .device = type == cudaMemoryTypeUnregistered ? -2 : a ? a->device : e.thread->device,
            .devicePointer = type == cudaMemoryTypeUnregistered || !reached ? NULL : address,
             /* [H] */
            .hostPointer = type == cudaMemoryTypeDevice ? NULL : address,
        };
    }
    return api_finish(&e, status);
}

/* Pinned memory has one address for both sides. */
cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned int flags)
{
    struct api_call e;
    cudaError_t status = api_open(&e, CALL_OTHER, "cudaHostGetDevicePointer");
    const struct allocation *a = allocation_find(host);
    status = refuse_null(&e, status, device, "first argument, pDevice");
    status = REFUSE(&e, status, flags != 0, cudaErrorInvalidValue,
                    "the third argument, flags, is %#x and must be 0", flags);
    status = REFUSE(&e, status, !a || a->kind != MEM_PINNED, cudaErrorInvalidValue,
                    "the second argument, pHost, is %s; pinned host memory is needed",
                    words_of_memory(host).text);
    if (status == cudaSuccess)
        *device = host;
    return api_finish(&e, status);
}

/* With unified addresses all pinned memory is mapped, asked for or not. */
cudaError_t cudaHostGetFlags(unsigned int *flags, void *host)
{
    struct api_call e;
    cudaError_t status = api_open(&e, CALL_OTHER, "cudaHostGetFlags");
    const struct allocation *a = allocation_at(host);
    status = refuse_null(&e, status, flags, "first argument, pFlags");
    status = REFUSE(
        &e, status, !a || a->kind != MEM_PINNED || a->registered, cudaErrorInvalidValue,
        "the second argument, pHost, is %s; the beginning of what cudaHostAlloc or cudaMallocHost gave is needed",
        words_of_memory(host).text);
    if (status == cudaSuccess)
        *flags = a->flags | cudaHostAllocMapped;
    return api_finish(&e, status);
}
