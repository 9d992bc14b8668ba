/* SPDX-License-Identifier: MIT */
#include "model/model.h"

#include "model/state.h"
#include "trace/memory.h"

/* So many for each device, or as many as the card has: 0 asks for what it has by itself. */
static void make_queues(struct model *m, int64_t asked)
{
    int64_t count = asked <= 0 ? m->card->queues : asked > m->card->max_queues ? m->card->max_queues : asked;
    for (size_t i = 0; i < ORDER_DEVICES; i++) {
        struct device *d = &m->state->devices[i];
        d->queue_count = (unsigned)count;
        d->queues = (struct fifo *)memory_resize(d->queues, (size_t)count * sizeof *d->queues);
        memory_zero(d->queues, (size_t)count * sizeof *d->queues);
    }
}

void model_init(struct model *m, const struct card *card, unsigned queues, struct timeline *t,
                struct order *o, const struct model_hooks *hooks)
{
    memory_zero(m, sizeof *m);
    m->card = card;
    m->timeline = t;
    m->order = o;
    if (hooks)
        m->hooks = *hooks;
    struct engine_state *e = m->state = (struct engine_state *)memory_resize(NULL, sizeof *e);
    memory_zero(e, sizeof *e);
    o->barriers = (uint32_t)((card->barrier_malloc ? BARRIER_MALLOC : 0) | (card->barrier_host_alloc ? BARRIER_HOST_ALLOC : 0) |
                             (card->barrier_memset ? BARRIER_MEMSET : 0) | (card->barrier_d2d ? BARRIER_D2D : 0) |
                             (card->barrier_cache_config ? BARRIER_CACHE_CONFIG : 0));
    for (size_t i = 0; i < ORDER_DEVICES; i++) {
        struct device *d = &e->devices[i];
        d->transfer[0] = d->transfer[1] = d->link.served = d->functions.served = NO_NODE;
        d->room = card->sms * SM_PARTS;
    }
    make_queues(m, queues);
}

void model_fini(struct model *m)
{
    struct engine_state *e = m->state;
    for (size_t i = 0; i < ORDER_DEVICES; i++) {
        struct device *d = &e->devices[i];
        for (unsigned q = 0; q < d->queue_count; q++)
            memory_resize(d->queues[q].node, 0);
        memory_resize(d->queues, 0);
        for (unsigned lane = 0; lane < LANES; lane++) {
            memory_resize(d->copies[lane].node, 0);
            memory_resize(d->ready[lane].node, 0);
        }
        memory_resize(d->link.waiting.node, 0);
        memory_resize(d->functions.waiting.node, 0);
        memory_resize(d->graph_kernels.node, 0);
        memory_resize(d->grids, 0);
    }
    events_fini(&e->events);
    memory_resize(e->operations, 0);
    memory_resize(e->links, 0);
    memory_resize(e->streams, 0);
    memory_resize(e->threads, 0);
    memory_resize(e, 0);
    m->state = NULL;
}

/* ---- host time ---- */

static bool loads_lazily(const struct card *card)
{
    return card->load_first > 0 || card->load_kernel > 0;
}

/* What the call costs on top because it loads a kernel. */
static int64_t load_cost(struct model *m, const struct call *c)
{
    if (c->status != 0 || !(c->flags & LAUNCH_LOADS))
        return 0;
    bool *loaded = &m->state->devices[c->device < ORDER_DEVICES ? c->device : 0].loaded, first = !*loaded;
    *loaded = true;
    return first ? m->card->load_first : m->card->load_kernel;
}

/* Only of prefetches to the device is it known [M]. */
static int64_t prefetch_cost(const struct card *card, const struct call *c)
{
    uint64_t mib = c->bytes >> 20, most = UINT64_C(1) << 30;
    return card->call_copy + (c->dst_kind == MEM_DEVICE ? (int64_t)(mib < most ? mib : most) * card->prefetch_call : 0);
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
    bool *pooled = &m->state->devices[c->dst_device < ORDER_DEVICES ? c->dst_device : 0].pooled, first = !*pooled;
    if (c->status != 0 || !(c->flags & POOL_GROWS))
        return m->card->pool_call;
    *pooled = true;
    return m->card->pool_call + (first ? m->card->pool_first : m->card->pool_grow);
}

/* Between devices and through the host, the call queues many small copies: it costs by their number [M]. */
static bool goes_through_host(const struct model *m, const struct call *c)
{
    return call_between_devices(c) && !(c->flags & (COPY_DIRECT | GRAPH_NODE)) && m->card->devices > 1;
}

static int64_t copy_cost(struct model *m, const struct call *c, bool is_free)
{
    const struct card *card = m->card;
    const uint64_t most = UINT64_C(1) << 40;
    if (engine_of_call(c) == ENGINE_D2D)
        return card->call_launch;
    if (goes_with_command(card, c, is_free))
        return command_cost(m, c);
    if (!call_between_devices(c) || card->devices == 1)
        return card->call_copy + staging_time(card, c);
    if (!goes_through_host(m, c))
        return card->peer_call;
    uint64_t kib = (c->bytes < most ? c->bytes : most) / 1024;
    return card->peer_staged_call + (int64_t)kib * card->peer_staged_mib_ns / 1024;
}

/* An event that nobody asks the device about: all before it in an idle stream is over, and it has no time to tell. */
static bool is_mark(const struct card *card, const struct call *c)
{
    bool untimed = c->kind == CALL_EVENT_RECORD && c->flags & EVENT_NO_TIMING;
    return card->idle_marks && !(c->flags & GRAPH_NODE) && (untimed || c->kind == CALL_STREAM_WAIT);
}

/* When the device knows of it: of what takes the host long, before the call is over. */
static int64_t queued_at(const struct model *m, const struct call *c, bool is_free)
{
    if (is_free && is_mark(m->card, c))
        return c->end;
    int64_t known = c->flags & GRAPH_NODE ? m->state->graph_known
                    : c->kind == CALL_PREFETCH ? c->begin + m->card->call_copy
                    : goes_through_host(m, c) ? c->begin + m->card->peer_call : c->end;
    return known + m->card->start_ns;
}

/* What a graph's size adds to a call. The device knows of a launch before the last is over: of its copies' share. */
static int64_t graph_cost(const struct card *card, const struct call *c)
{
    if (c->flags & CALL_CAPTURED)
        return 0;
    int64_t nodes = c->grid[0], kernels = c->grid[1], more_roots = c->block[0] > 1 ? c->block[0] - 1 : 0;
    return (c->flags & GRAPH_MADE ? card->graph_make + nodes * card->graph_make_node + more_roots * card->graph_make_root : 0) +
           (c->flags & GRAPH_LOADED ? kernels * card->graph_load_kernel : 0) +
           (c->flags & GRAPH_DROPPED ? nodes * card->graph_drop_node + more_roots * card->graph_drop_root : 0) +
           (c->kind == CALL_GRAPH_LAUNCH ? more_roots * card->graph_call_root : 0);
}

/* What each kind of call costs the host, by itself. The rest costs nothing. */
static int64_t call_cost(struct model *m, const struct call *c, bool is_free)
{
    const struct card *card = m->card;
    const int64_t most = INT64_C(1000000000000);
    if (c->flags & GRAPH_NODE)
        return 0;
    switch (c->kind) {
    case CALL_LAUNCH: return card->call_launch + load_cost(m, c);
    case CALL_GRAPH_LAUNCH:
        m->state->graph_known = c->begin + card->call_graph + graph_cost(card, c);
        return m->state->graph_known - c->begin + c->grid[2] * card->graph_call_copy;
    case CALL_HOST_FUNC: return card->call_launch;
    case CALL_COPY: return copy_cost(m, c, is_free);
    case CALL_SET: return is_small_set(card, c) ? card->inline_set_call : card->call_launch;
    case CALL_PREFETCH: return prefetch_cost(card, c);
    case CALL_MIGRATE: return model_migration_time(card, c) + thrash_to_host(m, c);
    case CALL_EVENT_RECORD: return c->flags & EVENT_NO_TIMING ? card->call_mark : card->call_record;
    case CALL_STREAM_WAIT: return card->call_wait;
    case CALL_STREAM_SYNC: case CALL_DEVICE_SYNC: case CALL_EVENT_SYNC: return card->call_sync;
    case CALL_STREAM_QUERY: case CALL_EVENT_QUERY: return card->call_query;
    case CALL_STREAM_CREATE: return c->flags & (STREAM_LEGACY | STREAM_PER_THREAD) ? 0 : card->call_stream_create;
    case CALL_EVENT_CREATE: return card->call_event_create;
    case CALL_STREAM_DESTROY: return card->call_stream_create;
    case CALL_EVENT_DESTROY: return card->call_other;
    case CALL_OTHER: return card->call_other + load_cost(m, c) + graph_cost(card, c);
    case CALL_MALLOC:
        if (c->flags & CALL_ASYNC)
            return pool_cost(m, c);
        return c->dst_kind == MEM_PINNED ? pin_cost(card, c) : card->call_malloc;
    case CALL_REGISTER: return pin_cost(card, c);
    case CALL_FREE: return c->flags & CALL_ASYNC ? card->pool_free : card->call_free;
    case CALL_UNREGISTER: return card->call_free;
    case CALL_HOST_WORK: case CALL_FUNCTION_WORK: return c->cost < 0 ? 0 : c->cost < most ? c->cost : most;
    default: return 0;
    }
}

/* Does it matter to the call whether its stream is idle? */
static bool minds_idleness(const struct card *card, const struct call *c)
{
    return goes_with_command(card, c, true) || is_mark(card, c);
}

/* ---- operations ---- */

static void add_node(struct model *m, const struct span *s, uint8_t state)
{
    struct engine_state *e = m->state;
    timeline_add_span(m->timeline, s);
    MEMORY_GROW(e->operations, e->operation_count, e->operation_capacity);
    e->operations[e->operation_count++] = (struct operation){ .state = state, .first_dependent = NO_NODE,
                                                              .over = TIME_NEVER, .first_migration = NO_NODE,
                                                              .pages_at = TIME_NEVER };
}

static void add_operation(struct model *m, uint32_t node, const struct call *c, size_t call, bool is_free)
{
    struct span s = {
        .engine = engine_of_call(c), .device = c->device, .stream = c->stream, .call = (uint32_t)call,
        .name = c->name, .queued = queued_at(m, c, is_free),
        .start = TIME_NEVER, .end = TIME_NEVER, .bytes = c->bytes,
    };
    if (s.engine == ENGINE_KERNEL)
        s.blocks = blocks_of_call(c);
    add_node(m, &s, WAITING);
    /* The device may be ahead of this thread, when another waited for it. */
    device_add(m, node, c, s.queued > m->state->now ? s.queued : m->state->now, is_free);
}

/* Streams go round the hardware queues in order of creation [M]. */
static void place_stream(struct model *m, const struct call *c)
{
    struct engine_state *e = m->state;
    if (c->stream != e->stream_count || c->device >= ORDER_DEVICES)
        return;
    struct device *d = &e->devices[c->device];
    bool is_default = c->flags & (STREAM_LEGACY | STREAM_PER_THREAD);
    uint32_t queue = is_default ? 0 : d->streams_made++ % d->queue_count;
    MEMORY_GROW(e->streams, e->stream_count, e->stream_capacity);
    e->streams[e->stream_count++] = (struct stream_place){
        c->device, queue, card_priority(m->card, c->priority), { NO_NODE, NO_NODE } };
}

/* ---- waits ---- */

/* Queries look at the device as it is now, whatever they find. */
static bool looks(const struct call *c)
{
    return c->kind == CALL_STREAM_QUERY || c->kind == CALL_EVENT_QUERY || (c->flags & CALL_LOOKS);
}

void model_run(struct model *m, int64_t time)
{
    while (model_next(m) <= time && model_next(m) != TIME_NEVER)
        model_step(m);
}

/* Does the call say something of a node, rather than make one? */
static bool is_of_node(const struct call *c)
{
    return c->kind == CALL_COST || c->kind == CALL_FAULT || c->kind == CALL_HAZARD ||
           c->kind == CALL_THREAD_BEGIN || c->kind == CALL_THREAD_WAKE || c->kind == CALL_MIGRATE || (c->kind >= CALL_FUNCTION_BEGIN && c->kind <= CALL_FUNCTION_END);
}

/* A kernel's own words come in the middle of a step, from whoever steps the
 * device: they count as its launch's. */
static void say_for_launch(const struct model *m, struct call *c)
{
    if (c->node >= m->timeline->span_count || c->kind == CALL_HAZARD)
        return;
    const struct call *launch = &m->timeline->calls[m->timeline->spans[c->node].call];
    c->thread = launch->thread;
    c->begin = c->end = launch->end;
}

/* What a prefetch had to move is in its span already. */
static void add_migration(struct model *m, const struct call *c, size_t call)
{
    bool of_node = c->node < m->state->operation_count;
    bool of_kernel = of_node && m->timeline->spans[c->node].engine == ENGINE_KERNEL;
    if (c->node != NO_NODE && !of_kernel && !(c->flags & MIGRATE_EVICTS))
        return;
    size_t number = m->timeline->migration_count;
    struct migration new_one = {
        .call = (uint32_t)call, .node = of_node ? c->node : NO_NODE,
        .device = of_node ? m->timeline->spans[c->node].device : c->device, .to_host = c->dst_kind != MEM_DEVICE,
        .fault = (c->flags & MIGRATE_FAULT) != 0, .evicts = (c->flags & MIGRATE_EVICTS) != 0, .address = c->dst,
        .bytes = c->bytes, .start = TIME_NEVER, .end = model_migration_time(m->card, c),
    };
    timeline_add_migration(m->timeline, &new_one);
    struct migration *made = &m->timeline->migrations[number];
    if (of_kernel)
        operation_moves_pages(m, c->node, number);
    else {
        made->start = of_node ? m->timeline->spans[c->node].start : c->end - made->end;
        made->end = made->start != TIME_NEVER ? made->start + made->end : TIME_NEVER;
    }
}

size_t model_call(struct model *m, const struct call *given)
{
    struct call c = *given;
    bool by_device = c.kind == CALL_COST || c.kind == CALL_FAULT || c.kind == CALL_HAZARD ||
                     (c.kind == CALL_MIGRATE && c.node != NO_NODE);
    thread_of(m->state, &c.thread);
    if (!by_device)
        thread_catches_up(m, &c);
    c.begin = model_now(m, c.thread);
    if (looks(&c))
        model_run(m, c.begin);
    size_t index = m->timeline->call_count;
    if (c.kind == CALL_QUEUES && m->state->stream_count == 0)
        make_queues(m, c.cost);
    if (c.kind == CALL_STREAM_CREATE && c.status == 0)
        place_stream(m, &c);
    if (c.kind == CALL_LAUNCH && !loads_lazily(m->card))
        c.flags &= ~(uint32_t)LAUNCH_LOADS;
    struct step step = order_call(m->order, &c);
    if (!is_of_node(&c))
        c.node = step.operation != NO_NODE ? step.operation : step.wait;
    bool is_free = step.operation != NO_NODE && minds_idleness(m->card, &c) && operation_is_free(m, step.operation, c.begin);
    c.end = c.begin + call_cost(m, &c, is_free);
    if (by_device)
        say_for_launch(m, &c);
    else
        thread_changes(m, &c);
    timeline_add_call(m->timeline, &c);
    if (c.kind == CALL_FREE)
        thrash_forget(m, &c);
    if (c.kind == CALL_MIGRATE)
        add_migration(m, &c, index);
    if (!by_device)
        m->state->threads[c.thread].now = c.end;
    if (step.operation != NO_NODE) {
        struct call placed = c;
        bool own_place = (c.flags & GRAPH_NODE) && c.device < ORDER_DEVICES;    /* a graph's node has a device of its own */
        if (!own_place)
            placed.device = m->state->streams[c.stream].device;
        add_operation(m, step.operation, &placed, index, is_free);
    }
    if (c.kind == CALL_GRAPH_EDGE || (c.flags & GRAPH_NODE))
        m->state->node_awaits = c.kind == CALL_GRAPH_EDGE;
    if (step.wait != NO_NODE) {
        bool over = c.kind >= CALL_THREAD_BEGIN && c.kind <= CALL_FUNCTION_END;
        struct span s = { .engine = ENGINE_WAIT, .call = (uint32_t)index, .name = c.name,
                          .queued = c.begin, .start = c.begin, .end = over ? c.end : TIME_NEVER };
        add_node(m, &s, DONE);
        if (!over)
            thread_waits(m, c.thread, step.wait, index);
    }
    return index;
}

bool model_done(struct model *m, const struct call *query)
{
    uint32_t thread = query->thread;
    thread_of(m->state, &thread);
    model_run(m, model_now(m, thread));
    size_t count;
    const struct edge *edges = order_peek(m->order, query, &count);
    for (size_t i = 0; i < count; i++)
        if (m->state->operations[edges[i].from].state != DONE)
            return false;
    return true;
}
