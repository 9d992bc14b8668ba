/* SPDX-License-Identifier: MIT */
#include "sim/api/memory/managed_range_calls.h"

#include "sim/memory/allocation.h"
#include "sim/memory/because.h"
#include "sim/memory/managed_range.h"

static int device_number(struct advised_location location)
{
    if (location.type == cudaMemLocationTypeInvalid)
        return cudaInvalidDeviceId;
    return location.type == cudaMemLocationTypeDevice ? location.id : cudaCpuDeviceId;
}

static void list_accessors(const struct range_common *c, int *list, size_t room)
{
    size_t count = 0;
    for (int device = 0; is_device(device); device++)
        if (c->by_devices >> device & 1 && count < room)
            list[count++] = device;
    if (c->by_host && count < room)
        list[count++] = cudaCpuDeviceId;
    while (count < room)
        list[count++] = cudaInvalidDeviceId;
}

cudaError_t refuse_not_managed(struct api_call *e, cudaError_t status, const void *pointer,
                               size_t bytes, const char *argument)
{
    const struct words missing = words_of_missing(pointer, bytes);
    status = REFUSE(e, status, bytes == 0, cudaErrorInvalidValue, "the number of bytes is 0");
    return REFUSE(e, status, memory_kind_of(pointer, bytes) != MEM_MANAGED, cudaErrorInvalidValue,
                  "the %s, is %s; %s of managed "
                  "memory are needed",
                  argument, missing.text[0] ? missing.text : words_of_memory(pointer).text,
                  words_of_size(bytes).text);
}

static cudaError_t answer_range(struct api_call *e, void *data, size_t size,
                                enum cudaMemRangeAttribute attribute, const void *pointer,
                                size_t bytes)
{
    bool list = attribute == cudaMemRangeAttributeAccessedBy;
    bool fits = list ? size > 0 && size % sizeof(int) == 0 : size == sizeof(int);
    cudaError_t status = refuse_null(e, cudaSuccess, data, "place for the answer, data");
    status = REFUSE(e, status, !fits, cudaErrorInvalidValue,
                    "the place for the answer has %zu bytes; the attribute has %s of %zu", size,
                    list ? "a list of numbers" : "a number", sizeof(int));
    status = refuse_not_managed(e, status, pointer, bytes, "pointer, devPtr");
    if (status != cudaSuccess)
        return status;
    struct range_common c = range_common_of(pointer, bytes);
    int *out = data;
    switch (attribute) {
    case cudaMemRangeAttributeReadMostly: *out = c.read_mostly; break;
    case cudaMemRangeAttributePreferredLocation: *out = device_number(c.preferred); break;
    case cudaMemRangeAttributeAccessedBy: list_accessors(&c, out, size / sizeof(int)); break;
    case cudaMemRangeAttributeLastPrefetchLocation: *out = device_number(c.prefetched); break;
    case cudaMemRangeAttributePreferredLocationType: *out = c.preferred.type; break;
    case cudaMemRangeAttributePreferredLocationId: *out = c.preferred.id; break;
    case cudaMemRangeAttributeLastPrefetchLocationType: *out = c.prefetched.type; break;
    case cudaMemRangeAttributeLastPrefetchLocationId: *out = c.prefetched.id; break;
    default:
        return because(&e->call, cudaErrorInvalidValue,
                       "the attribute, %d, is not one that is known here", (int)attribute);
    }
    return cudaSuccess;
}

cudaError_t cudaMemRangeGetAttribute(void *data, size_t size, enum cudaMemRangeAttribute attribute,
                                     const void *pointer, size_t bytes)
{
    struct api_call e;
    cudaError_t status = api_open(&e, CALL_OTHER, "cudaMemRangeGetAttribute");
    if (status == cudaSuccess)
        status = answer_range(&e, data, size, attribute, pointer, bytes);
    return api_finish(&e, status);
}

cudaError_t cudaMemRangeGetAttributes(void **data, size_t *sizes,
                                      enum cudaMemRangeAttribute *attributes, size_t count,
                                      const void *pointer, size_t bytes)
{
    struct api_call e;
    cudaError_t status = api_open(&e, CALL_OTHER, "cudaMemRangeGetAttributes");
    status = refuse_null(&e, status, data, "first argument, data");
    status = refuse_null(&e, status, sizes, "second argument, dataSizes");
    status = refuse_null(&e, status, attributes, "third argument, attributes");
    status = REFUSE(&e, status, count == 0, cudaErrorInvalidValue,
                    "the fourth argument, numAttributes, is 0");
    for (size_t i = 0; i < count && status == cudaSuccess; i++)
        status = answer_range(&e, data[i], sizes[i], attributes[i], pointer, bytes);
    return api_finish(&e, status);
}
