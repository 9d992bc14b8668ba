/* SPDX-License-Identifier: MIT */
/*
 * DESIGN
 * A new node continues the chain of one of its predecessors if that is the last
 * of its chain; else any chain whose last node comes before it, so that chains
 * of streams that are gone are used again; else it begins one.
 *
 * What comes before a predecessor comes before the node: an edge from a node
 * that the chain's last one knows of brings nothing new. Mostly none does, and
 * the vector is shared. So a shared vector may be behind in the node's own chain
 * and in that of its thread: the node has those two itself. A node that follows
 * nothing but what its thread knew shares that with all such nodes.
 */
#include "trace/order/vector_clocks.h"

#include "trace/order/hb_state.h"
#include "trace/record/memory.h"

enum { THREAD_TAIL = UINT32_MAX };

struct clock_node {
    size_t vector;                  /* into the pool */
    uint32_t chain, sequence;       /* sequence numbers begin at 1; 0: not taken in yet */
    uint32_t thread_chain, tick;    /* of who queued it, then */
    size_t queued_knowing;          /* into the pool: what he knew */
    bool heard;                     /* a function that learned something while it ran */
};

struct clock_thread {
    uint32_t chain;
    struct clock_news known;
    struct clock_news sure;         /* of that, what it does not know by looks alone */
    uint32_t version;               /* how often that grew */
    bool is_saved;                  /* that is a vector in the pool, too: */
    uint32_t saved_version;
    size_t saved;
    uint32_t wait;                  /* not taken in yet; NO_NODE */
    uint32_t function;              /* that it runs; NO_NODE */
    uint32_t function_version;      /* at its begin */
    bool acts;                      /* for itself, and has not ended */
    bool of_runtime;                /* runs host functions */
};

void vector_clocks_init(struct vector_clocks *c, const struct happens_before *order)
{
    memory_zero(c, sizeof *c);
    c->order = order;
    c->tick = 1;
    c->free_vector = SIZE_MAX;
}

static void clock_news_fini(struct clock_news *news)
{
    memory_resize(news->reached, 0);
    *news = (struct clock_news){ 0 };
}

void vector_clocks_fini(struct vector_clocks *c)
{
    for (size_t i = 0; i < c->thread_count; i++)
        clock_news_fini(&c->threads[i].known), clock_news_fini(&c->threads[i].sure);
    memory_resize(c->threads, 0);
    memory_resize(c->nodes, 0);
    memory_resize(c->pool, 0);
    memory_resize(c->tail, 0);
    clock_news_fini(&c->scratch);
    vector_clocks_init(c, c->order);
}

/* ---- news ---- */

static bool raise_one(struct clock_news *news, uint32_t chain, uint32_t reached)
{
    while (news->count <= chain) {
        news->reached =
            memory_grow(news->reached, news->count, &news->capacity, sizeof *news->reached);
        news->reached[news->count++] = 0;
    }
    if (news->reached[chain] >= reached)
        return false;
    news->reached[chain] = reached;
    return true;
}

static bool raise_all(struct clock_news *news, const uint32_t *reached, size_t count)
{
    bool any = false;
    for (size_t chain = 0; chain < count; chain++)
        if (chain >= news->count || reached[chain] > news->reached[chain])
            any |= raise_one(news, (uint32_t)chain, reached[chain]);
    return any;
}

static bool raise_vector(const struct vector_clocks *c, struct clock_news *news, size_t vector)
{
    return raise_all(news, c->pool + vector + 1, c->pool[vector]);
}

/* What the node comes after, and itself. */
static bool raise_node(const struct vector_clocks *c, struct clock_news *news,
                       const struct clock_node *n)
{
    bool any = raise_vector(c, news, n->vector);
    any |= raise_one(news, n->chain, n->sequence);
    return raise_one(news, n->thread_chain, n->tick) || any;
}

static size_t save(struct vector_clocks *c, const struct clock_news *news)
{
    size_t at = c->pool_count;
    c->pool = memory_grow(c->pool, at + news->count, &c->pool_capacity, sizeof *c->pool);
    c->pool[at] = (uint32_t)news->count;
    if (news->count > 0)
        memory_copy(c->pool + at + 1, news->reached, news->count * sizeof *news->reached);
    c->pool_count += 1 + news->count;
    return at;
}

static uint32_t in_vector(const struct vector_clocks *c, size_t vector, uint32_t chain)
{
    return chain < c->pool[vector] ? c->pool[vector + 1 + chain] : 0;
}

static uint32_t in_news(const struct clock_news *news, uint32_t chain)
{
    return chain < news->count ? news->reached[chain] : 0;
}

/* How far along `chain` what comes before `node` reaches; the node itself counts. */
static uint32_t reach(const struct vector_clocks *c, const struct clock_node *node, uint32_t chain)
{
    if (chain == node->chain)
        return node->sequence;
    uint32_t known = in_vector(c, node->vector, chain);
    return chain == node->thread_chain && node->tick > known ? node->tick : known;
}

/* ---- chains ---- */

static uint32_t new_chain(struct vector_clocks *c)
{
    c->tail = memory_grow(c->tail, c->chain_count, &c->tail_capacity, sizeof *c->tail);
    c->tail[c->chain_count] = 0;
    return (uint32_t)c->chain_count++;
}

/* One whose last node is known there. A chain that is not free for a vector never gets so. */
static uint32_t free_chain(struct vector_clocks *c, size_t vector)
{
    if (c->free_vector != vector)
        c->next_free = 0;
    c->free_vector = vector;
    for (; c->next_free < c->chain_count; c->next_free++)
        if (in_vector(c, vector, (uint32_t)c->next_free) == c->tail[c->next_free])
            return (uint32_t)c->next_free;
    return new_chain(c);
}

/* ---- threads ---- */

static struct clock_thread *thread_of(struct vector_clocks *c, uint32_t thread)
{
    if (!c->apart)
        thread = 0;
    while (c->thread_count <= thread) {
        c->threads =
            memory_grow(c->threads, c->thread_count, &c->thread_capacity, sizeof *c->threads);
        uint32_t chain = new_chain(c);
        c->tail[chain] = THREAD_TAIL;
        c->threads[c->thread_count++] =
            (struct clock_thread){ .chain = chain, .wait = NO_NODE, .function = NO_NODE };
    }
    return &c->threads[thread];
}

static void learns(struct clock_thread *t, bool anything)
{
    t->version += anything;
}

/* It comes after the node. */
static void learns_node(const struct vector_clocks *c, struct clock_thread *t, uint32_t node)
{
    learns(t, raise_node(c, &t->known, &c->nodes[node]));
    raise_node(c, &t->sure, &c->nodes[node]);
}

/* What the thread knows, as a vector: made once for as long as that does not grow. */
static size_t saved(struct vector_clocks *c, struct clock_thread *t)
{
    if (!t->is_saved || t->saved_version != t->version)
        t->saved = save(c, &t->known);
    t->is_saved = true;
    t->saved_version = t->version;
    return t->saved;
}

/* ---- a node is taken in ---- */

static bool is_taken(const struct vector_clocks *c, uint32_t node)
{
    return node < c->node_count && c->nodes[node].sequence != 0;
}

/* The predecessor whose chain the node continues; NULL for none. */
static const struct clock_node *choose_parent(const struct vector_clocks *c,
                                              const struct edge *edges, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct clock_node *from = &c->nodes[edges[i].from];
        if (edges[i].strength == GUARANTEED && c->tail[from->chain] == from->sequence)
            return from;
    }
    return NULL;
}

static bool brings_nothing(const struct vector_clocks *c, const struct clock_node *parent,
                           const struct clock_node *node, const struct edge *edges, size_t count)
{
    if (parent->thread_chain != node->thread_chain
        || parent->queued_knowing != node->queued_knowing)
        return false;
    for (size_t i = 0; i < count; i++) {
        const struct clock_node *from = &c->nodes[edges[i].from];
        if (edges[i].strength == GUARANTEED && from != parent
            && (from->heard || reach(c, parent, from->chain) < from->sequence))
            return false;
    }
    return true;
}

static bool knew_all(const struct vector_clocks *c, const struct clock_node *node,
                     const struct edge *edges, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct clock_node *from = &c->nodes[edges[i].from];
        if (edges[i].strength == GUARANTEED
            && (from->heard || in_vector(c, node->queued_knowing, from->chain) < from->sequence))
            return false;
    }
    return true;
}

static size_t gather(struct vector_clocks *c, const struct clock_node *node,
                     const struct edge *edges, size_t count)
{
    c->scratch.count = 0;
    raise_vector(c, &c->scratch, node->queued_knowing);
    for (size_t i = 0; i < count; i++)
        if (edges[i].strength == GUARANTEED)
            raise_node(c, &c->scratch, &c->nodes[edges[i].from]);
    return save(c, &c->scratch);
}

static void take_in(struct vector_clocks *c, uint32_t number);

/* Waits of threads that have not gone on yet, and, where the device was lost, operations that never
 * ended. */
static void take_in_predecessors(struct vector_clocks *c, const struct edge *edges, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t from = edges[i].from;
        if (edges[i].strength != GUARANTEED || is_taken(c, from))
            continue;
        if (hb_is_wait(c->order, from)) {
            take_in(c, from);
            continue;
        }
        for (; c->taken <= from; c->taken++)
            take_in(c, (uint32_t)c->taken);
    }
}

static void take_in(struct vector_clocks *c, uint32_t number)
{
    size_t count;
    if (is_taken(c, number))
        return;
    const struct edge *edges = hb_edges(c->order, number, &count);
    take_in_predecessors(c, edges, count);
    const struct clock_node *parent = choose_parent(c, edges, count);
    struct clock_node *node = &c->nodes[number];
    if (parent && brings_nothing(c, parent, node, edges, count))
        node->vector = parent->vector;
    else
        node->vector =
            knew_all(c, node, edges, count) ? node->queued_knowing : gather(c, node, edges, count);
    node->chain = parent ? parent->chain : free_chain(c, node->vector);
    node->sequence = ++c->tail[node->chain];
}

/* The thread comes after its latest wait. */
static struct clock_thread *goes_on(struct vector_clocks *c, uint32_t thread)
{
    struct clock_thread *t = thread_of(c, thread);
    uint32_t wait = t->wait;
    if (wait == NO_NODE)
        return t;
    t->wait = NO_NODE;
    take_in(c, wait);
    learns_node(c, t, wait);
    return t;
}

static void make(struct vector_clocks *c, uint32_t number)
{
    uint32_t thread = c->order->nodes[number].thread;
    struct clock_thread *t = goes_on(c, thread);
    struct clock_node node = { .thread_chain = t->chain,
                               .tick = c->tick++,
                               .queued_knowing = saved(c, t) };
    t->acts = true;
    c->nodes = memory_grow(c->nodes, c->node_count, &c->node_capacity, sizeof *c->nodes);
    c->nodes[c->node_count++] = node;
    if (hb_is_wait(c->order, number))
        t->wait = number;
}

void vector_clocks_made(struct vector_clocks *c)
{
    while (c->node_count < c->order->node_count)
        make(c, (uint32_t)c->node_count);
}

void vector_clocks_ended(struct vector_clocks *c, uint32_t node)
{
    vector_clocks_made(c);
    take_in(c, node);
}

void vector_clocks_follow(struct vector_clocks *c)
{
    while (c->node_count < c->order->node_count) {
        make(c, (uint32_t)c->node_count);
        take_in(c, (uint32_t)c->node_count - 1);
    }
}

/* ---- questions ---- */

bool vector_clocks_before(const struct vector_clocks *c, uint32_t first, uint32_t then)
{
    if (first == then || !is_taken(c, first) || !is_taken(c, then))
        return false;
    const struct clock_node *earlier = &c->nodes[first];
    return reach(c, &c->nodes[then], earlier->chain) >= earlier->sequence;
}

uint32_t vector_clocks_epoch(struct vector_clocks *c, uint32_t thread)
{
    struct clock_thread *t = goes_on(c, thread);
    t->acts |= t->function == NO_NODE;
    return c->tick;
}

bool vector_clocks_after_epoch(const struct vector_clocks *c, uint32_t thread, uint32_t epoch,
                               uint32_t node)
{
    thread = c->apart ? thread : 0;
    return is_taken(c, node) && thread < c->thread_count
           && reach(c, &c->nodes[node], c->threads[thread].chain) >= epoch;
}

static bool knows(const struct vector_clocks *c, const struct clock_news *known, uint32_t node)
{
    return is_taken(c, node) && in_news(known, c->nodes[node].chain) >= c->nodes[node].sequence;
}

bool vector_clocks_knows(struct vector_clocks *c, uint32_t thread, uint32_t node)
{
    return knows(c, &goes_on(c, thread)->known, node);
}

bool vector_clocks_surely_knows(struct vector_clocks *c, uint32_t thread, uint32_t node)
{
    return knows(c, &goes_on(c, thread)->sure, node);
}

/* The thread that runs functions does each of them by itself. */
static bool is_itself(struct vector_clocks *c, uint32_t thread, uint32_t other)
{
    return !c->apart || (thread == other && thread_of(c, thread)->function == NO_NODE);
}

bool vector_clocks_knows_epoch(struct vector_clocks *c, uint32_t thread, uint32_t other,
                               uint32_t epoch)
{
    if (is_itself(c, thread, other))
        return true;
    uint32_t chain = thread_of(c, other)->chain;
    return in_news(&goes_on(c, thread)->known, chain) >= epoch;
}

bool vector_clocks_surely_knows_epoch(struct vector_clocks *c, uint32_t thread, uint32_t other,
                                      uint32_t epoch)
{
    if (is_itself(c, thread, other))
        return true;
    uint32_t chain = thread_of(c, other)->chain;
    return in_news(&goes_on(c, thread)->sure, chain) >= epoch;
}

bool vector_clocks_all_know(const struct vector_clocks *c, uint32_t node)
{
    for (uint32_t i = 0; i < c->thread_count; i++)
        if (c->threads[i].acts && !knows(c, &c->threads[i].known, node))
            return false;
    return true;
}

bool vector_clocks_any_knows(const struct vector_clocks *c, uint32_t node)
{
    for (uint32_t i = 0; i < c->thread_count; i++)
        if (!c->threads[i].of_runtime && knows(c, &c->threads[i].known, node))
            return true;
    return false;
}

void vector_clocks_thread_ends(struct vector_clocks *c, uint32_t thread)
{
    goes_on(c, thread)->acts = false;
}

/* ---- what threads tell each other ---- */

void vector_clocks_tell(struct vector_clocks *c, uint32_t thread, struct clock_news *news)
{
    struct clock_thread *t = goes_on(c, thread);
    raise_all(news, t->known.reached, t->known.count);
    raise_one(news, t->chain, c->tick++);
}

void vector_clocks_look(struct vector_clocks *c, uint32_t thread, const struct clock_news *news)
{
    struct clock_thread *t = goes_on(c, thread);
    t->acts |= t->function == NO_NODE;
    learns(t, raise_all(&t->known, news->reached, news->count));
}

void vector_clocks_hear(struct vector_clocks *c, uint32_t thread, const struct clock_news *news)
{
    vector_clocks_look(c, thread, news);
    raise_all(&thread_of(c, thread)->sure, news->reached, news->count);
}

void vector_clocks_hear_node(struct vector_clocks *c, uint32_t thread, uint32_t node)
{
    vector_clocks_ended(c, node);
    learns_node(c, goes_on(c, thread), node);
}

void vector_clocks_node_hears(struct vector_clocks *c, uint32_t node, const struct clock_news *news)
{
    vector_clocks_ended(c, node);
    struct clock_node *n = &c->nodes[node];
    c->scratch.count = 0;
    raise_vector(c, &c->scratch, n->vector);
    if (!raise_all(&c->scratch, news->reached, news->count))
        return;
    n->vector = save(c, &c->scratch);
    n->heard = true;
}

void vector_clocks_node_hears_node(struct vector_clocks *c, uint32_t node, uint32_t other)
{
    struct clock_news news = { 0 };
    raise_node(c, &news, &c->nodes[other]);
    vector_clocks_node_hears(c, node, &news);
    clock_news_fini(&news);
}

void vector_clocks_function_begins(struct vector_clocks *c, uint32_t thread, uint32_t node)
{
    vector_clocks_ended(c, node);
    struct clock_thread *t = goes_on(c, thread);
    t->known.count = 0;
    const struct clock_node *n = &c->nodes[node];
    raise_vector(c, &t->known, n->vector);
    raise_one(&t->known, n->chain, n->sequence - 1);    /* all before it there, and not itself */
    raise_one(&t->known, n->thread_chain, n->tick);
    t->sure.count = 0;
    raise_all(&t->sure, t->known.reached, t->known.count);
    t->function = node;
    t->function_version = ++t->version;
    t->acts = false;
    t->of_runtime = true;
}

void vector_clocks_function_ends(struct vector_clocks *c, uint32_t thread)
{
    struct clock_thread *t = goes_on(c, thread);
    if (t->version != t->function_version) {
        c->nodes[t->function].vector = saved(c, t);
        c->nodes[t->function].heard = true;
    }
    t->function = NO_NODE;
}
