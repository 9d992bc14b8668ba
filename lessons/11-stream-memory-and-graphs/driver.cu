/* SPDX-License-Identifier: MIT */
/* driver.cu - is the caller of lesson 11: owns the memory, looks at frames, asks for runs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver.h"
#include "lesson.h"
#include "slots.h"

static const struct settings *settings(void)
{
    return (const struct settings *)driver_input(IN_SETTINGS, NULL);
}

static inline __attribute__((always_inline)) void note(const char *what, int number)
{
    char text[32];
    snprintf(text, sizeof text, "%s%d", what, number);
    label_push(text);
}

static unsigned *on_device(int slot, size_t *bytes)
{
    unsigned *to;
    const void *from = driver_input(slot, bytes);
    CHECK(cudaMalloc((void **)&to, *bytes));
    CHECK(cudaMemcpy(to, from, *bytes, cudaMemcpyHostToDevice));
    return to;
}

static __global__ void neighbour(void)
{
    kernel_cost(NEIGHBOUR_NS);
}

/* ---- (a) ---- */

static struct frames f;
static unsigned *seen;
static cudaMemPool_t pool;
static uint64_t least = UINT64_MAX;

void look(int frame)
{
    if (frame < 0 || frame >= f.count) {
        fprintf(stderr, "look(%d): there are %d frames\n", frame, f.count);
        exit(1);
    }
    uint64_t kept;
    CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &kept));
    if (frame < f.count - 1 && kept < least)
        least = kept;
    size_t before = 0;
    for (int k = 0; k < frame; k++)
        before += f.n[k];
    note(LOOK, frame);
    memcpy(seen + before, f.out, f.n[frame] * sizeof *f.out);
    memset(f.out, 0xff, f.n[frame] * sizeof *f.out);
    label_pop();
}

static void frames(void)
{
    size_t bytes;
    cudaStream_t next_door;
    uint64_t before = (uint64_t)settings()->threshold, now = 0, none = 0;
    f.count = (int)settings()->frames;
    f.n = (const int *)driver_input(IN_SIZES, NULL);
    f.in = on_device(IN_FRAMES, &bytes);
    seen = (unsigned *)driver_output(OUT_FRAMES, NULL);
    CHECK(cudaMallocHost((void **)&f.out, f.n[0] * sizeof *f.out));
    memset(f.out, 0xff, f.n[0] * sizeof *f.out);
    CHECK(cudaStreamCreateWithFlags(&f.stream, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&next_door, cudaStreamNonBlocking));
    /* The first one of a program makes the pool, which takes its time. */
    void *first;
    CHECK(cudaMallocAsync(&first, 1, f.stream));
    CHECK(cudaFreeAsync(first, f.stream));
    CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
    CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &before));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemPoolTrimTo(pool, 0));
    neighbour<<<1, 32, 0, next_door>>>();
    CHECK(cudaGetLastError());

    driver_part("a");
    frames_all(&f);
    driver_part(NULL);

    CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &now));
    CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &none));
    *(struct pool *)driver_output(OUT_POOL, NULL) = { before, now, least };
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaStreamDestroy(f.stream));
    CHECK(cudaStreamDestroy(next_door));
    CHECK(cudaFreeHost(f.out));
    CHECK(cudaFree((void *)f.in));
}

/* More frames, and smaller ones. */
static void frames_again(void)
{
    size_t bytes;
    int n[MORE_MOST];
    for (int k = 0; k < settings()->more; k++)
        n[k] = size_again(k);
    f = {};
    f.count = (int)settings()->more;
    f.n = n;
    f.in = on_device(IN_FRAMES, &bytes);
    seen = (unsigned *)driver_output(OUT_FRAMES_AGAIN, NULL);
    CHECK(cudaMallocHost((void **)&f.out, n[0] * sizeof *f.out));
    CHECK(cudaStreamCreateWithFlags(&f.stream, cudaStreamNonBlocking));
    CHECK(cudaDeviceSynchronize());
    driver_part(AGAIN "a");
    frames_all(&f);
    driver_part(NULL);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaStreamDestroy(f.stream));
    CHECK(cudaFreeHost(f.out));
    CHECK(cudaFree((void *)f.in));
}

/* ---- (b) ---- */

static void relay(const char *part, int64_t rounds, int64_t n, int output)
{
    size_t bytes, all = rounds * n * sizeof(unsigned);
    struct relay r = {};
    r.rounds = (int)rounds;
    r.n = (int)n;
    r.in = on_device(IN_RELAY, &bytes);
    CHECK(cudaMalloc((void **)&r.out, all));
    CHECK(cudaMemset(r.out, 0xff, all));
    CHECK(cudaStreamCreateWithFlags(&r.one, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&r.two, cudaStreamNonBlocking));
    CHECK(cudaDeviceSynchronize());
    driver_part(part);
    relay_all(&r);
    driver_part(NULL);
    CHECK(cudaStreamSynchronize(r.one));
    CHECK(cudaStreamSynchronize(r.two));
    CHECK(cudaMemcpy(driver_output(output, NULL), r.out, all, cudaMemcpyDeviceToHost));
    CHECK(cudaStreamDestroy(r.one));
    CHECK(cudaStreamDestroy(r.two));
    CHECK(cudaFree((void *)r.in));
    CHECK(cudaFree(r.out));
}

/* ---- (c), (d) ---- */

/* Marks the caller's stream. */
static __global__ void caller(void)
{
}

/* A pipeline, and the caller's memory that it works on. */
struct line {
    struct work w;
    struct pipeline p;
};

static struct line new_line(int k, const unsigned *x)
{
    struct line l = {};
    size_t bytes;
    l.w.n = (int)settings()->work_n[k];
    l.w.gain = settings()->first[k];
    bytes = l.w.n * sizeof *l.w.x;
    CHECK(cudaMalloc((void **)&l.w.x, bytes));
    CHECK(cudaMalloc((void **)&l.w.left, bytes));
    CHECK(cudaMalloc((void **)&l.w.right, bytes));
    CHECK(cudaMemcpy(l.w.x, x, bytes, cudaMemcpyHostToDevice));
    return l;
}

static void end_line(struct line *l, unsigned *x)
{
    CHECK(cudaMemcpy(x, l->w.x, l->w.n * sizeof *x, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(l->w.x));
    CHECK(cudaFree(l->w.left));
    CHECK(cudaFree(l->w.right));
}

static void pipelines(const char *part, int in, int out, int gains)
{
    struct line lines[PIPELINES];
    const unsigned *from = (const unsigned *)driver_input(in, NULL);
    unsigned *to = (unsigned *)driver_output(out, NULL);
    cudaStream_t stream;
    lines[0] = new_line(0, from);
    lines[1] = new_line(1, from + lines[0].w.n);
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    caller<<<1, 1, 0, stream>>>();
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    driver_part(part);
    label_push(OPEN);
    struct work given;          /* one for all: it changes when a pipeline is open */
    for (struct line &l : lines) {
        given = l.w;
        pipeline_open(&l.p, &given);
    }
    label_pop();
    for (int k = 0, run = 0; k < gains; k++) {
        if (k > 0) {
            note(GAIN, k);
            for (struct line &l : lines)
                pipeline_gain(&l.p, settings()->gain[k]);
            label_pop();
        }
        for (int i = 0; i < settings()->runs; i++)
            for (struct line &l : lines) {
                note(RUN, run++);
                pipeline_run(&l.p, stream);
                label_pop();
            }
    }
    CHECK(cudaDeviceSynchronize());
    for (struct line &l : lines)
        pipeline_close(&l.p);
    driver_part(NULL);
    CHECK(cudaDeviceSynchronize());
    end_line(&lines[0], to);
    end_line(&lines[1], to + lines[0].w.n);
    CHECK(cudaStreamDestroy(stream));
}

int main(void)
{
    frames();
    relay("b", settings()->rounds, settings()->relay_n, OUT_RELAY);
    pipelines("c", IN_REPLAY, OUT_REPLAY, 1);
    pipelines("d", IN_UPDATE, OUT_UPDATE, GAINS);
    frames_again();
    relay(AGAIN "b", settings()->more, MORE_N, OUT_RELAY_AGAIN);
    return 0;
}
