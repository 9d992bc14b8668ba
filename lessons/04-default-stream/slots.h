/* SPDX-License-Identifier: MIT */
/*
 * slots.h - what travels between check.c and driver.cu in the slots of exchange.h.
 *
 * Input IN_RAW: the elements of (b). Input IN_JOBS: those of (c), job after job.
 * Output OUT_TABLE: struct table. OUT_PRINT and OUT_JOBS: what became of the inputs.
 *
 * Labels in the log: PAIR and two digits, the driver's own measurement of (a),
 * before any part; JOB and JOB_DONE with a digit, in the job's own thread.
 */
#ifndef SLOTS_H
#define SLOTS_H

#include <stdint.h>

enum { IN_RAW, IN_JOBS };
enum { OUT_TABLE, OUT_PRINT, OUT_JOBS };

#define KIND_COUNT 5
#define JOB_COUNT 4
struct table { uint8_t waits[KIND_COUNT][KIND_COUNT]; };    /* [first][second]: 0 or 1 */

#define PAIR "pair "
#define JOB "job "
#define JOB_DONE "done: job "

#endif
