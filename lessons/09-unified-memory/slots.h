/* SPDX-License-Identifier: MIT */
/*
 * slots.h - what travels between check.c and driver.cu in the slots of exchange.h.
 *
 * Inputs 0 to 2: the readings of (a) and of (b), the cells of (c); input 3:
 * struct settings of (c); input 4: struct again. Outputs 0 to 2: the results of (a) and of (b), the
 * cells at the end of (c). Output 3: struct places.
 *
 * (a) and (c) are called again after all parts, each in a part of its own, AGAIN and its letter,
 * with sizes that no number fits which fits the first ones. Readings and cells are the first of
 * input 2; outputs 4 and 5 are what comes of them.
 *
 * What the host does with memory is in the log, inside labels: PUT, TAKE, STEER.
 */
#ifndef SLOTS_H
#define SLOTS_H

#include <stddef.h>
#include <stdint.h>

enum { SLOT_CALIBRATE, SLOT_ACCUMULATE, SLOT_PLATE, SLOT_SETTINGS, SLOT_PLACES = SLOT_SETTINGS,
       IN_AGAIN, OUT_AGAIN = IN_AGAIN, OUT_PLATE_AGAIN };

#define AGAIN "again "

#define MOST_ROUNDS 8
struct settings { int64_t probes, stride, rounds, gain; };
struct again { int64_t n, cells; struct settings plate; };

/* `in`, `out`: addresses of (b)'s; `plate`: of (c)'s. Else enum cudaMemoryType of the memory that
 * the host was given, -1: it was not called; [0]: put, [1]: take. `array`: its addresses; `probe`:
 * those that steer() was given, round by round; `reached`: afterwards that was still memory of the
 * device's, or pinned. */
struct places { int64_t kind[2]; uint64_t in, out, plate, array[2], probe[MOST_ROUNDS],
                reached[MOST_ROUNDS]; };

#define PUT "put_readings"
#define TAKE "take_results"
#define STEER "steer"

/* Bytes that a driver fills and moves together, whosever they are. */
#define TOGETHER ((size_t)2 << 20)

#endif
