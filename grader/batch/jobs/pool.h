/* SPDX-License-Identifier: MIT */
/*
 * pool.h - jobs on all cores: a worker process each, a bar, nothing lost when one fails.
 *
 * A worker that fails (the environment's trouble, a bug of ours, out of time)
 * leaves why in the ledger; its job is "not run" and is taken up by the next
 * batch. What is done is skipped, and a file that several students handed in
 * alike, as a starter is, is graded once.
 */
#ifndef GRADER_BATCH_JOBS_POOL_H
#define GRADER_BATCH_JOBS_POOL_H

#include "grader/batch/jobs/plan.h"

/* Jobs share, share + shares, share + 2 * shares … of the plan; 0 of 1 are all. `workers` at once.
 * Makes the stage and tries the sandbox before the first. False: Ctrl-C. */
bool pool_run(const struct plan *p, size_t share, size_t shares, size_t workers);

#endif
