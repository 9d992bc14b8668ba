/* SPDX-License-Identifier: MIT */
/* driver.cu - is the host of lesson 09: writes readings, reads results, steers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver.h"
#include "lesson.h"
#include "slots.h"

static struct places *places;
/* Of the part that runs: */
static bool asked;              /* what kind of memory the host is given */
static const void *given;       /* its elements */
static void *result;            /* where they are to come */
static size_t room;             /* bytes of them */
static const struct settings *settings;
static int steered;             /* rounds */
static bool noted;              /* where its probes are */

static void note_kind(int which, const void *memory)
{
    struct cudaPointerAttributes attributes;
    if (asked) {
        CHECK(cudaPointerGetAttributes(&attributes, memory));
        places->kind[which] = attributes.type;
        places->array[which] = (uint64_t)(uintptr_t)memory;
    }
}

static void demand(const char *call, const void *memory, int n)
{
    if (memory && n >= 0 && n * sizeof(unsigned) == room)
        return;
    fprintf(stderr, "%s(%p, %d): %zu elements are wanted here\n", call, memory, n, room / sizeof(unsigned));
    exit(1);
}

static size_t rest_of_page(const void *at)
{
    const size_t page = 4096;
    return page - (uintptr_t)at % page;
}

/* `room` bytes, page by page: in which order memcpy touches the pages of more than one, and so how many fault,
 * differs from processor to processor. */
static void copy_forward(void *to, const void *from)
{
    char *t = (char *)to;
    const char *f = (const char *)from;
    for (size_t left = room, piece; left > 0; left -= piece, t += piece, f += piece) {
        piece = rest_of_page(t) < rest_of_page(f) ? rest_of_page(t) : rest_of_page(f);
        piece = piece < left ? piece : left;
        memcpy(t, f, piece);
    }
}

void put_readings(unsigned *in, int n)
{
    demand(PUT, in, n);
    note_kind(0, in);
    label_push(PUT);
    copy_forward(in, given);
    label_pop();
}

void take_results(const unsigned *out, int n)
{
    demand(TAKE, out, n);
    note_kind(1, out);
    label_push(TAKE);
    copy_forward(result, out);
    label_pop();
}

unsigned steer(const unsigned *probe, int probes)
{
    if (!probe || probes != settings->probes) {
        fprintf(stderr, "%s(%p, %d): %d probes are wanted\n", STEER, (const void *)probe, probes, (int)settings->probes);
        exit(1);
    }
    unsigned gain = 1;
    if (noted && steered < MOST_ROUNDS)
        places->probe[steered++] = (uint64_t)(uintptr_t)probe;
    label_push(STEER);
    for (int k = 0; k < probes; k++)
        gain = 5 * gain + probe[k];
    label_pop();
    return gain | 1;
}

/* The part whose elements are those of the slot; returns how many there are. */
static int begin(int number)
{
    given = driver_input(number, &room);
    result = driver_output(number, NULL);
    asked = number == SLOT_CALIBRATE;
    return (int)(room / sizeof(unsigned));
}

/* The same of a second call. */
static int begin_again(int64_t n, int output)
{
    given = driver_input(SLOT_PLATE, NULL);
    result = driver_output(output, NULL);
    room = n * sizeof(unsigned);
    asked = false;
    return (int)n;
}

/* What the driver fills and moves together is shared with no other code. */
static void of_its_own(unsigned **array)
{
    CHECK(cudaMallocManaged((void **)array, (room + TOGETHER - 1) / TOGETHER * TOGETHER));
}

static void run_plate(unsigned *cell, const struct settings *s, const char *part)
{
    settings = s;
    noted = part[1] == '\0';
    struct plate p = { cell, (int)(room / sizeof *cell), (int)s->probes, (int)s->stride, (int)s->rounds, (unsigned)s->gain };
    copy_forward(p.cell, given);
    driver_part(part);
    control(&p);
    driver_part(NULL);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(result, p.cell, room, cudaMemcpyDefault));
}

static void look_at_probes(void)
{
    for (int round = 0; round < steered; round++) {
        struct cudaPointerAttributes is = {};
        places->reached[round] = cudaPointerGetAttributes(&is, (const void *)places->probe[round]) == cudaSuccess
                                 && is.type != cudaMemoryTypeUnregistered;
    }
    (void)cudaGetLastError();           /* memory that was given back is none */
}

static void run_again(void)
{
    const struct again *again = (const struct again *)driver_input(IN_AGAIN, NULL);
    int n = begin_again(again->n, OUT_AGAIN);
    unsigned *cell;
    driver_part(AGAIN "a");
    calibrate_all(n);
    driver_part(NULL);
    CHECK(cudaDeviceSynchronize());
    begin_again(again->cells, OUT_PLATE_AGAIN);
    of_its_own(&cell);
    run_plate(cell, &again->plate, AGAIN "c");
    CHECK(cudaFree(cell));
}

int main(void)
{
    places = (struct places *)driver_output(SLOT_PLACES, NULL);
    settings = (const struct settings *)driver_input(SLOT_SETTINGS, NULL);
    memset(places, 0, sizeof *places);
    places->kind[0] = places->kind[1] = -1;
    /* First, so that nothing of them lies where an array of part (a) has been: its pages would still be somewhere. */
    struct sums s = {};
    unsigned *cell;
    s.n = begin(SLOT_ACCUMULATE);
    of_its_own(&s.in);
    of_its_own(&s.out);
    places->in = (uint64_t)(uintptr_t)s.in;
    places->out = (uint64_t)(uintptr_t)s.out;
    begin(SLOT_PLATE);
    of_its_own(&cell);
    places->plate = (uint64_t)(uintptr_t)cell;

    int n = begin(SLOT_CALIBRATE);
    driver_part("a");
    calibrate_all(n);
    driver_part(NULL);
    CHECK(cudaDeviceSynchronize());

    begin(SLOT_ACCUMULATE);
    driver_part("b");
    accumulate_all(&s);
    driver_part(NULL);
    CHECK(cudaDeviceSynchronize());
    begin(SLOT_PLATE);
    run_plate(cell, (const struct settings *)driver_input(SLOT_SETTINGS, NULL), "c");
    look_at_probes();
    CHECK(cudaFree(s.in));
    CHECK(cudaFree(s.out));
    CHECK(cudaFree(cell));
    run_again();
    return 0;
}
