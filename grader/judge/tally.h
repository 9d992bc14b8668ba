/* SPDX-License-Identifier: MIT */
/*
 * tally.h - what most of several pairs of runs on a card say of each check.
 *
 * More than half of PAIRS_MOST have to pass, of a check of overlap two: what disturbs a run takes
 * overlap away and never adds any.
 */
#ifndef GRADER_JUDGE_TALLY_H
#define GRADER_JUDGE_TALLY_H

#include "grader/judge/judge.h"

#define PAIRS_MOST 5

/* Of one check; the functions take as many as the verdict's lesson has, zeros at first. */
struct tally { unsigned passed, failed; };

void tally_add(struct tally *tally, const struct verdict *v);
/* Is there a check that failed, and might yet pass? What fails on the simulator has failed. */
bool tally_is_open(const struct tally *tally, const struct verdict *v);
/* Into *v, that of one of the pairs. */
void tally_settle(const struct tally *tally, struct verdict *v);

#endif
