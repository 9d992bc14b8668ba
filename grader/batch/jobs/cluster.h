/* SPDX-License-Identifier: MIT */
/*
 * cluster.h - the same work on a cluster: a Slurm job array of shares of the plan.
 *
 * Each task of the array is this program with --work and --share: it sees OUT
 * and the workbook's folder by the same names, and does what pool.h does. What
 * tasks did not finish, because their node failed, they were cancelled or out of
 * time, is handed in again, twice at most; what is still missing is "not run".
 */
#ifndef GRADER_BATCH_JOBS_CLUSTER_H
#define GRADER_BATCH_JOBS_CLUSTER_H

#include "grader/batch/jobs/plan.h"

/* `workers`: submissions at once in a task, and cores asked for. False: Ctrl-C, and the array is
 * cancelled. */
bool cluster_run(const struct plan *p, size_t workers);

#endif
