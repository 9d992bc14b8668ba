/* SPDX-License-Identifier: MIT */
#include "sim/api/memory/volume.h"

#include "sim/api/api_call.h"
#include "sim/memory/because.h"

static const struct copy_names of_parameters = {
    "parameters' dstPtr, from dstPos on", "parameters' srcPtr, from srcPos on", "parameters' dstPtr.pitch", "parameters' srcPtr.pitch",
};

/* Positions are in bytes, rows and slices. */
static struct area from_position(const struct cudaPitchedPtr *p, const struct cudaPos *at)
{
    return (struct area){ (char *)p->ptr + at->x + p->pitch * (at->y + p->ysize * at->z), p->pitch, p->ysize };
}

cudaError_t volume_of(struct api_call *e, cudaError_t status, const struct cudaMemcpy3DParms *p, struct copied *c)
{
    status = refuse_null(e, status, p, "argument, which points to the parameters");
    status = REFUSE(e, status, p->srcArray || p->dstArray, cudaErrorInvalidValue, "the parameters have an array; only pointers are known here");
    status = REFUSE(e, status, !p->srcPtr.ptr, cudaErrorInvalidValue, "the parameters' srcPtr.ptr is NULL");
    status = REFUSE(e, status, !p->dstPtr.ptr, cudaErrorInvalidValue, "the parameters' dstPtr.ptr is NULL");
    if (status != cudaSuccess)
        return status;
    const struct cudaExtent *size = &p->extent;
    *c = (struct copied){ .dst = from_position(&p->dstPtr, &p->dstPos), .src = from_position(&p->srcPtr, &p->srcPos),
                          .box = { size->width, size->height, size->depth }, .direction = p->kind, .names = &of_parameters };
    return cudaSuccess;
}

static cudaError_t copy_volume(const char *name, const struct cudaMemcpy3DParms *p, cudaStream_t stream, uint32_t flags)
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
