/* SPDX-License-Identifier: MIT */
/* Kernels that have left their queue and place blocks. */
#include "model/state.h"

#include "trace/record/memory.h"

void grids_add(struct model *m, struct device *d, uint32_t node)
{
    MEMORY_GROW(d->grids, d->grid_count, d->grid_capacity);
    size_t at = d->grid_count++;
    for (; at > 0 && operation(m, d->grids[at - 1])->priority > operation(m, node)->priority; at--)
        d->grids[at] = d->grids[at - 1];
    d->grids[at] = node;
}

/* When its first block has found a place, and not before. */
static void begin_kernel(struct model *m, uint32_t node)
{
    int64_t cost = operation_begins(m, node);
    int64_t times = m->card->slower > 0 ? m->card->slower : 1;
    operation(m, node)->cost = cost == COST_UNKNOWN ? m->card->block_ns : cost < TIME_NEVER / times ? cost * times : cost;
}

void grids_place(struct model *m, struct device *d)
{
    size_t done = 0;
    while (done < d->grid_count) {
        struct operation *op = operation(m, d->grids[done]);
        uint32_t placement, count = sms_place(&d->sms, &op->needs, op->blocks_waiting, &placement);
        if (count > 0) {
            if (op->state == READY)
                begin_kernel(m, d->grids[done]);
            op = operation(m, d->grids[done]);
            op->blocks_waiting -= count;
            op->blocks_running += count;
            events_push(&m->state->events, m->state->now + op->cost, BLOCKS_END, d->grids[done], placement);
        }
        if (op->blocks_waiting > 0)
            break;
        done++;
    }
    for (size_t i = done; i < d->grid_count; i++)
        d->grids[i - done] = d->grids[i];
    d->grid_count -= done;
}

void grids_leave(struct model *m, struct device *d, uint32_t node, uint32_t placement)
{
    struct operation *op = operation(m, node);
    op->blocks_running -= sms_leave(&d->sms, &op->needs, placement);
    if (op->blocks_waiting == 0 && op->blocks_running == 0)
        events_push(&m->state->events, m->state->now + (op->in_graph ? m->card->graph_kernel_ns : m->card->kernel_ns),
                    OPERATION_ENDS, node, 0);
}
