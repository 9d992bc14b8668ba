/* SPDX-License-Identifier: MIT */
/*
 * condition.h - conditional nodes: a value that kernels set, and the graphs that run as it says.
 *
 * To the model such a node is a kernel of one block, which takes as long as the kernels of its
 * bodies take one after the other (kernel.c). It runs them at its start: the effects of a body's
 * nodes, in an order in which none comes before what it waits for.
 */
#ifndef SIM_GRAPH_CONDITION_H
#define SIM_GRAPH_CONDITION_H

#include "sim/graph/graph.h"

/* What a handle stands for. */
struct condition {
    unsigned value;
    const char *set_by; /* the kernel that set it last, since the launch before; NULL: none */
    unsigned initial;
    bool assigned; /* its node has `initial` anew at each launch; if not, what the one before has
                      left */
    const struct graph *graph;  /* whose it is */
    cudaGraphConditionalHandle handle;
    bool used;                  /* a node has it */
};

/* The bodies of a conditional node, which the graph owns. */
struct bodies {
    struct condition *condition;
    enum cudaGraphConditionalNodeType type;
    size_t count;
    struct graph **graphs;
    cudaGraph_t *handles;
};

cudaGraphConditionalHandle condition_new(const struct graph *graph, unsigned initial,
                                         bool assigned);
/* NULL: there is none. */
struct condition *condition_find(cudaGraphConditionalHandle handle);

struct bodies *bodies_new(struct condition *condition, enum cudaGraphConditionalNodeType type,
                          size_t count);
/* NULL is fine. */
void bodies_free(struct bodies *b);
/* What such a node does, with its bodies as they are now. NULL: some nodes of a body wait for one
 * another in a circle. */
struct effect *bodies_effect(const struct bodies *b);

/* Has the graph a conditional node? Is it a conditional node's body? */
bool graph_has_condition(const struct graph *g);
bool graph_is_body(const struct graph *g);

#endif
