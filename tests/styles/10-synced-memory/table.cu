/* SPDX-License-Identifier: MIT */
/* C: the state table as a table; one function for both sides and for both ways of asking. */
#include "lesson.h"

#include <string.h>

enum side { HOST, DEVICE };
enum todo { NOTHING, FILL, FETCH };

static const struct row { enum todo todo; enum head read; } table[2][4] = {
    { { FILL, AT_HOST }, { NOTHING, AT_HOST }, { FETCH, SYNCED }, { NOTHING, SYNCED } },
    { { FILL, AT_DEVICE }, { FETCH, SYNCED }, { NOTHING, AT_DEVICE }, { NOTHING, SYNCED } },
};

static void **pointer(struct synced *m, enum side side) { return side == HOST ? &m->host : &m->device; }
static bool *own(struct synced *m, enum side side) { return side == HOST ? &m->own_host : &m->own_device; }

static void take(struct synced *m, enum side side)
{
    if (*pointer(m, side))
        return;
    if (side == DEVICE)
        CHECK(cudaMalloc(&m->device, m->bytes));
    else if (m->pinned)
        CHECK(cudaHostAlloc(&m->host, m->bytes, cudaHostAllocDefault));
    else
        CHECK(heap_take(&m->host, m->bytes));
    *own(m, side) = true;
}

static void give(struct synced *m, enum side side)
{
    if (!*own(m, side))
        return;
    CHECK(side == DEVICE ? cudaFree(m->device) : m->pinned ? cudaFreeHost(m->host) : heap_give(m->host));
    *own(m, side) = false;
    *pointer(m, side) = NULL;
}

static void *ask(struct synced *m, enum side side, bool write)
{
    const struct row *row = &table[side][m->head];
    void *to = *pointer(m, side);
    take(m, side);
    to = *pointer(m, side);
    if (row->todo == FETCH)
        CHECK(cudaMemcpy(to, *pointer(m, side == HOST ? DEVICE : HOST), m->bytes, cudaMemcpyDefault));
    else if (row->todo == FILL && side == HOST)
        memset(to, 0, m->bytes);
    else if (row->todo == FILL)
        CHECK(cudaMemset(to, 0, m->bytes));
    m->head = !write ? row->read : side == HOST ? AT_HOST : AT_DEVICE;
    return to;
}

//> states
void synced_init(struct synced *m, size_t bytes, bool pinned)
{
    memset(m, 0, sizeof *m);
    m->bytes = bytes;
    m->pinned = pinned;
    CHECK(cudaGetDevice(&m->on));
}

void synced_fini(struct synced *m)
{
    give(m, DEVICE);
    give(m, HOST);
}

const void *synced_read_host(struct synced *m) { return ask(m, HOST, false); }
const void *synced_read_device(struct synced *m) { return ask(m, DEVICE, false); }
void *synced_write_host(struct synced *m) { return ask(m, HOST, true); }
void *synced_write_device(struct synced *m) { return ask(m, DEVICE, true); }
//< states

//> set
static void set(struct synced *m, enum side side, void *data)
{
    give(m, side);
    *pointer(m, side) = data;
    m->head = side == HOST ? AT_HOST : AT_DEVICE;
}

void synced_set_host(struct synced *m, void *data) { set(m, HOST, data); }
void synced_set_device(struct synced *m, void *data) { set(m, DEVICE, data); }
//< set

//> push
void synced_push(struct synced *m, cudaStream_t stream)
{
    if (m->head == AT_HOST) {
        take(m, DEVICE);
        CHECK(cudaMemcpyAsync(m->device, m->host, m->bytes, cudaMemcpyDefault, stream));
        m->head = SYNCED;
    }
}
//< push

//> here
bool synced_here(const struct synced *m)
{
    int current, memory_on = m->on;
    CHECK(cudaGetDevice(&current));
    if (m->device) {
        struct cudaPointerAttributes attributes;
        CHECK(cudaPointerGetAttributes(&attributes, m->device));
        memory_on = attributes.device;
    }
    return current == m->on && memory_on == m->on;
}
//< here
