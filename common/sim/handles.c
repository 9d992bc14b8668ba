/* SPDX-License-Identifier: MIT */
#include "sim/handles.h"

#include "trace/record/memory.h"

enum { BASE = 0x100, STEP = 0x10 };

void *handle_give(struct handles *h, void *object)
{
    h->list = memory_grow(h->list, h->count, &h->capacity, sizeof *h->list);
    h->list[h->count] = object;
    return (void *)(BASE + h->first + h->count++ * STEP);
}

/* The index of a handle; h->count when it is none. */
static size_t index_of(const struct handles *h, const void *handle)
{
    uintptr_t value = (uintptr_t)handle - BASE - h->first;
    return value % STEP == 0 && value / STEP < h->count ? value / STEP : h->count;
}

bool handle_was(const struct handles *h, const void *handle)
{
    return index_of(h, handle) < h->count;
}

void *handle_find(const struct handles *h, const void *handle)
{
    size_t index = index_of(h, handle);
    return index < h->count ? h->list[index] : NULL;
}

void handle_take_back(struct handles *h, const void *handle)
{
    size_t index = index_of(h, handle);
    if (index < h->count)
        h->list[index] = NULL;
}
