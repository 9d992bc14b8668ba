/* SPDX-License-Identifier: MIT */
/*
 * location.h - where a run ended: in which part, at which line of the learner's file, and from
 * where that was called.
 */
#ifndef GRADER_JUDGE_TERMINATION_LOCATION_H
#define GRADER_JUDGE_TERMINATION_LOCATION_H

#include "grader/judge/termination/termination.h"

/* The last call of a kind; NULL: none. */
const struct call *location_last_call(const struct timeline *log, uint32_t kind);

/* Fills in file, line, called_from, exact and call: the line of a crash, or else that of the last
 * call that has one. */
void location_find(struct termination *e, const struct run *r, const struct submission *yours);
/* Where the function was called that makes the call. A function of the driver's is where the
 * learner calls it. */
void location_find_caller(struct termination *e, const struct run *r,
                          const struct submission *yours, const struct call *c);
/* Fills in part, began and ended: the part that the call before `end` was made in, or after which.
 * A driver may close a part when the program leaves. */
void location_find_part(struct termination *e, const struct timeline *log, size_t end);

/* The part that a call was made in: "part b"; "" for none. */
void location_name_part(char *text, size_t size, const struct timeline *log, const struct call *c);
/* "in part b, at work/06-overlap.cu:41", "before its first part", … */
const char *location_text(const struct termination *e, char *text, size_t size);

#endif
