/* SPDX-License-Identifier: MIT */
/*
 * reached.h - which lines of a submission a log has calls from.
 */
#ifndef GRADER_RUN_REACHED_H
#define GRADER_RUN_REACHED_H

#include <stdbool.h>

/* A log, beside the text: `line` says whether it has calls of that line. */
struct reached { bool (*line)(const void *log, unsigned line); const void *log; };

#endif
