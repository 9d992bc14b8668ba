/* SPDX-License-Identifier: MIT */
/*
 * appeal.h - a disputed verdict: the file that was judged is judged again, with the same seed, card
 * and limits, from what a folder of results keeps, and the two verdicts are compared byte for byte.
 */
#ifndef GRADER_BATCH_APPEAL_H
#define GRADER_BATCH_APPEAL_H

#include <stdbool.h>

/* `which`: "STUDENT/LESSON", or "STUDENT/LESSON/KEY" for an attempt other than the one that counts.
 * Returns the exit status: 0 the same, 1 another verdict. */
int appeal(const char *results, const char *which, bool confined);

#endif
