/* SPDX-License-Identifier: MIT */
/*
 * cause_calls.h - causes of a failure (cause.h) that one call of the submission shows. Each adds
 * what is to be said to f->why, where there is such a call.
 */
#ifndef GRADER_JUDGE_CAUSE_CALLS_H
#define GRADER_JUDGE_CAUSE_CALLS_H

#include "grader/judge/judge.h"

/* A query whose answer is not looked at, or ends the program if it is no, was meant to wait. */
bool cause_query(const struct verdict *v, const struct evidence *e, const struct check *c,
                 struct finding *f);
/* An event that is made in the part, waited for and never recorded orders nothing. */
bool cause_event(const struct verdict *v, const struct evidence *e, const struct check *c,
                 struct finding *f);
/* A graph that is made ready in the part and never launched does nothing. */
bool cause_graph(const struct verdict *v, const struct evidence *e, const struct check *c,
                 struct finding *f);

/* Does the message point to that call's line already? */
bool cause_is_blamed(const struct finding *f, const struct timeline *t, uint32_t call);
/* The part, with what was made and captured for it since the part before. */
struct selection cause_part(const struct view *v, const char *part);

#endif
