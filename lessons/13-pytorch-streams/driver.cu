/* SPDX-License-Identifier: MIT */
/* driver.cu - gives lesson 13's functions their streams and their memory, and hands back what they make of it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver.h"
#include "lesson.h"
#include "slots.h"

static inline __attribute__((always_inline)) void note(const char *what, int number)
{
    char text[32];
    snprintf(text, sizeof text, "%s%d", what, number);
    label_push(text);
}

/* Device memory with these elements; NULL: with zeros. */
static unsigned *on_device(const void *from, size_t bytes)
{
    unsigned *p;
    CHECK(cudaMalloc((void **)&p, bytes));
    if (from)
        CHECK(cudaMemcpy(p, from, bytes, cudaMemcpyHostToDevice));
    else
        CHECK(cudaMemset(p, 0, bytes));
    CHECK(cudaDeviceSynchronize());
    return p;
}

/* Work that was not waited for is done before it is read: the grader says what was in no order. */
static void hand_back(int slot, size_t at, unsigned *p, size_t bytes)
{
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy((char *)driver_output(slot, NULL) + at, p, bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(p));
}

static cudaStream_t side_stream(void)
{
    cudaStream_t s;
    CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    return s;
}

/* ---- (a) ---- */

static __global__ void ahead(void)
{
    kernel_cost(AHEAD_NS);
}

static __global__ void behind(void)
{
    kernel_cost(BEHIND_NS);
}

static __global__ void apart(void)
{
    kernel_cost(BEHIND_NS);
}

/* `third`: one more stream, which has nothing to do with it. */
static void try_wait(int number, cudaStream_t waiter, cudaStream_t other, cudaStream_t third)
{
    behind<<<1, 1, 0, waiter>>>();
    ahead<<<1, 1, 0, other>>>();
    note(WAITS, number);
    wait_stream(waiter, other);
    label_pop();
    behind<<<1, 1, 0, waiter>>>();
    ahead<<<1, 1, 0, other>>>();
    apart<<<1, 1, 0, third>>>();
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
}

static void sums_on_the_side(const struct sizes *sizes)
{
    size_t bytes = sizes->x * sizeof(unsigned);
    cudaStream_t other = side_stream(), side = side_stream();
    unsigned *x[RUNS], *y[RUNS], *sum[RUNS];
    for (int k = 0; k < RUNS; k++) {
        x[k] = on_device((const char *)driver_input(IN_X, NULL) + k * bytes, bytes);
        y[k] = on_device((const char *)driver_input(IN_Y, NULL) + k * bytes, bytes);
        sum[k] = on_device(NULL, sizeof(unsigned));
    }
    driver_part("a");
    try_wait(0, side, cudaStreamLegacy, other);
    try_wait(1, cudaStreamLegacy, side, other);
    try_wait(2, other, side, cudaStreamLegacy);
    try_wait(3, side, NULL, other);
    try_wait(4, NULL, side, other);
    const cudaStream_t current[RUNS] = { cudaStreamLegacy, other, NULL };
    for (int k = 0; k < RUNS; k++) {
        if (k == RUNS_IN_PART)
            driver_part(NULL);
        note(RUN, k);
        sum_beside(current[k], side, x[k], y[k], sum[k], (int)elements_of_run(sizes, k));
        label_pop();
        CHECK(cudaDeviceSynchronize());
    }
    for (int k = 0; k < RUNS; k++) {
        hand_back(OUT_X, k * bytes, x[k], bytes);
        hand_back(OUT_Y, k * bytes, y[k], bytes);
        hand_back(OUT_SUM, k * sizeof(unsigned), sum[k], sizeof(unsigned));
    }
    CHECK(cudaStreamDestroy(other));
    CHECK(cudaStreamDestroy(side));
}

/* ---- (b) ---- */

/* The pool keeps what it has had, as PyTorch's does, and has had enough. */
static void grow_pool(size_t bytes, int blocks)
{
    cudaMemPool_t pool;
    unsigned long long keep = ~0ull;
    void **block = (void **)malloc(blocks * sizeof *block);
    CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
    CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
    for (int k = 0; k < blocks; k++)
        CHECK(cudaMallocAsync(&block[k], bytes, cudaStreamLegacy));
    for (int k = 0; k < blocks; k++)
        CHECK(cudaFreeAsync(block[k], cudaStreamLegacy));
    CHECK(cudaDeviceSynchronize());
    free(block);
}

static void memory_that_goes_back(const struct sizes *sizes)
{
    size_t bytes = sizes->block * sizeof(unsigned);
    cudaStream_t side = side_stream();
    unsigned *data = on_device(driver_input(IN_DATA, NULL), bytes * sizes->blocks);
    unsigned *sums = on_device(NULL, sizes->blocks * sizeof *sums);
    grow_pool(bytes, (int)sizes->blocks);
    driver_part("b");
    behind<<<1, 1, 0, side>>>();                /* which stream that is */
    CHECK(cudaDeviceSynchronize());
    label_push(AUDIT);
    audit_all(cudaStreamLegacy, side, sums, data, (int)sizes->block, (int)sizes->blocks);
    label_pop();
    CHECK(cudaDeviceSynchronize());
    driver_part(NULL);
    cudaStream_t other = side_stream();
    const cudaStream_t current[OTHER_RUNS] = { other, NULL, cudaStreamLegacy };
    size_t more_bytes = count_before(sizes->blocks, OTHER_RUNS) * sizeof(unsigned);
    unsigned *more = on_device(NULL, more_bytes);
    for (int k = 0; k < OTHER_RUNS; k++) {
        note(OTHER_AUDIT, k);
        ahead<<<1, 1, 0, current[k]>>>();
        behind<<<1, 1, 0, side>>>();
        audit_all(current[k], side, more + count_before(sizes->blocks, k), data, (int)sizes->few,
                  (int)count_of_other(sizes->blocks, k));
        label_pop();
        CHECK(cudaDeviceSynchronize());
    }
    CHECK(cudaStreamDestroy(other));
    hand_back(OUT_MORE, 0, more, more_bytes);
    hand_back(OUT_SUMS, 0, sums, sizes->blocks * sizeof *sums);
    CHECK(cudaFree(data));
    CHECK(cudaStreamDestroy(side));
}

/* ---- (c) ---- */

/* The caller's state, which is not zero, after its notes, which are. */
static unsigned *state_of(const struct sizes *sizes)
{
    unsigned *state = on_device(NULL, (NOTES + sizes->batch) * sizeof(unsigned)) + NOTES;
    CHECK(cudaMemset(state, STATE_BYTE, sizes->batch * sizeof *state));
    CHECK(cudaDeviceSynchronize());
    return state;
}

static void hand_back_state(int slot, size_t at, unsigned *state, size_t bytes)
{
    CHECK(cudaMemcpy((char *)driver_output(slot, NULL) + at, state, bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(state - NOTES));
}

/* The addresses that the launches of model() were given. */
static void hand_back_places(const unsigned *state, int64_t count)
{
    unsigned notes[NOTES];
    uint64_t *given = (uint64_t *)driver_output(OUT_GIVEN, NULL);
    CHECK(cudaMemcpy(notes, state - NOTES, sizeof notes, cudaMemcpyDeviceToHost));
    for (int k = 0; k < count; k++)
        given[k] = notes_at(notes, k);
}

/* Another run, with few elements. */
static void another_loader(const struct sizes *sizes, int number, cudaStream_t current)
{
    size_t bytes, state_bytes = sizes->few * sizeof(unsigned);
    const void *input = driver_input(IN_BATCHES, &bytes);
    unsigned *state = state_of(sizes), *batches = (unsigned *)malloc(bytes);
    memcpy(batches, input, bytes);
    struct loader l = {};
    note(OTHER_LOADER, number);
    ahead<<<1, 1, 0, current>>>();
    loader_open(&l, batches, (int)sizes->few, (int)count_of_other(sizes->batches, number));
    cudaPointerAttributes is;
    CHECK(cudaPointerGetAttributes(&is, batches));
    if (is.type == cudaMemoryTypeUnregistered)
        memset(batches, LEFT_BYTE, bytes);
    note(OTHER_RUN, number);
    loader_run(&l, current, state);
    label_pop();
    label_pop();
    CHECK(cudaDeviceSynchronize());
    loader_close(&l);
    hand_back_state(OUT_OTHER, number * state_bytes, state, state_bytes);
    free(batches);
}

static void batches_for_a_model(const struct sizes *sizes)
{
    size_t bytes;
    const void *input = driver_input(IN_BATCHES, &bytes);
    unsigned *batches = (unsigned *)malloc(bytes);
    memcpy(batches, input, bytes);
    unsigned *state = state_of(sizes);
    struct loader l = {};
    driver_part("c");
    loader_open(&l, batches, (int)sizes->batch, (int)sizes->batches);
    label_push(LOADER);
    loader_run(&l, cudaStreamLegacy, state);
    label_pop();
    CHECK(cudaDeviceSynchronize());
    CHECK(notes_read(state, (unsigned *)driver_output(OUT_HOST, NULL), (int)sizes->batches));
    loader_close(&l);
    driver_part(NULL);
    hand_back_places(state, sizes->batches);
    hand_back_state(OUT_STATE, 0, state, sizes->batch * sizeof *state);
    cudaStream_t other = side_stream();
    const cudaStream_t current[OTHER_RUNS] = { other, NULL, cudaStreamLegacy };
    for (int k = 0; k < OTHER_RUNS; k++)
        another_loader(sizes, k, current[k]);
    CHECK(cudaStreamDestroy(other));
    free(batches);
}

/* Nothing in the parts happens for the first time. */
static void warm_up(void)
{
    unsigned *x = on_device(NULL, (NOTES + 2) * sizeof *x) + NOTES;
    ahead<<<1, 1>>>();
    behind<<<1, 1>>>();
    apart<<<1, 1>>>();
    produce<<<1, 1>>>(x, 1);
    other_work<<<1, 1>>>(x, 1);
    total<<<1, 1>>>(x + 1, x, 1);
    settle<<<1, 1>>>(x, x + 1, 1);
    fill<<<1, 1>>>(x, x + 1, 1);
    audit<<<1, 1>>>(x + 1, x, 1);
    model<<<1, 1>>>(x, x + 1, 1);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(x - NOTES));
}

int main(void)
{
    const struct sizes *sizes = (const struct sizes *)driver_input(IN_SIZES, NULL);
    warm_up();
    sums_on_the_side(sizes);
    memory_that_goes_back(sizes);
    batches_for_a_model(sizes);
    return 0;
}
