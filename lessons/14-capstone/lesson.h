/* SPDX-License-Identifier: MIT */
/*
 * lesson.h - the contract of lesson 14: (a) a plant that processes a camera's frames and answers
 * requests in between, (b) an archive of sheets that are worked on by whatever devices there are.
 *
 * Only this file is required. You decide which streams, events, threads,
 * functions and memory there are; `struct plant` and `struct archive` are yours.
 * Numbers are unsigned and wrap round at 2^32: every result is exact. Give back
 * all that you make in plant_close and archive_close. The caller may change
 * `*j` as soon as plant_open or archive_open has returned: copy what you need later.
 */
#ifndef LESSON_H
#define LESSON_H

#include "streams.h"

#define THREADS 4               /* in a block of the plant's kernels */
#define GATHER_BLOCKS 32
#define REPLY_BLOCKS 32

#define DEVELOP_NS 24000        /* what a block of develop() takes, and so a wave of them */
#define GATHER_NS 30000
#define REPLY_NS 20000
#define SEAL_NS 60000           /* what seal() takes on the host */

/*
 * ---- (a) the plant ----
 *
 * Two host threads call: the camera's thread calls plant_room and plant_frame in
 * turn, and the desk's thread calls all the others. plant_open is the first call,
 * plant_close the last. There may be a second plant when the first one is closed,
 * and a plant that never sees a frame.
 */

struct plant;                   /* yours */
struct page;                    /* the caller's: where the result of one frame belongs */

struct job {
    int frame, request;         /* elements of the longest frame, of the longest request */
    int tiles; /* of a frame: a block of develop() does one; a little more than four waves of blocks
                */
    size_t shared; /* bytes for each block of develop(), the launch's third parameter */
};

struct plant *plant_open(const struct job *j);

/* Room for a frame, j->frame elements that the camera may write and nothing reads any more. Sleeps
 * until there is one. */
unsigned *plant_room(struct plant *p);
/*
 * A frame of n elements is in `room`, which plant_room returned last. Returns without waiting for
 * the frame, which goes
 *   1. to the device, and through develop();
 *   2. into the running total, gather(), frame by frame in the order of the camera;
 *   3. to the host, as the first n elements of the total at that point, and through seal() for
 * `page`, page by page in order.
 */
void plant_frame(struct plant *p, unsigned *room, int n, struct page *page);

/* Urgent: n elements of `in` go to the device, through reply(), and to `out`; both are pinned. When
 * it returns, `out` is complete. In a busy plant a request takes at most one and a half waves of
 * develop() longer than in an idle one. */
void plant_answer(struct plant *p, unsigned *out, const unsigned *in, int n);

/* When it returns, every page is sealed and all is given back. */
void plant_close(struct plant *p);

/* ---- the caller's ---- */

/* Takes n elements of `result` into the page: host work of SEAL_NS. Any thread may call it, one at
 * a time; it makes no CUDA call, so that a host function may call it, too. */
void seal(struct page *page, const unsigned *result, int n);

/*
 * ---- (b) the archive ----
 *
 * It is run on a machine with one device, on one with two devices that reach each
 * other's memory, and on one with two that do not. One host thread calls. Device
 * 0 is current when it does; which one is when you return does not matter.
 *
 * The caller works in rounds: it writes the table, then archive_begin, any of the
 * next four in any order, archive_end. There may be a second archive, of other sheets, when
 * the first one is closed; what access devices had to each other the caller takes back before.
 * Memory that rounds need beside the sheets is kept from one round to the next.
 */

#define ARCHIVE_THREADS 2       /* in a block of pass() and of blend() */
#define PASSES 12
#define TABLE 65536             /* elements of the table */

struct archive;                 /* yours */

struct archive_job {
    int sheets, n;              /* how many there are, elements of each */
    const unsigned
        *table; /* managed memory of the caller's, TABLE elements: every pass() reads it */
    int blocks;                 /* of pass() and of blend(): they fill a device */
    size_t shared;              /* bytes for each of these blocks, the launch's third parameter */
};

struct archive *archive_open(const struct archive_job *j);

/* The caller has written the table. Does not wait for the device. */
void archive_begin(struct archive *a);
/* The n elements of a sheet in the host's memory, in their newest version. The caller reads them,
 * or with archive_edit reads and writes them, until it names the sheet in another call. The first
 * call about a sheet is archive_edit, and the caller writes all of it. What is in the host's memory
 * already is not copied there again, and likewise on a device. */
const unsigned *archive_show(struct archive *a, int sheet);
unsigned *archive_edit(struct archive *a, int sheet);
/* Sends the sheet through pass() PASSES times, with k from 0 up. Does not wait for the device. */
void archive_retouch(struct archive *a, int sheet);
/* blend() of one sheet into another; `from` stays as it is. Does not wait for the device. No sheet
 * takes a detour through the host's memory, unless the driver makes it: between devices
 * cudaMemcpyPeerAsync() will do. Whether you give devices access to each other's memory (lesson 12)
 * is up to you: the time of a round is what counts. */
void archive_blend(struct archive *a, int to, int from);
/* When it returns, all that the round has queued is done, on every device, and the table may be
 * written. */
void archive_end(struct archive *a);

void archive_close(struct archive *a);

/* ---- kernels ---- */

#ifdef __CUDACC__

#define PASS_NS 4000
#define BLEND_NS 8000

/* `tiles` blocks; block b does tile b. */
[[maybe_unused]] static __global__ void develop(unsigned *x, int n, int tiles)
{
    kernel_cost(DEVELOP_NS);
    int end = (int)(n * (blockIdx.x + 1ll) / tiles);
    for (int i = (int)((long long)n * blockIdx.x / tiles) + threadIdx.x; i < end; i += blockDim.x)
        x[i] = 1664525u * x[i] + 1013904223u;
}

/* GATHER_BLOCKS blocks: total = 3 * total + x, and x = total. The total begins with zeros, j->frame
 * of them. */
[[maybe_unused]] static __global__ void gather(unsigned *total, unsigned *x, int n)
{
    kernel_cost(GATHER_NS);
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        x[i] = total[i] = 3 * total[i] + x[i];
}

/* These two have archive_job's `blocks`, each with `shared` bytes. */
[[maybe_unused]] static __global__ void pass(unsigned *x, const unsigned *table, int n, int k)
{
    kernel_cost(PASS_NS);
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        x[i] = 1664525u * x[i] + table[(389u * (i & ~31) + (i & 31) + 4099u * k) % TABLE];
}

/* `from` may be a copy of the sheet. */
[[maybe_unused]] static __global__ void blend(unsigned *to, const unsigned *from, int n)
{
    kernel_cost(BLEND_NS);
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        to[i] = 3 * to[i] + from[i];
}

/* REPLY_BLOCKS blocks. */
[[maybe_unused]] static __global__ void reply(unsigned *x, int n)
{
    kernel_cost(REPLY_NS);
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        x[i] = 5 * x[i] + 1;
}

#endif
#endif
