/* SPDX-License-Identifier: MIT */
/*
 * spurious.h - who checks once what a thread waits for.
 *
 * pthread_cond_wait() may return though nobody has signalled, and in the simulator it does. A thread that looks again finds nothing
 * and waits again. One that goes on to anything else has checked once.
 */
#ifndef GRADER_JUDGE_TERMINATION_SPURIOUS_H
#define GRADER_JUDGE_TERMINATION_SPURIOUS_H

#include "grader/run/run.h"
#include "grader/run/submission.h"

/* The first such wait among the calls from `first` to before `end` of `log`, which `r` has left: its line in the submission; 0: there is
 * none, or its line is not known. */
unsigned spurious_find(const struct run *r, const struct submission *s, const struct timeline *log, size_t first, size_t end);

#endif
