/* SPDX-License-Identifier: MIT */
/*
 * lesson.h - the contract of lesson 10: one block of memory, kept on two sides.
 *
 * After Caffe's SyncedMemory. A caller asks for a block on one side, to read or
 * to write. The block keeps track of where the newest bytes are: it takes memory
 * and copies when it must, and not before.
 *
 * Nothing that the caller does with a block is under way when one of these functions is called
 * (but see synced_push), and what a function copies has arrived when it returns. Zeros that it makes
 * on the device may still be under way, and the next function is called all the same.
 * The caller's kernels use a block in the default stream, unless they follow a push.
 * No function need check its arguments.
 */
#ifndef LESSON_H
#define LESSON_H

#include "streams.h"

/* Where the newest bytes are. */
enum head { UNINITIALIZED, AT_HOST, AT_DEVICE, SYNCED };

struct synced {
    size_t bytes;
    bool pinned;                /* the host memory that it takes itself is pinned */
    enum head head;
    void *host, *device;        /* NULL: there is none */
    bool own_host, own_device;  /* it has taken this memory itself, and gives it back */
    int on;                     /* the device that was the current one when it was made */
};

/* Ordinary memory of the host: malloc() and free() that keep count, in the manner of cudaMallocHost() and
 * cudaFreeHost(). Its contents are undefined; to give what heap_take() never gave is cudaErrorInvalidValue. */
cudaError_t heap_take(void **memory, size_t bytes);
cudaError_t heap_give(void *memory);

/*
 * Memory that a block takes itself comes from cudaMalloc() on the device. On the
 * host it is pinned memory, as cudaMallocHost() gives it, when the block is pinned,
 * and comes from heap_take() when it is not. It is taken when a side is needed for the first time, and
 * stays until synced_fini(), or until memory of the caller's takes its place.
 */

/* ---- (a) four states ---- */

/* A new block, on the current device: uninitialised, and no memory is taken. */
void synced_init(struct synced *m, size_t bytes, bool pinned);
/* Gives back what it has taken itself. The block is not used any more. */
void synced_fini(struct synced *m);

/* The block, on the side asked for. To read: whatever the other side has stays
 * good. To write: it may be read as well, and the other side is stale from now
 * on. A block that has not been written yet is all zeros, which are made on the
 * side asked for alone. */
const void *synced_read_host(struct synced *m);
const void *synced_read_device(struct synced *m);
void *synced_write_host(struct synced *m);
void *synced_write_device(struct synced *m);

/* ---- (b) memory of the caller's ---- */

/* From now on the block's bytes on this side are these: m->bytes of them, not
 * copied, the newest there are, even if they were set before. They belong to the
 * caller, who gives them back later, after synced_fini() or after others have
 * taken their place. Memory that the block had taken itself on this side goes
 * back at once. */
void synced_set_host(struct synced *m, void *data);
void synced_set_device(struct synced *m, void *data);

/* ---- (c) a push ---- */

/* Where the host alone is up to date, sends the block to the device in `stream`
 * and comes back while that is under way; the block counts as synced from then
 * on. The caller uses it in that stream, or waits for the stream. In any other
 * state it does nothing. (From memory that is not pinned the copy may hold the host.) */
void synced_push(struct synced *m, cudaStream_t stream);

/* ---- (d) the right device ---- */

/* May the block be used now? It may when the current device is the one that it
 * was made on and its device memory, if it has some, is memory of that device. */
bool synced_here(const struct synced *m);

#endif
