/* SPDX-License-Identifier: MIT */
/*
 * object.h - what a compiled submission may not define or call.
 *
 * One program holds the exercise and the runtime that watches it. An object is
 * refused that defines a name of the runtime's or the driver's, a function that
 * the runtime itself calls (its own memcmp, say), a name that CUDA keeps for
 * itself; that calls what only the driver calls or what is the simulator's own
 * affair; or that has code which runs before the simulator's.
 */
#ifndef GRADER_BATCH_JOBS_OBJECT_H
#define GRADER_BATCH_JOBS_OBJECT_H

#include "grader/sandbox/sandbox.h"

bool object_allowed(const struct sandbox *s, const char *object, char *why, size_t size);

#endif
