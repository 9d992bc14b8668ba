/* SPDX-License-Identifier: MIT */
/* Graphs as order knows them: the calls from CALL_GRAPH_LAUNCH to CALL_GRAPH_END (call.h). */
#include "trace/order/hb_state.h"

#include "trace/record/memory.h"

#define EXECS_MOST 1000000u     /* a log may say anything */

void hb_graph_begins(struct happens_before *o, const struct call *c)
{
    o->graph_stream = c->stream < o->stream_count ? c->stream : NO_NODE;
    o->graph_exec = c->src <= EXECS_MOST ? c->src : 0;
    while (o->exec_count <= o->graph_exec) {
        MEMORY_GROW(o->exec_last, o->exec_count, o->exec_capacity);
        o->exec_last[o->exec_count++] = NO_NODE;
    }
    o->member_count = o->awaited_count = 0;
}

void hb_graph_node_awaits(struct happens_before *o, const struct call *c)
{
    if (o->graph_stream == NO_NODE || c->src >= o->member_count)
        return;
    struct graph_member *member = &o->members[c->src];
    member->followed |= (c->flags & EDGE_AT_LAUNCH) == 0;
    MEMORY_GROW(o->awaited, o->awaited_count, o->awaited_capacity);
    o->awaited[o->awaited_count++] =
        (struct awaited){ member->node, c->flags & LAUNCH_DEPENDENT ? member->kernel : NO_NODE,
                          (c->flags & EDGE_AT_LAUNCH) != 0 };
}

/* Only one launch of an executable graph runs at a time. */
static void add_start(struct happens_before *o, const struct call *c)
{
    hb_add_start(o, c);
    uint32_t before = o->graph_exec != 0 ? o->exec_last[o->graph_exec] : NO_NODE;
    if (before != o->streams[o->graph_stream].last)
        hb_add_edge(o, before, GUARANTEED);
}

/* What the node waits for. The edges that are early come to stand first; returns how many are: the
 * node may begin when those kernels have triggered and all others are over, and its rest comes
 * after all [M: facts/h200-edges.txt]. */
static size_t add_awaited(struct happens_before *o, const struct call *c)
{
    size_t early = 0;
    for (size_t i = 0; i < o->awaited_count; i++) {
        const struct awaited awaited = o->awaited[i];
        if (c->kind == CALL_LAUNCH && awaited.kernel != NO_NODE) {
            hb_add_trigger(o, c, awaited.kernel, awaited.at_launch ? BEGUN : TRIGGERED);
            o->awaited[early++] = awaited;
        } else {
            hb_add_edge(o, awaited.node, GUARANTEED);
        }
    }
    return early;
}

struct step hb_graph_add_node(struct happens_before *o, const struct call *c)
{
    size_t first = o->edge_count;
    size_t early = add_awaited(o, c);
    if (o->awaited_count == 0)
        add_start(o, c);
    if (c->kind == CALL_STREAM_WAIT)
        hb_add_edge(o, o->event_record[c->event], GUARANTEED);
    o->awaited_count = 0;
    uint32_t node = hb_add_node(o, c, first, false);
    struct step step = { node, NO_NODE, NO_NODE };
    if (early > 0)
        step.rest = hb_add_rest(o, c, node, o->awaited, early);
    MEMORY_GROW(o->members, o->member_count, o->member_capacity);
    o->members[o->member_count++] =
        (struct graph_member){ step.rest != NO_NODE ? step.rest : node,
                               c->kind == CALL_LAUNCH ? node : NO_NODE, false };
    return step;
}

uint32_t hb_graph_ends(struct happens_before *o, const struct call *c)
{
    if (o->graph_stream == NO_NODE || o->graph_stream != c->stream)
        return NO_NODE;
    size_t first = o->edge_count;
    for (size_t i = 0; i < o->member_count; i++)
        if (!o->members[i].followed)
            hb_add_edge(o, o->members[i].node, GUARANTEED);
    uint32_t joint = NO_NODE, last = NO_NODE;
    if (o->edge_count == first + 1) {
        last = o->edges[first].from;
        o->edge_count = first;
    } else {
        if (o->member_count == 0)
            add_start(o, c);
        last = joint = hb_add_node(o, c, first, false);
    }
    if (o->graph_exec != 0)
        o->exec_last[o->graph_exec] = last;
    o->graph_stream = NO_NODE;
    hb_stream_goes_on(o, c->stream, last, o->member_count > 0);
    return joint;
}
