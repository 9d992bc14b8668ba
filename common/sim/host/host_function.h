/* SPDX-License-Identifier: MIT */
/*
 * host_function.h - host functions in streams: cudaLaunchHostFunc, cudaStreamAddCallback.
 *
 * A thread for each device runs those of its streams, one after another [M]. It takes
 * its turn like any other (scheduler.h): a function may work, sleep, lock and wait,
 * and its span ends when it returns. Calls of the runtime in it give
 * cudaErrorNotPermitted.
 */
#ifndef SIM_HOST_HOST_FUNCTION_H
#define SIM_HOST_HOST_FUNCTION_H

#include <stdint.h>

#include "sim/include/cuda_runtime_api.h"

struct host_function {
    cudaHostFn_t function;
    cudaStreamCallback_t callback;      /* cudaStreamAddCallback's, in place of `function`; called after an error, too */
    cudaStream_t stream;                /* as the program named it, for the callback */
    void *data;
};

/* Before a function is queued to the device for the first time: makes its thread. */
void host_function_prepare(uint32_t device);
/* At its virtual start: COST_OPEN, its end is told when it comes. */
int64_t host_function_start(struct host_function function, uint32_t node);

#endif
