/* SPDX-License-Identifier: MIT */
/* kernel_attributes.h - what a kernel's node does because of its attributes. */
#ifndef SIM_API_GRAPH_KERNEL_ATTRIBUTES_H
#define SIM_API_GRAPH_KERNEL_ATTRIBUTES_H

#include "sim/api/api_call.h"
#include "sim/graph/graph.h"

/* Puts what the attributes say into a node's call and effect. Refuses, as an error of `said`, what
 * a launch with them would be refused. */
cudaError_t attributes_apply(struct call *said, const struct kernel_attributes *a,
                             struct call *node, struct effect *effect);
/* The same for all kernels of a graph, those of child graphs and of bodies too. */
cudaError_t attributes_apply_all(struct api_call *e, cudaError_t status, const struct graph *g);

#endif
