/* SPDX-License-Identifier: MIT */
/*
 * slots.h - what travels between check.c and driver.cu in the slots of exchange.h.
 *
 * Input 0: struct sizes; input 1: all elements, frame by frame; input 2: the
 * gains; input 3: struct library. Output 0: struct answers; output 1: the frames as they were
 * handed over; output 2: the archive; output 3: where each frame was handed over from. Output 4:
 * the frames of AGAIN_B as they were handed over, then those of its archive.
 *
 * The driver measures the calls of (a) one by one, each inside a label SUBJECT
 * and its number, and hands frames over inside a label HAND_OVER and the number.
 */
#ifndef SLOTS_H
#define SLOTS_H

#include <stdint.h>

#define KNOWN_COUNT 12          /* subjects that have names */
#define LIBRARY_COUNT 8         /* and the library's after them */
#define SUBJECT_COUNT (KNOWN_COUNT + LIBRARY_COUNT)
#define SUBJECT "call "
#define HAND_OVER "hand over "

struct sizes { int64_t n, count; };
/* What the library's calls do: in stream B; in the default stream; that, and the host waits. */
enum library_call { IN_B, IN_DEFAULT, WAITS, LIBRARY_WAYS };
/* slow: in a second call the subject of that number waits for the device, as it does on no card
 * that a table is of. */
struct library { int64_t call[LIBRARY_COUNT], slow; };  /* enum library_call */
/* And of a second call, in which the library's call k does what k + 1 did in the first, the last
 * what the first did. */
struct answers {
    uint8_t host[SUBJECT_COUNT], device[SUBJECT_COUNT];
    uint8_t host_again[SUBJECT_COUNT], device_again[SUBJECT_COUNT];
    int64_t changed;            /* elements and gains of (b) that are not what they were */
};
#define AGAIN "again a"         /* the part of the second call, after all others */
/* More frames, and smaller ones, than a program has that takes a fixed number: their elements and
 * gains are the first ones of input 1. */
#define AGAIN_B "again b"
#define FRAMES_AGAIN 101
#define ELEMENTS_AGAIN 33
#define FRAME_BLOCKS 8          /* lesson.h knows these as BLOCKS and THREADS */
#define FRAME_THREADS 256
#define FRAME_LANES 3           /* LANES */

enum { IN_SIZES, IN_ELEMENTS, IN_GAINS, IN_LIBRARY };
enum { OUT_ANSWERS, OUT_FRAMES, OUT_ARCHIVE, OUT_PLACES, OUT_AGAIN };

#endif
