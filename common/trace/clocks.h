/* SPDX-License-Identifier: MIT */
/*
 * clocks.h - "does this come before that?" in constant time, by guaranteed edges.
 *
 * Follows an order (order.h) node by node. Nodes are put into chains, each
 * ordered in itself; a node knows of every chain how far along it comes before
 * it. Memory is linear in the nodes for a fixed number of streams: a node that
 * learns of nothing but its predecessor shares what that knows.
 *
 * One difference to order_before: how host threads order one another (joins,
 * locks) is not seen, so that a wait of one thread counts for all that any
 * thread does later. With one host thread the two agree.
 */
#ifndef TRACE_CLOCKS_H
#define TRACE_CLOCKS_H

#include "trace/order.h"

#ifdef __cplusplus
extern "C" {
#endif

struct clocks {
    /* Owned by clocks.c. */
    struct clock_node *nodes;
    size_t node_count, node_capacity;
    uint32_t *pool;                 /* vectors: a length and so many sequence numbers, by chain */
    size_t pool_count, pool_capacity;
    uint32_t *tail;                 /* by chain: the sequence number of its last node */
    size_t chain_count, tail_capacity;
    uint32_t *host;                 /* by chain: how far the host has waited for it */
    size_t host_count, host_capacity;
    uint32_t host_version;          /* how often that grew */
    bool host_kept;                 /* that is a vector in the pool, too: */
    uint32_t kept_version;
    size_t kept_vector;
    size_t next_free;               /* chains before it have nodes that the host of that version does not know */
    uint32_t *scratch;
    size_t scratch_capacity;
};

void clocks_init(struct clocks *c);
void clocks_fini(struct clocks *c);

/* Takes in the nodes that the order has made since the last time. */
void clocks_follow(struct clocks *c, const struct order *o);

/* Does `first` end before `then` begins? False for first == then and for nodes it has not taken in. */
bool clocks_before(const struct clocks *c, uint32_t first, uint32_t then);
/* Has the host, any thread of it, waited for `node`? */
bool clocks_host_knows(const struct clocks *c, uint32_t node);

#ifdef __cplusplus
}
#endif
#endif
