/* SPDX-License-Identifier: MIT */
/*
 * DESIGN
 * Kernels go from their stream to a hardware queue (queues.c), a FIFO whose first waits
 * for what it depends on and holds up the rest. From there they become grids
 * that place blocks as the SMs have room, more urgent streams first, older
 * grids first. A thousand blocks which start together are one event (sms.c).
 *
 * A graph's kernels stand in no such queue: when they are ready they go to one
 * of their own, so that neither another branch nor what was issued after the
 * graph, and waits for it, holds them up.
 *
 * On cards with copies_signal_in_queue (one queue for all), a copy that
 * depends on a kernel stands in that queue too: it passes when the kernel is
 * done and all blocks of the kernels issued before it have started, and goes
 * to its engine.
 *
 * Why all that was queued ends. An operation is held up by what it depends on,
 * by those in front of it in a list, and by those that run. It depends on
 * operations issued earlier (happens_before.h). A list whose first may have to wait
 * while others stand after it (hardware queues, copy engines) is in order of
 * issue, whenever each came; the other lists hold only what could run at once.
 * So of all operations that have not ended, nothing holds up the one issued
 * first but those that run, and these end by themselves. A host function
 * that is open ends when its thread says so; in a replay none is (replay.c). Blocks of a dependent
 * launch that wait for the kernels before it run, too: these have found places for all of their
 * blocks, or the launch would not have begun.
 */
#include "model/state.h"

static struct device *device_of(struct model *m, uint32_t node)
{
    return &m->state->devices[m->timeline->spans[node].device];
}

/* ---- making an operation ---- */

static struct block_needs block_needs(const struct card *card, const struct call *c)
{
    int64_t threads = 1;
    for (int i = 0; i < 3; i++)
        threads *= c->block[i] > 0 && c->block[i] <= 1024 ? c->block[i] : 1;
    struct block_needs needs = card_block_needs(card, threads, c->shared);
    if (c->kind == CALL_LAUNCH && c->cluster > 1) {
        needs.cluster = c->cluster;
        needs.most = (uint32_t)card_clusters(card, threads, c->shared, c->cluster) * c->cluster;
        needs.most = needs.most > 0 ? needs.most : c->cluster;
    }
    return needs;
}

static uint8_t kind_of(uint32_t engine)
{
    switch (engine) {
    case ENGINE_H2D: return KIND_UP;
    case ENGINE_D2H: return KIND_DOWN;
    case ENGINE_HOST_FUNC: return KIND_FUNCTION;
    case ENGINE_PEER: return KIND_PEER;
    default: return KIND_COMPUTE;
    }
}

static bool touches_pages(const struct call *c)
{
    return c->kind == CALL_LAUNCH || (c->kind == CALL_SET && c->dst_kind == MEM_MANAGED)
           || (c->kind == CALL_COPY && (c->dst_kind == MEM_MANAGED || c->src_kind == MEM_MANAGED));
}

void device_add(struct model *m, uint32_t node, const struct call *c, int64_t arrival, bool is_free)
{
    struct engine_state *e = m->state;
    struct operation *op = operation(m, node);
    const struct span *s = &m->timeline->spans[node];
    op->kind = kind_of(s->engine);
    operation_depends(m, node);
    op->priority = c->flags & LAUNCH_PRIORITY ? card_priority(m->card, c->priority)
                                              : e->streams[s->stream].priority;
    if (s->engine == ENGINE_KERNEL) {
        op->needs = block_needs(m->card, c);
        op->blocks_waiting = op->blocks_untriggered = s->blocks;
        op->dependent = c->flags & LAUNCH_DEPENDENT;
    }
    op->is_rest = s->engine == ENGINE_NONE && m->timeline->calls[s->call].kind == CALL_LAUNCH;
    op->in_graph = c->flags & GRAPH_NODE;
    op->begins_graph = op->in_graph && !e->node_awaits;
    op->touches_pages = touches_pages(c);
    op->was_free = is_free;
    op->with_command = goes_with_command(m->card, c, is_free);
    op->by_engine = (s->engine == ENGINE_H2D || s->engine == ENGINE_D2H) && !op->with_command;
    bool quick = m->card->quick_depend_ns > 0 && c->src_kind != MEM_PAGEABLE;
    op->takes_kind = s->engine == ENGINE_NONE || (op->with_command && !quick);
    if (op->takes_kind)
        op->kind = KIND_COMPUTE;
    else if (op->with_command
             || (quick && s->engine == ENGINE_MEMSET && is_small_set(m->card, c)))
        op->kind = KIND_COMMAND;
    op->queued_to_signal =
        op->by_engine && m->card->copies_signal_in_queue && op->after_kernel && !op->in_graph;
    op->stands = stands_in_queue(m, node);
    op->in_channel =
        op->by_engine && !op->in_graph && !m->card->copies_in_issue_order && !op->stands;
    op->queue =
        op->stands ? queue_of(m, s->stream, QUEUE_KERNELS)
        : op->in_channel
            ? queue_of(m, s->stream, (enum queue_kind)(QUEUE_UP + lane_of(m->card, s->engine)))
            : (uint32_t)GRAPH_CHANNEL;
    op->ready = arrival;
    if (is_free && s->engine == ENGINE_NONE)
        op->over = arrival;
    if (op->with_command && is_free)
        op->over = arrival + command_time(m->card, c, is_free);
    events_push(&e->events, arrival, ARRIVES, node, 0);
}

/* ---- host functions, copies between devices ---- */

/* Where the operation waits for its turn; NULL: nowhere. */
static struct server *server_of(struct model *m, uint32_t node)
{
    const struct span *s = &m->timeline->spans[node];
    const struct call *c = &m->timeline->calls[s->call];
    switch (s->engine) {
    case ENGINE_HOST_FUNC:
        return c->flags & VALUE_IN_MEMORY ? NULL : &device_of(m, node)->functions;
    case ENGINE_PEER:
        return &m->state->devices[c->src_device < HB_DEVICES ? c->src_device : 0].link;
    default: return NULL;
    }
}

/* It has begun, and ends after that long. COST_OPEN: when the program says so. */
static void ends_after(struct model *m, uint32_t node, int64_t cost)
{
    operation(m, node)->open = cost == COST_OPEN;
    if (cost != COST_OPEN)
        events_push(&m->state->events, m->state->now + (cost > 0 ? cost : 0), FUNCTION_ENDS, node,
                    0);
}

static void serve_next(struct model *m, struct server *server)
{
    if (server->served != NO_NODE || fifo_empty(&server->waiting))
        return;
    uint32_t node = fifo_front(&server->waiting);
    fifo_pop(&server->waiting);
    int64_t cost = operation_begins(m, node);
    if (m->timeline->spans[node].engine == ENGINE_PEER) {
        link_begins(m, server, node);
        return;
    }
    server->served = node;
    ends_after(m, node, cost);
}

static void waits_its_turn(struct model *m, uint32_t node)
{
    struct server *server = server_of(m, node);
    fifo_push(&server->waiting, node);
    serve_next(m, server);
}

/* It begins now, and shares no engine with others. */
static void takes_its_time(struct model *m, uint32_t node)
{
    const struct span *s = &m->timeline->spans[node];
    operation_begins(m, node);
    const struct operation *op = operation(m, node);
    const struct call *c = &m->timeline->calls[s->call];
    int64_t time =
        op->with_command ? command_time(m->card, c, op->was_free) : transfer_time(m->card, s, c);
    events_push(&m->state->events, m->state->now + time, OPERATION_ENDS, node, 0);
}

/* It is ready, and in front of its queue if it stood in one. */
static void goes_ahead(struct model *m, uint32_t node)
{
    const struct operation *op = operation(m, node);
    switch (m->timeline->spans[node].engine) {
    case ENGINE_NONE:
        operation_begins(m, node);
        operation_ends(m, node);
        break;
    case ENGINE_HOST_FUNC:
        if (!server_of(m, node)) {
            ends_after(m, node, operation_begins(m, node));
            break;
        }
        events_push(&m->state->events,
                    m->state->now + m->card->function_ns
                        + (op->waited ? m->card->function_wake_ns : 0),
                    FUNCTION_WAKES, node, 0);
        break;
    case ENGINE_PEER:
        waits_its_turn(m, node);
        break;
    case ENGINE_KERNEL:
        fifo_push(&device_of(m, node)->graph_kernels, node);
        break;
    default:
        if (op->by_engine)
            transfer_queue(m, device_of(m, node), node);
        else
            takes_its_time(m, node);
    }
}

/* ---- queues ---- */

/* Lets the first of a queue, which is ready, go if it can; true if it went. */
static bool release_first(struct model *m, struct device *d, struct fifo *queue)
{
    uint32_t node = fifo_front(queue);
    bool is_kernel = m->timeline->spans[node].engine == ENGINE_KERNEL;
    if (is_kernel ? d->grids_running >= m->card->concurrent_grids
                  : operation(m, node)->queued_to_signal && d->grid_count > 0)
        return false;
    fifo_pop(queue);
    if (is_kernel) {
        d->grids_running++;
        grids_add(m, d, node);
    } else {
        goes_ahead(m, node);
    }
    return true;
}

static void release(struct model *m, struct device *d)
{
    bool again = true;
    while (again) {
        again = false;
        for (uint32_t left = d->queues_ready; left != 0; left &= left - 1) {
            unsigned q = (unsigned)__builtin_ctz(left);
            while (d->queues_ready >> q & 1 && release_first(m, d, &d->queues[q])) {
                queue_update(m, d, q);
                again = true;
            }
        }
        while (!fifo_empty(&d->graph_kernels) && release_first(m, d, &d->graph_kernels))
            again = true;
        grids_place(m, d);
    }
}

static void dispatch(struct model *m, struct device *d)
{
    release(m, d);
    transfer_dispatch(m, d);
}

/* ---- events ---- */

static void arrives(struct model *m, uint32_t node)
{
    struct operation *op = operation(m, node);
    struct device *d = device_of(m, node);
    op->arrived = true;
    if (op->stands) {
        fifo_push_in_order(&d->queues[op->queue], node);
        queue_update(m, d, op->queue);
    } else if (op->in_channel || (op->by_engine && m->card->copies_in_issue_order)) {
        transfer_queue(m, d, node);
    }
    operation_proceeds(m, node);
}

static void becomes_ready(struct model *m, uint32_t node)
{
    struct device *d = device_of(m, node);
    struct operation *op = operation(m, node);
    bool by_engine = op->by_engine;
    op->state = READY;
    if (op->stands)
        queue_update(m, d, op->queue);
    else if (op->in_channel)
        channel_update(m, d, lane_of(m->card, m->timeline->spans[node].engine), op->queue);
    else if (!op->by_engine || !m->card->copies_in_issue_order)
        goes_ahead(m, node);
    if (by_engine)
        dispatch(m, d);
    else
        release(m, d);
}

static void blocks_end(struct model *m, uint32_t node, uint32_t placement)
{
    struct device *d = device_of(m, node);
    grids_leave(m, d, node, placement);
    dispatch(m, d);
}

static void leaves_engine(struct model *m, uint32_t node)
{
    transfer_leaves(m, device_of(m, node), node);
    operation_ends(m, node);
    /* Once what has become ready by this is there: a stream's next copy goes on where the last one
     * ended. */
    events_push(&m->state->events, m->state->now, DISPATCHES, node, 0);
}

static void ends(struct model *m, uint32_t node)
{
    struct device *d = device_of(m, node);
    uint32_t engine = m->timeline->spans[node].engine;
    if (operation_lasts(m, node))
        return;
    if (operation(m, node)->by_engine) {
        leaves_engine(m, node);
        return;
    }
    if (engine == ENGINE_KERNEL)
        d->grids_running--;
    operation_ends(m, node);
    struct server *server = server_of(m, node);
    if (server) {
        server->served = NO_NODE;
        serve_next(m, server);
    }
    dispatch(m, d);
}

static void transfer_is_due(struct model *m, uint32_t node, uint32_t plan)
{
    struct server *link = server_of(m, node);
    if (!link) {
        if (operation(m, node)->plan == plan && !operation_lasts(m, node))
            leaves_engine(m, node);
        return;
    }
    if (!link_ends(m, link, node, plan))
        return;
    operation_ends(m, node);
    serve_next(m, link);
    events_push(&m->state->events, m->state->now, DISPATCHES, node, 0);
}

void device_step(struct model *m)
{
    struct event due = events_pop(&m->state->events);
    m->state->now = due.time;
    switch (due.kind) {
    case ARRIVES: arrives(m, due.node); break;
    case BECOMES_READY: becomes_ready(m, due.node); break;
    case BLOCKS_END: blocks_end(m, due.node, due.count); break;
    case SYNCED: grids_go_on(m, device_of(m, due.node), due.node); break;
    case FUNCTION_WAKES: waits_its_turn(m, due.node); break;
    case OPERATION_ENDS: case FUNCTION_ENDS: ends(m, due.node); break;
    case TRANSFER_ENDS: transfer_is_due(m, due.node, due.count); break;
    case PASSES: break;
    case DISPATCHES: dispatch(m, device_of(m, due.node)); break;
    }
}
