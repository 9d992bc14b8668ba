/* SPDX-License-Identifier: MIT */
/*
 * graph.h - graphs of the program: nodes, what each waits for, what each does.
 *
 * A node holds the call that it becomes at a launch and the effect of that; a
 * launch takes shares of the effects, so that a graph may be launched again or
 * destroyed while earlier launches are still to come. An executable graph is a
 * copy of its own, its nodes in an order in which none comes before what it waits for.
 */
#ifndef SIM_GRAPH_GRAPH_H
#define SIM_GRAPH_GRAPH_H

#include "sim/graph/user_object.h"
#include "sim/handles.h"
#include "sim/include/graph_types.h"
#include "sim/kernel/effect.h"

/* A node's parameters as the program gave them, for calls that ask for them. A kernel's arguments
 * follow in the same block. */
struct node_params {
    unsigned shares;
    enum cudaGraphNodeType type;        /* a kernel's, or a copy's */
    struct cudaKernelNodeParams kernel;
    struct cudaMemcpy3DParms copy;
};

/* What a kernel's node has beside its parameters. Values as they were asked for. */
struct kernel_attributes {
    struct cudaAccessPolicyWindow window;
    int priority;
    bool cooperative;
    unsigned cluster[3];        /* 0: it says nothing */
    enum cudaClusterSchedulingPolicy scheduling;
    cudaLaunchMemSyncDomain domain;
    cudaLaunchMemSyncDomainMap map;
    unsigned carveout;
};

/* What a node waits for: the end of node number `node`, or with a port (a programmatic edge, from
 * kernel to kernel) its trigger or that all its blocks have begun; and the end in
 * cudaGridDependencySynchronize. */
struct graph_edge { uint32_t node; uint8_t port; };     /* cudaGraphKernelNodePort... */

struct graph_node {
    struct graph *graph;
    void *handle;               /* NULL in executable graphs */
    const void *origin;         /* handle of the node that this one is a copy of */
    enum cudaGraphNodeType type;
    struct call call; /* what it becomes at a launch: thread and stream are the launch's, and
                       * LAUNCH_DEPENDENT is its edges' */
    struct effect *effect;      /* NULL: none */
    struct graph_edge *after;   /* nodes of the graph that it waits for, each once */
    size_t after_count, after_capacity;
    bool disabled;              /* in executable graphs: it does nothing */
    struct graph_memory *memory;    /* that it allocates or frees; NULL: none */
    /* NULL: the call says all there is, or nothing has asked for those of a captured kernel yet. */
    struct node_params *given;
    struct kernel_attributes attributes;    /* of a kernel */
    struct bodies *bodies;      /* of a conditional node, its own (condition.h); NULL: none */
    void *child_handle;         /* of the child, once a program has asked for it */
    struct graph *child; /* its own; NULL: none. In executable graphs its nodes stand before this
                            one, which ends it: */
    uint32_t inner;             /* so many */
};

struct graph {
    struct graph_node **nodes;
    size_t count, capacity;
    bool executable;
    bool is_body;               /* of a conditional node (condition.h) */
    bool is_child;              /* of a node, and a program has asked for it */
    uint32_t asked; /* its place, from 1, among those whose nodes were asked for; 0: it is none of
                       them */
    uint32_t number;            /* of an executable one, from 1 */
    unsigned long long flags;   /* likewise: cudaGraphInstantiateFlag... */
    bool loaded;                /* likewise: its kernels were brought to the device */
    bool own_priorities;        /* likewise: its kernels have their nodes' and not the stream's */
    bool frees_first;           /* likewise: a launch frees what the one before has left */
    struct user_list user;      /* objects of the program's that it keeps */
};

extern struct handles graphs, graph_nodes, graph_execs;

struct graph *graph_new(bool executable);
void graph_free(struct graph *g);
/* The effect is the graph's from here on. Returns the number of the node. */
uint32_t graph_add(struct graph *g, enum cudaGraphNodeType type, const struct call *call,
                   struct effect *effect);
uint32_t graph_number(const struct graph_node *node);
/* Node number `then` waits for what the edge says. False: it waited for that node already. */
bool graph_depend(struct graph *g, struct graph_edge first, uint32_t then);
/* False: it did not wait for it. */
bool graph_part(struct graph *g, uint32_t first, uint32_t then);
/* Takes a node out, with all that it waits for and all that waits for it. */
void graph_remove(struct graph *g, uint32_t number);
/* A copy; executable ones are sorted. NULL: its nodes wait for one another in a circle. */
struct graph *graph_copy(const struct graph *g, bool executable);
/* Replaces what a node is and does, not its place. The effect is the graph's from here on, and so
 * are the parameters. */
void graph_node_set(struct graph_node *node, const struct call *call, struct effect *effect,
                    struct node_params *given);
/* Gives a node another child, which is the node's from here on. The handle of the one that it had
 * is no graph's any more. */
void graph_child_set(struct graph_node *node, struct graph *child);
/* NULL is fine. */
void given_drop(struct node_params *given);

#endif
