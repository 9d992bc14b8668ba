/* SPDX-License-Identifier: MIT */
/*
 * difference.h - the one thing that a program calls otherwise than the reference solution does in a
 * part.
 *
 * For a check that failed and whose judge knows no cause. It claims no more than that the calls
 * differ, and keeps silent where they differ in more than one thing: two right answers do so, too.
 */
#ifndef GRADER_JUDGE_DIFFERENCE_H
#define GRADER_JUDGE_DIFFERENCE_H

#include "grader/check.h"

struct difference {
    uint32_t call;              /* the submission's that differs, ANY for none: it is not made */
    uint32_t other; /* another of the submission's that the sentence names, ANY for none */
    char text[400];             /* a whole sentence */
};

/* In the part of a check that failed, and as its cause. False: there is none, or more than one. */
bool difference_find(const struct view *yours, const struct view *reference,
                     const struct check *check, struct difference *d);

#endif
