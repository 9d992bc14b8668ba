/* SPDX-License-Identifier: MIT */
#include "sim/api/api_call.h"
#include "sim/api/memory/array_area.h"
#include "sim/memory/because.h"

static bool lies_within(size_t from, size_t count, size_t all)
{
    return from <= all && count <= all - from;
}

cudaError_t area_of_array(struct api_call *e, cudaError_t status, cudaArray_const_t handle,
                          const char *argument, struct cudaPos at, const struct box *box,
                          struct area *area)
{
    const struct array *array;
    status = array_of(e, status, handle, argument, &array);
    if (status != cudaSuccess)
        return status;
    const struct cudaExtent all = array_extent(array);
    size_t pitch = array_pitch(array);
    *area =
        (struct area){ array->at + at.x + pitch * (at.y + all.height * at.z), pitch, all.height };
    bool inside = lies_within(at.x, box->bytes, pitch) && lies_within(at.y, box->rows, all.height)
                  && lies_within(at.z, box->slices, all.depth);
    return REFUSE(
        e, status, !inside, cudaErrorInvalidValue,
        "the %s, is an array of %zu bytes x %zu rows x %zu slices; the copy is of %zu x %zu x %zu, from byte %zu of row %zu of slice %zu on",
        argument, pitch, all.height, all.depth, box->bytes, box->rows, box->slices, at.x, at.y,
        at.z);
}

/* Bytes that go on in the next row, as elements lie: from `at` on to the end of the array. */
static cudaError_t line_of_array(struct api_call *e, cudaError_t status, cudaArray_const_t handle,
                                 const char *argument, struct cudaPos at, size_t bytes,
                                 struct area *area)
{
    const struct array *array;
    status = area_of_array(e, status, handle, argument, at, &(struct box){ 0, 0, 0 }, area);
    if (status != cudaSuccess)
        return status;
    status = array_of(e, status, handle, argument, &array);
    size_t before = at.x + area->pitch * at.y, all = area->pitch * area->height;
    return REFUSE(
        e, status, !lies_within(before, bytes, all), cudaErrorInvalidValue,
        "the %s, is an array of %zu bytes in %zu rows; the copy is of %zu, from byte %zu of row %zu on",
        argument, all, area->height, bytes, at.x, at.y);
}

static struct area area_of_memory(const void *at, size_t pitch, size_t rows)
{
    return (struct area){ (void *)(uintptr_t)at, pitch, rows };
}

/* An array is on the device: these calls look at that side of the direction, whatever the other is
 * [M]. (Those of before CUDA 11 were not measured.) */
static cudaError_t refuse_in(struct api_call *e, cudaError_t status, enum cudaMemcpyKind kind)
{
    return REFUSE(e, status, kind == cudaMemcpyHostToHost || kind == cudaMemcpyDeviceToHost,
                  cudaErrorInvalidMemcpyDirection,
                  "the direction is %s, and the copy goes to an array, which is on the device",
                  copy_direction(kind));
}

static cudaError_t refuse_out(struct api_call *e, cudaError_t status, enum cudaMemcpyKind kind)
{
    return REFUSE(e, status, kind == cudaMemcpyHostToHost || kind == cudaMemcpyHostToDevice,
                  cudaErrorInvalidMemcpyDirection,
                  "the direction is %s, and the copy comes from an array, which is on the device",
                  copy_direction(kind));
}

/* ---- rectangles ---- */

static cudaError_t copy_rows_in(const char *name, cudaArray_t dst, struct cudaPos at,
                                const void *src, size_t pitch, struct box box,
                                enum cudaMemcpyKind kind, cudaStream_t stream, uint32_t flags)
{
    static const struct copy_names names = { "first argument, dst", "fourth argument, src",
                                             "array's pitch", "fifth argument, spitch" };
    struct api_call e;
    struct copied c = {
        .src = area_of_memory(src, pitch, box.rows), .box = box, .direction = kind, .names = &names
    };
    cudaError_t status =
        area_of_array(&e, api_open(&e, CALL_COPY, name), dst, names.dst, at, &box, &c.dst);
    return copy_make(&e, refuse_in(&e, status, kind), &c, stream, flags);
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t dst, size_t x, size_t y, const void *src, size_t pitch,
                                size_t width, size_t height, enum cudaMemcpyKind kind)
{
    return copy_rows_in("cudaMemcpy2DToArray", dst, make_cudaPos(x, y, 0), src, pitch,
                        (struct box){ width, height, 1 }, kind, NULL, 0);
}

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t dst, size_t x, size_t y, const void *src,
                                     size_t pitch, size_t width, size_t height,
                                     enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return copy_rows_in("cudaMemcpy2DToArrayAsync", dst, make_cudaPos(x, y, 0), src, pitch,
                        (struct box){ width, height, 1 }, kind, stream, CALL_ASYNC);
}

static cudaError_t copy_rows_out(const char *name, void *dst, size_t pitch, cudaArray_const_t src,
                                 struct cudaPos at, struct box box, enum cudaMemcpyKind kind,
                                 cudaStream_t stream, uint32_t flags)
{
    static const struct copy_names names = { "first argument, dst", "third argument, src",
                                             "second argument, dpitch", "array's pitch" };
    struct api_call e;
    struct copied c = {
        .dst = area_of_memory(dst, pitch, box.rows), .box = box, .direction = kind, .names = &names
    };
    cudaError_t status =
        area_of_array(&e, api_open(&e, CALL_COPY, name), src, names.src, at, &box, &c.src);
    return copy_make(&e, refuse_out(&e, status, kind), &c, stream, flags);
}

cudaError_t cudaMemcpy2DFromArray(void *dst, size_t pitch, cudaArray_const_t src, size_t x,
                                  size_t y, size_t width, size_t height, enum cudaMemcpyKind kind)
{
    return copy_rows_out("cudaMemcpy2DFromArray", dst, pitch, src, make_cudaPos(x, y, 0),
                         (struct box){ width, height, 1 }, kind, NULL, 0);
}

cudaError_t cudaMemcpy2DFromArrayAsync(void *dst, size_t pitch, cudaArray_const_t src, size_t x,
                                       size_t y, size_t width, size_t height,
                                       enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return copy_rows_out("cudaMemcpy2DFromArrayAsync", dst, pitch, src, make_cudaPos(x, y, 0),
                         (struct box){ width, height, 1 }, kind, stream, CALL_ASYNC);
}

static const struct copy_names between = { "first argument, dst", "fourth argument, src",
                                           "array's pitch", "array's pitch" };

cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t dst, size_t dst_x, size_t dst_y,
                                     cudaArray_const_t src, size_t src_x, size_t src_y,
                                     size_t width, size_t height, enum cudaMemcpyKind kind)
{
    struct api_call e;
    struct copied c = { .box = { width, height, 1 }, .direction = kind, .names = &between };
    cudaError_t status = api_open(&e, CALL_COPY, "cudaMemcpy2DArrayToArray");
    status =
        area_of_array(&e, status, dst, between.dst, make_cudaPos(dst_x, dst_y, 0), &c.box, &c.dst);
    status =
        area_of_array(&e, status, src, between.src, make_cudaPos(src_x, src_y, 0), &c.box, &c.src);
    return copy_make(&e, status, &c, NULL, 0);
}

/* ---- bytes: calls of before CUDA 11, which many programs still make ---- */

static cudaError_t copy_bytes_in(const char *name, cudaArray_t dst, struct cudaPos at,
                                 const void *src, size_t bytes, enum cudaMemcpyKind kind,
                                 cudaStream_t stream, uint32_t flags)
{
    static const struct copy_names names = { "first argument, dst", "fourth argument, src", "",
                                             "" };
    struct api_call e;
    struct copied c = { .src = area_of_memory(src, bytes, 1), .box = { bytes, 1, 1 },
                        .direction = kind, .names = &names };
    cudaError_t status =
        line_of_array(&e, api_open(&e, CALL_COPY, name), dst, names.dst, at, bytes, &c.dst);
    return copy_make(&e, refuse_in(&e, status, kind), &c, stream, flags);
}

cudaError_t cudaMemcpyToArray(cudaArray_t dst, size_t x, size_t y, const void *src, size_t bytes,
                              enum cudaMemcpyKind kind)
{
    return copy_bytes_in("cudaMemcpyToArray", dst, make_cudaPos(x, y, 0), src, bytes, kind, NULL,
                         0);
}

cudaError_t cudaMemcpyToArrayAsync(cudaArray_t dst, size_t x, size_t y, const void *src,
                                   size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return copy_bytes_in("cudaMemcpyToArrayAsync", dst, make_cudaPos(x, y, 0), src, bytes, kind,
                         stream, CALL_ASYNC);
}

static cudaError_t copy_bytes_out(const char *name, void *dst, cudaArray_const_t src,
                                  struct cudaPos at, size_t bytes, enum cudaMemcpyKind kind,
                                  cudaStream_t stream, uint32_t flags)
{
    static const struct copy_names names = { "first argument, dst", "second argument, src", "",
                                             "" };
    struct api_call e;
    struct copied c = { .dst = area_of_memory(dst, bytes, 1), .box = { bytes, 1, 1 },
                        .direction = kind, .names = &names };
    cudaError_t status =
        line_of_array(&e, api_open(&e, CALL_COPY, name), src, names.src, at, bytes, &c.src);
    return copy_make(&e, refuse_out(&e, status, kind), &c, stream, flags);
}

cudaError_t cudaMemcpyFromArray(void *dst, cudaArray_const_t src, size_t x, size_t y, size_t bytes,
                                enum cudaMemcpyKind kind)
{
    return copy_bytes_out("cudaMemcpyFromArray", dst, src, make_cudaPos(x, y, 0), bytes, kind, NULL,
                          0);
}

cudaError_t cudaMemcpyFromArrayAsync(void *dst, cudaArray_const_t src, size_t x, size_t y,
                                     size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return copy_bytes_out("cudaMemcpyFromArrayAsync", dst, src, make_cudaPos(x, y, 0), bytes, kind,
                          stream, CALL_ASYNC);
}

cudaError_t cudaMemcpyArrayToArray(cudaArray_t dst, size_t dst_x, size_t dst_y,
                                   cudaArray_const_t src, size_t src_x, size_t src_y, size_t bytes,
                                   enum cudaMemcpyKind kind)
{
    struct api_call e;
    struct copied c = { .box = { bytes, 1, 1 }, .direction = kind, .names = &between };
    cudaError_t status = api_open(&e, CALL_COPY, "cudaMemcpyArrayToArray");
    status =
        line_of_array(&e, status, dst, between.dst, make_cudaPos(dst_x, dst_y, 0), bytes, &c.dst);
    status =
        line_of_array(&e, status, src, between.src, make_cudaPos(src_x, src_y, 0), bytes, &c.src);
    return copy_make(&e, status, &c, NULL, 0);
}
