/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "effect.h"
#include "entry.h"
#include "kernel_table.h"
#include "stream.h"

/* Between a launch's configuration and its kernel lie the arguments, which may
 * launch something themselves: hence a stack. */
void sim_configure(const struct sim_configuration *c)
{
    struct thread *thread = thread_self();
    if (thread->configuration_count == CONFIGURATIONS) {
        thread->configuration_count--;
        memmove(thread->configurations, thread->configurations + 1,
                thread->configuration_count * sizeof *thread->configurations);
    }
    thread->configurations[thread->configuration_count++] =
        (struct configuration){ c->grid, c->block, c->shared, c->stream, site_pop(thread) };
}

static bool between(unsigned value, unsigned most)
{
    return value >= 1 && value <= most;
}

bool launch_fits(dim3 grid, dim3 block, size_t shared, const struct kernel_entry *kernel)
{
    const struct card *card = sim.card;
    unsigned most = (unsigned)card->threads_per_block, wide = card->major < 3 ? 65535 : 2147483647;
    return between(grid.x, wide) && between(grid.y, 65535) && between(grid.z, card->major < 2 ? 1 : 65535) &&
           between(block.x, most) && between(block.y, most) && between(block.z, 64) &&
           (uint64_t)block.x * block.y * block.z <= most && shared <= kernel->dynamic_shared;
}

static void wait_for_it(const struct call *launch)
{
    struct call wait = *launch;
    wait.kind = CALL_STREAM_SYNC;
    entry_note(&wait);
}

/* A kernel runs on its stream's device, current or not: the guide says that such a launch fails ("Stream and Event
 * Behavior"), an H200 takes it [M]. */
void sim_launch(const struct sim_kernel *kernel)
{
    struct thread *thread = thread_self();
    if (kernel_was_asked(kernel))
        return;
    if (thread->configuration_count == 0) {
        fprintf(stderr, "%s is a kernel: it was called without <<<grid, block>>>\n", kernel->name);
        exit(1);
    }
    struct configuration c = thread->configurations[--thread->configuration_count];
    struct entry e;
    site_push(thread, c.site);
    cudaError_t status = entry_open(&e, CALL_LAUNCH, "cudaLaunchKernel");
    struct kernel_entry *entry = kernel_entry(kernel);
    if (status == cudaSuccess && !launch_fits(c.grid, c.block, c.shared, entry))
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess)
        status = stream_find(&e, c.stream);
    e.call.name = entry_string(kernel->name);
    memcpy(e.call.grid, &c.grid, sizeof e.call.grid);
    memcpy(e.call.block, &c.block, sizeof e.call.block);
    e.call.shared = (uint32_t)c.shared;
    bool launched = status == cudaSuccess;
    if (launched && kernel_loads_now(entry, stream_device(e.call.stream)))
        e.call.flags |= LAUNCH_LOADS;
    status = entry_make(&e, status, effect_new(&(struct effect){
        .kind = EFFECT_KERNEL, .kernel = *kernel, .grid = c.grid, .block = c.block, .shared = c.shared }));
    if (e.call.kind == CALL_LAUNCH && launched && sim.launch_blocking) {
        wait_for_it(&e.call);
        status = sim.sticky;
    }
    thread->launched = entry_close(&e, status);
}
