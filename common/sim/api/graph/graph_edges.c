/* SPDX-License-Identifier: MIT */
#include "sim/api/graph/graph_edges.h"

#include "sim/memory/because.h"

cudaError_t edge_refuse_data(struct api_call *e, cudaError_t status, const cudaGraphEdgeData *data,
                             enum cudaGraphNodeType first, enum cudaGraphNodeType then)
{
    const unsigned type = data->type, port = data->from_port;
    status = REFUSE(e, status, type > cudaGraphDependencyTypeProgrammatic, cudaErrorInvalidValue,
                    "the edge's type is %u, which is not known", type);
    status = REFUSE(e, status, data->to_port != 0, cudaErrorInvalidValue,
                    "the edge's to_port is %u and must be 0", (unsigned)data->to_port);
    status = REFUSE(e, status, port > cudaGraphKernelNodePortLaunchCompletion,
                    cudaErrorInvalidValue, "the edge's from_port is %u, which is not known", port);
    status = REFUSE(e, status, (type == cudaGraphDependencyTypeProgrammatic) != (port != 0),
                    cudaErrorInvalidValue,
                    "the edge's type is %u and its from_port %u: a programmatic edge, and no other, "
                    "comes from another port than cudaGraphKernelNodePortDefault",
                    type, port);
    status = REFUSE(e, status,
                    port != 0
                        && (first != cudaGraphNodeTypeKernel || then != cudaGraphNodeTypeKernel),
                    cudaErrorInvalidValue,
                    "the edge is programmatic, and its nodes are not both kernels");
    return status;
}

struct graph_edge edge_with_data(uint32_t node, const cudaGraphEdgeData *data)
{
    return (struct graph_edge){ node, data ? data->from_port : 0 };
}

cudaGraphEdgeData edge_data(unsigned port)
{
    return (cudaGraphEdgeData){ .from_port = (unsigned char)port,
                                .type = port ? cudaGraphDependencyTypeProgrammatic : 0 };
}

cudaError_t edge_refuse_lossy(struct api_call *e, cudaError_t status, bool lossy)
{
    return REFUSE(e, status, lossy, cudaErrorLossyQuery,
                  "some of the edges are programmatic, and there is no place for the edges' data");
}
