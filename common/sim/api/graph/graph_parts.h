/* SPDX-License-Identifier: MIT */
/*
 * graph_parts.h - what a node's parameters make of it: the call that it becomes
 * and the effect of that. Parameters are read once, here; kernel arguments too.
 */
#ifndef SIM_API_GRAPH_GRAPH_PARTS_H
#define SIM_API_GRAPH_GRAPH_PARTS_H

#include "sim/api/api_call.h"
#include "sim/graph/graph.h"
#include "sim/memory/because.h"

struct bodies;
struct graph_memory;

struct parts {
    struct graph *graph;        /* that the node is for */
    enum cudaGraphNodeType type;
    struct call call;
    struct effect *effect;      /* the caller's when the status is success */
    struct node_params *given;        /* likewise; NULL: none that are worth keeping */
    struct graph_memory *memory;    /* that the node allocates or frees; NULL: none */
    struct bodies *bodies;      /* of a conditional node, the caller's likewise; NULL: none */
    struct graph *child;        /* likewise of a node of a child graph */
};

/* Opens a call about a graph: *g is it. */
cudaError_t graph_open(struct api_call *e, const char *name, cudaGraph_t graph, struct graph **g);

/* Refuses what needs a node: `node`, which a handle led to, is NULL. */
cudaError_t graph_refuse_no_node(struct api_call *e, cudaError_t status,
                                 const struct graph_node *node, cudaGraphNode_t handle);

/* Opens a call about the copy that the executable graph has of a node: *node is it. */
cudaError_t graph_open_copy(struct api_call *e, const char *name, cudaGraphExec_t exec,
                            cudaGraphNode_t origin, struct graph_node **node);

/* Do two copies go between the same kinds of memory? Others need another executable graph [H]. */
bool graph_same_kinds(const struct call *a, const struct call *b);

/* Refuses graphs that allocate or free memory [M], and those with conditional nodes [H]. */
cudaError_t graph_refuse_memory(struct api_call *e, cudaError_t status, const struct graph *g,
                                const char *what);
cudaError_t graph_refuse_condition(struct api_call *e, cudaError_t status, const struct graph *g,
                                   const char *what);

/* What cudaGraphAddMemcpyNode1D has in place of parameters. */
struct copied_bytes { void *dst; const void *src; size_t bytes; enum cudaMemcpyKind direction; };

/* Reads the parameters that the program gave, which may be NULL: struct cudaKernelNodeParams,
 * cudaMemcpy3DParms, copied_bytes, cudaMemsetParams, cudaHostNodeParams, cudaConditionalNodeParams
 * (and sets its phGraph_out), cudaMemAllocNodeParams (and its dptr), the address to free, the
 * event, the child graph, which is cloned [H]. An empty node has none. File and line are those of
 * the call that gives them; a kernel that is not loaded yet is loaded by it. */
typedef cudaError_t parts_reader(struct api_call *e, const void *params, struct parts *p);
parts_reader parts_of_kernel, parts_of_copy, parts_of_bytes, parts_of_set, parts_of_function,
    parts_of_allocation, parts_of_free, parts_of_record, parts_of_wait, parts_of_condition,
    parts_of_child, parts_of_empty;

/* A copy to a variable of the device's, or from it. */
struct copied_symbol {
    bool to;
    const void *symbol;
    void *other;
    size_t bytes, offset;
    enum cudaMemcpyKind direction;
};
parts_reader parts_of_symbol;

/* The executable graph's node gets what the nodes of another child graph do [H]. */
cudaError_t child_update(struct api_call *e, struct graph_node *node, const struct graph *child);

/* Begins them: the call is the one that gives the parameters, of this kind. */
void parts_begin(struct parts *p, const struct api_call *e, enum cudaGraphNodeType type,
                 enum call_kind kind);

/* Refuses bodies of conditional nodes that have what they must not: to be run, they may only have
 * kernels, copies, memsets, and nodes with such graphs. */
cudaError_t conditional_refuse_others(struct api_call *e, cudaError_t status,
                                      const struct graph *g);

#endif
