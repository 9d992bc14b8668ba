/* SPDX-License-Identifier: MIT */
#include "sim/api/memory/volume.h"

#include <stdio.h>

#include "sim/api/api_call.h"
#include "sim/api/memory/array_area.h"
#include "sim/memory/because.h"

static const struct copy_names of_parameters = {
    "parameters' dstPtr, from dstPos on", "parameters' srcPtr, from srcPos on",
    "parameters' dstPtr.pitch", "parameters' srcPtr.pitch",
};

/* One side of the copy. */
struct side {
    const char *array_name, *pointer_name;
    cudaArray_t array;
    struct cudaPitchedPtr pointer;
    struct cudaPos at;
};

static cudaError_t refuse_sides(struct api_call *e, cudaError_t status, const struct side *s)
{
    status = REFUSE(e, status, s->array && s->pointer.ptr, cudaErrorInvalidValue,
                    "the parameters have both %s and %s.ptr", s->array_name, s->pointer_name);
    return REFUSE(e, status, !s->array && !s->pointer.ptr, cudaErrorInvalidValue,
                  "the parameters have neither %s nor %s.ptr", s->array_name, s->pointer_name);
}

static cudaError_t element_of(struct api_call *e, cudaError_t status, const struct side *s,
                              size_t *bytes)
{
    const struct array *array;
    char argument[64];
    snprintf(argument, sizeof argument, "parameters' %s", s->array_name);
    *bytes = 0;
    if (s->array && (status = array_of(e, status, s->array, argument, &array)) == cudaSuccess)
        *bytes = format_bytes(&array->format);
    return status;
}

/* Where an array takes part, all positions are in elements: the header says that those from a
 * pointer on are in bytes, an H200 counts elements there, too [M]. */
static cudaError_t area_of_side(struct api_call *e, cudaError_t status, const struct side *s,
                                size_t element, const struct box *box, struct area *area)
{
    char argument[64];
    snprintf(argument, sizeof argument, "parameters' %s", s->array_name);
    if (s->array)
        return area_of_array(e, status, s->array, argument,
                             make_cudaPos(s->at.x * element, s->at.y, s->at.z), box, area);
    *area = (struct area){ (char *)s->pointer.ptr + s->at.x * element
                               + s->pointer.pitch * (s->at.y + s->pointer.ysize * s->at.z),
                           s->pointer.pitch, s->pointer.ysize };
    return status;
}

/* An array that is copied to is on the device, whatever the direction says [M]. */
static enum cudaMemcpyKind direction_of(const struct cudaMemcpy3DParms *p)
{
    bool from_device =
        p->srcArray || p->kind == cudaMemcpyDeviceToHost || p->kind == cudaMemcpyDeviceToDevice;
    bool to_device =
        p->dstArray || p->kind == cudaMemcpyHostToDevice || p->kind == cudaMemcpyDeviceToDevice;
    if ((unsigned)p->kind >= cudaMemcpyDefault)
        return p->kind;
    return from_device ? to_device ? cudaMemcpyDeviceToDevice : cudaMemcpyDeviceToHost
                       : to_device ? cudaMemcpyHostToDevice : cudaMemcpyHostToHost;
}

cudaError_t volume_of(struct api_call *e, cudaError_t status, const struct cudaMemcpy3DParms *p,
                      struct copied *c)
{
    status = refuse_null(e, status, p, "argument, which points to the parameters");
    if (status != cudaSuccess)
        return status;
    const struct side src = { "srcArray", "srcPtr", p->srcArray, p->srcPtr, p->srcPos },
                      dst = { "dstArray", "dstPtr", p->dstArray, p->dstPtr, p->dstPos };
    size_t from, to, width;
    status = refuse_sides(e, refuse_sides(e, status, &src), &dst);
    status = element_of(e, element_of(e, status, &src, &from), &dst, &to);
    status = REFUSE(e, status, from > 0 && to > 0 && from != to, cudaErrorInvalidValue,
                    "an element of srcArray has %zu bytes, and one of dstArray has %zu", from, to);
    bool from_host = p->kind == cudaMemcpyHostToHost || p->kind == cudaMemcpyHostToDevice;
    status = REFUSE(e, status, p->srcArray && from_host, cudaErrorInvalidValue,
                    "the direction is %s, and the copy comes from an array, which is on the device",
                    copy_direction(p->kind));
    size_t element = from > 0 ? from : to > 0 ? to : 1;
    status =
        REFUSE(e, status, __builtin_mul_overflow(p->extent.width, element, &width),
               cudaErrorInvalidValue, "the parameters' extent.width is more than there can be");
    if (status != cudaSuccess)
        return status;
    *c = (struct copied){ .box = { width, p->extent.height, p->extent.depth },
                          .direction = direction_of(p),
                          .names = &of_parameters };
    status = area_of_side(e, status, &src, element, &c->box, &c->src);
    return area_of_side(e, status, &dst, element, &c->box, &c->dst);
}

static cudaError_t copy_volume(const char *name, const struct cudaMemcpy3DParms *p,
                               cudaStream_t stream, uint32_t flags)
{
    struct api_call e;
    struct copied c = { .names = &of_parameters };
    cudaError_t status = volume_of(&e, api_open(&e, CALL_COPY, name), p, &c);
    return copy_make(&e, status, &c, stream, flags);
}

cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *p)
{
    return copy_volume("cudaMemcpy3D", p, NULL, 0);
}

cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *p, cudaStream_t stream)
{
    return copy_volume("cudaMemcpy3DAsync", p, stream, CALL_ASYNC);
}
