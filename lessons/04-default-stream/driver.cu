/* SPDX-License-Identifier: MIT */
/* driver.cu - measures the pairs of part (a), plays the vendor of part (b) and the four threads of part (c). */
#include <stdio.h>
#include <string.h>
#include <thread>
#include <vector>

#include "driver.h"
#include "lesson.h"
#include "slots.h"

static_assert(KINDS == KIND_COUNT && JOBS == JOB_COUNT, "slots.h knows how many there are");

static inline __attribute__((always_inline)) void note(const char *what, int first, int second)
{
    char text[32];
    snprintf(text, sizeof text, second < 0 ? "%s%d" : "%s%d%d", what, first, second);
    label_push(text);
}

/* What is not written is neither zero nor an earlier answer. */
static unsigned *on_device(size_t bytes)
{
    unsigned *p;
    CHECK(cudaMalloc((void **)&p, bytes));
    CHECK(cudaMemset(p, 0x5a, bytes));
    return p;
}

static unsigned *pinned(size_t bytes)
{
    unsigned *p;
    CHECK(cudaMallocHost((void **)&p, bytes));
    memset(p, 0xa5, bytes);
    return p;
}

/* ---- (a) ---- */

/* A stream of other people's; `blocking`: one that is there already. */
static cudaStream_t given(int64_t as, cudaStream_t blocking)
{
    cudaStream_t stream = as == AS_LEGACY ? cudaStreamLegacy : blocking;
    if (as == AS_BLOCKING || as == AS_NON_BLOCKING)
        CHECK(cudaStreamCreateWithFlags(&stream, as == AS_BLOCKING ? cudaStreamDefault : cudaStreamNonBlocking));
    return stream;
}

static void pairs(void)
{
    const struct given *others = (const struct given *)driver_input(IN_GIVEN, NULL);
    cudaStream_t stream[KINDS];
    cudaEvent_t event;
    stream[LEGACY] = cudaStreamLegacy;
    stream[PER_THREAD] = cudaStreamPerThread;
    CHECK(cudaStreamCreate(&stream[BLOCKING]));
    CHECK(cudaStreamCreate(&stream[ANOTHER]));
    CHECK(cudaStreamCreateWithFlags(&stream[NON_BLOCKING], cudaStreamNonBlocking));
    for (int k = 0; k < GIVEN_COUNT; k++)
        stream[GIVEN + k] = given(others->as[k], stream[BLOCKING]);
    CHECK(cudaEventCreate(&event));
    long_one<<<1, 1>>>();               /* nothing below happens for the first time */
    CHECK(cudaDeviceSynchronize());
    for (int first = 0; first < KINDS; first++)
        for (int second = 0; second < KINDS; second++) {
            note(PAIR, first, second);
            long_one<<<1, 1, 0, stream[first]>>>();
            CHECK(cudaEventRecord(event, stream[second]));
            label_pop();
            CHECK(cudaDeviceSynchronize());
        }
    CHECK(cudaEventDestroy(event));

    bool waits[KINDS][KINDS];
    memset(waits, 0, sizeof waits);
    driver_part("a");
    who_waits(stream, waits);
    driver_part(NULL);
    CHECK(cudaDeviceSynchronize());
    struct table *table = (struct table *)driver_output(OUT_TABLE, NULL);
    for (int first = 0; first < KINDS; first++)
        for (int second = 0; second < KINDS; second++)
            table->waits[first][second] = waits[first][second];
    for (int k = 0; k < GIVEN_COUNT; k++)
        if (others->as[k] == AS_BLOCKING || others->as[k] == AS_NON_BLOCKING)
            CHECK(cudaStreamDestroy(stream[GIVEN + k]));
    CHECK(cudaStreamDestroy(stream[BLOCKING]));
    CHECK(cudaStreamDestroy(stream[ANOTHER]));
    CHECK(cudaStreamDestroy(stream[NON_BLOCKING]));
}

/* ---- (b) ---- */

#define BLUR_NS 1000000

static __global__ void blur(unsigned *image, int n)
{
    kernel_cost(BLUR_NS);
    for EACH (i, n)
        image[i] = image[i] ^ image[i] << 3;
}

/* Old, and not ours to change: no stream is named. */
void vendor_blur(unsigned *image, int n)
{
    blur<<<BLOCKS, THREADS>>>(image, n);
    CHECK(cudaGetLastError());
}

static void photo(void)
{
    size_t bytes;
    const void *input = driver_input(IN_RAW, &bytes);
    unsigned *raw = on_device(bytes);
    struct photo p = { raw, on_device(bytes), on_device(bytes), on_device(bytes), (int)(bytes / sizeof *raw) };
    cudaStream_t reader;
    CHECK(cudaMemcpy(raw, input, bytes, cudaMemcpyHostToDevice));
    CHECK(cudaStreamCreateWithFlags(&reader, cudaStreamNonBlocking));
    CHECK(cudaDeviceSynchronize());

    driver_part("b");
    print_photo(&p);
    driver_part(NULL);

    /* What a call keeps for the next one may be gone by then. The result that is looked at is this one's. */
    CHECK(cudaDeviceSynchronize());
    for (unsigned *memory : { p.image, p.grain, p.print })
        CHECK(cudaMemset(memory, 0x5a, bytes));
    CHECK(cudaDeviceSynchronize());
    driver_part(AGAIN);
    print_photo(&p);
    driver_part(NULL);

    /* A stream that waits for no other: what was left undone stays undone. */
    CHECK(cudaMemcpyAsync(driver_output(OUT_PRINT, NULL), p.print, bytes, cudaMemcpyDeviceToHost, reader));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaStreamDestroy(reader));
    unsigned *mine[] = { raw, p.image, p.grain, p.print };
    for (unsigned *memory : mine)
        CHECK(cudaFree(memory));
}

/* ---- (c) ---- */

static void jobs(void)
{
    size_t all, bytes;
    const char *input = (const char *)driver_input(IN_JOBS, &all);
    char *output = (char *)driver_output(OUT_JOBS, NULL);
    struct job job[JOBS];
    bytes = all / JOBS;
    for (int k = 0; k < JOBS; k++) {
        unsigned *in = pinned(bytes);
        memcpy(in, input + k * bytes, bytes);
        job[k] = { in, pinned(bytes), on_device(bytes), (int)(bytes / sizeof *in) };
    }
    CHECK(cudaDeviceSynchronize());

    driver_part("c");
    std::vector<std::thread> threads;
    for (int k = 0; k < JOBS; k++)
        threads.emplace_back([&job, k, output, bytes] {
            note(JOB, k, -1);
            label_pop();
            do_job(&job[k]);
            note(JOB_DONE, k, -1);
            label_pop();
            memcpy(output + k * bytes, job[k].out, bytes);
        });
    for (auto &thread : threads)
        thread.join();
    driver_part(NULL);

    CHECK(cudaDeviceSynchronize());
    for (int k = 0; k < JOBS; k++) {
        CHECK(cudaFreeHost((void *)job[k].in));
        CHECK(cudaFreeHost(job[k].out));
        CHECK(cudaFree(job[k].device));
    }
}

int main(void)
{
    pairs();
    photo();
    jobs();
    return 0;
}
