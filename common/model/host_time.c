/* SPDX-License-Identifier: MIT */
#include "model/state.h"

bool loads_lazily(const struct card *card)
{
    return card->load_first > 0 || card->load_kernel > 0;
}

/* What the call costs on top because it loads a kernel. */
static int64_t load_cost(struct model *m, const struct call *c)
{
    if (c->status != 0 || !(c->flags & LAUNCH_LOADS))
        return 0;
    bool *loaded = &m->state->devices[c->device < HB_DEVICES ? c->device : 0].loaded,
         first = !*loaded;
    *loaded = true;
    return first ? m->card->load_first : m->card->load_kernel;
}

/* To the host it is over when the pages are there. */
static int64_t prefetch_cost(const struct card *card, const struct call *c, bool is_free)
{
    uint64_t bytes = prefetched_bytes(c);
    bool works = moves_in_call(card, c, is_free) && bytes > 0;
    if (c->dst_kind == MEM_DEVICE)
        return card->call_copy + (works ? card->prefetch_ns + prefetch_share(card, bytes) : 0);
    return card->call_copy + card->prefetch_home
           + (works ? time_at(bytes, card->prefetch_d2h) : 0);
}

/* Pinning pages costs by their number. */
static int64_t pin_cost(const struct card *card, const struct call *c)
{
    const uint64_t most = UINT64_C(1) << 40;
    uint64_t kib = (c->bytes < most ? c->bytes : most) / 1024;
    return card->call_host_alloc + (int64_t)kib * card->pin_mib_ns / 1024;
}

static int64_t pool_cost(struct model *m, const struct call *c)
{
    bool *pooled = &m->state->devices[c->dst_device < HB_DEVICES ? c->dst_device : 0].pooled,
         first = !*pooled;
    if (c->status != 0 || !(c->flags & POOL_GROWS))
        return m->card->pool_call;
    *pooled = true;
    return m->card->pool_call + (first ? m->card->pool_first : m->card->pool_grow);
}

/* Between devices and through the host, the call queues many small copies: it costs by their number
 * [M]. */
static bool goes_through_host(const struct model *m, const struct call *c)
{
    return call_between_devices(c) && !(c->flags & (COPY_DIRECT | GRAPH_NODE))
           && m->card->devices > 1;
}

static int64_t copy_cost(struct model *m, const struct call *c, bool is_free)
{
    const struct card *card = m->card;
    const uint64_t most = UINT64_C(1) << 40;
    if (engine_of_call(c) == ENGINE_D2D)
        return card->call_launch + card->call_d2d;
    if (goes_with_command(card, c, is_free))
        return command_cost(m, c);
    if (!call_between_devices(c) || card->devices == 1)
        return card->call_copy + staging_time(card, c);
    if (!goes_through_host(m, c))
        return card->peer_call;
    uint64_t kib = (c->bytes < most ? c->bytes : most) / 1024;
    return card->peer_staged_call + (int64_t)kib * card->peer_staged_mib_ns / 1024;
}

/* An event that is no question to the device: all before it in an idle stream is over, and it takes
 * no time. */
static bool is_mark(const struct card *card, const struct call *c)
{
    bool untimed = c->kind == CALL_EVENT_RECORD && c->flags & EVENT_NO_TIMING;
    return card->idle_marks && !(c->flags & GRAPH_NODE) && (untimed || c->kind == CALL_STREAM_WAIT);
}

int64_t queued_at(const struct model *m, const struct call *c, bool is_free)
{
    if (is_free && is_mark(m->card, c))
        return c->end;
    bool works = moves_in_call(m->card, c, is_free);
    if (works && c->dst_kind != MEM_DEVICE)     /* the host does it all */
        return c->begin + m->card->call_copy + m->card->prefetch_home;
    int64_t prepares = works ? prefetch_begins(m->card, prefetched_bytes(c)) : 0;
    int64_t known = c->flags & GRAPH_NODE ? m->state->graph_known
                    : c->kind == CALL_PREFETCH ? c->begin + m->card->call_copy + prepares
                    : goes_through_host(m, c) ? c->begin + m->card->peer_call : c->end;
    return known + m->card->start_ns;
}

/* What a graph's size adds to a call, less what its copies add to a launch. */
static int64_t graph_cost(const struct card *card, const struct call *c)
{
    if (c->flags & CALL_CAPTURED)
        return 0;
    int64_t nodes = c->graph.nodes, kernels = c->graph.kernels,
            more_roots = c->graph_roots > 1 ? c->graph_roots - 1 : 0;
    return (c->flags & GRAPH_MADE ? card->graph_make + nodes * card->graph_make_node
                                        + more_roots * card->graph_make_root
                                  : 0)
           + (c->flags & GRAPH_LOADED ? kernels * card->graph_load_kernel : 0)
           + (c->flags & GRAPH_DROPPED
                  ? nodes * card->graph_drop_node + more_roots * card->graph_drop_root
                  : 0)
           + (c->kind == CALL_GRAPH_LAUNCH ? more_roots * card->graph_call_root : 0);
}

/* A launch goes on with its graph's copies when the device knows of it. */
static int64_t graph_launch_cost(struct model *m, const struct call *c)
{
    int64_t known = m->card->call_graph + graph_cost(m->card, c);
    m->state->graph_known = c->begin + known;
    return known + c->graph.copies * m->card->graph_call_copy;
}

int64_t call_cost(struct model *m, const struct call *c, bool is_free)
{
    const struct card *card = m->card;
    const int64_t most = INT64_C(1000000000000);
    if (c->flags & GRAPH_NODE)
        return 0;
    switch (c->kind) {
    case CALL_LAUNCH: return card->call_launch + load_cost(m, c);
    case CALL_GRAPH_LAUNCH: return graph_launch_cost(m, c);
    case CALL_HOST_FUNC: return card->call_launch;
    case CALL_COPY: return copy_cost(m, c, is_free);
    case CALL_SET: return is_small_set(card, c) ? card->inline_set_call : card->call_launch;
    case CALL_PREFETCH: return prefetch_cost(card, c, is_free);
    case CALL_MIGRATE: return model_migration_time(card, c) + thrash_to_host(m, c);
    case CALL_EVENT_RECORD: return c->flags & EVENT_NO_TIMING ? card->call_mark : card->call_record;
    case CALL_STREAM_WAIT: return card->call_wait;
    case CALL_STREAM_SYNC: case CALL_DEVICE_SYNC: case CALL_EVENT_SYNC: return card->call_sync;
    case CALL_STREAM_QUERY: case CALL_EVENT_QUERY: return card->call_query;
    case CALL_STREAM_CREATE:
        return c->flags & (STREAM_LEGACY | STREAM_PER_THREAD) ? 0 : card->call_stream_create;
    case CALL_EVENT_CREATE: return card->call_event_create;
    case CALL_STREAM_DESTROY: return card->call_stream_create;
    case CALL_EVENT_DESTROY: return card->call_other;
    case CALL_OTHER:
        return card->call_other + load_cost(m, c) + graph_cost(card, c)
               + (c->flags & GREEN_MADE ? card->green_make : 0);
    case CALL_MALLOC:
        if (c->flags & CALL_ASYNC)
            return pool_cost(m, c);
        return c->dst_kind == MEM_PINNED ? pin_cost(card, c) : card->call_malloc;
    case CALL_REGISTER:
        return c->dst_kind == MEM_DEVICE ? card->call_malloc : pin_cost(card, c);
    case CALL_FREE: return c->flags & CALL_ASYNC ? card->pool_free : card->call_free;
    case CALL_UNREGISTER: return card->call_free;
    case CALL_HOST_WORK:
    case CALL_FUNCTION_WORK: return c->cost < 0 ? 0 : c->cost < most ? c->cost : most;
    default: return 0;
    }
}

#define ASKS_EXACT 256          /* that many queries in a row cost what the card says … */
#define ASKS_SHARE 512          /* … each further one also a 512th of the time polled so far */

/* A thread that repeats one query until the answer changes would fill the log. Its queries take
 * longer and longer instead, so that it notices the change late by at most 1 part in ASKS_SHARE of
 * the time it has polled. */
int64_t asking_cost(struct host_thread *t, const struct call *c)
{
    bool query = c->kind == CALL_STREAM_QUERY || c->kind == CALL_EVENT_QUERY;
    uint32_t of = c->kind == CALL_STREAM_QUERY ? c->stream : c->event;
    if (!query || c->status == 0) {
        t->asks.times = 0;
        return 0;
    }
    if (t->asks.times == 0 || t->asks.kind != c->kind || t->asks.of != of) {
        t->asks.kind = c->kind;
        t->asks.of = of;
        t->asks.times = 0;
        t->asks.since = c->begin;
    }
    return ++t->asks.times > ASKS_EXACT ? (c->begin - t->asks.since) / ASKS_SHARE : 0;
}

bool minds_idleness(const struct card *card, const struct call *c)
{
    return goes_with_command(card, c, true) || is_mark(card, c) || moves_in_call(card, c, true);
}
