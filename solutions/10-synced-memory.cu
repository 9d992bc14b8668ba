/* SPDX-License-Identifier: MIT */
/*
 * Lesson 10: SyncedMemory, one block on two sides.
 *
 * Grade it:  make lesson10        Run it:  make run10
 * Read:      lessons/10-synced-memory/chapter.md; lesson.h beside it is the
 *            contract: the block, and what each function promises.
 */
#include "lesson.h"

#include <string.h>

/* (a) Four states. */
//> states
void synced_init(struct synced *m, size_t bytes, bool pinned)
{
    *m = { bytes, pinned, UNINITIALIZED, NULL, NULL, false, false, 0 };
    CHECK(cudaGetDevice(&m->on));
}

void synced_fini(struct synced *m)
{
    if (m->own_host)
        CHECK(m->pinned ? cudaFreeHost(m->host) : heap_give(m->host));
    if (m->own_device)
        CHECK(cudaFree(m->device));
}

const void *synced_read_host(struct synced *m)
{
    if (!m->host) {
        CHECK(m->pinned ? cudaMallocHost(&m->host, m->bytes) : heap_take(&m->host, m->bytes));
        m->own_host = true;
    }
    if (m->head == UNINITIALIZED)
        memset(m->host, 0, m->bytes);
    if (m->head == AT_DEVICE)
        CHECK(cudaMemcpy(m->host, m->device, m->bytes, cudaMemcpyDeviceToHost));
    m->head = m->head == UNINITIALIZED || m->head == AT_HOST ? AT_HOST : SYNCED;
    return m->host;
}

const void *synced_read_device(struct synced *m)
{
    if (!m->device) {
        CHECK(cudaMalloc(&m->device, m->bytes));
        m->own_device = true;
    }
    if (m->head == UNINITIALIZED)
        CHECK(cudaMemset(m->device, 0, m->bytes));
    if (m->head == AT_HOST)
        CHECK(cudaMemcpy(m->device, m->host, m->bytes, cudaMemcpyHostToDevice));
    m->head = m->head == UNINITIALIZED || m->head == AT_DEVICE ? AT_DEVICE : SYNCED;
    return m->device;
}

void *synced_write_host(struct synced *m)
{
    synced_read_host(m);
    m->head = AT_HOST;              // from here on the device is stale
    return m->host;
}

void *synced_write_device(struct synced *m)
{
    synced_read_device(m);
    m->head = AT_DEVICE;
    return m->device;
}
//< states

/* (b) Memory of the caller's. */
//> set
void synced_set_host(struct synced *m, void *data)
{
    if (m->own_host)
        CHECK(m->pinned ? cudaFreeHost(m->host) : heap_give(m->host));
    m->host = data;
    m->own_host = false;
    m->head = AT_HOST;
}

void synced_set_device(struct synced *m, void *data)
{
    if (m->own_device)
        CHECK(cudaFree(m->device));
    m->device = data;
    m->own_device = false;
    m->head = AT_DEVICE;
}
//< set

/* (c) A push. */
//> push
void synced_push(struct synced *m, cudaStream_t stream)
{
    if (m->head != AT_HOST)
        return;
    if (!m->device) {
        CHECK(cudaMalloc(&m->device, m->bytes));
        m->own_device = true;
    }
    CHECK(cudaMemcpyAsync(m->device, m->host, m->bytes, cudaMemcpyHostToDevice, stream));
    m->head = SYNCED;
}
//< push

/* (d) The right device. */
//> here
bool synced_here(const struct synced *m)
{
    int current;
    struct cudaPointerAttributes memory = {};
    CHECK(cudaGetDevice(&current));
    if (m->device)
        CHECK(cudaPointerGetAttributes(&memory, m->device));
    return current == m->on && (!m->device || memory.device == m->on);
}
//< here
