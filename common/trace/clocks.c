/* SPDX-License-Identifier: MIT */
/*
 * DESIGN
 * A new node continues the chain of one of its predecessors if that is the last
 * of its chain; else any chain whose last node comes before it, so that chains
 * of streams that are gone are used again; else it begins one.
 *
 * What comes before a predecessor comes before the node: an edge from a node
 * that the chain's last one knows of brings nothing new. Mostly none does, and
 * the vector is shared. Own chains are compared by sequence number alone, so
 * that a shared vector may be behind there. A node that follows nothing but what
 * the host has waited for shares the host's vector with all such nodes.
 */
#include "trace/clocks.h"

#include "trace/memory.h"

struct clock_node {
    size_t vector;                  /* into the pool */
    uint32_t chain, sequence;       /* sequence numbers begin at 1 */
    uint32_t host_version;          /* what it knows of the host's waits */
};

void clocks_init(struct clocks *c)
{
    memory_zero(c, sizeof *c);
}

void clocks_fini(struct clocks *c)
{
    memory_resize(c->nodes, 0);
    memory_resize(c->pool, 0);
    memory_resize(c->tail, 0);
    memory_resize(c->host, 0);
    memory_resize(c->scratch, 0);
    clocks_init(c);
}

/* How far along `chain` what comes before `node` reaches; the node itself counts. */
static uint32_t reach(const struct clocks *c, const struct clock_node *node, uint32_t chain)
{
    if (chain == node->chain)
        return node->sequence;
    const uint32_t *vector = c->pool + node->vector;
    return chain < vector[0] ? vector[1 + chain] : 0;
}

static bool is_tail(const struct clocks *c, uint32_t node)
{
    return c->tail[c->nodes[node].chain] == c->nodes[node].sequence;
}

/* The predecessor whose chain the node continues; NO_NODE for none. */
static uint32_t choose_parent(const struct clocks *c, const struct edge *edges, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (edges[i].strength == GUARANTEED && is_tail(c, edges[i].from))
            return edges[i].from;
    return NO_NODE;
}

static bool brings_nothing(const struct clocks *c, const struct clock_node *parent, const struct edge *edges,
                           size_t count)
{
    if (parent->host_version != c->host_version)
        return false;
    for (size_t i = 0; i < count; i++) {
        const struct clock_node *from = &c->nodes[edges[i].from];
        if (edges[i].strength == GUARANTEED && reach(c, parent, from->chain) < from->sequence)
            return false;
    }
    return true;
}

/* ---- a vector of its own: gathered in the scratch space, one number a chain ---- */

static void gather(struct clocks *c, const struct edge *edges, size_t count)
{
    if (c->scratch_capacity < c->chain_count + 1) {
        c->scratch_capacity = 2 * (c->chain_count + 1);
        c->scratch = memory_resize(c->scratch, c->scratch_capacity * sizeof *c->scratch);
    }
    memory_zero(c->scratch, (c->chain_count + 1) * sizeof *c->scratch);
    for (size_t chain = 0; chain < c->host_count; chain++)
        c->scratch[chain] = c->host[chain];
    for (size_t i = 0; i < count; i++) {
        if (edges[i].strength != GUARANTEED)
            continue;
        const struct clock_node *from = &c->nodes[edges[i].from];
        const uint32_t *vector = c->pool + from->vector;
        for (uint32_t chain = 0; chain < vector[0]; chain++)
            if (vector[1 + chain] > c->scratch[chain])
                c->scratch[chain] = vector[1 + chain];
        if (from->sequence > c->scratch[from->chain])
            c->scratch[from->chain] = from->sequence;
    }
}

static uint32_t new_chain(struct clocks *c)
{
    c->tail = memory_grow(c->tail, c->chain_count, &c->tail_capacity, sizeof *c->tail);
    c->tail[c->chain_count] = 0;
    return (uint32_t)c->chain_count++;
}

static uint32_t free_chain(struct clocks *c)
{
    for (uint32_t chain = 0; chain < c->chain_count; chain++)
        if (c->scratch[chain] == c->tail[chain])
            return chain;
    return new_chain(c);
}

static size_t keep(struct clocks *c)
{
    size_t at = c->pool_count;
    c->pool = memory_grow(c->pool, at + c->chain_count, &c->pool_capacity, sizeof *c->pool);
    c->pool[at] = (uint32_t)c->chain_count;
    memory_copy(c->pool + at + 1, c->scratch, c->chain_count * sizeof *c->scratch);
    c->pool_count += 1 + c->chain_count;
    return at;
}

/* ---- the host ---- */

static void host_waited(struct clocks *c, const struct clock_node *wait)
{
    while (c->host_count < c->chain_count) {
        c->host = memory_grow(c->host, c->host_count, &c->host_capacity, sizeof *c->host);
        c->host[c->host_count++] = 0;
    }
    for (uint32_t chain = 0; chain < c->chain_count; chain++) {
        uint32_t reached = reach(c, wait, chain);
        if (reached > c->host[chain])
            c->host[chain] = reached;
    }
    c->host_version++;
}

static bool host_knows(const struct clocks *c, const struct clock_node *n)
{
    return n->chain < c->host_count && c->host[n->chain] >= n->sequence;
}

static bool host_knows_all(const struct clocks *c, const struct edge *edges, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (edges[i].strength == GUARANTEED && !host_knows(c, &c->nodes[edges[i].from]))
            return false;
    return true;
}

/* The host's vector: kept once for as long as it does not grow. */
static size_t host_vector(struct clocks *c)
{
    if (c->host_kept && c->kept_version == c->host_version)
        return c->kept_vector;
    size_t at = c->pool_count;
    c->pool = memory_grow(c->pool, at + c->host_count, &c->pool_capacity, sizeof *c->pool);
    c->pool[at] = (uint32_t)c->host_count;
    memory_copy(c->pool + at + 1, c->host, c->host_count * sizeof *c->host);
    c->pool_count += 1 + c->host_count;
    c->host_kept = true;
    c->kept_version = c->host_version;
    c->next_free = 0;
    return c->kept_vector = at;
}

/* A chain whose last node the host has waited for. One that is not free now gets so by a wait alone. */
static uint32_t chain_host_knows(struct clocks *c)
{
    for (; c->next_free < c->host_count; c->next_free++)
        if (c->host[c->next_free] == c->tail[c->next_free])
            return (uint32_t)c->next_free;
    return new_chain(c);
}

static void take(struct clocks *c, const struct order *o, uint32_t number)
{
    size_t count;
    const struct edge *edges = order_edges(o, number, &count);
    uint32_t parent = choose_parent(c, edges, count);
    struct clock_node node = { .host_version = c->host_version };
    if (parent != NO_NODE && brings_nothing(c, &c->nodes[parent], edges, count)) {
        node.vector = c->nodes[parent].vector;
        node.chain = c->nodes[parent].chain;
    } else if (host_knows_all(c, edges, count)) {
        node.vector = host_vector(c);
        node.chain = parent != NO_NODE ? c->nodes[parent].chain : chain_host_knows(c);
    } else {
        gather(c, edges, count);
        node.chain = parent != NO_NODE ? c->nodes[parent].chain : free_chain(c);
        node.vector = keep(c);
    }
    node.sequence = ++c->tail[node.chain];
    c->nodes = memory_grow(c->nodes, c->node_count, &c->node_capacity, sizeof *c->nodes);
    c->nodes[c->node_count++] = node;
    if (order_is_wait(o, number))
        host_waited(c, &node);
}

void clocks_follow(struct clocks *c, const struct order *o)
{
    while (c->node_count < o->node_count)
        take(c, o, (uint32_t)c->node_count);
}

/* ---- questions ---- */

bool clocks_before(const struct clocks *c, uint32_t first, uint32_t then)
{
    if (first >= then || then >= c->node_count)
        return false;
    const struct clock_node *earlier = &c->nodes[first];
    return reach(c, &c->nodes[then], earlier->chain) >= earlier->sequence;
}

bool clocks_host_knows(const struct clocks *c, uint32_t node)
{
    return node < c->node_count && host_knows(c, &c->nodes[node]);
}
