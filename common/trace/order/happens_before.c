/* SPDX-License-Identifier: MIT */
/*
 * DESIGN
 * A stream remembers its latest operation, an event its latest record, a host
 * thread its latest wait. A new operation gets an edge to each of those that
 * the rules make it wait for; edges that are implied by others are left out
 * where that is cheap to see (a blocking stream needs none to a legacy
 * operation that its own latest operation already follows).
 *
 * Since edges lead to smaller numbers, "does A come before B" is one sweep from
 * B down to A: no stack, time linear in the nodes between them.
 */
#include "trace/order/hb_state.h"

#include "trace/record/memory.h"

void hb_init(struct happens_before *o)
{
    memory_zero(o, sizeof *o);
    o->graph_stream = NO_NODE;
    for (size_t d = 0; d < HB_DEVICES; d++)
        o->legacy[d] = o->newest[d] = o->visit[d] = o->loading[d].kernel = NO_NODE;
}

void hb_fini(struct happens_before *o)
{
    memory_resize(o->nodes, 0);
    memory_resize(o->edges, 0);
    memory_resize(o->streams, 0);
    for (size_t d = 0; d < HB_DEVICES; d++)
        memory_resize(o->loading[d].before, 0);
    memory_resize(o->event_record, 0);
    memory_resize(o->threads, 0);
    memory_resize(o->exec_last, 0);
    memory_resize(o->members, 0);
    memory_resize(o->awaited, 0);
    memory_resize(o->mark, 0);
    hb_init(o);
}

/* ---- announcing: numbers are dense, what skips one is not believed ---- */

static void announce_event(struct happens_before *o, const struct call *c)
{
    if (c->event != o->event_count)
        return;
    MEMORY_GROW(o->event_record, o->event_count, o->event_capacity);
    o->event_record[o->event_count++] = NO_NODE;
}

static void add_thread(struct happens_before *o)
{
    MEMORY_GROW(o->threads, o->thread_count, o->thread_capacity);
    struct hb_thread *added = &o->threads[o->thread_count++];
    added->wait = NO_NODE;
    for (size_t d = 0; d < HB_DEVICES; d++)
        added->swept[d] = (struct hb_swept){ NO_NODE, NO_NODE, NO_NODE };
}

/* The first is always there. */
static struct hb_thread *own_thread(struct happens_before *o, uint32_t thread)
{
    if (o->thread_count == 0)
        add_thread(o);
    if (thread > o->thread_count)
        thread = 0;
    if (thread == o->thread_count)
        add_thread(o);
    return &o->threads[thread];
}

/* The latest wait of a thread. */
static uint32_t *hb_thread_wait(struct happens_before *o, uint32_t thread)
{
    return &own_thread(o, thread)->wait;
}

/* ---- edges of the node that is being made ---- */

void hb_add_edge(struct happens_before *o, uint32_t from, enum strength strength)
{
    if (from == NO_NODE)
        return;
    MEMORY_GROW(o->edges, o->edge_count, o->edge_capacity);
    o->edges[o->edge_count++] = (struct edge){ from, strength };
}

uint32_t hb_add_node(struct happens_before *o, const struct call *c, size_t first_edge, bool wait)
{
    MEMORY_GROW(o->nodes, o->node_count, o->node_capacity);
    o->nodes[o->node_count] = (struct hb_node){
        first_edge, (uint32_t)(o->edge_count - first_edge), c->thread, o->calls, wait
    };
    return (uint32_t)o->node_count++;
}

void hb_add_start(struct happens_before *o, const struct call *c)
{
    hb_add_stream(o, &o->streams[c->stream]);
    hb_add_edge(o, *hb_thread_wait(o, c->thread), GUARANTEED);
}

/* ---- dependent launches ---- */

/* The kernel has begun then: all that it waited for is over. */
static void add_begun(struct happens_before *o, uint32_t kernel, enum strength when)
{
    const struct hb_node before = o->nodes[kernel];
    for (size_t i = before.first_edge; i < before.first_edge + before.edge_count; i++)
        if (o->edges[i].strength >= OBSERVED)
            hb_add_edge(o, o->edges[i].from, (enum strength)o->edges[i].strength);
    hb_add_edge(o, kernel, when);
}

void hb_add_trigger(struct happens_before *o, const struct call *c, uint32_t kernel,
                    enum strength when)
{
    bool early = o->dependents && !(c->flags & LAUNCH_LOADS);
    add_begun(o, kernel, early ? when : OBSERVED);
}

uint32_t hb_add_rest(struct happens_before *o, const struct call *c, uint32_t kernel,
                     const struct awaited *before, size_t count)
{
    size_t first = o->edge_count;
    hb_add_edge(o, kernel, GUARANTEED);
    for (size_t i = 0; i < count; i++)
        hb_add_edge(o, before[i].node, before[i].at_launch ? OBSERVED : GUARANTEED);
    return hb_add_node(o, c, first, false);
}

/* What work in the stream waits for, where the launch depends on the kernel that is its latest
 * operation but for records of events, which change nothing [M, on an H100]. */
static void add_dependent(struct happens_before *o, const struct call *c)
{
    struct hb_stream *s = &o->streams[c->stream];
    size_t first = o->edge_count, kept = first;
    hb_add_stream(o, s);
    for (size_t i = first; i < o->edge_count; i++)
        if (o->edges[i].from != s->last)
            o->edges[kept++] = o->edges[i];
    o->edge_count = kept;
    hb_add_trigger(o, c, s->kernel, TRIGGERED);
}

/* ---- what older guides list as implicit synchronisation ---- */

static bool is_barrier(const struct happens_before *o, const struct call *c)
{
    uint32_t which = 0;
    if (o->barriers == 0 || c->status != 0 || c->device >= HB_DEVICES || c->flags & GRAPH_NODE)
        return false;
    if (c->kind == CALL_MALLOC && !(c->flags & CALL_ASYNC))
        which = c->dst_kind == MEM_PINNED ? BARRIER_HOST_ALLOC : BARRIER_MALLOC;
    if (c->kind == CALL_SET && !memory_is_of_host(c->dst_kind))
        which = BARRIER_MEMSET;
    if (c->kind == CALL_COPY && !memory_is_of_host(c->dst_kind) && !memory_is_of_host(c->src_kind)
        && !call_between_devices(c))
        which = BARRIER_D2D;
    if (c->kind == CALL_OTHER && c->flags & CALL_CACHE_CONFIG)
        which = BARRIER_CACHE_CONFIG;
    return o->barriers & which;
}

static void raise_barrier(struct happens_before *o, uint32_t device)
{
    o->barrier[device]++;
    for (size_t i = 0; i < o->stream_count; i++)
        if (o->streams[i].device == device)
            o->streams[i].before_barrier = o->streams[i].last;
}

static void add_barrier(struct happens_before *o, struct hb_stream *own)
{
    if (own->barrier == o->barrier[own->device])
        return;
    own->barrier = o->barrier[own->device];
    for (size_t i = 0; i < o->stream_count; i++)
        if (o->streams[i].device == own->device && &o->streams[i] != own)
            hb_add_edge(o, o->streams[i].before_barrier, OBSERVED);
}

/* Is the caller of this copy or memset held up until it is done? 0: no. */
static int copy_holds(const struct call *c)
{
    bool async = c->flags & CALL_ASYNC;
    if (c->flags & GRAPH_NODE)
        return 0;
    if (call_waits_unpromised(c))
        return OBSERVED; /* [M]; of a copy to pageable memory older guides promise it, 13 does not
                          */
    if (c->kind == CALL_SET)
        return !async && c->dst_kind == MEM_PINNED ? GUARANTEED : 0;    /* [A] */
    if (c->kind != CALL_COPY)
        return 0;
    if (memory_is_of_host(c->dst_kind) && memory_is_of_host(c->src_kind))
        return GUARANTEED;                                      /* [A] even Async */
    if (!memory_is_of_host(c->dst_kind) && !memory_is_of_host(c->src_kind))
        return 0;                                               /* [A, M] */
    if (!async)
        return GUARANTEED;
    return c->src_kind == MEM_PAGEABLE && c->bytes > STAGING_BYTES ? OBSERVED : 0;  /* [M] */
}

/* ---- waits ---- */

/* The streams that a wait is for when it is for more than one: those of the legacy barrier, all, or
 * all as cards of today have it. What the thread has waited for like that before, it need not name
 * again. */
enum breadth { ONE, BARRIER, WHOLE, OBSERVED_WHOLE };

static enum breadth breadth_of(const struct happens_before *o, const struct call *c)
{
    switch (c->kind) {
    case CALL_STREAM_SYNC:
    case CALL_STREAM_QUERY:     /* [M] */
        return c->stream < o->stream_count && o->streams[c->stream].flags & STREAM_LEGACY ? BARRIER
                                                                                          : ONE;
    case CALL_DEVICE_SYNC:
        return WHOLE;
    case CALL_FREE:
    case CALL_UNREGISTER:
        return c->flags & CALL_ASYNC ? ONE : OBSERVED_WHOLE;    /* [M] */
    default:
        return ONE;
    }
}

static uint32_t device_of(const struct happens_before *o, const struct call *c)
{
    return breadth_of(o, c) == BARRIER ? o->streams[c->stream].device : c->device;
}

/* The edges of the wait for a device that this call makes. */
static void add_sweep(struct happens_before *o, const struct call *c)
{
    uint32_t device = device_of(o, c);
    if (device >= HB_DEVICES)
        return;
    struct hb_swept swept = own_thread(o, c->thread)->swept[device];
    uint32_t barrier = hb_newer(swept.barrier, swept.whole) ? swept.barrier : swept.whole;
    uint32_t observed = hb_newer(swept.observed, swept.whole) ? swept.observed : swept.whole;
    switch (breadth_of(o, c)) {
    case BARRIER: hb_add_device(o, device, false, barrier, GUARANTEED); break;
    case WHOLE: hb_add_device(o, device, true, swept.whole, GUARANTEED); break;
    default: hb_add_device(o, device, true, observed, OBSERVED); break;
    }
}

static void remember_sweep(struct happens_before *o, const struct call *c, uint32_t wait)
{
    uint32_t device = device_of(o, c);
    if (device >= HB_DEVICES)
        return;
    struct hb_swept *swept = &own_thread(o, c->thread)->swept[device];
    switch (breadth_of(o, c)) {
    case BARRIER: swept->barrier = wait; break;
    case WHOLE: swept->whole = wait; break;
    case OBSERVED_WHOLE: swept->observed = wait; break;
    default: break;
    }
}

/* The edges of the wait that this call makes, its operation apart. False: it makes none. */
static bool add_wait(struct happens_before *o, const struct call *c)
{
    switch (c->kind) {
    case CALL_STREAM_SYNC:
    case CALL_STREAM_QUERY:
        if (c->stream >= o->stream_count
            || (c->kind == CALL_STREAM_QUERY && c->flags & CALL_UNREAD))
            return false;
        if (breadth_of(o, c) == ONE)
            hb_add_edge(o, o->streams[c->stream].last, GUARANTEED);
        else
            add_sweep(o, c);
        return true;
    case CALL_EVENT_SYNC:
    case CALL_EVENT_QUERY:
        if (c->event >= o->event_count || (c->kind == CALL_EVENT_QUERY && c->flags & CALL_UNREAD))
            return false;
        hb_add_edge(o, o->event_record[c->event], GUARANTEED);
        return true;
    default:
        if (breadth_of(o, c) == ONE)
            return false;
        add_sweep(o, c);
        return true;
    }
}

/* ---- operations ---- */

static bool queues_work(const struct call *c)
{
    bool memory = (c->kind == CALL_MALLOC || c->kind == CALL_FREE) && c->flags & CALL_ASYNC;
    return (c->kind >= CALL_LAUNCH && c->kind <= CALL_STREAM_WAIT) || c->kind == CALL_GRAPH_EMPTY
           || memory;
}

/* What a copy in the legacy stream has to do with another device, whose memory it touches. */
enum beside {
    BESIDE_NOT,
    BESIDE_AFTER,               /* it waits for that device's earlier work. OBSERVED [M] */
    BESIDE_ASYNC,               /* and later work there for it. OBSERVED [M] */
    BESIDE_BOTH,                /* the same, GUARANTEED [G] */
};

static enum beside stands_beside(const struct happens_before *o, const struct call *c,
                                 uint32_t kind, uint32_t device)
{
    const struct hb_stream *s = &o->streams[c->stream];
    bool async = c->flags & CALL_ASYNC;
    if (c->kind != CALL_COPY || !(s->flags & STREAM_LEGACY) || c->flags & GRAPH_NODE
        || kind != MEM_DEVICE || device == s->device || device >= HB_DEVICES
        || o->legacy[device] == NO_NODE)
        return BESIDE_NOT;
    if (call_between_devices(c))
        return async ? BESIDE_ASYNC : BESIDE_BOTH;
    return !async && (memory_is_of_host(c->dst_kind) || memory_is_of_host(c->src_kind))
               ? BESIDE_AFTER
               : BESIDE_NOT;
}

static void add_beside(struct happens_before *o, uint32_t device, enum beside beside)
{
    if (beside == BESIDE_BOTH)
        hb_add_stream(o, &o->streams[o->legacy[device]]);
    else if (beside != BESIDE_NOT)
        hb_add_device(o, device, false, NO_NODE, OBSERVED);
}

static void goes_on_beside(struct happens_before *o, uint32_t device, enum beside beside,
                           uint32_t node)
{
    if (beside == BESIDE_BOTH)
        hb_stream_goes_on(o, o->legacy[device], node, false);
    else if (beside == BESIDE_ASYNC)
        o->visit[device] = node;
}

/* An event of the launch of its stream's latest kernel is beside that. What comes next in the
 * stream comes after both: the node's rest. Older cards have such events, too [H]. */
static struct step record_launch(struct happens_before *o, const struct call *c)
{
    const struct hb_stream *s = &o->streams[c->stream];
    const bool kernel_last = s->kernel_last;
    const struct awaited last = { s->last, NO_NODE, false };
    size_t first = o->edge_count;
    add_begun(o, s->kernel, BEGUN);
    hb_add_edge(o, *hb_thread_wait(o, c->thread), GUARANTEED);
    struct step step = { hb_add_node(o, c, first, false), NO_NODE, NO_NODE };
    step.rest = hb_add_rest(o, c, step.operation, &last, 1);
    hb_stream_goes_on(o, c->stream, step.rest, false);
    o->streams[c->stream].kernel_last = kernel_last;
    o->event_record[c->event] = step.operation;
    return step;
}

static struct step add_operation(struct happens_before *o, const struct call *c)
{
    struct step step = { NO_NODE, NO_NODE, NO_NODE };
    if (c->stream >= o->stream_count)
        return step;
    bool names_event = c->kind == CALL_EVENT_RECORD || c->kind == CALL_STREAM_WAIT;
    if (names_event && c->event >= o->event_count)
        return step;
    if (c->flags & GRAPH_NODE) {
        if (o->graph_stream == c->stream)
            step = hb_graph_add_node(o, c);
        if (c->kind == CALL_EVENT_RECORD && step.operation != NO_NODE)
            o->event_record[c->event] = step.operation;
        return step;
    }
    const uint32_t at_launch = EVENT_AT_LAUNCH | EVENT_NO_TIMING;
    if (c->kind == CALL_EVENT_RECORD && (c->flags & at_launch) == at_launch
        && o->streams[c->stream].kernel != NO_NODE)
        return record_launch(o, c);
    size_t first = o->edge_count;
    const struct awaited before = { o->streams[c->stream].last, NO_NODE, false };
    bool launch = c->kind == CALL_LAUNCH, dependent = launch && c->flags & LAUNCH_DEPENDENT;
    if (dependent && o->streams[c->stream].kernel_last)
        add_dependent(o, c);
    else
        hb_add_stream(o, &o->streams[c->stream]);
    enum beside dst = stands_beside(o, c, c->dst_kind, c->dst_device),
                src = stands_beside(o, c, c->src_kind, c->src_device);
    add_beside(o, c->dst_device, dst);
    add_beside(o, c->src_device, src);
    if (c->kind == CALL_STREAM_WAIT)
        hb_add_edge(o, o->event_record[c->event], GUARANTEED);
    hb_add_edge(o, *hb_thread_wait(o, c->thread), GUARANTEED);
    if (launch)
        hb_add_loading(o, c);
    add_barrier(o, &o->streams[c->stream]);
    uint32_t node = step.operation = hb_add_node(o, c, first, false);
    bool only_marked =
        o->dependents && c->kind == CALL_EVENT_RECORD && o->streams[c->stream].kernel_last;
    hb_stream_goes_on(o, c->stream, node, launch);
    if (dependent)
        o->streams[c->stream].last = step.rest = hb_add_rest(o, c, node, &before, 1);
    o->streams[c->stream].kernel_last = launch || only_marked;
    goes_on_beside(o, c->dst_device, dst, node);
    goes_on_beside(o, c->src_device, src, node);
    if (c->kind == CALL_EVENT_RECORD)
        o->event_record[c->event] = node;
    return step;
}

/* What a thread knows because of another: of its creator, or of who woke it; if
 * that was a stream's function, it comes after what the function came after. */
static uint32_t learn(struct happens_before *o, const struct call *c)
{
    uint32_t own = *hb_thread_wait(o, c->thread);
    uint32_t other = c->src < o->thread_count ? o->threads[c->src].wait : NO_NODE;
    size_t first = o->edge_count;
    /* What the other has waited for before this one's latest wait may be news all the same. */
    if (hb_newer(other, own)
        || (other != NO_NODE && other != own && !hb_before(o, other, own, GUARANTEED)))
        hb_add_edge(o, other, GUARANTEED);
    if (c->node < o->node_count) {
        const struct hb_node function = o->nodes[c->node];
        for (size_t i = function.first_edge; i < function.first_edge + function.edge_count; i++)
            hb_add_edge(o, o->edges[i].from, (enum strength)o->edges[i].strength);
    }
    if (o->edge_count == first)
        return NO_NODE;
    hb_add_edge(o, own, GUARANTEED);
    return *hb_thread_wait(o, c->thread) = hb_add_node(o, c, first, true);
}

static bool wakes_or_begins(uint32_t kind)
{
    return kind == CALL_THREAD_BEGIN || kind == CALL_THREAD_WAKE;
}

struct step hb_call(struct happens_before *o, const struct call *c)
{
    struct step step = { NO_NODE, NO_NODE, NO_NODE };
    if (wakes_or_begins(c->kind))
        step.wait = learn(o, c);
    if (c->kind == CALL_STREAM_CREATE && c->status == 0)
        hb_announce_stream(o, c);
    if (c->kind == CALL_EVENT_CREATE && c->status == 0)
        announce_event(o, c);
    if (c->kind == CALL_EVENT_DESTROY && c->status == 0 && c->event < o->event_count)
        o->event_record[c->event] = NO_NODE;
    if (c->kind == CALL_GRAPH_LAUNCH && c->status == 0)
        hb_graph_begins(o, c);
    if (c->kind == CALL_GRAPH_EDGE)
        hb_graph_node_awaits(o, c);
    if (c->kind == CALL_GRAPH_END)
        step.operation = hb_graph_ends(o, c);
    bool barrier = is_barrier(o, c);
    if (barrier)
        raise_barrier(o, c->device);
    if (c->status == 0 && queues_work(c))
        step = add_operation(o, c);
    if (barrier && step.operation != NO_NODE)
        raise_barrier(o, c->device);

    size_t first = o->edge_count;
    bool waits = c->status == 0 && add_wait(o, c);
    if (step.operation != NO_NODE && copy_holds(c)) {
        hb_add_edge(o, step.operation, (enum strength)copy_holds(c));
        waits = true;
    }
    if (waits) {
        uint32_t *latest = hb_thread_wait(o, c->thread);
        hb_add_edge(o, *latest, GUARANTEED);
        step.wait = *latest = hb_add_node(o, c, first, true);
        remember_sweep(o, c, step.wait);
    }
    o->calls++;
    return step;
}

const struct edge *hb_peek(struct happens_before *o, const struct call *c, size_t *count)
{
    size_t first = o->edge_count;
    add_wait(o, c);
    *count = o->edge_count - first;
    o->edge_count = first;
    return *count > 0 ? o->edges + first : NULL;
}

const struct edge *hb_peek_work(struct happens_before *o, const struct call *c, size_t *count)
{
    size_t first = o->edge_count;
    if (c->stream < o->stream_count)
        hb_add_stream(o, &o->streams[c->stream]);
    hb_add_edge(o, *hb_thread_wait(o, c->thread), GUARANTEED);
    *count = o->edge_count - first;
    o->edge_count = first;
    return *count > 0 ? o->edges + first : NULL;
}
