/* SPDX-License-Identifier: MIT */
/*
 * heap.h - ordinary memory with a tally: lesson.h's heap_take() and heap_give().
 *
 * Pieces are numbered. What they are asked is written to the log as labels
 * (slots.h); what is not theirs to give stays where it is. For driver.cu alone.
 */
#ifndef HEAP_H
#define HEAP_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lesson.h"
#include "slots.h"

#define PIECES_MAX 512

static struct { void *memory; size_t bytes; bool out; } piece[PIECES_MAX];
static int piece_count;

/* Part of who calls it: a label's caller is then what has called heap_take() or heap_give(). */
static inline __attribute__((always_inline)) void note(const char *what, int number)
{
    char text[48];
    snprintf(text, sizeof text, "%s%d", what, number);
    label_push(text);
}

static int piece_of(const void *memory)
{
    for (int k = piece_count; memory && k-- > 0;)
        if (piece[k].memory == memory && piece[k].out)
            return k;
    return -1;
}

cudaError_t heap_take(void **memory, size_t bytes)
{
    void *taken = piece_count < PIECES_MAX && memory ? malloc(bytes) : NULL;
    if (!taken)
        return memory ? cudaErrorMemoryAllocation : cudaErrorInvalidValue;
    memset(taken, 0xaa, bytes);
    note(HEAP_TAKE, piece_count);
    label_pop();
    piece[piece_count].memory = taken;
    piece[piece_count].bytes = bytes;
    piece[piece_count++].out = true;
    *memory = taken;
    return cudaSuccess;
}

/* Pieces of the driver's own are not in the tally: `others` tells their numbers, -1 for none. */
static int others(const void *memory);

cudaError_t heap_give(void *memory)
{
    if (!memory)
        return cudaSuccess;
    int number = piece_of(memory);
    if (number < 0) {
        int whose = others(memory);
        number = STRANGE;
        for (int k = 0; k < piece_count && whose < 0; k++)
            if (piece[k].memory == memory)
                number = k;             /* given before */
        note(HEAP_REFUSED, whose >= 0 ? OTHERS + whose : number);
        label_pop();
        return cudaErrorInvalidValue;
    }
    note(HEAP_GIVE, number);
    label_pop();
    piece[number].out = false;
    free(memory);
    return cudaSuccess;
}

#endif
