/* SPDX-License-Identifier: MIT */
/*
 * failed_check.h - a run that CHECK ended: the call that failed, why, and which earlier call caused
 * it.
 */
#ifndef GRADER_JUDGE_TERMINATION_FAILED_CHECK_H
#define GRADER_JUDGE_TERMINATION_FAILED_CHECK_H

#include "grader/judge/termination/termination.h"

/* Part, location, message and hint. `report` is what CHECK has noted in the log (CALL_REPORT). */
void failed_check_tell(struct termination *e, const struct run *r, const struct submission *yours,
                       const struct call *report);

#endif
