/* SPDX-License-Identifier: MIT */
/*
 * slots.h - what travels between check.c and driver.cu in the slots of exchange.h.
 *
 * Input 0: struct sizes; input 1: the frames' elements, one frame after the other; input 2: the requests'.
 * Output 0: struct answers; output 1: the pages, `longest` elements each; output 2: the requests' results, `request`
 * elements each.
 *
 * Labels: FILL and its number while the camera writes a frame, SEAL and the page's in seal(), REQUEST and its number
 * round plant_answer, CLOSE round plant_close. plant_open and request 0 come before the part, which begins with the
 * camera; before them the driver runs one wave of develop() alone: the first develop() of the log.
 */
#ifndef SLOTS_H
#define SLOTS_H

#include <stdint.h>

#define FRAMES_MOST 32
#define REQUESTS 20

#define FILL "fill frame "
#define SEAL "seal page "
#define REQUEST "request "
#define CLOSE "the plant closes"
#define FILL_NS 20000

/* Elements of each frame, of each request; host work before each request, ns; blocks of a frame beyond four waves, in
 * thousandths of a wave. */
struct sizes { int64_t frames, longest, frame[FRAMES_MOST], request, pause[REQUESTS], tail; };
/* order: pages as they were sealed, from 1; 0: none any more. at_close: how many were when plant_close returned. */
struct answers { int32_t sealed, order[2 * FRAMES_MOST], at_close; };

enum { IN_SIZES, IN_FRAMES, IN_REQUESTS };
enum { OUT_ANSWERS, OUT_PAGES, OUT_REQUESTS };

/* Blocks of develop() on a card where a wave has that many. */
static inline int64_t tiles_of(const struct sizes *s, int64_t wave)
{
    return 4 * wave + wave * s->tail / 1000;
}

#endif
