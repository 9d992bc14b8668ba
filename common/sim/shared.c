/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "block.h"
#include "include/sim_block.h"
#include "trace/memory.h"

/* As much as any card has for a block. */
char sim_shared_dynamic[228 << 10] __attribute__((aligned(1024)));

static struct {
    struct sim_shared **list;   /* reached by the block that runs */
    size_t count, capacity;
} reached;

void sim_shared_reach(struct sim_shared *variable)
{
    variable->reached = 1;
    reached.list = memory_grow(reached.list, reached.count, &reached.capacity, sizeof *reached.list);
    reached.list[reached.count++] = variable;
    memset(variable->at, 0xff, variable->bytes);
}

void shared_begin(size_t dynamic)
{
    for (size_t i = 0; i < reached.count; i++)
        reached.list[i]->reached = 0;
    reached.count = 0;
    if (dynamic > 0)
        memset(sim_shared_dynamic, 0xff, dynamic);
}
