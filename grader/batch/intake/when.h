/* SPDX-License-Identifier: MIT */
/* when.h - when files were handed in, by what others have written down: Moodle's worksheet, the
 * file of times. What they say and cannot be used is noted, with the reason. */
#ifndef GRADER_BATCH_INTAKE_WHEN_H
#define GRADER_BATCH_INTAKE_WHEN_H

#include "grader/batch/files/rubric.h"
#include "grader/batch/files/times.h"
#include "grader/batch/intake/intake.h"

/* A worksheet as the roster: its times are of one assignment, and of no zone but the rubric's.
 * `points`: thousandths of the lesson, where one is wanted. */
void when_worksheet(struct intake *in, const struct roster *r, const struct rubric *rubric,
                    size_t lessons_wanted, int64_t points);
/* Who is named in the file and is nobody's in the class is an error; in a log, a note. */
void when_given(struct intake *in, struct times *t, const char *path, size_t lessons_wanted);

#endif
