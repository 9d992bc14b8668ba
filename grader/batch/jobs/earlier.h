/* SPDX-License-Identifier: MIT */
/*
 * earlier.h - what a student handed in before: judged again when what judges has changed
 * (ingredients.h), so that all attempts that can count are judged alike.
 */
#ifndef GRADER_BATCH_JOBS_EARLIER_H
#define GRADER_BATCH_JOBS_EARLIER_H

#include "grader/batch/files/roster.h"
#include "grader/batch/files/rubric.h"
#include "grader/batch/jobs/plan.h"

/* Attempts of a folder, those that can be read. */
#define ATTEMPTS_MOST 1000
struct saved_attempt { json_t *all; char key[LEDGER_KEY]; };
size_t attempts_read(const struct plan *p, const char *folder, const struct lesson *lesson,
                     struct saved_attempt list[ATTEMPTS_MOST]);

/* The number of a job's attempt: that of the same file, judged in whatever way but for where; else
 * the one after those that are there. */
unsigned attempt_number(const struct plan *p, const struct job *j);

/* Adds what the class had handed in before. Those who have a file now are in the plan; those on the
 * roster may have had one before. Where there is no roster, whoever handed something in before is
 * of the class. `wanted`: by lesson, as in lessons[]. */
void earlier_add_class(struct plan *p, const struct roster *roster, const bool *wanted,
                       enum regrade regrade);

#endif
