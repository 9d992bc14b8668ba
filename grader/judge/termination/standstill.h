/* SPDX-License-Identifier: MIT */
/*
 * standstill.h - a run in which every thread waits, and what each of them waits for.
 */
#ifndef GRADER_JUDGE_TERMINATION_STANDSTILL_H
#define GRADER_JUDGE_TERMINATION_STANDSTILL_H

#include "grader/run/run.h"
#include "grader/run/submission.h"

#define STANDSTILL_WAITERS 8    /* threads that are told */

struct standstill {
    /* The first line of the submission on which a thread waits, and not for a thread that waits
     * itself, or on which it waits for what it holds; 0: not known. */
    unsigned line;
    char waits[STANDSTILL_WAITERS
               * 400]; /* "thread 1 waits for a mutex at work/x.cu:12 (after ...); ..." */
    char hint[1200];                        /* what could have ended it, and why it did not */
};

/* From the last calls in the log of a run that stood still. `yours` may be NULL (the reference
 * solution). */
void standstill_find(struct standstill *s, const struct run *r, const struct submission *yours);

#endif
