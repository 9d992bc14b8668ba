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

struct parts {
    enum cudaGraphNodeType type;
    struct call call;
    struct effect *effect;      /* the caller's when the status is success */
};

/* Opens a call about a graph: *g is it. */
cudaError_t graph_open(struct api_call *e, const char *name, cudaGraph_t graph, struct graph **g);

/* Refuses what needs a node: `node`, which a handle led to, is NULL. */
cudaError_t graph_refuse_no_node(struct api_call *e, cudaError_t status, const struct graph_node *node, cudaGraphNode_t handle);

/* File and line are those of the call that gives the parameters; a kernel that
 * is not loaded yet is loaded by it. */
cudaError_t parts_of_kernel(struct api_call *e, const struct cudaKernelNodeParams *params, struct parts *p);
cudaError_t parts_of_copy(struct api_call *e, const struct cudaMemcpy3DParms *params, struct parts *p);
cudaError_t parts_of_bytes(struct api_call *e, void *dst, const void *src, size_t bytes, enum cudaMemcpyKind kind,
                           struct parts *p);
cudaError_t parts_of_set(struct api_call *e, const struct cudaMemsetParams *params, struct parts *p);
cudaError_t parts_of_function(struct api_call *e, const struct cudaHostNodeParams *params, struct parts *p);

#endif
