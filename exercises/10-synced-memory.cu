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
/* TODO: this block takes both sides at once and copies whenever it is asked. Let it do what it must, and no more.
 * - Memory is taken on the side asked for, when it is first needed there, and of the kind that lesson.h says.
 * - The side asked for is up to date when a function returns. A copy is made only if that side was stale.
 * - A block that has not been written is all zeros, and nothing travels for them.
 * - After each call m->head says which sides have the newest bytes, given what the caller may do now.
 * - After synced_fini() all that the block has taken is given back, and nothing else is.
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

/* (b) Memory of the caller's. */
//> set
/* TODO: make the caller's memory this side of the block.
 * - What the block had taken itself on this side is given back; what was set there before is left alone.
 * - The newest bytes are at the caller's address now, and the block does not own them. Nothing travels.
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
 * - Nothing happens unless the host alone is up to date.
 * - The whole block is on its way when this returns: in `stream`, and the host has not waited.
 * - There is memory for it on the device, and the block knows whose that is.
 */
void synced_push(struct synced *m, cudaStream_t stream)
{
    (void)stream;
    synced_read_device(m);
}
//< push

/* (d) The right device. */
//> here
/* TODO: this always says yes. Ask the runtime.
 * - It is false when the current device is not the block's, or its device memory is not memory of that device.
 * - Asking changes nothing, the current device least of all.
 */
bool synced_here(const struct synced *m)
{
    (void)m;
    return true;
}
//< here
