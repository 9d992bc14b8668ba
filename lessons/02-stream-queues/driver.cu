/* SPDX-License-Identifier: MIT */
/* driver.cu - gives lesson 02's functions their inputs and hands back what they make of them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver.h"
#include "lesson.h"
#include "slots.h"

/* ---- (a) ---- */

static void trip(void)
{
    size_t bytes;
    const void *input = driver_input(SLOT_TRIP, &bytes);
    unsigned *in = (unsigned *)malloc(bytes);
    memcpy(in, input, bytes);

    driver_part("a");
    struct trip t = {};
    label_push(BEGIN);
    trip_begin(&t, in, (int)(bytes / sizeof *in));
    label_pop();
    memset(in, 0xff, bytes);            /* it is ours again */
    host_work(WORK_NS);
    trip_end(&t, (unsigned *)driver_output(SLOT_TRIP, NULL));
    driver_part(NULL);
    CHECK(cudaDeviceSynchronize());
    memcpy(in, (const unsigned *)input + bytes / sizeof *in - TRIP_AGAIN, TRIP_AGAIN * sizeof *in);
    driver_part(TRIP_PART);
    trip_begin(&t, in, TRIP_AGAIN);
    trip_end(&t, (unsigned *)driver_output(OUT_TRIP_AGAIN, NULL));
    driver_part(NULL);
    CHECK(cudaDeviceSynchronize());
    free(in);
}

/* ---- (b) ---- */

static struct chain chain_new(int slot)
{
    size_t bytes;
    const void *input = driver_input(slot, &bytes);
    unsigned *in;
    struct chain c = {};
    c.n = (int)(bytes / sizeof *c.in);
    CHECK(cudaMallocHost((void **)&in, bytes));
    CHECK(cudaMallocHost((void **)&c.out, bytes));
    CHECK(cudaMalloc((void **)&c.device, bytes));
    memcpy(in, input, bytes);
    memset(c.out, 0xff, bytes);
    c.in = in;
    return c;
}

static void chain_end(struct chain *c, int slot)
{
    memcpy(driver_output(slot, NULL), c->out, c->n * sizeof *c->out);
    CHECK(cudaFreeHost((void *)c->in));
    CHECK(cudaFreeHost(c->out));
    CHECK(cudaFree(c->device));
}

static void chains(void)
{
    struct chain left = chain_new(SLOT_LEFT), right = chain_new(SLOT_RIGHT);
    CHECK(cudaDeviceSynchronize());
    driver_part("b");
    two_chains(&left, &right);
    driver_part(NULL);
    chain_end(&left, SLOT_LEFT);
    chain_end(&right, SLOT_RIGHT);
}

/* ---- (c) ---- */

static struct {
    unsigned *buffer[BUFFERS];
    bool out[BUFFERS];
    size_t n;
} pool;

static int number_of(const unsigned *buffer, const char *call)
{
    for (int k = 0; k < BUFFERS; k++)
        if (buffer && pool.buffer[k] == buffer && pool.out[k])
            return k;
    fprintf(stderr, "%s(): that is no buffer which take() gave and which is still yours\n", call);
    exit(1);
}

static inline __attribute__((always_inline)) void note(const char *what, int number)
{
    char text[32];
    snprintf(text, sizeof text, "%s%d", what, number);
    label_push(text);
}

unsigned *take(void)
{
    for (int k = 0; k < BUFFERS; k++)
        if (!pool.out[k]) {
            note(TAKE, k);
            label_pop();
            pool.out[k] = true;
            return pool.buffer[k];
        }
    return NULL;
}

void pack(unsigned *buffer, int batch)
{
    size_t bytes;
    const unsigned *all = (const unsigned *)driver_input(SLOT_BATCHES, &bytes);
    int number = number_of(buffer, "pack");
    if (batch < 0 || (size_t)batch >= bytes / sizeof *all / pool.n) {
        fprintf(stderr, "pack(): there is no batch %d\n", batch);
        exit(1);
    }
    note(PACK, number);
    memcpy(buffer, all + batch * pool.n, pool.n * sizeof *all);
    host_work(PACK_NS);
    label_pop();
}

void give_back(unsigned *buffer)
{
    int number = number_of(buffer, "give_back");
    note(GIVE_BACK, number);
    memset(buffer, 0xaa, pool.n * sizeof *buffer);      /* another user's data */
    label_pop();
    pool.out[number] = false;
}

static bool all_are_back(void)
{
    bool back = true;
    for (int k = 0; k < BUFFERS; k++)
        back = back && !pool.out[k];
    return back;
}

static __global__ void neighbour(void)
{
    kernel_cost(NEIGHBOUR_NS);
}

static void batches(void)
{
    const struct sizes *sizes = (const struct sizes *)driver_input(SLOT_SIZES, NULL);
    struct pool *places = (struct pool *)driver_output(SLOT_POOL, NULL);
    size_t bytes = sizes->n * sizeof(unsigned);
    struct batches b = {};
    b.count = (int)sizes->count;
    b.n = (int)sizes->n;
    CHECK(cudaMalloc((void **)&b.slot, bytes));
    CHECK(cudaMalloc((void **)&b.total, NOTES * sizeof *b.total + bytes));
    CHECK(cudaMemset(b.slot, 0, bytes));
    CHECK(cudaMemset(b.total, 0, NOTES * sizeof *b.total + bytes));
    b.total += NOTES;
    pool.n = sizes->n;
    for (int k = 0; k < BUFFERS; k++) {
        CHECK(cudaMallocHost((void **)&pool.buffer[k], bytes));
        memset(pool.buffer[k], 0xaa, bytes);
        places->buffer[k] = (uint64_t)(uintptr_t)pool.buffer[k];
    }
    cudaStream_t next_door, reader;
    CHECK(cudaStreamCreate(&next_door));
    CHECK(cudaStreamCreateWithFlags(&reader, cudaStreamNonBlocking));
    CHECK(cudaDeviceSynchronize());
    neighbour<<<1, 32, 0, next_door>>>();

    driver_part("c");
    absorb_all(&b);
    driver_part(NULL);

    /* A stream that waits for no other: what was left undone stays undone. */
    CHECK(cudaMemcpyAsync(driver_output(SLOT_BATCHES, NULL), b.total, bytes, cudaMemcpyDeviceToHost, reader));
    CHECK(cudaDeviceSynchronize());
    CHECK(notes_read(b.total, (unsigned *)driver_output(SLOT_HOST, NULL), b.count));

    /* And with more batches, of fewer elements, so that another buffer has the last one. */
    if (all_are_back()) {
        CHECK(cudaMemset(b.total - NOTES, 0, NOTES * sizeof *b.total + bytes));
        CHECK(cudaDeviceSynchronize());
        b.count += MORE_BATCHES;
        b.n /= SMALLER;
        pool.n = b.n;
        driver_part(AGAIN);
        absorb_all(&b);
        driver_part(NULL);
        CHECK(cudaDeviceSynchronize());
        CHECK(cudaMemcpy(driver_output(OUT_AGAIN, NULL), b.total, b.n * sizeof *b.total, cudaMemcpyDeviceToHost));
    }
    CHECK(cudaStreamDestroy(next_door));
    CHECK(cudaStreamDestroy(reader));
    for (int k = 0; k < BUFFERS; k++)
        CHECK(cudaFreeHost(pool.buffer[k]));
    CHECK(cudaFree(b.slot));
    CHECK(cudaFree(b.total - NOTES));
}

int main(void)
{
    trip();
    chains();
    batches();
    return 0;
}
