/* SPDX-License-Identifier: MIT */
/*
 * DESIGN
 * One copy at a time each way. A copy has work: its time alone multiplied by
 * duplex_permille. It does duplex_permille of it a nanosecond while it is
 * alone and 1000 while the other direction is busy too, so that both slow down
 * by the same measured factor. When a copy begins or ends, the work left of
 * the other is advanced to now and its end planned anew; ends of older plans are ignored.
 *
 * Where copies run in issue order, a copy joins its engine's list when it
 * arrives and one that waits holds up those after it; elsewhere it stands in a channel of its
 * stream's (queues.c), however urgent others are (measured on an H200: breadth-first pipelines end
 * sooner than they would in issue order).
 *
 * A copy that had to wait for an operation of another kind keeps its engine for depend_ns longer: a
 * pipeline of many small chunks cannot hide that behind other streams' copies (measured on an
 * H200).
 */
#include "model/state.h"

/* Is the source set aside in the call, so that the copy itself is one from pinned memory? */
static bool is_staged(const struct call *c)
{
    bool to_device = c->dst_kind == MEM_DEVICE || c->dst_kind == MEM_MANAGED;
    return c->kind == CALL_COPY && c->src_kind == MEM_PAGEABLE && to_device
           && c->bytes <= STAGING_BYTES && !(c->flags & GRAPH_NODE);
}

int64_t staging_time(const struct card *card, const struct call *c)
{
    return is_staged(c) ? time_at(c->bytes, card->staging) : 0;
}

static int64_t bandwidth(const struct card *card, uint32_t engine, const struct call *c)
{
    if (c->kind == CALL_PREFETCH)
        return engine == ENGINE_D2H ? card->prefetch_d2h : card->prefetch_h2d;
    bool pageable = c->dst_kind == MEM_PAGEABLE || (c->src_kind == MEM_PAGEABLE && !is_staged(c));
    switch (engine) {
    case ENGINE_H2D: return pageable ? card->h2d_pageable : card->h2d_pinned;
    case ENGINE_D2H: return pageable ? card->d2h_pageable : card->d2h_pinned;
    case ENGINE_D2D: return card->d2d;
    case ENGINE_PEER:
        if (card->devices == 1)         /* asked by the log of several: as through the host */
            return card->d2h_pinned;
        return card->peer;
    default:
        return c->kind == CALL_SET && c->dst_kind == MEM_PINNED ? card->d2h_pinned : card->memset;
    }
}

/* The first MiB has gone all the way to the host before it comes back; the rest does both at once
 * [M]. */
static int64_t through_host(const struct card *card, uint64_t bytes)
{
    const uint64_t first = bytes < UINT64_C(1) << 20 ? bytes : UINT64_C(1) << 20;
    return time_at(first, card->d2h_pinned) + time_at(first, card->h2d_pinned)
           + time_at(bytes - first, card->peer_staged);
}

static int64_t fixed_time(const struct card *card, const struct span *s, const struct call *c)
{
    if (c->kind == CALL_PREFETCH)
        return s->bytes > 0 && c->dst_kind == MEM_DEVICE ? card->copy_ns : 0;
    switch (s->engine) {
    case ENGINE_H2D: return card->copy_ns;
    case ENGINE_D2H: return card->copy_back_ns;
    case ENGINE_PEER: return c->flags & COPY_DIRECT ? card->peer_ns : card->peer_staged_ns;
    case ENGINE_MEMSET:
        if (is_small_set(card, c))
            return card->inline_ns;
    /* fall through */
    default:
        return (c->flags & GRAPH_NODE ? card->graph_kernel_ns : card->kernel_ns) + card->set_ns;
    }
}

int64_t transfer_time(const struct card *card, const struct span *s, const struct call *c)
{
    int64_t fixed = fixed_time(card, s, c);
    if (s->engine == ENGINE_PEER && !(c->flags & COPY_DIRECT) && card->devices > 1)
        return fixed + through_host(card, s->bytes);
    int64_t speed = bandwidth(card, s->engine, c);
    uint64_t cached = (uint64_t)card->host_cache << 20;
    if (s->engine == ENGINE_H2D && speed == card->h2d_pageable && card->h2d_uncached > 0
        && s->bytes > cached)
        return fixed + time_at(cached, speed) + time_at(s->bytes - cached, card->h2d_uncached);
    return fixed + time_at(s->bytes, speed);
}

uint64_t prefetched_bytes(const struct call *c)
{
    return c->cost >= 0 && (uint64_t)c->cost < c->bytes ? (uint64_t)c->cost : c->bytes;
}

bool moves_in_call(const struct card *card, const struct call *c, bool is_free)
{
    return is_free && c->kind == CALL_PREFETCH
           && (c->dst_kind == MEM_DEVICE || card->prefetch_home > 0) && !(c->flags & GRAPH_NODE);
}

int64_t prefetch_share(const struct card *card, uint64_t bytes)
{
    const uint64_t most = UINT64_C(1) << 40;
    return (int64_t)((bytes < most ? bytes : most) >> 10) * card->prefetch_call / 1024;
}

int64_t prefetch_begins(const struct card *card, uint64_t bytes)
{
    const uint64_t block = UINT64_C(2) << 20;
    return bytes > 0 ? card->prefetch_ns + prefetch_share(card, bytes < block ? bytes : block) : 0;
}

/* What a prefetch takes on its engine before its pages move. */
static int64_t preparation(const struct card *card, const struct call *c, uint64_t bytes)
{
    if (c->dst_kind == MEM_DEVICE)
        return prefetch_begins(card, bytes);
    return bytes > 0 ? card->prefetch_ns : 0;
}

struct prefetch_time model_prefetch_time(const struct model *m, uint32_t node)
{
    struct span s = m->timeline->spans[node];
    const struct call *c = &m->timeline->calls[s.call];
    if (!operation(m, node)->was_free)
        return (struct prefetch_time){ TIME_NEVER, TIME_NEVER };
    s.bytes = prefetched_bytes(c);
    return (struct prefetch_time){ s.queued, s.queued + transfer_time(m->card, &s, c) };
}

int64_t model_migration_time(const struct card *card, const struct call *c)
{
    const int64_t most = INT64_C(1000000000000);
    if (c->flags & MIGRATE_AWAITS)
        return c->cost < 0 ? 0 : c->cost < most ? c->cost : most;
    bool to_host = c->dst_kind != MEM_DEVICE,
         together = !to_host && c->flags & MIGRATE_TOGETHER && card->fault_more > 0;
    int64_t fault = to_host    ? card->fault_host
                    : together ? card->fault_more
                               : card->fault_device;
    return (c->flags & MIGRATE_FAULT ? fault : 0)
           + (c->flags & MIGRATE_FIRST ? card->fault_first : 0)
           + (c->bytes > 0 ? time_at(c->bytes, to_host ? card->d2h_pinned : card->h2d_pinned) : 0);
}

unsigned lane_of(const struct card *card, uint32_t engine)
{
    return card->copy_engines > 1 && engine == ENGINE_D2H ? 1 : 0;
}

static int64_t rate(const struct model *m, const struct device *d)
{
    bool both = d->transfer[0] != NO_NODE && d->transfer[1] != NO_NODE;
    return both ? 1000 : m->card->duplex_permille;
}

static void advance(struct model *m, struct device *d)
{
    for (unsigned lane = 0; lane < LANES; lane++) {
        if (d->transfer[lane] == NO_NODE)
            continue;
        struct operation *op = operation(m, d->transfer[lane]);
        op->work -= (m->state->now - op->measured) * rate(m, d);
        op->measured = m->state->now;
    }
}

static void plan(struct model *m, struct device *d)
{
    for (unsigned lane = 0; lane < LANES; lane++) {
        if (d->transfer[lane] == NO_NODE)
            continue;
        struct operation *op = operation(m, d->transfer[lane]);
        if (op->lasts)          /* it keeps its engine while its pages come */
            continue;
        int64_t work = op->work > 0 ? op->work : 0;
        int64_t left = (work + rate(m, d) - 1) / rate(m, d);
        events_push(&m->state->events, m->state->now + left, TRANSFER_ENDS, d->transfer[lane],
                    ++op->plan);
    }
}

void transfer_queue(struct model *m, struct device *d, uint32_t node)
{
    unsigned lane = lane_of(m->card, m->timeline->spans[node].engine);
    if (m->card->copies_in_issue_order)
        fifo_push_in_order(&d->copies[lane], node);
    else
        channel_add(m, d, lane, node);
}

/* The one that was issued first, when it is ready. */
static uint32_t take_in_order(const struct model *m, struct fifo *f)
{
    if (fifo_empty(f) || operation(m, fifo_front(f))->state != READY)
        return NO_NODE;
    uint32_t node = fifo_front(f);
    fifo_pop(f);
    return node;
}

void transfer_dispatch(struct model *m, struct device *d)
{
    for (unsigned lane = 0; lane < LANES; lane++) {
        if (d->transfer[lane] != NO_NODE)
            continue;
        uint32_t node = m->card->copies_in_issue_order ? take_in_order(m, &d->copies[lane])
                                                       : channel_take(m, d, lane);
        if (node == NO_NODE)
            continue;
        advance(m, d);
        operation_begins(m, node);
        const struct span *s = &m->timeline->spans[node];
        struct operation *op = operation(m, node);
        const struct call *c = &m->timeline->calls[s->call];
        int64_t alone = transfer_time(m->card, s, c);
        if (c->kind == CALL_PREFETCH && !moves_in_call(m->card, c, op->was_free))
            alone += preparation(m->card, c, s->bytes);
        op->work = m->card->duplex_permille * (alone + op->hold);
        op->measured = m->state->now;
        d->transfer[lane] = node;
        plan(m, d);
    }
}

void transfer_leaves(struct model *m, struct device *d, uint32_t node)
{
    advance(m, d);
    d->transfer[lane_of(m->card, m->timeline->spans[node].engine)] = NO_NODE;
    plan(m, d);
}
