/* SPDX-License-Identifier: MIT */
/* graph_edges.h - what the data of an edge say, and what cannot be said in them. */
#ifndef SIM_API_GRAPH_GRAPH_EDGES_H
#define SIM_API_GRAPH_GRAPH_EDGES_H

#include "sim/api/api_call.h"
#include "sim/graph/graph.h"

/* Refuses data that no edge between nodes of these types has [H, M]. */
cudaError_t edge_refuse_data(struct api_call *e, cudaError_t status, const cudaGraphEdgeData *data,
                             enum cudaGraphNodeType first, enum cudaGraphNodeType then);
/* The edge from node number `node` with data that are not refused; NULL: an ordinary one. */
struct graph_edge edge_with_data(uint32_t node, const cudaGraphEdgeData *data);
/* The data of an edge. */
cudaGraphEdgeData edge_data(unsigned port);
/* Refuses to list edges without their data where some are programmatic [H, M]. */
cudaError_t edge_refuse_lossy(struct api_call *e, cudaError_t status, bool lossy);

#endif
