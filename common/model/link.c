/* SPDX-License-Identifier: MIT */
/*
 * DESIGN
 * From each device's memory goes one copy at a time to the others. Directly,
 * both ways do not mind each other [M]. Through the host they share it: while a
 * copy goes back at the same time, either does 1000 of its work a nanosecond,
 * else peer_staged_duplex, as in transfer.c.
 */
#include "model/state.h"

static const struct call *copy_of(const struct model *m, uint32_t node)
{
    return &m->timeline->calls[m->timeline->spans[node].call];
}

/* Does another copy come back through the host? */
static bool meets(const struct model *m, uint32_t node)
{
    const struct call *c = copy_of(m, node);
    uint32_t back =
        c->dst_device < HB_DEVICES ? m->state->devices[c->dst_device].link.served : NO_NODE;
    return back != NO_NODE && back != node && !(c->flags & COPY_DIRECT)
           && !(copy_of(m, back)->flags & COPY_DIRECT)
           && copy_of(m, back)->dst_device == c->src_device;
}

static int64_t link_rate(const struct model *m, uint32_t node)
{
    return meets(m, node) ? 1000 : m->card->peer_staged_duplex;
}

static void advance_links(struct model *m)
{
    for (unsigned i = 0; i < HB_DEVICES; i++) {
        uint32_t node = m->state->devices[i].link.served;
        if (node == NO_NODE)
            continue;
        operation(m, node)->work -=
            (m->state->now - operation(m, node)->measured) * link_rate(m, node);
        operation(m, node)->measured = m->state->now;
    }
}

static void plan_links(struct model *m)
{
    for (unsigned i = 0; i < HB_DEVICES; i++) {
        uint32_t node = m->state->devices[i].link.served;
        if (node == NO_NODE)
            continue;
        struct operation *op = operation(m, node);
        int64_t work = op->work > 0 ? op->work : 0,
                left = (work + link_rate(m, node) - 1) / link_rate(m, node);
        events_push(&m->state->events, m->state->now + left, TRANSFER_ENDS, node, ++op->plan);
    }
}

void link_begins(struct model *m, struct server *link, uint32_t node)
{
    struct operation *op = operation(m, node);
    advance_links(m);
    link->served = node;
    op->work = transfer_time(m->card, &m->timeline->spans[node], copy_of(m, node))
               * m->card->peer_staged_duplex;
    op->measured = m->state->now;
    plan_links(m);
}

bool link_ends(struct model *m, struct server *link, uint32_t node, uint32_t plan_number)
{
    if (operation(m, node)->plan != plan_number)
        return false;
    advance_links(m);
    link->served = NO_NODE;
    plan_links(m);
    return true;
}
