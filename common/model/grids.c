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

/* What a block of that cost takes on this card, ns. */
static int64_t cost_here(const struct model *m, int64_t cost)
{
    int64_t times = m->card->slower > 0 ? m->card->slower : 1, most = INT64_C(1000000000000);
    cost = cost < most ? cost : most;
    return cost == COST_UNKNOWN        ? m->card->block_ns
           : cost < TIME_NEVER / times ? cost * times
                                       : cost;
}

/* When its first block has found a place, and not before. */
static void begin_kernel(struct model *m, uint32_t node)
{
    int64_t cost = operation_begins(m, node);
    operation(m, node)->cost = cost_here(m, cost);
}

/* Places what it can of a grid; true: all of it has found a place. */
static bool place(struct model *m, struct device *d, uint32_t node, const struct sm_set *where)
{
    struct operation *op = operation(m, node);
    uint32_t placement, want = op->blocks_waiting;
    if (op->needs.cluster > 1)
        want = op->blocks_running < op->needs.most && want > op->needs.most - op->blocks_running
                   ? op->needs.most - op->blocks_running
               : op->blocks_running < op->needs.most ? want
                                                     : 0;
    uint32_t count = sms_place(&d->sms, &op->needs, want, where, &placement);
    if (count > 0) {
        if (op->state == READY)
            begin_kernel(m, node);
        op = operation(m, node);
        op->blocks_waiting -= count;
        op->blocks_running += count;
        events_push(&m->state->events, m->state->now + op->cost, BLOCKS_END, node, placement);
        if (op->followed && op->blocks_waiting == 0)
            operation_lets(m, node, BEGUN);
    }
    return op->blocks_waiting == 0;
}

/* The SMs of its stream; of a graph's node, those of the stream that it was captured in, wherever
 * the graph is launched [M]. */
static struct sm_set sms_of(const struct model *m, uint32_t node)
{
    const struct span *s = &m->timeline->spans[node];
    uint32_t captured = m->timeline->calls[s->call].dst_device;
    if (!operation(m, node)->in_graph)
        return m->state->streams[s->stream].sms;
    return captured > 0 && captured <= m->state->stream_count ? m->state->streams[captured - 1].sms
                                                              : (struct sm_set){ 0 };
}

void grids_place(struct model *m, struct device *d)
{
    struct sm_set held = {
        .any = true
    };   /* for grids that have blocks left: later ones get none of these SMs */
    size_t left = 0, next = 0;
    for (bool full = false; next < d->grid_count && !full; next++) {
        uint32_t node = d->grids[next];
        struct sm_set where = sms_of(m, node), own = where;
        bool some = left == 0 || sm_set_without(&where, &held, d->sms.count);
        if (some && place(m, d, node, &where))
            continue;
        d->grids[left++] = node;
        full = !own.any;
        sm_set_join(&held, &own);
    }
    for (; next < d->grid_count; next++)
        d->grids[left++] = d->grids[next];
    d->grid_count = left;
}

/* ---- parts of a block's time ---- */

static enum part_end end_of_part(struct model *m, uint32_t node, unsigned part)
{
    bool may_go_on = m->hooks.part_ends && part + 1 < KERNEL_PARTS;
    return may_go_on ? m->hooks.part_ends(m->hooks.context, node, part) : PART_ENDS_BLOCK;
}

static void next_part(struct model *m, struct device *d, uint32_t node, uint32_t placement)
{
    unsigned part = ++d->sms.parts[placement].part;
    int64_t cost = m->hooks.part_begins(m->hooks.context, node, part);
    events_push(&m->state->events, m->state->now + cost_here(m, cost), BLOCKS_END, node, placement);
}

static void trigger(struct model *m, uint32_t node, uint32_t blocks)
{
    struct operation *op = operation(m, node);
    op->blocks_untriggered -= blocks;
    if (op->followed && op->blocks_untriggered == 0)
        operation_lets(m, node, TRIGGERED);
}

/* How long the end of a kernel takes to get to those that wait for it. */
static int64_t ending_time(const struct model *m, const struct operation *op)
{
    return op->followed   ? dependent_time(m->card)
           : op->in_graph ? m->card->graph_kernel_ns
                          : m->card->kernel_ns;
}

static void leave(struct model *m, struct device *d, uint32_t node, uint32_t placement)
{
    struct operation *op = operation(m, node);
    op->blocks_running -= sms_leave(&d->sms, &op->needs, placement);
    if (op->blocks_waiting == 0 && op->blocks_running == 0)
        events_push(&m->state->events, m->state->now + ending_time(m, op), OPERATION_ENDS, node, 0);
}

void grids_leave(struct model *m, struct device *d, uint32_t node, uint32_t placement)
{
    struct placement_part *at = &d->sms.parts[placement];
    enum part_end end = end_of_part(m, node, at->part);
    if (end == PART_SYNCS && !model_is_synced(m, node)) {
        at->waits = node;
        return;
    }
    if (end != PART_SYNCS && !at->triggered) {
        at->triggered = true;
        trigger(m, node, at->blocks);
    }
    if (end == PART_ENDS_BLOCK)
        leave(m, d, node, placement);
    else
        next_part(m, d, node, placement);
}

void grids_go_on(struct model *m, struct device *d, uint32_t node)
{
    for (uint32_t i = 0; i < d->sms.placements; i++)
        if (d->sms.parts[i].waits == node) {
            d->sms.parts[i].waits = NO_NODE;
            next_part(m, d, node, i);
        }
}
