/* SPDX-License-Identifier: MIT */
/* summary.h - what an instructor must know before the grades leave the house: what is not graded,
 * what was guessed, where times came from, who is not on the roster, and every zero with its cause.
 */
#ifndef GRADER_BATCH_RESULTS_SUMMARY_H
#define GRADER_BATCH_RESULTS_SUMMARY_H

#include <jansson.h>
#define SUMMARY_FILE "report.txt"

/* To stdout, long lists cut, and whole to OUT/report.txt. */
void summary_write(const char *out, const json_t *results);

#endif
