/* SPDX-License-Identifier: MIT */
/* What is asked of the relation: a node's edges, and whether one node is before another. */
#include "trace/order/hb_state.h"

#include "trace/record/memory.h"

const struct edge *hb_edges(const struct happens_before *o, uint32_t node, size_t *count)
{
    *count = o->nodes[node].edge_count;
    return *count > 0 ? o->edges + o->nodes[node].first_edge : NULL;
}

bool hb_is_wait(const struct happens_before *o, uint32_t node)
{
    return o->nodes[node].wait;
}

bool hb_is_of_other(const struct happens_before *o, uint32_t stream)
{
    return stream < o->stream_count && o->streams[stream].flags & STREAM_OF_OTHER;
}

/* Sets the marks of all nodes to "not reached" by starting a new round. */
static void new_round(struct happens_before *o)
{
    if (o->mark_capacity < o->node_count) {
        o->mark_capacity = o->node_capacity;
        o->mark = (uint32_t *)memory_resize(o->mark, o->mark_capacity * sizeof *o->mark);
    }
    if (o->mark_count < o->node_count) {
        memory_zero(o->mark + o->mark_count, (o->node_count - o->mark_count) * sizeof *o->mark);
        o->mark_count = o->node_count;
    }
    o->mark_round++;
}

bool hb_before(struct happens_before *o, uint32_t first, uint32_t then, enum strength least)
{
    if (first >= then || then >= o->node_count)
        return false;
    new_round(o);
    o->mark[then] = o->mark_round;
    for (uint32_t node = then; node > first; node--) {
        if (o->mark[node] != o->mark_round)
            continue;
        const struct hb_node *n = &o->nodes[node];
        for (uint32_t i = 0; i < n->edge_count; i++)
            if (o->edges[n->first_edge + i].strength >= (uint32_t)least)
                o->mark[o->edges[n->first_edge + i].from] = o->mark_round;
    }
    return o->mark[first] == o->mark_round;
}

bool hb_before_call(struct happens_before *o, uint32_t first, const struct call *calls, size_t call,
                    enum strength least)
{
    for (size_t node = o->node_count; node-- > 0;) {
        const struct hb_node *n = &o->nodes[node];
        if (n->wait && n->call < call && n->thread == calls[call].thread)
            return node == first || hb_before(o, first, (uint32_t)node, least);
    }
    return false;
}
