/* SPDX-License-Identifier: MIT */
/*
 * cause_text.h - what the submission's text says of a cause (cause.h).
 */
#ifndef GRADER_JUDGE_CAUSE_TEXT_H
#define GRADER_JUDGE_CAUSE_TEXT_H

#include "grader/judge/judge.h"

/* Adds a sentence to f->why (printf). */
void cause_say(struct finding *f, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A call that a loop was to make, and that stands in none. */
bool cause_no_loop(const struct verdict *v, const struct evidence *e, const struct check *c,
                   struct finding *f);
/* The pieces that the judge's function has to call once each. */
bool cause_pieces(const struct verdict *v, struct finding *f);
/* Where a variable is set that the call in question is given. */
void cause_argument(const struct verdict *v, const struct evidence *e, struct finding *f);
/* Where it is decided whether the program comes to the call in question. */
void cause_guard(const struct verdict *v, const struct evidence *e, struct finding *f);
/* Where the judge's function comes back before its end. */
void cause_returns(const struct verdict *v, struct finding *f);

#endif
