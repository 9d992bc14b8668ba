/* SPDX-License-Identifier: MIT */
/*
 * program_line.h - lines of the learner's file for program counters of the run.
 *
 * simcc links programs to lie where they say: an address is the file's own. addr2line reads it, in
 * the run's sandbox if it has one.
 */
#ifndef GRADER_RUN_PROGRAM_LINE_H
#define GRADER_RUN_PROGRAM_LINE_H

#include "grader/run/run.h"
#include "grader/run/submission.h"

#define PROGRAM_LINES 64        /* addresses at a time */

/* line[i]: the innermost line of the submission at `address[i]`, 0 for none; count is PROGRAM_LINES
 * at most. */
void program_lines(const struct run *r, const struct submission *s, const uint64_t *address,
                   size_t count, unsigned *line);
/* The first that is a line of the submission, for a list of counters in hexadecimal with space
 * between them, the innermost first; 0: none is. */
unsigned program_line_listed(const struct run *r, const struct submission *s,
                             const char *counters);

#endif
