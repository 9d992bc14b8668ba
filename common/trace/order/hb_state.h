/* SPDX-License-Identifier: MIT */
/* hb_state.h - the inside of order: happens_before.c, hb_streams.c, hb_graph.c, hb_queries.c. */
#ifndef TRACE_ORDER_HB_STATE_H
#define TRACE_ORDER_HB_STATE_H

#include "trace/order/happens_before.h"

struct hb_node {
    size_t first_edge;
    uint32_t edge_count;
    uint32_t thread;
    size_t call;
    bool wait;
};

struct hb_stream {
    uint32_t device, flags;
    uint32_t last;              /* latest operation, NO_NODE for none */
    uint32_t kernel;            /* latest kernel */
    bool kernel_last; /* the latest operation is that kernel, or its rest; events recorded since do
                         not count */
    uint32_t before_barrier;    /* latest operation when the device last had a barrier */
    uint32_t barrier;           /* barriers that operations here have waited for */
    uint32_t loading;           /* kernels here wait for what came before that kernel's loading */
    uint32_t newer, older; /* its place among the device's streams, by their latest operations */
};

/* Latest waits of a thread for many streams of a device; NO_NODE for none. */
struct hb_swept { uint32_t barrier, whole, observed; };

struct hb_thread {
    uint32_t wait;              /* its latest */
    struct hb_swept swept[HB_DEVICES];
};

struct graph_member {
    uint32_t node;              /* of a dependent launch, its rest */
    uint32_t kernel;            /* NO_NODE: it is none */
    bool followed;              /* another node of the graph waits for it */
};

struct awaited {
    uint32_t node;              /* of a dependent launch, its rest */
    uint32_t kernel;            /* whose trigger is enough for a kernel; NO_NODE: none is */
    bool at_launch;             /* that its blocks have begun is enough */
};

/* ---- happens_before.c ---- */

/* One more edge of the node that is being made; NO_NODE makes none. */
void hb_add_edge(struct happens_before *o, uint32_t from, enum strength strength);
/* The edges of what work that `c` queues waits for: its stream and its thread. */
void hb_add_start(struct happens_before *o, const struct call *c);
/* Makes the node with the edges from `first_edge` on. */
uint32_t hb_add_node(struct happens_before *o, const struct call *c, size_t first_edge, bool wait);

/* In place of an edge to a kernel, those of a dependent launch after it: TRIGGERED or BEGUN. */
void hb_add_trigger(struct happens_before *o, const struct call *c, uint32_t kernel,
                    enum strength when);
/* The rest of the dependent launch `kernel`, after what it did not wait for the end of. */
uint32_t hb_add_rest(struct happens_before *o, const struct call *c, uint32_t kernel,
                     const struct awaited *before, size_t count);

/* ---- hb_streams.c ---- */

/* Is it a node, and newer than that one (NO_NODE: than none)? */
bool hb_newer(uint32_t node, uint32_t than);
void hb_announce_stream(struct happens_before *o, const struct call *c);
/* The stream's latest operation, the newest of all, is this one. */
void hb_stream_goes_on(struct happens_before *o, uint32_t stream, uint32_t node, bool kernel);
/* Edges to the latest operations of the device's streams: all of them, or those that the legacy
 * barrier knows; newer than `than` only. */
void hb_add_device(struct happens_before *o, uint32_t device, bool all, uint32_t than,
                   enum strength strength);
/* What work in this stream waits for: the stream's own, and the legacy barrier [G, S, M]. */
void hb_add_stream(struct happens_before *o, const struct hb_stream *s);
/* A kernel's first launch under lazy loading waits for the kernels of the whole
 * device, and later ones wait for them too [G "Lazy Loading", M]. */
void hb_add_loading(struct happens_before *o, const struct call *c);

/* ---- hb_graph.c ---- */

void hb_graph_begins(struct happens_before *o, const struct call *c);
/* The next node waits for one that is there. */
void hb_graph_node_awaits(struct happens_before *o, const struct call *c);
struct step hb_graph_add_node(struct happens_before *o, const struct call *c);
/* The stream goes on after the graph's last node; where there is not just one,
 * after a node that joins them: that one is returned. */
uint32_t hb_graph_ends(struct happens_before *o, const struct call *c);

#endif
