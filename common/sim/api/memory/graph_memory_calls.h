/* SPDX-License-Identifier: MIT */
/* graph_memory_calls.h - memory that graphs allocate, in calls: those that add nodes, and
 * cudaMallocAsync, cudaFreeAsync and cudaFree of it. */
#ifndef SIM_API_MEMORY_GRAPH_MEMORY_CALLS_H
#define SIM_API_MEMORY_GRAPH_MEMORY_CALLS_H

#include "sim/api/api_call.h"
#include "sim/graph/capture_state.h"
#include "sim/graph/graph_memory.h"

/* Memory for that many bytes; NULL where the status is no success. */
cudaError_t graph_memory_refuse_room(struct api_call *e, cudaError_t status, size_t bytes,
                                     int device, struct graph_memory **m);
/* Refuses what graph `g` may not free: memory that is none of a graph's (`m` is NULL), or that a
 * graph frees already. */
cudaError_t graph_memory_refuse_free(struct api_call *e, cudaError_t status, const struct graph *g,
                                     const struct graph_memory *m, const void *at);
/* The call allocates it or frees it, in a stream. */
void graph_memory_call(struct call *c, enum call_kind kind, const struct graph_memory *m,
                       size_t bytes);

/* The capture that the call's stream is in; NULL: none, or one that is broken. */
const struct capture *capture_of(const struct api_call *e, cudaError_t status);
/* cudaFreeAsync, whose stream is known, and cudaFree of such memory. Both finish the entry. */
cudaError_t graph_memory_free(struct api_call *e, cudaError_t status, struct graph_memory *m);
cudaError_t graph_memory_free_now(struct api_call *e, struct graph_memory *m);

#endif
