/* SPDX-License-Identifier: MIT */
/* order_state.h - the inside of order: order.c, order_graph.c. */
#ifndef TRACE_ORDER_STATE_H
#define TRACE_ORDER_STATE_H

#include "trace/order.h"

struct order_node {
    size_t first_edge;
    uint32_t edge_count;
    uint32_t thread;
    size_t call;
    bool wait;
};

struct order_stream {
    uint32_t device, flags;
    uint32_t last;              /* latest operation, NO_NODE for none */
    uint32_t kernel;            /* latest kernel */
    uint32_t before_loading;    /* latest kernel when the device last loaded one */
    uint32_t loading;           /* kernels here wait for what came before that kernel's loading */
};

struct graph_place {
    uint32_t node;
    bool followed;              /* another node of the graph waits for it */
};

/* ---- order.c ---- */

/* The latest wait of a thread. */
uint32_t *order_thread_wait(struct order *o, uint32_t thread);
/* One more edge of the node that is being made; NO_NODE makes none. */
void order_add_edge(struct order *o, uint32_t from, enum strength strength);
/* The edges of what work that `c` queues waits for: its stream and its thread. */
void order_add_start(struct order *o, const struct call *c);
/* Makes the node with the edges from `first_edge` on. */
uint32_t order_add_node(struct order *o, const struct call *c, size_t first_edge, bool wait);

/* ---- order_graph.c ---- */

void order_graph_begins(struct order *o, const struct call *c);
/* The next node waits for one that is there. */
void order_graph_node_awaits(struct order *o, const struct call *c);
uint32_t order_graph_add_node(struct order *o, const struct call *c);
/* The stream goes on after the graph's last node; where there is not just one,
 * after a node that joins them: that one is returned. */
uint32_t order_graph_ends(struct order *o, const struct call *c);

#endif
