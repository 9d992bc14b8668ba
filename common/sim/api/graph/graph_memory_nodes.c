/* SPDX-License-Identifier: MIT */
/* What nodes that allocate and free memory are made of. */
#include "sim/api/graph/graph_parts.h"
#include "sim/api/memory/graph_memory_calls.h"
#include "sim/graph/graph_memory.h"
#include "sim/memory/allocation.h"

static cudaError_t refuse_location(struct api_call *e, const struct cudaMemAllocNodeParams *params)
{
    const struct cudaMemPoolProps *pool = &params->poolProps;
    cudaError_t status = REFUSE(e, cudaSuccess, params->bytesize == 0, cudaErrorInvalidValue,
                                "the parameters' bytesize is 0");     /* [M] */
    status =
        REFUSE(e, status, pool->allocType != cudaMemAllocationTypePinned, cudaErrorInvalidValue,
               "the parameters' poolProps.allocType is %d, and must be cudaMemAllocationTypePinned",
               (int)pool->allocType);
    status =
        REFUSE(e, status, pool->location.type != cudaMemLocationTypeDevice, cudaErrorInvalidValue,
               "the parameters' poolProps.location is not that of a device");
    return status == cudaSuccess
               ? refuse_device(e, status, pool->location.id, "parameters' poolProps.location.id")
               : status;
}

cudaError_t parts_of_allocation(struct api_call *e, const void *given, struct parts *p)
{
    struct cudaMemAllocNodeParams *params = (struct cudaMemAllocNodeParams *)(uintptr_t)given;
    cudaError_t status =
        refuse_null(e, cudaSuccess, params, "pointer to the node's parameters, nodeParams");
    status = status == cudaSuccess ? refuse_location(e, params) : status;
    status = status == cudaSuccess
                 ? graph_memory_refuse_room(e, status, params->bytesize,
                                            params->poolProps.location.id, &p->memory)
                 : status;
    if (status != cudaSuccess)
        return status;
    parts_begin(p, e, cudaGraphNodeTypeMemAlloc, CALL_MALLOC);
    graph_memory_call(&p->call, CALL_MALLOC, p->memory, params->bytesize);
    params->dptr = p->memory->at;
    return status;
}

cudaError_t parts_of_free(struct api_call *e, const void *given, struct parts *p)
{
    p->memory = graph_memory_find(given);
    cudaError_t status = graph_memory_refuse_free(e, cudaSuccess, p->graph, p->memory, given);
    if (status != cudaSuccess)
        return status;
    parts_begin(p, e, cudaGraphNodeTypeMemFree, CALL_FREE);
    graph_memory_call(&p->call, CALL_FREE, p->memory, allocation_find(p->memory->at)->asked);
    return status;
}

cudaError_t cudaDeviceGraphMemTrim(int device)
{
    struct api_call e;
    cudaError_t status = refuse_device(&e, api_open(&e, CALL_OTHER, "cudaDeviceGraphMemTrim"),
                                       device, "argument, device");
    if (status == cudaSuccess)
        graph_memory_trim(device);
    return api_finish(&e, status);
}

static uint64_t *attribute_of(int device, enum cudaGraphMemAttributeType attribute)
{
    struct graph_memory_use *u = graph_memory_use(device);
    switch (attribute) {
    case cudaGraphMemAttrUsedMemCurrent: return &u->used;
    case cudaGraphMemAttrUsedMemHigh: return &u->used_high;
    case cudaGraphMemAttrReservedMemCurrent: return &u->reserved;
    case cudaGraphMemAttrReservedMemHigh: return &u->reserved_high;
    }
    return NULL;
}

static cudaError_t open_attribute(struct api_call *e, const char *name, int device,
                                  enum cudaGraphMemAttributeType attribute, const void *value)
{
    cudaError_t status =
        refuse_device(e, api_open(e, CALL_OTHER, name), device, "first argument, device");
    status = REFUSE(e, status, !attribute_of(device, attribute), cudaErrorInvalidValue,
                    "the second argument, attr, is %d, which is not an attribute of graphs' memory",
                    (int)attribute);
    return refuse_null(e, status, value, "third argument, value");
}

cudaError_t cudaDeviceGetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attribute,
                                           void *value)
{
    struct api_call e;
    cudaError_t status =
        open_attribute(&e, "cudaDeviceGetGraphMemAttribute", device, attribute, value);
    if (status == cudaSuccess)
        *(uint64_t *)value = *attribute_of(device, attribute);
    return api_finish(&e, status);
}

/* High watermarks can be set to 0, and nothing else can be set [H]. */
cudaError_t cudaDeviceSetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attribute,
                                           void *value)
{
    struct api_call e;
    cudaError_t status =
        open_attribute(&e, "cudaDeviceSetGraphMemAttribute", device, attribute, value);
    bool high =
        attribute == cudaGraphMemAttrUsedMemHigh || attribute == cudaGraphMemAttrReservedMemHigh;
    status = REFUSE(&e, status, !high || *(uint64_t *)value != 0, cudaErrorInvalidValue,
                    "only a high watermark can be set, and only to 0");
    if (status == cudaSuccess) {
        const struct graph_memory_use *u = graph_memory_use(device);
        *attribute_of(device, attribute) =
            attribute == cudaGraphMemAttrUsedMemHigh ? u->used : u->reserved;
    }
    return api_finish(&e, status);
}
