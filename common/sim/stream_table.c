/* SPDX-License-Identifier: MIT */
#include "sim/stream_table.h"

#include "trace/record/memory.h"

static struct {
    struct stream *list;        /* by number: those of the legacy streams are their devices' */
    size_t count, capacity;
} streams;

/* Handles are no addresses: whoever looks behind one is stopped. */
static const uintptr_t first_handle = 0x100, handle_step = 0x10;

cudaStream_t stream_handle(uint32_t number)
{
    return (cudaStream_t)(first_handle + number * handle_step);
}

uint32_t stream_add(struct stream stream)
{
    streams.list =
        memory_grow(streams.list, streams.count, &streams.capacity, sizeof *streams.list);
    stream.id = streams.count;
    streams.list[streams.count] = stream;
    return (uint32_t)streams.count++;
}

struct stream *stream_of(cudaStream_t handle, uint32_t *number)
{
    uintptr_t value = (uintptr_t)handle;
    if (value < first_handle || (value - first_handle) % handle_step != 0)
        return NULL;
    size_t index = (value - first_handle) / handle_step;
    if (index >= streams.count || !streams.list[index].made)
        return NULL;
    *number = (uint32_t)index;
    return &streams.list[index];
}

uint32_t stream_number_of(cudaStream_t handle)
{
    uint32_t number = (uint32_t)(((uintptr_t)handle - first_handle) / handle_step);
    bool was = (uintptr_t)handle >= first_handle && stream_handle(number) == handle
               && number < streams.count;
    return was ? number : NO_STREAM;
}

struct stream *stream_numbered(uint32_t number)
{
    return number < streams.count ? &streams.list[number] : NULL;
}

uint64_t stream_sms(uint32_t number)
{
    const struct stream *s = &streams.list[number];
    uint64_t count = 0;
    for (size_t i = 0; i < sizeof s->sms / sizeof *s->sms; i++)
        count += (uint64_t)__builtin_popcount(s->sms[i]);
    return s->green ? count : (uint64_t)sim.card->sms;
}

uint32_t stream_sm(uint32_t number, uint64_t which)
{
    const struct stream *s = &streams.list[number];
    uint32_t i = 0;
    if (!s->green)
        return (uint32_t)which;
    while (!(s->sms[i / 32] >> i % 32 & 1) || which-- > 0)
        i++;
    return i;
}

void streams_orphan(void *green)
{
    for (size_t i = 0; i < streams.count; i++)
        if (streams.list[i].made && streams.list[i].green == green) {
            streams.list[i].made = false;
            streams.list[i].orphan = true;
        }
}

bool stream_meets_legacy(uint32_t number)
{
    return !(streams.list[number].flags & cudaStreamNonBlocking);
}

bool stream_is_legacy(uint32_t number)
{
    return is_device((int)number);
}

int stream_device(uint32_t number)
{
    return streams.list[number].device;
}
