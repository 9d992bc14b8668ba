/* SPDX-License-Identifier: MIT */
/*
 * slots.h - what travels between check.c and driver.cu in the slots of exchange.h.
 *
 * Input 0: struct sizes; input 1: the bulk's elements; input 2: the requests',
 * one after the other; input 3: WISHES priorities to ask for.
 * Output 0: struct answers; output 1: the bulk's results; output 2: the requests'.
 *
 * In part (b) request 0 is made while the device is idle, then the bulk begins,
 * then come the others: each inside a label REQUEST and its number, the bulk's
 * beginning inside BULK. Before part (b) the driver runs one wave of crunch()
 * alone: the first crunch() of the log.
 */
#ifndef SLOTS_H
#define SLOTS_H

#include <stdint.h>

#define REQUESTS 4
#define WISHES 6
#define WAVES 20

#define REQUEST "request "
#define BULK "the bulk begins"

/* Elements of the bulk and of a request; tiles that the bulk has beyond WAVES waves, in thousandths of a wave; host
 * work before each request, ns. */
struct sizes { int64_t bulk, request, tail, pause[REQUESTS]; };
struct answers { int32_t least, greatest, count, granted[WISHES]; };

enum { IN_SIZES, IN_BULK, IN_REQUESTS, IN_WISHES };
enum { OUT_ANSWERS, OUT_BULK, OUT_REQUESTS };

/* Tiles of the bulk on a card where a wave has so many blocks: the last of its waves is not full. */
static inline int64_t tiles_of(const struct sizes *s, int64_t wave)
{
    return wave * WAVES + 1 + (wave - 1) * s->tail / 1000;
}

#endif
