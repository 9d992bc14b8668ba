/* SPDX-License-Identifier: MIT */
/*
 * cause.h - what else is to be said of a check that failed: causes that no lesson knows better than
 * another.
 */
#ifndef GRADER_JUDGE_CAUSE_H
#define GRADER_JUDGE_CAUSE_H

#include "grader/judge/judge.h"

/* Looks for causes in this order and adds the first to f->why: a thread that nobody joined, a
 * hazard, an event that is never recorded, a query that nobody looks at, a graph that is never
 * launched, a call that was never reached, work in the default stream, the one difference from the
 * reference solution. */
void cause_add(const struct verdict *v, const struct evidence *e, const struct check *c,
               struct finding *f);

#endif
