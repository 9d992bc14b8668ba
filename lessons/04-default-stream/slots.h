/* SPDX-License-Identifier: MIT */
/*
 * slots.h - what travels between check.c and driver.cu in the slots of exchange.h.
 *
 * Input IN_GIVEN: struct given. Input IN_RAW: the elements of (b). Input IN_JOBS: those of (c), job
 * after job. Output OUT_TABLE: struct table. OUT_PRINT and OUT_JOBS: what became of the inputs.
 *
 * Labels in the log: PAIR and two digits, the driver's own measurement of (a),
 * before any part; AGAIN, a part of its own, in which the driver calls print_photo() a second time;
 * JOB and JOB_DONE with a digit, in the job's own thread.
 */
#ifndef SLOTS_H
#define SLOTS_H

#include <stdint.h>

enum { IN_RAW, IN_JOBS, IN_GIVEN };
enum { OUT_TABLE, OUT_PRINT, OUT_JOBS };

#define KIND_COUNT 7
#define GIVEN_COUNT 2           /* the last of the kinds: streams of which the learner does not know what they are */
#define JOB_COUNT 4
enum given_as { AS_BLOCKING, AS_NON_BLOCKING, AS_LEGACY, AS_SAME,
                GIVEN_WAYS };     /* AS_SAME: stream[BLOCKING] itself */
struct given { int64_t as[GIVEN_COUNT]; };      /* enum given_as */
struct table { uint8_t waits[KIND_COUNT][KIND_COUNT]; };    /* [first][second]: 0 or 1 */

#define PAIR "pair "
#define AGAIN "again b"
#define JOB "job "
#define JOB_DONE "done: job "

#endif
