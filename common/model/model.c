/* SPDX-License-Identifier: MIT */
#include "model/model.h"

#include "model/state.h"
#include "trace/record/memory.h"

/* So many for each device, or as many as the card has: 0 asks for what it has by itself. */
static void make_queues(struct model *m, int64_t asked)
{
    int64_t count = asked <= 0                    ? m->card->queues
                    : asked > m->card->max_queues ? m->card->max_queues
                                                  : asked;
    for (size_t i = 0; i < HB_DEVICES; i++)
        queues_init(&m->state->devices[i], (unsigned)count);
}

void model_init(struct model *m, const struct card *card, unsigned queues, struct timeline *t,
                struct happens_before *o, const struct model_hooks *hooks)
{
    memory_zero(m, sizeof *m);
    m->card = card;
    m->timeline = t;
    m->order = o;
    if (hooks)
        m->hooks = *hooks;
    struct engine_state *e = m->state = (struct engine_state *)memory_resize(NULL, sizeof *e);
    memory_zero(e, sizeof *e);
    o->barriers = (uint32_t)((card->barrier_malloc ? BARRIER_MALLOC : 0)
                             | (card->barrier_host_alloc ? BARRIER_HOST_ALLOC : 0)
                             | (card->barrier_memset ? BARRIER_MEMSET : 0)
                             | (card->barrier_d2d ? BARRIER_D2D : 0)
                             | (card->barrier_cache_config ? BARRIER_CACHE_CONFIG : 0));
    o->dependents = card->major >= 9;                       /* [G] */
    for (size_t i = 0; i < HB_DEVICES; i++) {
        struct device *d = &e->devices[i];
        d->transfer[0] = d->transfer[1] = d->link.served = d->functions.served = NO_NODE;
        sms_init(&d->sms, card);
    }
    make_queues(m, queues);
}

void model_fini(struct model *m)
{
    struct engine_state *e = m->state;
    for (size_t i = 0; i < HB_DEVICES; i++) {
        struct device *d = &e->devices[i];
        queues_fini(d);
        for (unsigned lane = 0; lane < LANES; lane++)
            fifo_fini(&d->copies[lane]);
        fifo_fini(&d->link.waiting);
        fifo_fini(&d->functions.waiting);
        fifo_fini(&d->graph_kernels);
        memory_resize(d->grids, 0);
        sms_fini(&d->sms);
    }
    events_fini(&e->events);
    memory_resize(e->operations, 0);
    memory_resize(e->links, 0);
    memory_resize(e->streams, 0);
    memory_resize(e->threads, 0);
    memory_resize(e, 0);
    m->state = NULL;
}

/* ---- operations ---- */

static void add_node(struct model *m, const struct span *s, uint8_t state)
{
    struct engine_state *e = m->state;
    timeline_add_span(m->timeline, s);
    MEMORY_GROW(e->operations, e->operation_count, e->operation_capacity);
    e->operations[e->operation_count++] = (struct operation){ .state = state,
                                                              .first_dependent = NO_NODE,
                                                              .over = TIME_NEVER,
                                                              .first_migration = NO_NODE,
                                                              .pages_at = TIME_NEVER };
}

static void add_operation(struct model *m, uint32_t node, const struct call *c, size_t call,
                          bool is_free)
{
    struct span s = {
        .engine = engine_of_call(c), .device = c->device, .stream = c->stream,
        .call = (uint32_t)call,
        .name = c->name, .queued = queued_at(m, c, is_free),
        .start = TIME_NEVER, .end = TIME_NEVER, .bytes = c->bytes,
    };
    if (s.engine == ENGINE_KERNEL)
        s.blocks = blocks_of_call(c);
    add_node(m, &s, WAITING);
    /* The device may be ahead of this thread, when another waited for it. */
    device_add(m, node, c, s.queued > m->state->now ? s.queued : m->state->now, is_free);
}

static void add_stream(struct model *m, const struct call *c)
{
    struct engine_state *e = m->state;
    if (c->stream != e->stream_count || c->device >= HB_DEVICES)
        return;
    MEMORY_GROW(e->streams, e->stream_count, e->stream_capacity);
    e->streams[e->stream_count++] = (struct stream_state){
        .device = c->device, .queue = { NO_QUEUE, NO_QUEUE, NO_QUEUE },
        .priority = card_priority(m->card, c->priority), .sms = sm_set_of(m->card, c) };
}

/* ---- waits ---- */

/* Queries look at the device as it is now, whatever they find. */
static bool polls(const struct call *c)
{
    return c->kind == CALL_STREAM_QUERY || c->kind == CALL_EVENT_QUERY
           || c->kind == CALL_POLL || (c->flags & CALL_POLLS);
}

void model_run(struct model *m, int64_t time)
{
    while (model_next(m) <= time && model_next(m) != TIME_NEVER)
        model_step(m);
}

/* Does the call say something of a node, rather than make one? */
static bool is_of_node(const struct call *c)
{
    return c->kind == CALL_COST || c->kind == CALL_FAULT || c->kind == CALL_HAZARD
           || c->kind == CALL_THREAD_BEGIN || c->kind == CALL_THREAD_WAKE || c->kind == CALL_MIGRATE
           || (c->kind >= CALL_FUNCTION_BEGIN && c->kind <= CALL_FUNCTION_END);
}

/* A kernel's own words come in the middle of a step, from whoever steps the
 * device: they count as its launch's. */
static void say_for_launch(const struct model *m, struct call *c)
{
    if (c->node >= m->timeline->span_count || c->kind == CALL_HAZARD)
        return;
    const struct call *launch = &m->timeline->calls[m->timeline->spans[c->node].call];
    c->thread = launch->thread;
    c->begin = c->end = launch->kind == CALL_LAUNCH
                            ? launch->end
                            : launch->begin;     /* a memset's call may still wait for it */
}

/* What a prefetch had to move is in its span already. */
static void add_migration(struct model *m, const struct call *c, size_t call)
{
    bool of_node = c->node < m->state->operation_count;
    bool lasts_longer = of_node && operation(m, c->node)->touches_pages;
    if (c->node != NO_NODE && !lasts_longer && !(c->flags & MIGRATE_EVICTS))
        return;
    size_t number = m->timeline->migration_count;
    struct migration new_one = {
        .call = (uint32_t)call, .node = of_node ? c->node : NO_NODE,
        .device = of_node ? m->timeline->spans[c->node].device : c->device,
        .to_host = c->dst_kind != MEM_DEVICE, .fault = (c->flags & MIGRATE_FAULT) != 0,
        .address = c->dst,
        .bytes = c->bytes, .start = TIME_NEVER, .end = model_migration_time(m->card, c),
    };
    timeline_add_migration(m->timeline, &new_one);
    struct migration *made = &m->timeline->migrations[number];
    if (lasts_longer)
        operation_moves_pages(m, c->node, number);
    else {
        made->start = of_node ? m->timeline->spans[c->node].start : c->end - made->end;
        made->end = made->start != TIME_NEVER ? made->start + made->end : TIME_NEVER;
    }
}

size_t model_call(struct model *m, const struct call *given)
{
    struct call c = *given;
    bool by_device = c.kind == CALL_COST || c.kind == CALL_FAULT || c.kind == CALL_HAZARD
                     || (c.kind == CALL_MIGRATE && c.node != NO_NODE);
    thread_of(m->state, &c.thread);
    if (!by_device)
        thread_catches_up(m, &c);
    c.begin = model_now(m, c.thread);
    if (polls(&c))
        model_run(m, c.begin);
    size_t index = m->timeline->call_count;
    if (c.kind == CALL_QUEUES && m->state->stream_count == 0)
        make_queues(m, c.cost);
    if (c.kind == CALL_STREAM_CREATE && c.status == 0)
        add_stream(m, &c);
    if (c.kind == CALL_LAUNCH && !loads_lazily(m->card))
        c.flags &= ~(uint32_t)LAUNCH_LOADS;
    struct step step = hb_call(m->order, &c);
    if (!is_of_node(&c))
        c.node = step.operation != NO_NODE ? step.operation : step.wait;
    bool is_free = step.operation != NO_NODE && minds_idleness(m->card, &c)
                   && operation_is_free(m, step.operation, c.begin);
    c.end = c.begin + call_cost(m, &c, is_free);
    if (!is_of_node(&c))
        c.end += asking_cost(&m->state->threads[c.thread], &c);
    if (by_device)
        say_for_launch(m, &c);
    else
        thread_changes(m, &c);
    timeline_add_call(m->timeline, &c);
    if (c.kind == CALL_FREE)
        thrash_clear(m, &c);
    if (c.kind == CALL_MIGRATE)
        add_migration(m, &c, index);
    if (!by_device)
        m->state->threads[c.thread].now = c.end;
    if (step.operation != NO_NODE) {
        struct call placed = c;
        bool own_device = (c.flags & GRAPH_NODE)
                          && c.device < HB_DEVICES; /* a graph's node has a device of its own */
        if (!own_device)
            placed.device = m->state->streams[c.stream].device;
        if (step.rest == NO_NODE)
            placed.flags &= ~(uint32_t)LAUNCH_DEPENDENT;
        add_operation(m, step.operation, &placed, index, is_free);
        placed.kind = CALL_GRAPH_EMPTY;                     /* it takes no time of its own */
        if (step.rest != NO_NODE)
            add_operation(m, step.rest, &placed, index, false);
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
    const struct edge *edges = hb_peek(m->order, query, &count);
    for (size_t i = 0; i < count; i++)
        if (m->state->operations[edges[i].from].state != DONE)
            return false;
    return true;
}
