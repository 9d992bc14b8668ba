/* SPDX-License-Identifier: MIT */
/*
 * loops.h - a submission's loops and ifs, by its text. As in functions.h, lines count from 1, and
 * each question looks at a certain number of names.
 */
#ifndef GRADER_RUN_LOOPS_H
#define GRADER_RUN_LOOPS_H

#include "grader/run/reached.h"
#include "grader/run/submission.h"

/* The line on which the innermost loop begins that has `line` in its body, and `last`, unless it is
 * NULL, on which that ends; 0: there is none. */
unsigned submission_loop_line(const struct submission *s, unsigned line, unsigned *last);

/* The line on which the outermost `if` begins that has `line` in what it does where its condition
 * holds; 0: there is none. */
unsigned submission_if_line(const struct submission *s, unsigned line);

/* The line, one that was reached, of a call of one of `names` that stands in a loop and is given as
 * its last argument the address of a variable which each turn of this loop declares, or assigns as
 * a whole: a function that runs later finds there what the latest turn has left. 0: there is none.
 * *name: the variable's. */
unsigned submission_turn_variable(const struct submission *s, const char *names,
                                  const struct reached *reached, char *name, size_t size);

#endif
