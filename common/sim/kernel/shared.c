/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "sim/include/detail/sim_block.h"
#include "sim/kernel/block.h"
#include "sim/race/reach.h"
#include "sim/race/shared_seen.h"
#include "trace/record/memory.h"

enum { ALIGNMENT = 1024 };
static char host_shared[SHARED_MOST] __attribute__((aligned(ALIGNMENT)));
__thread char *sim_shared_dynamic = host_shared;

void shared_apart(void)
{
    sim_shared_dynamic = aligned_alloc(ALIGNMENT, SHARED_MOST);
    if (!sim_shared_dynamic)
        sim_trouble("no memory for another block");
}

void sim_shared_reach(struct sim_shared *variable, void *at, size_t bytes)
{
    variable->reached = 1;
    MEMORY_GROW(block->reached, block->reached_count, block->reached_capacity);
    block->reached[block->reached_count++] = variable;
    shared_seen_variable(at, bytes);
    memset(at, 0xff, bytes);
}

void shared_end(void)
{
    for (size_t i = 0; i < block->reached_count; i++)
        block->reached[i]->reached = 0;
    block->reached_count = 0;
    shared_seen_begin(false);
}

void shared_begin(size_t dynamic)
{
    shared_end();
    shared_seen_begin(block->number == 0);
    if (dynamic > 0) {
        memset(sim_shared_dynamic, 0xff, dynamic);
        shared_seen_variable(sim_shared_dynamic, dynamic);
    }
}
