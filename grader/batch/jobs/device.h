/* SPDX-License-Identifier: MIT */
/*
 * device.h - the GPU of this machine, as a batch uses it: STAGE/device.json, for the workers.
 *
 * Before a class is judged on a card, that is looked at: by a small program of ours
 * (grader/run/probe.h) from where we are, and, where there is a sandbox, from inside, as a
 * submission will see it; there without /sys first, and with it where the driver asks for that. So
 * is nvcc, with a file that has nothing in it. What is missing is the environment's trouble, a
 * line, before anything is graded.
 *
 * Nobody's program has the card beside another's (the lock of grader/grade/gpu.c), whoever grades
 * on this machine. Simulators work meanwhile.
 */
#ifndef GRADER_BATCH_JOBS_DEVICE_H
#define GRADER_BATCH_JOBS_DEVICE_H

#include "grader/batch/jobs/plan.h"
#include "grader/sandbox/machine.h"
#include "grader/sandbox/card_access.h"

/* What nvcc has to have made for the plan's lessons is there. Before the stage is made. */
void device_need(const struct plan *p);
/* Looks, and writes what it found. */
void device_find(const struct plan *p, const char *stage);
/* In a worker: *m as machine_choose would say, *a for its sandbox. */
void device_read(const struct plan *p, const char *stage, struct machine *m, struct card_access *a);

/* The variables of our own environment that a worker needs for it, after those that are there;
 * `most` have room. */
void device_environment(const char **variables, size_t most);

#endif
