/* SPDX-License-Identifier: MIT */
/*
 * function.h - host functions in streams: cudaLaunchHostFunc, cudaStreamAddCallback.
 *
 * One thread of its own runs those of all streams, one after another. It takes
 * its turn like any other (baton.h): a function may work, sleep, lock and wait,
 * and its span ends when it returns. Calls of the runtime in it give
 * cudaErrorNotPermitted.
 */
#ifndef SIM_FUNCTION_H
#define SIM_FUNCTION_H

#include "effect.h"

/* Before a function is queued for the first time: makes the thread. */
void function_prepare(void);
/* At its virtual start: COST_OPEN, its end is told when it comes. */
int64_t function_start(struct effect *effect, uint32_t node);

#endif
