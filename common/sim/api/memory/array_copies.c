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

/* ---- one array, and memory ---- */

enum { ROWS_IN, ROWS_OUT, BYTES_IN, BYTES_OUT };

/* Into an array or out of it, rows or bytes. */
static const struct way { bool in, rows; struct copy_names names; } ways[] = {
    [ROWS_IN] = { true, true, { "first argument, dst", "fourth argument, src", "array's pitch", "fifth argument, spitch" } },
    [ROWS_OUT] = { false, true, { "first argument, dst", "third argument, src", "second argument, dpitch", "array's pitch" } },
    [BYTES_IN] = { true, false, { "first argument, dst", "fourth argument, src", "", "" } },
    [BYTES_OUT] = { false, false, { "first argument, dst", "second argument, src", "", "" } },
};

struct array_copy {
    const char *name;
    unsigned way;
    cudaArray_const_t array;
    struct cudaPos at;
    const void *memory;
    size_t pitch;               /* of the memory's rows */
    struct box box;
    enum cudaMemcpyKind kind;
    cudaStream_t stream;
    uint32_t flags;             /* CALL_ASYNC or 0 */
};

/* An array is on the device: these calls look at that side of the direction, whatever the other is
 * [M]. (Those of before CUDA 11 were not measured.) */
static cudaError_t copy_array(struct array_copy a)
{
    const struct way *way = &ways[a.way];
    const bool in = way->in;
    const char *argument = in ? way->names.dst : way->names.src;
    struct api_call e;
    struct copied c = { .box = a.box, .direction = a.kind, .names = &way->names };
    struct area *array = in ? &c.dst : &c.src, *memory = in ? &c.src : &c.dst;
    *memory = (struct area){ (void *)(uintptr_t)a.memory, a.pitch, a.box.rows };
    cudaError_t status = api_open(&e, CALL_COPY, a.name);
    status = way->rows ? area_of_array(&e, status, a.array, argument, a.at, &a.box, array)
                       : line_of_array(&e, status, a.array, argument, a.at, a.box.bytes, array);
    bool other = a.kind == cudaMemcpyHostToHost
                 || a.kind == (in ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice);
    status = REFUSE(&e, status, other, cudaErrorInvalidMemcpyDirection,
                    "the direction is %s, and the copy %s an array, which is on the device",
                    copy_direction(a.kind), in ? "goes to" : "comes from");
    return copy_make(&e, status, &c, a.stream, a.flags);
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t dst, size_t x, size_t y, const void *src, size_t pitch,
                                size_t width, size_t height, enum cudaMemcpyKind kind)
{
    return copy_array((struct array_copy){ "cudaMemcpy2DToArray", ROWS_IN, dst, { x, y, 0 }, src,
                                           pitch, { width, height, 1 }, kind, NULL, 0 });
}

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t dst, size_t x, size_t y, const void *src,
                                     size_t pitch, size_t width, size_t height,
                                     enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return copy_array((struct array_copy){ "cudaMemcpy2DToArrayAsync", ROWS_IN, dst, { x, y, 0 },
                                           src, pitch, { width, height, 1 }, kind, stream,
                                           CALL_ASYNC });
}

cudaError_t cudaMemcpy2DFromArray(void *dst, size_t pitch, cudaArray_const_t src, size_t x,
                                  size_t y, size_t width, size_t height, enum cudaMemcpyKind kind)
{
    return copy_array((struct array_copy){ "cudaMemcpy2DFromArray", ROWS_OUT, src, { x, y, 0 },
                                           dst, pitch, { width, height, 1 }, kind, NULL, 0 });
}

cudaError_t cudaMemcpy2DFromArrayAsync(void *dst, size_t pitch, cudaArray_const_t src, size_t x,
                                       size_t y, size_t width, size_t height,
                                       enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return copy_array((struct array_copy){ "cudaMemcpy2DFromArrayAsync", ROWS_OUT, src,
                                           { x, y, 0 }, dst, pitch, { width, height, 1 }, kind,
                                           stream, CALL_ASYNC });
}

/* Of before CUDA 11; many programs still make them. */
cudaError_t cudaMemcpyToArray(cudaArray_t dst, size_t x, size_t y, const void *src, size_t bytes,
                              enum cudaMemcpyKind kind)
{
    return copy_array((struct array_copy){ "cudaMemcpyToArray", BYTES_IN, dst, { x, y, 0 }, src,
                                           bytes, { bytes, 1, 1 }, kind, NULL, 0 });
}

cudaError_t cudaMemcpyToArrayAsync(cudaArray_t dst, size_t x, size_t y, const void *src,
                                   size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return copy_array((struct array_copy){ "cudaMemcpyToArrayAsync", BYTES_IN, dst, { x, y, 0 },
                                           src, bytes, { bytes, 1, 1 }, kind, stream, CALL_ASYNC });
}

cudaError_t cudaMemcpyFromArray(void *dst, cudaArray_const_t src, size_t x, size_t y, size_t bytes,
                                enum cudaMemcpyKind kind)
{
    return copy_array((struct array_copy){ "cudaMemcpyFromArray", BYTES_OUT, src, { x, y, 0 },
                                           dst, bytes, { bytes, 1, 1 }, kind, NULL, 0 });
}

cudaError_t cudaMemcpyFromArrayAsync(void *dst, cudaArray_const_t src, size_t x, size_t y,
                                     size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return copy_array((struct array_copy){ "cudaMemcpyFromArrayAsync", BYTES_OUT, src,
                                           { x, y, 0 }, dst, bytes, { bytes, 1, 1 }, kind, stream,
                                           CALL_ASYNC });
}

/* ---- two arrays ---- */

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
