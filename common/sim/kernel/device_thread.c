/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/host/crash.h"
#include "sim/include/detail/sim_block.h"
#include "sim/kernel/block.h"
#include "sim/kernel/kernel.h"
#include "sim/kernel/print.h"
#include "trace/record/memory.h"

static struct block host_block;
__thread struct block *block = &host_block;
VISIBLE __thread struct uint3 threadIdx, blockIdx;
__thread unsigned sim_block_row;
VISIBLE struct dim3 blockDim, gridDim;
VISIBLE const int warpSize = WARP;
static bool runs;

void block_apart(void)
{
    block = memory_resize(NULL, sizeof *block);
    memory_zero(block, sizeof *block);
}

unsigned block_thread(void)
{
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

bool block_promoted(void)
{
    return sim_block_row == 0;
}

bool kernel_runs(void)
{
    return runs;
}

VISIBLE int sim_on_device(void)
{
    return runs;
}

void kernel_running(bool it_does)
{
    runs = it_does;
}

void kernel_fail(cudaError_t error)
{
    block->error = error;
    guard_leave(0);
}

void kernel_misused(const char *name)
{
    fprintf(stderr, "%s is for kernels: it was called by the host\n", name);
    exit(1);
}

/* ---- how a kernel ends itself ---- */

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

int sim_grid_is_valid(void)
{
    return kernel_runs() && block->effect->cooperative;
}

/* Without a cooperative launch a card has no word for it. */
void sim_grid_barrier(const char *file, int line)
{
    if (!kernel_runs())
        kernel_misused("grid_group::sync");
    if (block->effect->cooperative) {
        sim_barrier(SIM_BARRIER_GRID, 0, file, line);
        return;
    }
    print_wrong("%s:%d: grid_group::sync: the kernel was launched without cudaLaunchCooperativeKernel, and its blocks cannot wait for each other\n",
                file, line);
    kernel_fail(cudaErrorLaunchFailure);
}

/* assert() calls it: defined here, it wins over the C library's. In a kernel it says where, as a card does, and the device is
 * lost; elsewhere it says and does what the C library's would. */
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
