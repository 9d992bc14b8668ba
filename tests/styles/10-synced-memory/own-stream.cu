/* SPDX-License-Identifier: MIT */
/* Transfers in a stream that is made for each, waited for by an event; host memory that is registered to pin it. */
#include "lesson.h"

#include <cstdlib>
#include <cstring>
#include <new>

static void transfer(void *to, const void *from, size_t bytes, cudaMemcpyKind kind)
{
    cudaStream_t stream;
    cudaEvent_t done;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming | cudaEventBlockingSync));
    size_t first = bytes / 2;
    CHECK(cudaMemcpyAsync(to, from, first, kind, stream));
    CHECK(cudaMemcpyAsync((char *)to + first, (const char *)from + first, bytes - first, kind, stream));
    CHECK(cudaEventRecord(done, stream));
    CHECK(cudaEventSynchronize(done));
    CHECK(cudaEventDestroy(done));
    CHECK(cudaStreamDestroy(stream));
}

//> states
void synced_init(struct synced *m, size_t bytes, bool pinned)
{
    new (m) synced();
    m->bytes = bytes;
    m->pinned = pinned;
    CHECK(cudaGetDevice(&m->on));
}

void synced_fini(struct synced *m)
{
    if (m->own_device)
        CHECK(cudaFree(m->device));
    if (m->own_host && m->pinned)
        CHECK(cudaHostUnregister(m->host));
    if (m->own_host)
        CHECK(heap_give(m->host));
    new (m) synced();
}

static void need_host(struct synced *m)
{
    if (m->host)
        return;
    CHECK(heap_take(&m->host, m->bytes));
    if (m->pinned)
        CHECK(cudaHostRegister(m->host, m->bytes, cudaHostRegisterDefault));
    m->own_host = true;
}

static void need_device(struct synced *m)
{
    if (m->device)
        return;
    CHECK(cudaMalloc(&m->device, m->bytes));
    m->own_device = true;
}

const void *synced_read_host(struct synced *m)
{
    need_host(m);
    switch (m->head) {
    case UNINITIALIZED:
        std::memset(m->host, 0, m->bytes);
        m->head = AT_HOST;
        break;
    case AT_DEVICE:
        transfer(m->host, m->device, m->bytes, cudaMemcpyDeviceToHost);
        m->head = SYNCED;
        break;
    case AT_HOST:
    case SYNCED:
        break;
    }
    return m->host;
}

const void *synced_read_device(struct synced *m)
{
    need_device(m);
    switch (m->head) {
    case UNINITIALIZED:
        CHECK(cudaMemsetAsync(m->device, 0, m->bytes, 0));
        CHECK(cudaStreamSynchronize(0));
        m->head = AT_DEVICE;
        break;
    case AT_HOST:
        transfer(m->device, m->host, m->bytes, cudaMemcpyHostToDevice);
        m->head = SYNCED;
        break;
    case AT_DEVICE:
    case SYNCED:
        break;
    }
    return m->device;
}

void *synced_write_host(struct synced *m)
{
    void *p = const_cast<void *>(synced_read_host(m));
    m->head = AT_HOST;
    return p;
}

void *synced_write_device(struct synced *m)
{
    void *p = const_cast<void *>(synced_read_device(m));
    m->head = AT_DEVICE;
    return p;
}
//< states

//> set
void synced_set_host(struct synced *m, void *data)
{
    if (m->own_host && m->pinned)
        CHECK(cudaHostUnregister(m->host));
    if (m->own_host)
        CHECK(heap_give(m->host));
    m->own_host = false;
    m->host = data;
    m->head = AT_HOST;
}

void synced_set_device(struct synced *m, void *data)
{
    if (m->own_device)
        CHECK(cudaFree(m->device));
    m->own_device = false;
    m->device = data;
    m->head = AT_DEVICE;
}
//< set

//> push
void synced_push(struct synced *m, cudaStream_t stream)
{
    if (m->head == AT_HOST) {
        need_device(m);
        CHECK(cudaMemcpyAsync(m->device, m->host, m->bytes, cudaMemcpyHostToDevice, stream));
        m->head = SYNCED;
    }
}
//< push

//> here
bool synced_here(const struct synced *m)
{
    int current = -1;
    CHECK(cudaGetDevice(&current));
    if (current != m->on)
        return false;
    if (!m->device)
        return true;
    cudaPointerAttributes attributes;
    CHECK(cudaPointerGetAttributes(&attributes, m->device));
    return attributes.type == cudaMemoryTypeDevice && attributes.device == current;
}
//< here
