/* SPDX-License-Identifier: MIT */
/*
 * function.h - host functions in streams: cudaLaunchHostFunc, cudaStreamAddCallback.
 *
 * Like a kernel, a host function is stopped at its first host_work() or sleep,
 * which says how long it takes, until its virtual end. Calls of the runtime in
 * it give cudaErrorNotPermitted.
 */
#ifndef SIM_FUNCTION_H
#define SIM_FUNCTION_H

#include "effect.h"

int64_t function_start(struct effect *effect, uint32_t node);
void function_end(struct effect *effect, uint32_t node);

/* The host works for so long: true if it does so inside a host function, which accounts for it. */
bool function_works(int64_t ns);

#endif
