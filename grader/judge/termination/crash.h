/* SPDX-License-Identifier: MIT */
/*
 * crash.h - a run that a signal ended: which, at which address, and what that address may have
 * been.
 */
#ifndef GRADER_JUDGE_TERMINATION_CRASH_H
#define GRADER_JUDGE_TERMINATION_CRASH_H

#include "grader/judge/termination/termination.h"

/* Message and hint, from code, location and log. */
void crash_tell(struct termination *e, const struct run *r, const struct submission *yours);

#endif
