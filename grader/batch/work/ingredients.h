/* SPDX-License-Identifier: MIT */
/*
 * ingredients.h - all that goes into a verdict beside the file that is judged, as one sum.
 *
 * The grader itself (its checks, hints and cards are in it), the headers and the library that a submission is compiled
 * with, the lesson's headers, driver, reference and starter, a card from a file, the compiler and the C library. When one
 * of them changes, what was graded with another is graded anew.
 */
#ifndef GRADER_BATCH_WORK_INGREDIENTS_H
#define GRADER_BATCH_WORK_INGREDIENTS_H

#include "grader/check.h"

#define INGREDIENTS 65          /* hexadecimal digits and the end */

/* `card`: a name, or the path of a file. `out`: the folder of results, in which the compiler is asked. The sum of a lesson is
 * made once in a process. */
const char *ingredients_of(const struct lesson *lesson, const char *card, const char *out);

#endif
