/* SPDX-License-Identifier: MIT */
/*
 * ingredients.h - all that goes into a verdict beside the file that is judged, as one sum.
 *
 * The grader itself (its checks, hints and cards are in it), the headers and the library that a
 * submission is compiled with, the lesson's headers, driver, reference and starter, the compiler
 * and the C library; where a GPU judges, too, nvcc's toolkit, the driver, the recorder and what
 * nvcc made. (A card from a file is named by its sum: plan.h.) When one of them changes, what was
 * graded with another is graded anew.
 */
#ifndef GRADER_BATCH_JOBS_INGREDIENTS_H
#define GRADER_BATCH_JOBS_INGREDIENTS_H

#include "grader/check.h"
#include "grader/sandbox/machine.h"

#define INGREDIENTS 65          /* hexadecimal digits and the end */

/* `out`: the folder of results, in which the compiler is asked. The sum of a lesson is
 * made once in a process, for the first backend that is asked for. */
const char *ingredients_of(const struct lesson *lesson, enum backend backend, const char *out);

/* The commit of the workbook, where it is a git repository, and "" where it is none. What was
 * changed since is told by the sums alone. */
#define COMMIT 65
const char *workbook_commit(void);

#endif
