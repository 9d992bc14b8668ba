/* SPDX-License-Identifier: MIT */
/*
 * slots.h - what travels between check.c and driver.cu in the slots of exchange.h.
 *
 * Input 0: struct sizes; input 1: all elements, frame by frame; input 2: the
 * gains. Output 0: struct answers; output 1: the frames as they were handed
 * over; output 2: the archive; output 3: where each frame was handed over from.
 *
 * The driver measures the calls of (a) one by one, each inside a label SUBJECT
 * and its number, and hands frames over inside a label HAND_OVER and the number.
 */
#ifndef SLOTS_H
#define SLOTS_H

#include <stdint.h>

#define SUBJECT_COUNT 12
#define SUBJECT "call "
#define HAND_OVER "hand over "

struct sizes { int64_t n, count; };
struct answers { uint8_t host[SUBJECT_COUNT], device[SUBJECT_COUNT]; };

enum { IN_SIZES, IN_ELEMENTS, IN_GAINS };
enum { OUT_ANSWERS, OUT_FRAMES, OUT_ARCHIVE, OUT_PLACES };

#endif
