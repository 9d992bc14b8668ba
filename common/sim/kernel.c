/* SPDX-License-Identifier: MIT */
#include "kernel.h"

#include "crash.h"
#include "entry.h"
#include "fiber.h"

struct uint3 threadIdx, blockIdx;
struct dim3 blockDim, gridDim;
const int warpSize = 32;

static struct {
    struct effect *effect;
    int64_t cost;               /* as the first thread declared it */
    bool faulted;
    uint64_t address;
} now;

static void set_place(const struct effect *effect)
{
    gridDim = effect->grid;
    blockDim = effect->block;
    blockIdx = threadIdx = (struct uint3){ 0, 0, 0 };
}

/* Called by every thread of kernels with a declared cost: only the first one's counts. */
void sim_kernel_cost(long long ns)
{
    if (!fiber_current() || now.cost != COST_UNKNOWN)
        return;
    now.cost = ns < 0 ? 0 : ns;
    fiber_stop();
}

static void first_thread(void *argument)
{
    struct effect *effect = argument;
    effect->kernel.thread(effect->kernel.closure);
}

static void first_thread_guarded(void *argument)
{
    now.faulted = !guard_run(first_thread, argument, &now.address);
}

/* All threads but the first. */
static void other_threads(void *argument)
{
    const struct effect *effect = argument;
    unsigned first = 1;
    for (unsigned z = 0; z < effect->grid.z; z++)
        for (unsigned y = 0; y < effect->grid.y; y++)
            for (unsigned x = 0; x < effect->grid.x; x++, first = 0) {
                blockIdx = (struct uint3){ x, y, z };
                effect->kernel.block(effect->kernel.closure, first);
            }
}

static void run_others(struct effect *effect)
{
    if (!now.faulted)
        now.faulted = !guard_run(other_threads, effect, &now.address);
}

/* The device is lost; the program learns of it at its next call. */
static void report_fault(uint32_t node)
{
    if (!now.faulted)
        return;
    struct call fault = { .kind = CALL_FAULT, .node = node, .dst = now.address,
                          .status = cudaErrorIllegalAddress };
    entry_note(&fault);
    sim.sticky = cudaErrorIllegalAddress;
}

int64_t kernel_start(struct effect *effect, uint32_t node)
{
    now.effect = effect;
    now.cost = COST_UNKNOWN;
    now.faulted = false;
    set_place(effect);
    effect->fiber = fiber_start(first_thread_guarded, effect);
    if (!effect->fiber) {
        run_others(effect);
        report_fault(node);
        return COST_UNKNOWN;
    }
    struct call cost = { .kind = CALL_COST, .node = node, .cost = now.cost };
    entry_note(&cost);
    return now.cost;
}

void kernel_end(struct effect *effect, uint32_t node)
{
    if (!effect->fiber)
        return;
    now.effect = effect;
    now.cost = 0;
    now.faulted = false;
    set_place(effect);
    effect->fiber = fiber_resume(effect->fiber);
    run_others(effect);
    report_fault(node);
}
