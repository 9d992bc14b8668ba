/* SPDX-License-Identifier: MIT */
/*
 * function.h - host functions in streams: cudaLaunchHostFunc, cudaStreamAddCallback.
 *
 * A thread for each device runs those of its streams, one after another [M]. It takes
 * its turn like any other (baton.h): a function may work, sleep, lock and wait,
 * and its span ends when it returns. Calls of the runtime in it give
 * cudaErrorNotPermitted.
 */
#ifndef SIM_FUNCTION_H
#define SIM_FUNCTION_H

#include <stdint.h>

struct effect;

/* Before a function is queued to the device for the first time: makes its thread. */
void function_prepare(uint32_t device);
/* At its virtual start: COST_OPEN, its end is told when it comes. */
int64_t function_start(struct effect *effect, uint32_t node);

#endif
