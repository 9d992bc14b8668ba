/* SPDX-License-Identifier: MIT */
/*
 * clocks.h - "does this come before that?" in constant time, by guaranteed edges.
 *
 * Follows an order (order.h). Nodes are put into chains, each ordered in
 * itself; a node knows of every chain how far along it comes before it. Memory
 * is linear in the nodes for a fixed number of streams: a node that learns of
 * nothing but its predecessor shares what that knows.
 *
 * Host threads are chains as well, whose moments are ticks: a node comes after
 * what its thread had done when it queued it, a thread after what it has waited
 * for and after what others told it (clocks_tell, clocks_hear). Until `apart` is
 * set all host threads are one.
 *
 * A log is followed at once, node by node (clocks_follow). Who is there while it
 * happens tells of nodes when they are made (clocks_made) and of operations when
 * they end (clocks_ended): by then a host function has heard all that it will.
 */
#ifndef TRACE_CLOCKS_H
#define TRACE_CLOCKS_H

#include "trace/order.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What somebody knows: by chain, how far along. Zero: nothing. */
struct clock_news { uint32_t *reached; size_t count, capacity; };

struct clocks {
    bool apart;                     /* host threads are told apart; set after clocks_init */
    /* Owned by clocks.c. */
    const struct order *order;
    struct clock_node *nodes;
    size_t node_count, node_capacity;
    uint32_t *pool;                 /* vectors: a length and so many sequence numbers or ticks, by chain */
    size_t pool_count, pool_capacity;
    uint32_t *tail;                 /* by chain: the sequence number of its last node; a thread's: UINT32_MAX */
    size_t chain_count, tail_capacity;
    struct clock_thread *threads;
    size_t thread_count, thread_capacity;
    uint32_t tick;
    size_t taken;                   /* nodes before it have been taken in */
    size_t free_vector, next_free;  /* chains before next_free have nodes that this vector does not know */
    struct clock_news scratch;
};

void clocks_init(struct clocks *c, const struct order *order);
void clocks_fini(struct clocks *c);

/* Takes in the nodes that the order has made since the last time, whole. */
void clocks_follow(struct clocks *c);

/* The same in two steps. That there are new nodes, by threads that are still in the call that made them … */
void clocks_made(struct clocks *c);
/* … and that one has ended, after all that it follows. A thread's waits end by themselves, when it goes on. */
void clocks_ended(struct clocks *c, uint32_t node);

/* Does `first` end before `then` begins? False for first == then and for nodes that have not ended. */
bool clocks_before(const struct clocks *c, uint32_t first, uint32_t then);

/* ---- host threads ---- */

/* The thread's present: what it has done so far is told by that, what it does later is not, once it has
 * queued something or told somebody. */
uint32_t clocks_moment(struct clocks *c, uint32_t thread);
/* Does `node` come after that moment of the thread? */
bool clocks_after_moment(const struct clocks *c, uint32_t thread, uint32_t moment, uint32_t node);
/* Does the present of the thread come after `node`; after that moment of another one? */
bool clocks_knows(struct clocks *c, uint32_t thread, uint32_t node);
bool clocks_knows_moment(struct clocks *c, uint32_t thread, uint32_t other, uint32_t moment);
/* Do all threads that have not ended know the node? Does any? */
bool clocks_all_know(const struct clocks *c, uint32_t node);
bool clocks_any_knows(const struct clocks *c, uint32_t node);
void clocks_thread_ends(struct clocks *c, uint32_t thread);

/* Adds what the thread knows, itself included; takes in what is known there. The news are the caller's
 * (clock_news_fini). */
void clocks_tell(struct clocks *c, uint32_t thread, struct clock_news *news);
void clocks_hear(struct clocks *c, uint32_t thread, const struct clock_news *news);
void clock_news_fini(struct clock_news *news);
/* The thread has seen what the node did: it comes after it, as after a wait. */
void clocks_hear_node(struct clocks *c, uint32_t thread, uint32_t node);
/* The node has seen what is told there: it comes after that. */
void clocks_node_hears(struct clocks *c, uint32_t node, const struct clock_news *news);

/* The thread runs this node's host function from here on: it knows what the node follows, and nothing
 * else, not even what the thread did in other functions. Who hears from it knows what it has done by then.
 * At its end the node comes after what it heard. */
void clocks_function_begins(struct clocks *c, uint32_t thread, uint32_t node);
void clocks_function_ends(struct clocks *c, uint32_t thread);

#ifdef __cplusplus
}
#endif
#endif
