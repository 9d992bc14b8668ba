/* SPDX-License-Identifier: MIT */
/*
 * DESIGN
 * Handles are addresses that the driver uses again once they were given back;
 * the log's numbers are not. Open addressing, doubled when half full; a removed
 * entry keeps its slot with the value MAP_NONE.
 */
#include "recorder.h"

#include <stdio.h>

#include "trace/record/memory.h"

static size_t slot_of(const struct map *m, uint64_t key)
{
    size_t at = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (m->capacity - 1);
    while (m->entries[at].used && m->entries[at].key != key)
        at = (at + 1) & (m->capacity - 1);
    return at;
}

static void map_grow(struct map *m)
{
    struct map old = *m;
    m->capacity = old.capacity ? 2 * old.capacity : 64;
    m->count = 0;
    m->entries = memory_resize(NULL, m->capacity * sizeof *m->entries);
    memory_zero(m->entries, m->capacity * sizeof *m->entries);
    for (size_t i = 0; i < old.capacity; i++)
        if (old.entries[i].used && old.entries[i].value != MAP_NONE)
            map_put(m, old.entries[i].key, old.entries[i].value);
    memory_resize(old.entries, 0);
}

void map_put(struct map *m, uint64_t key, uint64_t value)
{
    if (2 * (m->count + 1) > m->capacity)
        map_grow(m);
    size_t at = slot_of(m, key);
    m->count += !m->entries[at].used;
    m->entries[at] = (struct map_entry){ key, value, true };
}

uint64_t map_get(const struct map *m, uint64_t key)
{
    if (m->capacity == 0)
        return MAP_NONE;
    size_t at = slot_of(m, key);
    return m->entries[at].used ? m->entries[at].value : MAP_NONE;
}

void map_remove(struct map *m, uint64_t key)
{
    if (map_get(m, key) != MAP_NONE)
        m->entries[slot_of(m, key)].value = MAP_NONE;
}

/* ---- devices ---- */

static void announce_device(CUdevice device)
{
    char name[256] = "", message[128];
    size_t memory = 0;
    int version = 0, major = 0, minor = 0, sms = 0, engines = 0, managed = 0, concurrent = 0;
    uint32_t cupti = 0;
    cu.device_name(name, sizeof name, device);
    cu.device_memory(&memory, device);
    cu.driver_version(&version);
    cu.cuptiGetVersion(&cupti);
    cu.device_attribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
    cu.device_attribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
    cu.device_attribute(&sms, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device);
    cu.device_attribute(&engines, CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT, device);
    cu.device_attribute(&managed, CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY, device);
    cu.device_attribute(&concurrent, CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS, device);
    snprintf(message, sizeof message, "CUDA %d.%d of the driver, %d.%d of the recorder, CUPTI %u",
             version / 1000, version % 1000 / 10, CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10,
             cupti);
    record_add(&(struct call){
        .kind = CALL_DEVICE, .device = (uint32_t)device, .name = record_string(name),
        .message = record_string(message),
        .bytes = memory, .machine = { (uint32_t)sms, (uint32_t)engines,
                                      (uint32_t)(10 * major + minor) },
        .flags = (managed ? DEVICE_MANAGED : 0u) | (concurrent ? DEVICE_CONCURRENT_MANAGED : 0u),
        .node = NO_NODE });
}

uint32_t current_device(void)
{
    CUdevice device = 0;
    return cu.get_device(&device) == CUDA_SUCCESS && device >= 0 ? (uint32_t)device : 0;
}

/* ---- streams ---- */

static struct map streams, events;
static uint32_t *devices;       /* by stream number */
static size_t stream_count, stream_capacity, event_count;

static uint32_t announce_stream(uint64_t key, uint32_t device, uint32_t flags)
{
    MEMORY_GROW(devices, stream_count, stream_capacity);
    devices[stream_count] = device;
    int64_t now = record_now();
    record_add(&(struct call){ .kind = CALL_STREAM_CREATE, .stream = (uint32_t)stream_count,
                               .device = device, .flags = flags, .thread = record_thread(),
                               .begin = now, .end = now, .node = NO_NODE });
    map_put(&streams, key, stream_count);
    return (uint32_t)stream_count++;
}

/* Default streams are told apart by device and thread; no handle is so small or so large. */
static uint64_t legacy_key(uint32_t device) { return 16 + device; }
static uint64_t thread_key(uint32_t device)
{
    return UINT64_C(0xff) << 56 | (uint64_t)record_thread() << 8 | device;
}

void handles_reset(void)
{
    memory_resize(streams.entries, 0);
    memory_resize(events.entries, 0);
    streams = events = (struct map){ 0 };
    stream_count = event_count = 0;
}

void handles_begin(void)
{
    int count = 0;
    if (stream_count > 0)
        return;
    if (cu.count_devices(&count) != CUDA_SUCCESS)
        count = 1;
    for (int d = 0; d < count; d++)
        announce_device(d);
    for (int d = 0; d < count; d++)
        announce_stream(legacy_key((uint32_t)d), (uint32_t)d, STREAM_LEGACY);
}

uint32_t stream_number(cudaStream_t stream, bool per_thread, uint32_t device)
{
    if (!stream)
        stream = per_thread ? cudaStreamPerThread : cudaStreamLegacy;
    if (stream == cudaStreamLegacy)
        return (uint32_t)map_get(&streams, legacy_key(device));
    uint64_t key = stream == cudaStreamPerThread ? thread_key(device) : (uint64_t)(uintptr_t)stream;
    uint64_t number = map_get(&streams, key);
    if (number != MAP_NONE)
        return (uint32_t)number;
    return announce_stream(key, device, stream == cudaStreamPerThread ? STREAM_PER_THREAD : 0);
}

uint32_t stream_add(cudaStream_t stream)
{
    MEMORY_GROW(devices, stream_count, stream_capacity);
    devices[stream_count] = current_device();
    map_put(&streams, (uint64_t)(uintptr_t)stream, stream_count);
    return (uint32_t)stream_count++;
}

void stream_remove(cudaStream_t stream)
{
    map_remove(&streams, (uint64_t)(uintptr_t)stream);
}

uint32_t stream_device(uint32_t number)
{
    return number < stream_count ? devices[number] : 0;
}

/* ---- events ---- */

uint32_t event_add(cudaEvent_t event)
{
    map_put(&events, (uint64_t)(uintptr_t)event, event_count);
    return (uint32_t)event_count++;
}

uint32_t event_number(cudaEvent_t event)
{
    uint64_t number = map_get(&events, (uint64_t)(uintptr_t)event);
    if (number != MAP_NONE)
        return (uint32_t)number;
    int64_t now = record_now();
    record_add(&(struct call){ .kind = CALL_EVENT_CREATE, .event = (uint32_t)event_count,
                               .thread = record_thread(), .begin = now, .end = now,
                               .node = NO_NODE });
    return event_add(event);
}

void event_remove(cudaEvent_t event)
{
    map_remove(&events, (uint64_t)(uintptr_t)event);
}

/* ---- memory ---- */

uint32_t memory_at(const void *address, uint32_t *device)
{
    CUmemorytype type = 0;
    unsigned managed = 0;
    int ordinal = 0;
    CUdeviceptr at = (CUdeviceptr)(uintptr_t)address;
    *device = 0;
    if (cu.get_attribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, at) != CUDA_SUCCESS)
        return MEM_PAGEABLE;
    if (cu.get_attribute(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, at) == CUDA_SUCCESS && managed)
        return MEM_MANAGED;
    if (type == CU_MEMORYTYPE_HOST)
        return MEM_PINNED;
    if (cu.get_attribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, at) == CUDA_SUCCESS
        && ordinal >= 0)
        *device = (uint32_t)ordinal;
    return MEM_DEVICE;
}

static struct map blocks;       /* address: index in `block` */
static struct block *block;
static size_t block_count, block_capacity;

void block_add(const void *at, struct block b)
{
    MEMORY_GROW(block, block_count, block_capacity);
    block[block_count] = b;
    map_put(&blocks, (uint64_t)(uintptr_t)at, block_count++);
}

bool block_remove(const void *at, struct block *b)
{
    uint64_t index = map_get(&blocks, (uint64_t)(uintptr_t)at);
    if (index == MAP_NONE)
        return false;
    *b = block[index];
    map_remove(&blocks, (uint64_t)(uintptr_t)at);
    return true;
}
