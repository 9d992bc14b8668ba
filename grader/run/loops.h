/* SPDX-License-Identifier: MIT */
/*
 * loops.h - a submission's loops, ifs and variables, by its text. As in functions.h, lines count
 * from 1, and each question looks at a certain number of names.
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

/* The line on which the innermost `if` or `else` begins that has `line` in what it leads to, and
 * not in its condition; 0: there is none. */
unsigned submission_condition_line(const struct submission *s, unsigned line);

/* The line, one that was reached, of a call of one of `names` that stands in a loop and is given as
 * its last argument the address of a variable which each turn of this loop declares, or assigns as
 * a whole: a function that runs later finds there what the latest turn has left. 0: there is none.
 * *name: the variable's. */
unsigned submission_turn_variable(const struct submission *s, const char *names,
                                  const struct reached *reached, char *name, size_t size);

/* Of the call of `name`, or launch, that stands on `line`: the line above it in its function that
 * sets a variable of its argument number `number`, from 1, last. *variable: its name. 0: there is
 * none. */
unsigned submission_set_line(const struct submission *s, unsigned line, const char *name,
                             unsigned number, char *variable, size_t size);

/* Of the one variable that `line` uses as a pointer (x[i], x->y, memset(x, …), memcpy(x, y, …)) and
 * that is set above it in its function: the line that sets it last. *variable: its name. 0: there
 * is none, or there are several. */
unsigned submission_pointer_line(const struct submission *s, unsigned line, char *variable,
                                 size_t size);

#endif
