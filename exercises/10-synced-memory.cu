/* SPDX-License-Identifier: MIT */
/*
 * Lesson 10: one block, two sides.
 *
 * Grade it:  make lesson10        Run it:  make run10
 * Read:      lessons/10-synced-memory/chapter.md; lesson.h beside it is the
 *            contract: the block, and what each function promises.
 */
#include "lesson.h"

#include <string.h>

/* (a) Four states. */
//> states
/* TODO: this block takes both sides at once and copies whenever it is asked. Let it do what it must.
 * - Take no memory in synced_init(). Take a side when it is needed first: cudaMalloc(); cudaMallocHost() or heap_take().
 * - Copy with cudaMemcpy() when the side asked for is stale, and only then: m->head says which side has the newest bytes.
 * - Fill a block that nobody has written with zeros, on the side asked for alone: memset() or cudaMemset().
 * - Leave in m->head what is true then. After a copy both sides are good; after a write only the side that is written.
 * - Give back in synced_fini() what m->own_host and m->own_device say: cudaFreeHost() or heap_give(); cudaFree().
 */
void synced_init(struct synced *m, size_t bytes, bool pinned)
{
    *m = { bytes, pinned, AT_HOST, NULL, NULL, true, true, 0 };
    CHECK(cudaGetDevice(&m->on));
    CHECK(cudaMallocHost(&m->host, bytes));
    CHECK(cudaMalloc(&m->device, bytes));
    memset(m->host, 0, bytes);
}

void synced_fini(struct synced *m)
{
    CHECK(cudaFreeHost(m->host));
    CHECK(cudaFree(m->device));
}

const void *synced_read_host(struct synced *m)
{
    CHECK(cudaMemcpy(m->host, m->device, m->bytes, cudaMemcpyDeviceToHost));
    return m->host;
}

const void *synced_read_device(struct synced *m)
{
    CHECK(cudaMemcpy(m->device, m->host, m->bytes, cudaMemcpyHostToDevice));
    return m->device;
}

void *synced_write_host(struct synced *m)
{
    synced_read_host(m);
    return m->host;
}

void *synced_write_device(struct synced *m)
{
    synced_read_device(m);
    return m->device;
}
//< states

/* (b) Memory of somebody else's. */
//> set
/* TODO: make the caller's memory this side of the block.
 * - Give back what the block has taken itself on this side: cudaFreeHost() or heap_give(); cudaFree().
 * - Keep the pointer, copy nothing: the newest bytes are there now, and the block does not own them.
 */
void synced_set_host(struct synced *m, void *data)
{
    (void)m, (void)data;
}

void synced_set_device(struct synced *m, void *data)
{
    (void)m, (void)data;
}
//< set

/* (c) A push. */
//> push
/* TODO: this waits. Send the block off in `stream`, and come back.
 * - Do nothing unless the host alone is up to date.
 * - Take the device side if there is none: cudaMalloc(). Then cudaMemcpyAsync() in `stream`, and no wait.
 */
void synced_push(struct synced *m, cudaStream_t stream)
{
    (void)stream;
    synced_read_device(m);
}
//< push

/* (d) The right device. */
//> here
/* TODO: this always says yes. Find out.
 * - Ask cudaGetDevice() which device is the current one; m->on is the block's.
 * - Ask cudaPointerGetAttributes() on which device m->device is, if there is some.
 */
bool synced_here(const struct synced *m)
{
    (void)m;
    return true;
}
//< here
