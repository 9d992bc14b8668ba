/* SPDX-License-Identifier: MIT */
/*
 * slots.h - what travels between check.c and driver.cu in the slots of exchange.h.
 *
 * Inputs: struct settings, the sizes of (a)'s frames (int32), all their elements,
 * the elements of (b), those of x in (c) and in (d). Outputs: what look() saw of
 * all frames; the elements of (b), (c), (d); struct pool.
 *
 * In the log: LOOK and the frame's number while the host looks; OPEN; RUN and the
 * run's number, GAIN and its number round each call of (c) and (d).
 */
#ifndef SLOTS_H
#define SLOTS_H

#include <stdint.h>

enum { IN_SETTINGS, IN_SIZES, IN_FRAMES, IN_RELAY, IN_REPLAY, IN_UPDATE };
enum { OUT_FRAMES, OUT_RELAY, OUT_REPLAY, OUT_UPDATE, OUT_POOL };

#define GAINS 4                 /* of (d): after each of them `runs` runs */

struct settings {
    int64_t frames, rounds, relay_n, work_n, runs;
    int64_t threshold;          /* of the default pool, round (a) */
    uint32_t gain[GAINS];       /* [0]: of (c), and of (d) at first */
};

/* The default pool's release threshold: before (a), after it, and the least at a look() that was not the last. */
struct pool { uint64_t before, now, least; };

#define NEIGHBOUR_NS 60000000
#define LOOK "look "
#define OPEN "open"
#define RUN "run "
#define GAIN "gain "

#endif
