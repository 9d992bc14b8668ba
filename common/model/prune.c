/* SPDX-License-Identifier: MIT */
#include "model/state.h"

#include "trace/record/memory.h"

bool model_is_idle(const struct model *m)
{
    const struct engine_state *e = m->state;
    if (e->open_waits > 0 || m->order->graph_stream != NO_NODE)
        return false;
    for (size_t i = 0; i < e->operation_count; i++)
        if (e->operations[i].state != DONE)
            return false;
    return true;
}

void model_prune(struct model *m)
{
    struct engine_state *e = m->state;
    struct timeline *t = m->timeline;
    size_t count = m->order->node_count;
    uint32_t *number = (uint32_t *)memory_resize(NULL, (count + 1) * sizeof *number);
    uint32_t kept = hb_prune(m->order, number);
    for (size_t i = 0; i < count; i++) {
        if (number[i] == NO_NODE)
            continue;
        struct operation *op = &e->operations[number[i]];
        *op = e->operations[i];
        op->first_dependent = op->last_dependent = op->first_migration = NO_NODE;
        t->spans[number[i]] = t->spans[i];
        t->spans[number[i]].call = 0;
    }
    memory_resize(number, 0);
    e->operation_count = t->span_count = kept;
    e->link_count = 0;
    timeline_forget_calls(t);
    t->migration_count = 0;
    events_pass(&e->events);
}
