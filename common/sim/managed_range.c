/* SPDX-License-Identifier: MIT */
#include "managed_range.h"

#include <string.h>

#include "allocation.h"
#include "because.h"
#include "entry.h"
#include "trace/memory.h"

struct advised_place {                  /* type cudaMemLocationTypeInvalid: none */
    int type, id;
};

struct advised_page {
    bool read_mostly, by_host;                  /* by_…: cudaMemAdviseSetAccessedBy */
    uint8_t by_devices;                         /* bits */
    struct advised_place preferred, prefetched;
};
_Static_assert(CARD_DEVICES <= 8, "a bit for each device");

/* Memory of which something has been said. */
struct range {
    uintptr_t from, to;
    struct advised_page *pages;
    struct range *next;
};

static struct range *ranges;

static struct range *find_range(uintptr_t at)
{
    struct range *r = ranges;
    while (r && !(at >= r->from && at < r->to))
        r = r->next;
    return r;
}

/* Variables lie in no allocation: each is looked at as the pages that it is in. */
static struct range *find_or_make(uintptr_t at, size_t bytes)
{
    struct range *r = find_range(at);
    if (r)
        return r;
    const struct allocation *a = allocation_find((const void *)at);
    uintptr_t from = a ? a->at : at / SYSTEM_PAGE * SYSTEM_PAGE, to = a ? a->at + a->bytes : at + bytes;
    to = (to + SYSTEM_PAGE - 1) / SYSTEM_PAGE * SYSTEM_PAGE;
    size_t count = (to - from) / SYSTEM_PAGE;
    r = memory_resize(NULL, sizeof *r);
    *r = (struct range){ from, to, memory_resize(NULL, count * sizeof *r->pages), ranges };
    memory_zero(r->pages, count * sizeof *r->pages);
    ranges = r;
    return r;
}

/* The pages of [at, at + bytes): the first and one after the last. */
static struct advised_page *pages_of(const void *pointer, size_t bytes, struct advised_page **end)
{
    uintptr_t at = (uintptr_t)pointer;
    struct range *r = find_or_make(at, bytes);
    uintptr_t to = at + bytes < r->to ? at + bytes : r->to;
    *end = r->pages + (to - r->from + SYSTEM_PAGE - 1) / SYSTEM_PAGE;
    return r->pages + (at - r->from) / SYSTEM_PAGE;
}

static void set_accessor(struct advised_page *p, int device, bool on)
{
    if (device == cudaCpuDeviceId)
        p->by_host = on;
    else
        p->by_devices = (uint8_t)(on ? p->by_devices | 1u << device : p->by_devices & ~(1u << device));
}

void range_advise(const void *pointer, size_t bytes, enum cudaMemoryAdvise advice, struct cudaMemLocation location)
{
    struct advised_page *end;
    bool device = location.type == cudaMemLocationTypeDevice;
    for (struct advised_page *p = pages_of(pointer, bytes, &end); p < end; p++)
        switch (advice) {
        case cudaMemAdviseSetReadMostly: p->read_mostly = true; break;
        case cudaMemAdviseUnsetReadMostly: p->read_mostly = false; break;
        case cudaMemAdviseSetPreferredLocation: p->preferred = (struct advised_place){ location.type, location.id }; break;
        case cudaMemAdviseUnsetPreferredLocation: p->preferred = (struct advised_place){ 0, 0 }; break;
        default: set_accessor(p, device ? location.id : cudaCpuDeviceId, advice == cudaMemAdviseSetAccessedBy);
        }
}

void range_prefetch(const void *pointer, size_t bytes, struct cudaMemLocation location)
{
    struct advised_page *end;
    for (struct advised_page *p = pages_of(pointer, bytes, &end); p < end; p++)
        p->prefetched = (struct advised_place){ location.type, location.id };
}

struct range_advice range_advice_of(uintptr_t at)
{
    const struct range *r = find_range(at);
    if (!r)
        return (struct range_advice){ false, false, false };
    const struct advised_page *p = &r->pages[(at - r->from) / SYSTEM_PAGE];
    bool somewhere = p->preferred.type != cudaMemLocationTypeInvalid;
    return (struct range_advice){ p->read_mostly, p->by_devices != 0,
                                  somewhere && p->preferred.type != cudaMemLocationTypeDevice };
}

void range_forget(const void *pointer)
{
    for (struct range **place = &ranges; *place; place = &(*place)->next) {
        struct range *r = *place;
        if (r->from != (uintptr_t)pointer)
            continue;
        *place = r->next;
        memory_resize(r->pages, 0);
        memory_resize(r, 0);
        return;
    }
}

/* ---- questions: what all pages of the range have in common ---- */

struct common {
    bool read_mostly, by_host;
    uint8_t by_devices;
    struct advised_place preferred, prefetched;
};

static void meet(struct advised_place *common, struct advised_place page)
{
    if (common->type != page.type || common->id != page.id)
        *common = (struct advised_place){ 0, 0 };
}

static struct common common_of(const void *pointer, size_t bytes)
{
    struct advised_page *end, *p = pages_of(pointer, bytes, &end);
    struct common c = { p->read_mostly, p->by_host, p->by_devices, p->preferred, p->prefetched };
    for (; p < end; p++) {
        c.read_mostly &= p->read_mostly;
        c.by_devices &= p->by_devices;
        c.by_host &= p->by_host;
        meet(&c.preferred, p->preferred);
        meet(&c.prefetched, p->prefetched);
    }
    return c;
}

static int device_number(struct advised_place place)
{
    if (place.type == cudaMemLocationTypeInvalid)
        return cudaInvalidDeviceId;
    return place.type == cudaMemLocationTypeDevice ? place.id : cudaCpuDeviceId;
}

static void list_accessors(const struct common *c, int *list, size_t room)
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

cudaError_t refuse_not_managed(struct entry *e, cudaError_t status, const void *pointer, size_t bytes, const char *argument)
{
    const struct words missing = words_of_missing(pointer, bytes);
    status = REFUSE(e, status, bytes == 0, cudaErrorInvalidValue, "the number of bytes is 0");
    return REFUSE(e, status, memory_kind_of(pointer, bytes) != MEM_MANAGED, cudaErrorInvalidValue, "the %s, is %s; %zu bytes of managed "
                  "memory are needed", argument, missing.text[0] ? missing.text : words_of_memory(pointer).text, bytes);
}

static cudaError_t answer_range(struct entry *e, void *data, size_t size, enum cudaMemRangeAttribute attribute, const void *pointer,
                                size_t bytes)
{
    bool list = attribute == cudaMemRangeAttributeAccessedBy;
    bool fits = list ? size > 0 && size % sizeof(int) == 0 : size == sizeof(int);
    cudaError_t status = refuse_null(e, cudaSuccess, data, "place for the answer, data");
    status = REFUSE(e, status, !fits, cudaErrorInvalidValue, "the place for the answer has %zu bytes; the attribute has %s of %zu", size,
                    list ? "a list of numbers" : "a number", sizeof(int));
    status = refuse_not_managed(e, status, pointer, bytes, "pointer, devPtr");
    if (status != cudaSuccess)
        return status;
    struct common c = common_of(pointer, bytes);
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
    default: return because(&e->call, cudaErrorInvalidValue, "the attribute, %d, is none that is known here", (int)attribute);
    }
    return cudaSuccess;
}

cudaError_t cudaMemRangeGetAttribute(void *data, size_t size, enum cudaMemRangeAttribute attribute,
                                     const void *pointer, size_t bytes)
{
    struct entry e;
    cudaError_t status = entry_open(&e, CALL_OTHER, "cudaMemRangeGetAttribute");
    if (status == cudaSuccess)
        status = answer_range(&e, data, size, attribute, pointer, bytes);
    return entry_finish(&e, status);
}

cudaError_t cudaMemRangeGetAttributes(void **data, size_t *sizes, enum cudaMemRangeAttribute *attributes,
                                      size_t count, const void *pointer, size_t bytes)
{
    struct entry e;
    cudaError_t status = entry_open(&e, CALL_OTHER, "cudaMemRangeGetAttributes");
    status = refuse_null(&e, status, data, "first argument, data");
    status = refuse_null(&e, status, sizes, "second argument, dataSizes");
    status = refuse_null(&e, status, attributes, "third argument, attributes");
    status = REFUSE(&e, status, count == 0, cudaErrorInvalidValue, "the fourth argument, numAttributes, is 0");
    for (size_t i = 0; i < count && status == cudaSuccess; i++)
        status = answer_range(&e, data[i], sizes[i], attributes[i], pointer, bytes);
    return entry_finish(&e, status);
}
