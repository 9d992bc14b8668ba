/* SPDX-License-Identifier: MIT */
/*
 * pictures.h - the timelines of an attempt, beside it in the ledger: KEY.pictures.
 *
 * A JSON array, of each part that began: {part, title, svg}. A part is shown on the
 * card on which it first failed, as in the learner's report. What nobody could
 * look at (more than PICTURE_MOST bytes) has svg null.
 */
#ifndef GRADER_BATCH_JOBS_PICTURES_H
#define GRADER_BATCH_JOBS_PICTURES_H

#include "grader/batch/jobs/plan.h"
#include "grader/judge/judge.h"

#define PICTURE_MOST (256u << 10)

void pictures_write(const struct plan *p, const struct job *j, const struct verdict *v);
/* Another student's of the same file, as this one's. */
void pictures_take(const struct plan *p, const struct job *j, const struct job *other);

#endif
