/* SPDX-License-Identifier: MIT */
/*
 * slots.h - what travels between check.c and driver.cu in the slots of exchange.h.
 *
 * Inputs: struct settings, the sizes of (a)'s frames (int32), all their elements,
 * the elements of (b), those of x of both pipelines in (c) and in (d). Outputs: what
 * look() saw of all frames; the elements of (b), (c), (d); struct pool; what look() saw of the
 * frames of AGAIN "a", the elements of AGAIN "b".
 *
 * (a) and (b) are called again in parts of their own, AGAIN and the letter, with `more` frames and
 * as many rounds, of the first elements.
 *
 * In the log: LOOK and the frame's number while the host looks; OPEN; RUN and the
 * run's number, GAIN and its number round the calls of (c) and (d). Run k is one of
 * pipeline k % PIPELINES.
 */
#ifndef SLOTS_H
#define SLOTS_H

#include <stdint.h>

enum { IN_SETTINGS, IN_SIZES, IN_FRAMES, IN_RELAY, IN_REPLAY, IN_UPDATE };
enum { OUT_FRAMES, OUT_RELAY, OUT_REPLAY, OUT_UPDATE, OUT_POOL, OUT_FRAMES_AGAIN, OUT_RELAY_AGAIN };

#define AGAIN "again "
#define MORE_MOST 12            /* frames, and rounds */
#define MORE_N 61               /* elements of the first such frame, and of each round */
/* Each frame is smaller than the one before it. */
static inline int32_t size_again(int64_t frame)
{
    return MORE_N - (int32_t)frame;
}

enum { PIPELINES = 2 };         /* of (c), and of (d): open at once, and run in turn */
enum { GAINS = 4 };             /* of (d): after each of them `runs` runs of each pipeline */

struct settings {
    int64_t frames, rounds, relay_n, work_n[PIPELINES], runs, more;
    int64_t threshold;          /* of the default pool, round (a) */
    uint32_t gain[GAINS];       /* of (d), which all pipelines are given, one after the other; */
    uint32_t
        first[PIPELINES]; /* in place of the first, those with which they are opened, in (c) too */
};

/* The default pool's release threshold: before (a), after it, and the least at a look() that was
 * not the last. */
struct pool { uint64_t before, now, least; };

#define NEIGHBOUR_NS 60000000
#define LOOK "look "
#define OPEN "open"
#define RUN "run "
#define GAIN "gain "

#endif
