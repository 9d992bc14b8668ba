/* SPDX-License-Identifier: MIT */
/*
 * slots.h - what travels between check.c and driver.cu in the slots of exchange.h.
 *
 * Inputs: struct settings; the weights of all layers, row 0 of (a) and (c); `table`, `seen` at
 * first, what comes into `in` in all steps of (b); the tolls of both rings, the distances with
 * which each run of (d) begins. Outputs: the last row of (a); `out` of all steps; the last row of
 * (c), and its tally; the distances after each run of (d), its counts.
 *
 * Run k of (d) is one of ring k % RINGS.
 *
 * In the log: OPEN round replay_open() and loop_open(); RUN and the run's number round each
 * replay_run() and loop_run().
 */
#ifndef SLOTS_H
#define SLOTS_H

#include <stdint.h>

enum { IN_SETTINGS, IN_WEIGHTS, IN_X, IN_TABLE, IN_SEEN, IN_STEPS, IN_TOLL, IN_RING };
enum { OUT_X, OUT_STEPS, OUT_REPLAY, OUT_TALLY, OUT_RING, OUT_COUNTS };

enum { RINGS = 2 };

struct settings { int64_t layers, n, tap, runs, steps, step_n, loops, ring_n[RINGS]; };

/* Of a run of (d): rounds, threads that called offer(), take() and changes(); blocks and threads
 * that called the latter two too soon. */
enum { COUNT_ROUNDS, COUNT_OFFERS, COUNT_TAKES, COUNT_ASKED, COUNT_TAKES_SOON, COUNT_ASKED_SOON,
       COUNTS };

#define BLOCK 64                /* lesson.h knows it as THREADS */

#define OPEN "open"
#define RUN "run "

#endif
