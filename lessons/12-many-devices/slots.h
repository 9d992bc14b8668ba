/* SPDX-License-Identifier: MIT */
/*
 * slots.h - what travels between check.c and driver.cu in the slots of exchange.h.
 *
 * Input 0: struct sizes; input 1: the team's elements; input 2: the line's batches, one after the
 * other. Output 0: struct answers; output 1: the team's results of RUNS runs, one after the other,
 * each with room for all elements; output 2: the line's; outputs 3 and 4: those of the small team
 * and of the small line. What a run does not write holds UNWRITTEN.
 *
 * Before any part the driver tries the questions of (a), where there are two devices, each inside a
 * label QUESTION and its number. In part (b) each run is inside a label RUN and its number: the
 * first in a new host thread, the second in the first thread, with the last device current. In part
 * (c) line_run is inside the label LINE. Elsewhere in (b) the first device is current where devices
 * reach each other, and the last one where they do not; in (c) device[0] and device[1]. So a
 * function that leaves any fixed device current is found on one of the machines.
 *
 * Both parts have a second struct of their own, which is small and begins with the other device
 * current: a team that is open before the first and after it and does one element, then few; and
 * then a line the other way round, which does one batch, then many. Each opens inside a label of
 * its own, and each run is inside a label SMALL and its number. They are asked for what is right
 * and for the way that copies take, and not for when it happens. Where no device reaches another, a
 * further line comes and goes between line_open and line_run.
 */
#ifndef SLOTS_H
#define SLOTS_H

#include <stdint.h>

#define QUESTION "question "
#define RUN "run "
#define RUNS 2
#define LINE "the line"
#define SMALL "small "
#define SMALL_RUNS 2
#define FEW 9                   /* elements of the small team and of the small line's batches at most */
#define SMALL_TEAM "the small team opens"
#define SMALL_LINE "the small line opens"
#define SMALL_BATCHES 11        /* of both runs: more than the line has */
static inline int batches_of_small(int run)
{
    return run == 0 ? 1 : SMALL_BATCHES - 1;
}
#define UNWRITTEN 0xa5a5a5a5u
#define QUESTION_COUNT 9

/* Elements of the team's runs, of a batch; how many batches; 1: the last device presses and the
 * first polishes (the small line has it the other way round); elements of the small team and of the
 * small line's batches. */
struct sizes { int64_t team[RUNS], batch, batches, swapped, few; };

/* Where the current device was changed: the bits of these. */
enum { LEFT_BY_OPEN = 1 << 0, LEFT_BY_RUN = 1 << 1, LEFT_BY_CLOSE = 1 << 2 };
/* A direction between the line's devices: 0 from device[0] to device[1]. */
struct answers {
    int32_t across[QUESTION_COUNT], team_left, line_left;
    /* Peer access in that direction: can it be had, was it on? The small line's directions are its
     * own. */
    int32_t can_reach[2], reaches[2], small_reaches[2];
    int32_t error; /* that line_open() or line_run() came back with, not looked at; 0: none */
};

enum { IN_SIZES, IN_TEAM, IN_LINE };
enum { OUT_ANSWERS, OUT_TEAM, OUT_LINE, OUT_SMALL_TEAM, OUT_SMALL_LINE };

#endif
