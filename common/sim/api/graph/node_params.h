/* SPDX-License-Identifier: MIT */
/* node_params.h - CUDA 12's parameters for nodes of any type. */
#ifndef SIM_API_GRAPH_NODE_PARAMS_H
#define SIM_API_GRAPH_NODE_PARAMS_H

#include "sim/api/graph/graph_parts.h"

/* What reads the parameters of this type, and which of them (*own); a type that there is not, and
 * NULL, it refuses. */
parts_reader *reader_of(const cudaGraphNodeParams *params, const void **own);

#endif
