/* SPDX-License-Identifier: MIT */
/*
 * How a kernel ends itself. assert() calls __assert_fail: defined here, it wins over the C library's. In
 * a kernel it says where, as a card does, and the device is lost; elsewhere it
 * says and does what the C library's would.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/kernel/block.h"
#include "sim/kernel/kernel.h"
#include "sim/kernel/print.h"

/* A kernel's body is a lambda to the compiler: "void k(int)::<lambda()>". */
static int function_length(const char *function)
{
    const char *lambda = strstr(function, "::<lambda");
    return lambda ? (int)(lambda - function) : (int)strlen(function);
}

/* Ends the kernel and says no word, as on a card. */
void __trap(void)
{
    if (!kernel_runs())
        kernel_misused("__trap");
    kernel_fail(cudaErrorLaunchFailure);
}

/* A card has no word for it. */
void sim_no_grid_barrier(const char *file, int line)
{
    if (!kernel_runs())
        kernel_misused("grid_group::sync");
    print_wrong("%s:%d: grid_group::sync: the kernel was launched without cudaLaunchCooperativeKernel, and its blocks cannot wait for each other\n",
                file, line);
    kernel_fail(cudaErrorLaunchFailure);
}

_Noreturn void __assert_fail(const char *assertion, const char *file, unsigned int line, const char *function)
{
    if (kernel_runs()) {
        print_wrong("%s:%u: %.*s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n", file, line,
                    function_length(function), function, blockIdx.x, blockIdx.y, blockIdx.z, threadIdx.x, threadIdx.y,
                    threadIdx.z, assertion);
        kernel_fail(cudaErrorAssert);
    }
    sim_lock();
    sim_unlock();
    fprintf(stderr, "%s: %s:%u: %s: Assertion `%s' failed.\n", program_invocation_short_name, file, line, function,
            assertion);
    abort();
}
