/* SPDX-License-Identifier: MIT */
/*
 * graph_memory.h - memory that a graph's node allocates.
 *
 * It has its address from when the node is made until the graph and what was instantiated from it
 * are gone. A launch allocates it and a free node, cudaFreeAsync or cudaFree gives it back: in
 * between it is live. It may outlive its graph, as long as it is live.
 */
#ifndef SIM_GRAPH_GRAPH_MEMORY_H
#define SIM_GRAPH_GRAPH_MEMORY_H

#include "sim/graph/graph.h"

struct graph_memory {
    char *at;
    size_t bytes;
    int device;
    bool live;                  /* as the host sees it: by what was launched or freed so far */
    unsigned holders;           /* nodes of graphs, executable ones too */
    unsigned execs;             /* executable graphs that allocate it */
    const struct graph *freer;  /* the graph with a free node for it; NULL: none has one */
    uint32_t freed;             /* node that freed it last; NO_NODE: none, or the host did */
    struct graph_memory *next;
};

/* NULL: the device has no room. */
struct graph_memory *graph_memory_make(size_t bytes, int device);
/* What begins there; NULL: that is none. */
struct graph_memory *graph_memory_find(const void *at);
/* Makes node number `number` one that allocates or frees it (its type says so). */
void graph_memory_hold(struct graph *g, uint32_t number, struct graph_memory *m);
/* The node goes. */
void graph_memory_release(struct graph_node *node);
/* It was freed, by this node (NO_NODE: by the host). */
void graph_memory_freed(struct graph_memory *m, uint32_t node);
/* Frees memory that no node holds and no work uses any more. */
void graph_memory_sweep(void);
/* The device's memory is gone. */
void graph_memory_reset(int device);
/* What a device's graphs have taken: by what was launched so far. What is freed stays reserved
 * until it is trimmed. */
struct graph_memory_use { uint64_t used, used_high, reserved, reserved_high; };
struct graph_memory_use *graph_memory_use(int device);
/* Memory of the device is live from here on. */
void graph_memory_taken(struct graph_memory *m);
void graph_memory_trim(int device);

/* Has the graph a node that allocates or frees? */
bool graph_has_memory(const struct graph *g);

#endif
