/* SPDX-License-Identifier: MIT */
/* driver.cu - measures the calls of part (a), gives part (b) its frames and takes them back. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver.h"
#include "lesson.h"
#include "slots.h"

static_assert(SUBJECTS == SUBJECT_COUNT && LIBRARY == KNOWN_COUNT, "slots.h knows how many calls there are");
static_assert(BLOCKS == FRAME_BLOCKS && THREADS == FRAME_THREADS && LANES == FRAME_LANES, "slots.h knows how many there are");

/* ---- (a) ---- */

#define MEBIBYTE (1 << 20)
#define PIECE (64 << 10)

static __device__ unsigned symbol;

static struct {
    cudaStream_t a, b;          /* of the driver's own measurement */
    cudaEvent_t event;
    char *device, *other, *pinned, *pageable, *made, *made_host;
    void *pool;
} at;

static int turned;              /* in the second call the library's calls are others */

static void call_library(int64_t call, cudaStream_t b)
{
    if (call == IN_B)
        CHECK(cudaMemsetAsync(at.device, 1, PIECE, b));
    else if (call == IN_DEFAULT)
        CHECK(cudaMemset(at.device, 1, PIECE));
    else
        CHECK(cudaMemcpy(at.pageable, at.device, PIECE, cudaMemcpyDeviceToHost));
}

void make_call(enum subject subject, cudaStream_t b)
{
    const struct library *library = (const struct library *)driver_input(IN_LIBRARY, NULL);
    unsigned value = 1;
    int pools;
    if ((int)subject < 0 || subject >= SUBJECTS) {
        fprintf(stderr, "make_call(%d): the subjects are 0 to %d\n", (int)subject, SUBJECTS - 1);
        exit(1);
    }
    switch (subject) {
    case MALLOC: CHECK(cudaMalloc((void **)&at.made, MEBIBYTE)); break;
    case FREE: CHECK(cudaFree(at.made)); break;
    case MALLOC_HOST: CHECK(cudaMallocHost((void **)&at.made_host, MEBIBYTE)); break;
    case FREE_HOST: CHECK(cudaFreeHost(at.made_host)); break;
    case MALLOC_FREE_ASYNC:         /* where there are no pools, nothing */
        CHECK(cudaDeviceGetAttribute(&pools, cudaDevAttrMemoryPoolsSupported, 0));
        if (!pools)
            break;
        CHECK(cudaMallocAsync(&at.pool, MEBIBYTE, b));
        CHECK(cudaFreeAsync(at.pool, b));
        break;
    case MEMSET: CHECK(cudaMemset(at.device, 0, PIECE)); break;
    case MEMSET_ASYNC: CHECK(cudaMemsetAsync(at.device, 0, PIECE, b)); break;
    case COPY_INSIDE: CHECK(cudaMemcpy(at.device, at.other, PIECE, cudaMemcpyDeviceToDevice)); break;
    case COPY_PAGEABLE: CHECK(cudaMemcpy(at.device, at.pageable, PIECE, cudaMemcpyHostToDevice)); break;
    case COPY_PINNED_ASYNC: CHECK(cudaMemcpyAsync(at.device, at.pinned, PIECE, cudaMemcpyHostToDevice, b)); break;
    case TO_SYMBOL: CHECK(cudaMemcpyToSymbol(symbol, &value, sizeof value)); break;
    case RECORD: CHECK(cudaEventRecord(at.event, NULL)); break;
    default: call_library(library->call[(subject - LIBRARY + turned) % LIBRARY_CALLS], b);
    }
    if (turned && subject == library->slow)
        CHECK(cudaDeviceSynchronize());
}

/* Each call once on an idle device, so that nothing in it happens for the first time; then while a kernel runs. */
static void measure_calls(void)
{
    for (int round = 0; round < 2; round++)
        for (int subject = 0; subject < SUBJECTS; subject++) {
            char text[32];
            snprintf(text, sizeof text, SUBJECT "%d", subject);
            if (round == 1)
                label_push(text);
            if (round == 1)
                long_one<<<1, 1, 0, at.a>>>();
            make_call((enum subject)subject, at.b);
            short_one<<<1, 1, 0, at.b>>>();
            if (round == 1)
                label_pop();
            CHECK(cudaDeviceSynchronize());
        }
}

static void questions(void)
{
    struct answers *answers = (struct answers *)driver_output(OUT_ANSWERS, NULL);
    CHECK(cudaStreamCreate(&at.a));
    CHECK(cudaStreamCreate(&at.b));
    CHECK(cudaEventCreate(&at.event));
    CHECK(cudaMalloc((void **)&at.device, PIECE));
    CHECK(cudaMalloc((void **)&at.other, PIECE));
    CHECK(cudaMemset(at.other, 0, PIECE));
    CHECK(cudaMallocHost((void **)&at.pinned, PIECE));
    at.pageable = (char *)calloc(1, PIECE);
    memset(at.pinned, 0, PIECE);
    long_one<<<1, 1, 0, at.a>>>();
    short_one<<<1, 1, 0, at.b>>>();
    CHECK(cudaDeviceSynchronize());
    measure_calls();

    struct effect effect[SUBJECTS];
    memset(effect, 0, sizeof effect);
    driver_part("a");
    classify(effect);
    driver_part(NULL);
    for (int k = 0; k < SUBJECTS; k++) {
        answers->host[k] = effect[k].host;
        answers->device[k] = effect[k].device;
    }
}

static void questions_again(void)
{
    struct answers *answers = (struct answers *)driver_output(OUT_ANSWERS, NULL);
    struct effect effect[SUBJECTS];
    memset(effect, 0, sizeof effect);
    turned = 1;
    driver_part(AGAIN);
    classify(effect);
    driver_part(NULL);
    for (int k = 0; k < SUBJECTS; k++) {
        answers->host_again[k] = effect[k].host;
        answers->device_again[k] = effect[k].device;
    }
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaStreamDestroy(at.a));
    CHECK(cudaStreamDestroy(at.b));
    CHECK(cudaEventDestroy(at.event));
    CHECK(cudaFree(at.device));
    CHECK(cudaFree(at.other));
    CHECK(cudaFreeHost(at.pinned));
    free(at.pageable);
}

/* ---- (b) ---- */

static size_t frame_bytes, frame_count;
static char *handed_over;
static uint64_t *places;        /* or NULL */

void hand_over(int frame, const unsigned *result)
{
    char text[32];
    if (frame < 0 || (size_t)frame >= frame_count || !result) {
        fprintf(stderr, "hand_over(%d, %p): there is no such frame\n", frame, (const void *)result);
        exit(1);
    }
    snprintf(text, sizeof text, HAND_OVER "%d", frame);
    label_push(text);
    if (places)
        places[frame] = (uint64_t)(uintptr_t)result;
    memcpy(handed_over + frame * frame_bytes, result, frame_bytes);
    label_pop();
}

static void frames_again(void)
{
    const size_t all = FRAMES_AGAIN * ELEMENTS_AGAIN * sizeof(unsigned), gains = FRAMES_AGAIN * sizeof(unsigned);
    unsigned *in, *gain;
    struct frames f = {};
    CHECK(cudaMallocHost((void **)&in, all));
    CHECK(cudaMallocHost((void **)&gain, gains));
    CHECK(cudaMalloc((void **)&f.archive, all));
    memcpy(in, driver_input(IN_ELEMENTS, NULL), all);
    memcpy(gain, driver_input(IN_ELEMENTS, NULL), gains);
    CHECK(cudaMemset(f.archive, 0x7f, all));
    CHECK(cudaDeviceSynchronize());
    f.count = FRAMES_AGAIN;
    f.n = ELEMENTS_AGAIN;
    f.in = in;
    f.gain = gain;
    frame_bytes = f.n * sizeof *in;
    frame_count = f.count;
    handed_over = (char *)driver_output(OUT_AGAIN, NULL);
    places = NULL;
    driver_part(AGAIN_B);
    develop(&f);
    driver_part(NULL);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(handed_over + all, f.archive, all, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(f.archive));
    CHECK(cudaFreeHost(in));
    CHECK(cudaFreeHost(gain));
}

static void frames(void)
{
    const struct sizes *sizes = (const struct sizes *)driver_input(IN_SIZES, NULL);
    unsigned *in, *gain;
    size_t all, gains;
    const void *elements = driver_input(IN_ELEMENTS, &all), *gain_in = driver_input(IN_GAINS, &gains);
    frame_bytes = sizes->n * sizeof *in;
    frame_count = sizes->count;
    handed_over = (char *)driver_output(OUT_FRAMES, NULL);
    places = (uint64_t *)driver_output(OUT_PLACES, NULL);
    CHECK(cudaMallocHost((void **)&in, all));
    CHECK(cudaMallocHost((void **)&gain, gains));
    memcpy(in, elements, all);
    memcpy(gain, gain_in, gains);
    struct frames f = {};
    f.count = (int)sizes->count;
    f.n = (int)sizes->n;
    f.in = in;
    f.gain = gain;
    CHECK(cudaMalloc((void **)&f.archive, all));
    CHECK(cudaMemset(f.archive, 0x7f, all));
    CHECK(cudaDeviceSynchronize());

    driver_part("b");
    develop(&f);
    driver_part(NULL);
    int64_t *changed = &((struct answers *)driver_output(OUT_ANSWERS, NULL))->changed;
    *changed = 0;
    for (size_t i = 0; i < all / sizeof *in; i++)
        *changed += in[i] != ((const unsigned *)elements)[i];
    for (size_t i = 0; i < gains / sizeof *gain; i++)
        *changed += gain[i] != ((const unsigned *)gain_in)[i];

    /* A stream that waits for no other: what was left undone stays undone. */
    cudaStream_t reader;
    CHECK(cudaStreamCreateWithFlags(&reader, cudaStreamNonBlocking));
    CHECK(cudaMemcpyAsync(driver_output(OUT_ARCHIVE, NULL), f.archive, all, cudaMemcpyDeviceToHost, reader));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaStreamDestroy(reader));
    CHECK(cudaFree(f.archive));
    CHECK(cudaFreeHost(in));
    CHECK(cudaFreeHost(gain));
}

int main(void)
{
    questions();
    frames();
    frames_again();
    questions_again();
    return 0;
}
