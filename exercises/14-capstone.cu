/* SPDX-License-Identifier: MIT */
/*
 * Lesson 14: capstone, a pipeline with urgent work, and an archive on several devices.
 *
 * Grade it:  make lesson14        Run it:  make run14
 * Read:      lessons/14-capstone/chapter.md and lesson.h, the contract.
 */
#include <initializer_list>
#include <semaphore.h>
#include "lesson.h"

/* (a) A camera's plant. */
//> plant
/* TODO: this plant is right, but no two things in it happen at the same time. Build your own.
 * - Frames overlap: the plant reaches 0.9 of the pace of the reference solution.
 * - Frames enter the total, and pages are sealed, in the order of the camera. The camera's thread waits for a room and
 *   for nothing else.
 * - A request takes at most one and a half waves of develop() longer than in an idle plant.
 * - Which streams, events, threads and memory there are is up to you. lesson.h says all that is required.
 */
struct plant {
    struct job job;
    cudaStream_t stream;
    unsigned *room, *x, *total;
};

struct plant *plant_open(const struct job *j)
{
    struct plant *p = new plant();
    size_t bytes = j->frame * sizeof(unsigned);
    p->job = *j;
    CHECK(cudaStreamCreate(&p->stream));
    CHECK(cudaMallocHost((void **)&p->room, bytes));
    CHECK(cudaMalloc((void **)&p->x, bytes));
    CHECK(cudaMalloc((void **)&p->total, bytes));
    CHECK(cudaMemsetAsync(p->total, 0, bytes, p->stream));
    return p;
}

unsigned *plant_room(struct plant *p)
{
    return p->room;
}

void plant_frame(struct plant *p, unsigned *room, int n, struct page *page)
{
    CHECK(cudaMemcpyAsync(p->x, room, n * sizeof *room, cudaMemcpyHostToDevice, p->stream));
    develop<<<p->job.tiles, THREADS, p->job.shared, p->stream>>>(p->x, n, p->job.tiles);
    gather<<<GATHER_BLOCKS, THREADS, 0, p->stream>>>(p->total, p->x, n);
    CHECK(cudaMemcpyAsync(room, p->x, n * sizeof *room, cudaMemcpyDeviceToHost, p->stream));
    CHECK(cudaStreamSynchronize(p->stream));
    seal(page, room, n);
}

void plant_answer(struct plant *p, unsigned *out, const unsigned *in, int n)
{
    unsigned *x;
    CHECK(cudaMalloc((void **)&x, n * sizeof *x));
    CHECK(cudaMemcpyAsync(x, in, n * sizeof *x, cudaMemcpyHostToDevice, p->stream));
    reply<<<REPLY_BLOCKS, THREADS, 0, p->stream>>>(x, n);
    CHECK(cudaMemcpyAsync(out, x, n * sizeof *x, cudaMemcpyDeviceToHost, p->stream));
    CHECK(cudaStreamSynchronize(p->stream));
    CHECK(cudaFree(x));
}

void plant_close(struct plant *p)
{
    CHECK(cudaStreamDestroy(p->stream));
    CHECK(cudaFreeHost(p->room));
    CHECK(cudaFree(p->x));
    CHECK(cudaFree(p->total));
    delete p;
}
//< plant

/* (b) An archive. */
//> archive
/* TODO: this archive is right, but it keeps every sheet at the host, and has one device work at a time. Build your own.
 * - It is right on a machine with one device and with two, whether they reach each other's memory or not, and its rounds take
 *   at most 1.18 times as long as the reference's on each.
 * - No sheet is copied to where its newest version is already.
 * - No kernel waits for pages of the table.
 * - lesson.h says all that is required.
 */
struct archive {
    struct archive_job job;
    unsigned *host, *x, *y;
};

struct archive *archive_open(const struct archive_job *j)
{
    struct archive *a = new archive();
    size_t bytes = j->n * sizeof(unsigned);
    a->job = *j;
    CHECK(cudaMallocHost((void **)&a->host, j->sheets * bytes));
    CHECK(cudaMalloc((void **)&a->x, bytes));
    CHECK(cudaMalloc((void **)&a->y, bytes));
    return a;
}

void archive_begin(struct archive *)
{
}

const unsigned *archive_show(struct archive *a, int sheet)
{
    return a->host + (size_t)sheet * a->job.n;
}

unsigned *archive_edit(struct archive *a, int sheet)
{
    return a->host + (size_t)sheet * a->job.n;
}

void archive_retouch(struct archive *a, int sheet)
{
    size_t bytes = a->job.n * sizeof(unsigned);
    CHECK(cudaMemcpy(a->x, archive_show(a, sheet), bytes, cudaMemcpyHostToDevice));
    for (int k = 0; k < PASSES; k++)
        pass<<<a->job.blocks, ARCHIVE_THREADS, a->job.shared>>>(a->x, a->job.table, a->job.n, k);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(archive_edit(a, sheet), a->x, bytes, cudaMemcpyDeviceToHost));
}

void archive_blend(struct archive *a, int to, int from)
{
    size_t bytes = a->job.n * sizeof(unsigned);
    CHECK(cudaMemcpy(a->x, archive_show(a, to), bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(a->y, archive_show(a, from), bytes, cudaMemcpyHostToDevice));
    blend<<<a->job.blocks, ARCHIVE_THREADS, a->job.shared>>>(a->x, a->y, a->job.n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(archive_edit(a, to), a->x, bytes, cudaMemcpyDeviceToHost));
}

void archive_end(struct archive *)
{
}

void archive_close(struct archive *a)
{
    CHECK(cudaFreeHost(a->host));
    CHECK(cudaFree(a->x));
    CHECK(cudaFree(a->y));
    delete a;
}
//< archive
