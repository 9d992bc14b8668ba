/* SPDX-License-Identifier: MIT */
/*
 * slots.h - what travels between check.c and driver.cu in the slots of exchange.h.
 *
 * Parts (a), (b) and (c) are played step by step. Inputs: for each of them its
 * blocks and its steps; then struct settings. Outputs: for each of them a
 * struct made for each step, then struct totals, then struct right.
 *
 * Each block is pushed into a stream of its own, the last one each second time into stream 0.
 *
 * A step of the exercise's stands between label STEP and its number, a block's
 * beginning and end between INIT, FINI and the block's. Inside: HEAP_TAKE and
 * HEAP_GIVE with the number of the piece, HEAP_REFUSED with the number of one
 * that is not the caller's to give (OTHERS + n: the driver's own n).
 */
#ifndef SLOTS_H
#define SLOTS_H

#include <stdint.h>

#define PLAYS 3                 /* parts that are played */
#define BLOCKS_MAX 8
#define FOREIGN_MAX 24          /* pieces of memory that are the driver's, in one part */
#define STEPS_MAX 256

enum { IN_BLOCKS, IN_STEPS, IN_PLAY, IN_SETTINGS = PLAYS * IN_PLAY };
enum { OUT_TOTALS = PLAYS, OUT_RIGHT };

enum op { READ_HOST, WRITE_HOST, READ_DEVICE, WRITE_DEVICE, SET_HOST, SET_DEVICE, PUSH, OPS };

struct settings { uint32_t salt; };
struct block { int64_t n, pinned; };                    /* n: bytes */
struct turn {
    int64_t block, op, foreign;
};            /* foreign: number of the piece that is set, from 0; -1: none */

enum place { NOWHERE, ON_HEAP, IN_PINNED, ON_DEVICE, IN_MANAGED, ELSEWHERE,
             TOO_SMALL };     /* too small: heap_take()'s */

/* What a block was after its step. */
struct made {
    int64_t head, place; /* enum head; enum place of what was given, 0 where nothing is given */
    int64_t foreign; /* the number of the driver's piece that was given, -1: none of them */
    uint32_t sum;               /* of what was there, before it was changed */
    uint32_t shown;             /* the block's own field, host or device, has what was given */
    uint32_t own, pad;          /* own_host and own_device are true: bits 0 and 1 */
};

/* What init made of a block; bits. */
enum { INIT_BYTES = 1 << 0, INIT_PINNED = 1 << 1, INIT_HEAD = 1 << 2, INIT_MEMORY = 1 << 3,
       INIT_ON = 1 << 4, INIT_ALL = (1 << 5) - 1 };

struct totals {
    int64_t done[PLAYS];                                /* steps that came to their end */
    int64_t init[PLAYS][BLOCKS_MAX];
    struct { int64_t there; uint32_t sum, pad; uint64_t address; } foreign[PLAYS][FOREIGN_MAX];
};

/* (d): answers and what each ought to be is said by who and where. */
#define QUESTIONS 36
struct right {
    int64_t devices, count,
        moved; /* moved: the question after which another device was current, -1: never */
    /* memory_on: -1: none; host: NOWHERE, ON_HEAP or IN_PINNED; own: the block owns the device
     * memory */
    struct { int64_t current, made_on, memory_on, host, own, synced, said; } question[QUESTIONS];
};

/* What is in piece `number` of the driver's when it is set. */
static inline unsigned char filling(uint32_t salt, uint32_t number, uint32_t i)
{
    return (unsigned char)((salt + 7919u * number + 2654435761u * i) >> 24);
}

#define STEP "step "
#define INIT "init "
#define FINI "fini "
#define HEAP_TAKE "heap_take "
#define HEAP_GIVE "heap_give "
#define HEAP_REFUSED "heap_give refused "
#define STRANGE 999             /* what heap_take() never gave */
#define OTHERS 1000

#endif
