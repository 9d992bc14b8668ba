/* SPDX-License-Identifier: MIT */
#include "sim/api/memory/allocate.h"
#include "sim/api/memory/array_area.h"
#include "sim/kernel/kernel.h"
#include "sim/memory/because.h"

/* ---- arrays come and go ---- */

static cudaError_t make_array(const char *name, cudaArray_t *array,
                              const struct cudaChannelFormatDesc *format, struct cudaExtent asked,
                              unsigned flags)
{
    struct api_call e;
    cudaError_t status =
        refuse_null(&e, api_open(&e, CALL_MALLOC, name), array, "first argument, array");
    status = refuse_null(&e, status, format, "second argument, desc");
    if (status != cudaSuccess)
        return api_finish(&e, status);
    struct array made = { .format = *format, .asked = asked, .flags = flags };
    const struct cudaExtent all = array_extent(&made);
    size_t bytes = format_bytes(format);
    status = REFUSE(
        &e, status, bytes == 0, cudaErrorInvalidChannelDescriptor,
        "the second argument, desc, is {%d, %d, %d, %d, %d}; there are 1, 2 or 4 channels of the same 8, 16 or 32 bits, signed or "
        "unsigned, or of 16 or 32 bits, float",
        format->x, format->y, format->z, format->w, (int)format->f);
    status = REFUSE(&e, status, asked.width == 0, cudaErrorInvalidValue, "the width is 0");
    status = REFUSE(
        &e, status,
        flags & ~(unsigned)(cudaArrayLayered | cudaArrayCubemap | cudaArraySurfaceLoadStore),
        cudaErrorInvalidValue,
        "the flags are %#x; the simulator has cudaArrayLayered, cudaArrayCubemap and cudaArraySurfaceLoadStore",
        flags);
    status = REFUSE(
        &e, status, asked.height == 0 && asked.depth > 0 && !(flags & cudaArrayLayered),
        cudaErrorInvalidValue,
        "the depth is %zu and the height 0: layers of one dimension are made with cudaArrayLayered",
        asked.depth);
    status = REFUSE(&e, status, flags & cudaArrayLayered && asked.depth == 0, cudaErrorInvalidValue,
                    "there are 0 layers: the depth counts them");
    bool cube = asked.width == asked.height
                && (flags & cudaArrayLayered ? asked.depth % 6 == 0 : asked.depth == 6);
    status = REFUSE(
        &e, status, flags & cudaArrayCubemap && !cube, cudaErrorInvalidValue,
        "an array of %zu x %zu x %zu elements is not a cube: six faces, or six for each layer, as wide as high",
        asked.width, asked.height, asked.depth);
    bool fits = !__builtin_mul_overflow(bytes, all.width, &bytes)
                && !__builtin_mul_overflow(bytes, all.height, &bytes)
                && !__builtin_mul_overflow(bytes, all.depth, &bytes);
    status = REFUSE(&e, status, !fits, cudaErrorMemoryAllocation,
                    "%zu x %zu x %zu elements are more than there can be", all.width, all.height,
                    all.depth);
    void *at = NULL;
    status = memory_make(&e, status, MEM_DEVICE, &at, bytes);
    made.at = at;
    if (status == cudaSuccess)
        *array = array_new(made);
    return status;
}

cudaError_t cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *format,
                            size_t width, size_t height, unsigned flags)
{
    return make_array("cudaMallocArray", array, format, make_cudaExtent(width, height, 0), flags);
}

cudaError_t cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *format,
                              struct cudaExtent extent, unsigned flags)
{
    return make_array("cudaMalloc3DArray", array, format, extent, flags);
}

cudaError_t array_of(struct api_call *e, cudaError_t status, cudaArray_const_t handle,
                     const char *argument, const struct array **array)
{
    *array = array_find(handle);
    status =
        REFUSE(e, status, !*array, cudaErrorInvalidResourceHandle, "the %s, is not an array: %s",
               argument, words_of_handle(&arrays, handle, "cudaFreeArray").text);
    return REFUSE(e, status, !allocation_find((*array)->at), cudaErrorInvalidResourceHandle,
                  "the %s, is an array in %s", argument, words_of_memory((*array)->at).text);
}

cudaError_t cudaFreeArray(cudaArray_t handle)
{
    struct api_call e;
    const struct array *array;
    cudaError_t status = api_open(&e, CALL_FREE, "cudaFreeArray");
    if (handle)
        status = array_of(&e, status, handle, "argument, array", &array);
    if (status != cudaSuccess || !handle) {
        e.call.kind = CALL_OTHER;
        return api_finish(&e, status);
    }
    const struct allocation *memory = allocation_find(array->at);
    e.call.src = (uint64_t)(uintptr_t)handle;
    array_drop(handle);
    return memory_give_back(&e, memory);
}

/* ---- questions ---- */

cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *format, struct cudaExtent *extent,
                             unsigned *flags, cudaArray_t handle)
{
    struct api_call e;
    const struct array *array;
    cudaError_t status = array_of(&e, api_open(&e, CALL_OTHER, "cudaArrayGetInfo"), handle,
                                  "fourth argument, array", &array);
    if (status == cudaSuccess && format)
        *format = array->format;
    if (status == cudaSuccess && extent)
        *extent = array->asked;
    if (status == cudaSuccess && flags)
        *flags = array->flags;
    return api_finish(&e, status);
}

cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *format, cudaArray_const_t handle)
{
    struct api_call e;
    const struct array *array;
    cudaError_t status = refuse_null(&e, api_open(&e, CALL_OTHER, "cudaGetChannelDesc"), format,
                                     "first argument, desc");
    status = array_of(&e, status, handle, "second argument, array", &array);
    if (status == cudaSuccess)
        *format = array->format;
    return api_finish(&e, status);
}

/* No call that a timeline should show; kernels may make it, too. */
struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                                   enum cudaChannelFormatKind f)
{
    if (!kernel_runs())
        call_site_pop(thread_self());
    return (struct cudaChannelFormatDesc){ x, y, z, w, f };
}
