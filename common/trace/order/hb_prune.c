/* SPDX-License-Identifier: MIT */
#include "trace/order/hb_state.h"

/* Does `visit` with all that refers to a node, NO_NODE too. */
static void each_reference(struct happens_before *o,
                           void (*visit)(uint32_t *node, uint32_t *number), uint32_t *number)
{
    for (size_t i = 0; i < o->stream_count; i++) {
        struct hb_stream *s = &o->streams[i];
        uint32_t *of_stream[] = { &s->last, &s->kernel, &s->before_barrier, &s->loading };
        for (size_t k = 0; k < sizeof of_stream / sizeof *of_stream; k++)
            visit(of_stream[k], number);
    }
    for (size_t i = 0; i < o->event_count; i++)
        visit(&o->event_record[i], number);
    for (size_t i = 0; i < o->exec_count; i++)
        visit(&o->exec_last[i], number);
    for (size_t i = 0; i < o->thread_count; i++) {
        visit(&o->threads[i].wait, number);
        for (size_t d = 0; d < HB_DEVICES; d++) {
            struct hb_swept *swept = &o->threads[i].swept[d];
            visit(&swept->barrier, number);
            visit(&swept->whole, number);
            visit(&swept->observed, number);
        }
    }
    for (size_t d = 0; d < HB_DEVICES; d++) {
        visit(&o->visit[d], number);
        visit(&o->loading[d].kernel, number);
        for (size_t i = 0; i < o->loading[d].count; i++)
            visit(&o->loading[d].before[i].kernel, number);
    }
}

static void keep_node(uint32_t *node, uint32_t *number)
{
    if (*node != NO_NODE)
        number[*node] = 0;
}

static void renumber(uint32_t *node, uint32_t *number)
{
    if (*node != NO_NODE)
        *node = number[*node];
}

uint32_t hb_prune(struct happens_before *o, uint32_t *number)
{
    uint32_t kept = 0;
    for (size_t i = 0; i < o->node_count; i++)
        number[i] = NO_NODE;
    each_reference(o, keep_node, number);
    for (size_t i = 0; i < o->node_count; i++)
        if (number[i] != NO_NODE) {
            o->nodes[kept] = o->nodes[i];
            o->nodes[kept].first_edge = o->nodes[kept].edge_count = 0;
            number[i] = kept++;
        }
    each_reference(o, renumber, number);
    o->node_count = kept;
    o->edge_count = o->member_count = o->mark_count = 0;
    return kept;
}
