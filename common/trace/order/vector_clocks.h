/* SPDX-License-Identifier: MIT */
/*
 * vector_clocks.h - "does this come before that?" in constant time, by guaranteed edges.
 *
 * Follows an order (happens_before.h). Nodes are put into chains, each ordered in
 * itself; a node knows of every chain how far along it comes before it. Memory
 * is linear in the nodes for a fixed number of streams: a node that learns of
 * nothing but its predecessor shares what that knows.
 *
 * Host threads are chains as well, whose epochs are ticks: a node comes after
 * what its thread had done when it queued it, a thread after what it has waited
 * for and after what others told it (vector_clocks_tell, vector_clocks_hear). Until `apart` is
 * set all host threads are one.
 *
 * A log is followed at once, node by node (vector_clocks_follow). Who is there while it
 * happens tells of nodes when they are made (vector_clocks_made) and of operations when
 * they end (vector_clocks_ended): by then a host function has heard all that it will.
 */
#ifndef TRACE_ORDER_VECTOR_CLOCKS_H
#define TRACE_ORDER_VECTOR_CLOCKS_H

#include "trace/order/happens_before.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What somebody knows: by chain, how far along. Zero: nothing. */
struct clock_news { uint32_t *reached; size_t count, capacity; };

struct vector_clocks {
    bool apart;                     /* host threads are told apart; set after vector_clocks_init */
    /* Owned by vector_clocks.c. */
    const struct happens_before *order;
    struct clock_node *nodes;
    size_t node_count, node_capacity;
    uint32_t *pool; /* vectors: a length and that many sequence numbers or ticks, by chain */
    size_t pool_count, pool_capacity;
    uint32_t *tail; /* by chain: the sequence number of its last node; a thread's: UINT32_MAX */
    size_t chain_count, tail_capacity;
    struct clock_thread *threads;
    size_t thread_count, thread_capacity;
    uint32_t tick;
    size_t taken;                   /* nodes before it have been taken in */
    size_t free_vector,
        next_free; /* chains before next_free have nodes that this vector does not know */
    struct clock_news scratch;
};

void vector_clocks_init(struct vector_clocks *c, const struct happens_before *order);
void vector_clocks_fini(struct vector_clocks *c);

/* Takes in the nodes that the order has made since the last time, whole. */
void vector_clocks_follow(struct vector_clocks *c);

/* The same in two steps. That there are new nodes, by threads that are still in the call that made
 * them … */
void vector_clocks_made(struct vector_clocks *c);
/* … and that one has ended, after all that it follows. A thread's waits end by themselves, when it
 * goes on. */
void vector_clocks_ended(struct vector_clocks *c, uint32_t node);

/* Does `first` end before `then` begins? False for first == then and for nodes that have not ended.
 */
bool vector_clocks_before(const struct vector_clocks *c, uint32_t first, uint32_t then);

/* ---- host threads ---- */

/* The thread's present: what it has done so far is told by that, what it does later is not, once it
 * has queued something or told somebody. */
uint32_t vector_clocks_epoch(struct vector_clocks *c, uint32_t thread);
/* Does `node` come after that epoch of the thread? */
bool vector_clocks_after_epoch(const struct vector_clocks *c, uint32_t thread, uint32_t epoch,
                               uint32_t node);
/* Does the present of the thread come after `node`; after that epoch of another one? */
bool vector_clocks_knows(struct vector_clocks *c, uint32_t thread, uint32_t node);
bool vector_clocks_knows_epoch(struct vector_clocks *c, uint32_t thread, uint32_t other,
                               uint32_t epoch);
/* The same two, what it knows by looks alone (vector_clocks_look) not counted. */
bool vector_clocks_surely_knows(struct vector_clocks *c, uint32_t thread, uint32_t node);
bool vector_clocks_surely_knows_epoch(struct vector_clocks *c, uint32_t thread, uint32_t other,
                                      uint32_t epoch);
/* Do all threads that have not ended know the node? Does any that does not run host functions? */
bool vector_clocks_all_know(const struct vector_clocks *c, uint32_t node);
bool vector_clocks_any_knows(const struct vector_clocks *c, uint32_t node);
void vector_clocks_thread_ends(struct vector_clocks *c, uint32_t thread);

/* Adds what the thread knows, itself included; takes in what is known there. The news are the
 * caller's. */
void vector_clocks_tell(struct vector_clocks *c, uint32_t thread, struct clock_news *news);
void vector_clocks_hear(struct vector_clocks *c, uint32_t thread, const struct clock_news *news);
/* The same, where the thread has only looked at a variable and has not waited for what it holds: it
 * comes after who wrote that, but the next writer need not wait for it. */
void vector_clocks_look(struct vector_clocks *c, uint32_t thread, const struct clock_news *news);
/* The thread has seen what the node did: it comes after it, as after a wait. */
void vector_clocks_hear_node(struct vector_clocks *c, uint32_t thread, uint32_t node);
/* The node has seen what is told there: it comes after that. */
void vector_clocks_node_hears(struct vector_clocks *c, uint32_t node,
                              const struct clock_news *news);
/* … or what `other` did, which has ended. */
void vector_clocks_node_hears_node(struct vector_clocks *c, uint32_t node, uint32_t other);

/* The thread runs this node's host function from here on: it knows what the node follows, and
 * nothing else, not even what the thread did in other functions. Who hears from it knows what it
 * has done by then. At its end the node comes after what it heard. */
void vector_clocks_function_begins(struct vector_clocks *c, uint32_t thread, uint32_t node);
void vector_clocks_function_ends(struct vector_clocks *c, uint32_t thread);

#ifdef __cplusplus
}
#endif
#endif
