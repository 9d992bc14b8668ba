/* SPDX-License-Identifier: MIT */
/*
 * host_function.h - host functions in streams: cudaLaunchHostFunc, cudaStreamAddCallback.
 *
 * A thread for each device runs those of its streams, one after another [M]. It takes
 * its turn like any other (scheduler.h): a function may work, sleep, lock and wait,
 * and its span ends when it returns. Calls of the runtime in it give
 * cudaErrorNotPermitted.
 *
 * What waits in a stream for a value in memory has a thread of its own, which does nothing until
 * the value is there.
 */
#ifndef SIM_HOST_HOST_FUNCTION_H
#define SIM_HOST_HOST_FUNCTION_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/include/cuda_runtime_api.h"
#include "sim/race/value.h"

struct host_function {
    cudaHostFn_t function;
    cudaStreamCallback_t
        callback; /* cudaStreamAddCallback's, in place of `function`; called after an error, too */
    cudaStream_t stream;                /* as the program named it, for the callback */
    void *data;
    struct value value;                 /* … in place of a function */
};

/* Before a function is queued to the device: makes its thread, where there is none for it. */
void host_function_prepare(const struct host_function *function, uint32_t device);
/* Something has changed by this time: what waited for it goes on. `by_host`: the caller has changed
 * it, before its present. */
void host_function_look(int64_t now, bool by_host);
/* In a copy of the process that has the caller's thread and no other: makes those of the functions
 * again. False: it cannot, one of them is under way. */
bool host_functions_in_copy(void);
/* At its virtual start: COST_OPEN, its end is told when it comes. */
int64_t host_function_start(struct host_function function, uint32_t node);

#endif
