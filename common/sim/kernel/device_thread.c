/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>

#include "sim/host/crash.h"
#include "sim/kernel/block.h"
#include "sim/kernel/kernel.h"
#include "trace/record/memory.h"

static struct block host_block;
__thread struct block *block = &host_block;
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

/* Ends the kernel and says no word, as on a card. */
void __trap(void)
{
    if (!kernel_runs())
        kernel_misused("__trap");
    kernel_fail(cudaErrorLaunchFailure);
}
