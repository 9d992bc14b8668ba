/* SPDX-License-Identifier: MIT */
/*
 * functions.h - which functions a submission has, by its text: where they begin, what they call,
 * what of it a log has.
 *
 * Lines count from 1. The text is a stranger's: each question looks at a certain number of names,
 * and answers 0 when it has not found what it looks for among them.
 */
#ifndef GRADER_RUN_FUNCTIONS_H
#define GRADER_RUN_FUNCTIONS_H

#include "grader/run/reached.h"
#include "grader/run/submission.h"

/* The line on which `function` is defined; 0 where it is not.
 * With `words`, separated by spaces: the line in the function, or else in functions that it calls,
 * on which the first of these names is used that is used on exactly one line. A use is an
 * assignment to the name or to what it is the index of, a call, a launch; of "sum+=" what is added
 * to sum; of "A:b" the first assignment to b after the one place where A stands; of
 * "->due" wherever a field of that name stands; of a name in capitals wherever it
 * stands. Where there is no use at all, the line of the function's last return, or of its end. */
unsigned submission_function_line(const struct submission *s, const char *function,
                                  const char *words);

/* The first lines, `most` of them, on which `function` returns before its end. Returns how many
 * there are. */
size_t submission_early_returns(const struct submission *s, const char *function, unsigned *line,
                                size_t most);

/* The first lines, `most` of them, on which one of these names is called, separated by spaces.
 * Returns on how many there are such calls. */
size_t submission_call_lines(const struct submission *s, const char *names, unsigned *line,
                             size_t most);

/* Of names, separated by spaces, that `function` has to call once each: the first that neither it
 * nor the functions that it calls use (lines 0 and 0), or that they use on two lines. False: there
 * is none, or the function is not in the file. */
bool submission_miscalled(const struct submission *s, const char *function, const char *words,
                          char *name, size_t size, unsigned line[2]);

/* The first line on which a function of the file calls `name`; *caller: that function's name. 0:
 * none does. */
unsigned submission_caller(const struct submission *s, const char *name, char *caller, size_t size);

/* The line in `function` where it calls a function of the file that has `line` in it, or calls one
 * that does; 0: there is none, or `line` is in `function` itself. */
unsigned submission_call_line(const struct submission *s, const char *function, unsigned line);

/* The line of the first in `function` that was not reached; 0: there is none. *name: what is called
 * there. */
unsigned submission_unreached(const struct submission *s, const char *function,
                              const struct reached *reached, char *name, size_t size);
/* The line of the first function that has such calls, none of which was reached; 0: there is none.
 * *name: the function's. */
unsigned submission_uncalled(const struct submission *s, const struct reached *reached, char *name,
                             size_t size);

#endif
