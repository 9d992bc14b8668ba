/* SPDX-License-Identifier: MIT */
/*
 * task.h - one submission, from its file in the ledger to its attempt there.
 *
 * A process of its own does it, so that whatever a submission brings about, a
 * bug of ours too, stays there. What the environment lacks ends that process
 * (status 2, a line on stderr), and the ledger is as before.
 *
 * An attempt:
 *   student, lesson, key, number, file (ledger.h), handed_in (seconds since 1970, or null),
 * time_from (enum when_from), late (as others say), encoding (what it was taken for, or null)
 *   terms: {workbook, commit ("": not known), ingredients, backend, card, seed, memory,
 * time_limit_ms}: with these it is judged the same again status: "passed" | "wrong" | "not
 * attempted" | "did not build" | "timed out" | "crashed" | "refused" reason: text or null: where it
 * crashed, which part was too slow, why it is refused, what fails first verdict: the object of
 * report.h, or null where there is none
 */
#ifndef GRADER_BATCH_JOBS_TASK_H
#define GRADER_BATCH_JOBS_TASK_H

#include "grader/batch/jobs/plan.h"

void task_run(const struct plan *p, const struct job *j, const char *stage);

/* An attempt that needs no grading: refused for this reason. */
void task_refuse(const struct plan *p, const struct job *j, const char *why);

/* The attempt at the same file (and so with the same key) of another student's, as this one's: a
 * verdict has nothing of whose it is. False: it cannot be read. */
bool task_take(const struct plan *p, const struct job *j, const struct job *other);

#endif
