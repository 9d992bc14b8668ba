/* SPDX-License-Identifier: MIT */
#include "sim/memory/managed_range.h"

#include "sim/memory/allocation.h"
#include "trace/record/memory.h"

struct advised_page {
    bool read_mostly, by_host;                  /* by_…: cudaMemAdviseSetAccessedBy */
    uint8_t by_devices;                         /* bits */
    struct advised_location preferred, prefetched;
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
    uintptr_t from = a ? a->at : at / SYSTEM_PAGE * SYSTEM_PAGE,
              to = a ? a->at + a->bytes : at + bytes;
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
        p->by_devices =
            (uint8_t)(on ? p->by_devices | 1u << device : p->by_devices & ~(1u << device));
}

void range_advise(const void *pointer, size_t bytes, enum cudaMemoryAdvise advice,
                  struct cudaMemLocation location)
{
    struct advised_page *end;
    bool device = location.type == cudaMemLocationTypeDevice;
    for (struct advised_page *p = pages_of(pointer, bytes, &end); p < end; p++)
        switch (advice) {
        case cudaMemAdviseSetReadMostly: p->read_mostly = true; break;
        case cudaMemAdviseUnsetReadMostly: p->read_mostly = false; break;
        case cudaMemAdviseSetPreferredLocation:
            p->preferred = (struct advised_location){ location.type, location.id };
            break;
        case cudaMemAdviseUnsetPreferredLocation:
            p->preferred = (struct advised_location){ 0, 0 };
            break;
        default:
            set_accessor(p, device ? location.id : cudaCpuDeviceId,
                         advice == cudaMemAdviseSetAccessedBy);
        }
}

void range_prefetch(const void *pointer, size_t bytes, struct cudaMemLocation location)
{
    struct advised_page *end;
    for (struct advised_page *p = pages_of(pointer, bytes, &end); p < end; p++)
        p->prefetched = (struct advised_location){ location.type, location.id };
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

void range_remove(const void *pointer)
{
    for (struct range **link = &ranges; *link; link = &(*link)->next) {
        struct range *r = *link;
        if (r->from != (uintptr_t)pointer)
            continue;
        *link = r->next;
        memory_resize(r->pages, 0);
        memory_resize(r, 0);
        return;
    }
}

/* ---- what all pages have in common ---- */

static void meet(struct advised_location *shared, struct advised_location page)
{
    if (shared->type != page.type || shared->id != page.id)
        *shared = (struct advised_location){ 0, 0 };
}

struct range_common range_common_of(const void *pointer, size_t bytes)
{
    struct advised_page *end, *p = pages_of(pointer, bytes, &end);
    struct range_common c = { p->read_mostly, p->by_host, p->by_devices, p->preferred,
                              p->prefetched };
    for (; p < end; p++) {
        c.read_mostly &= p->read_mostly;
        c.by_devices &= p->by_devices;
        c.by_host &= p->by_host;
        meet(&c.preferred, p->preferred);
        meet(&c.prefetched, p->prefetched);
    }
    return c;
}
