/* SPDX-License-Identifier: MIT */
/* summary.h - what an instructor must know before the grades leave the house: what is not graded, what was guessed, where
 * times came from, and every zero with its cause. */
#ifndef GRADER_BATCH_RESULTS_SUMMARY_H
#define GRADER_BATCH_RESULTS_SUMMARY_H

#include <jansson.h>
#include <stdio.h>

void summary_print(FILE *out, const json_t *results);

#endif
