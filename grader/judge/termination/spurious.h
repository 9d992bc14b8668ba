/* SPDX-License-Identifier: MIT */
/*
 * spurious.h - who checks once what a thread waits for.
 *
 * A spurious wake-up: pthread_cond_wait() may return without a signal, and in the simulator it
 * does. A thread that checks its condition again finds it false and waits again. A thread that goes
 * on to anything else has checked once.
 */
#ifndef GRADER_JUDGE_TERMINATION_SPURIOUS_H
#define GRADER_JUDGE_TERMINATION_SPURIOUS_H

#include "grader/run/run.h"
#include "grader/run/submission.h"

/* What is said of it (printf), with its line. */
#define SPURIOUS_SAYS "The wait for a condition in line %u had returned without a signal, which it may do, and the thread went on. A loop (while, not " \
                      "if) looks again at what it waits for."

/* The first such wait among the calls from `first` to before `end` of `log`, which `r` has left:
 * its line in the submission; 0: there is none, or its line is not known. */
unsigned spurious_find(const struct run *r, const struct submission *s, const struct timeline *log,
                       size_t first, size_t end);

#endif
