/* SPDX-License-Identifier: MIT */
/*
 * elsewhere.h - the submission run anew on those of the lesson's other cards where a check has
 * failed.
 *
 * There its first run is only replayed. A program that has asked whether work was done
 * (depends_on_time) asked as often as that took on the first card, and would have asked as often as
 * it takes there. So what was found there says nothing of it before it has run there. A run that
 * does not come to its end, or whose log has other times than its calls, changes nothing.
 *
 * After judge(): elsewhere_next for the first such view, and elsewhere_start; wait for its child;
 * elsewhere_take. So on until there is no view left: a check that passes there now may fail in the
 * next one.
 */
#ifndef GRADER_GRADE_ELSEWHERE_H
#define GRADER_GRADE_ELSEWHERE_H

#include "grader/judge/judge.h"

struct elsewhere {
    /* The caller's. */
    const char *program;
    struct exchange *exchange;
    int64_t time_limit_ms;
    const struct sandbox *sandbox;
    /* Owned by elsewhere.c. */
    struct run run;
};

/* The first view from number `from` on that is only a replay, and in which a check of a program
 * that depends on time has failed; 0: none. */
size_t elsewhere_next(const struct verdict *v, const struct timeline *log, size_t from);
void elsewhere_start(struct elsewhere *e, const struct verdict *v, size_t view);
/* Puts the run in the place of the view's replay, and judges once more. */
void elsewhere_take(struct elsewhere *e, struct verdict *v, size_t view);

#endif
