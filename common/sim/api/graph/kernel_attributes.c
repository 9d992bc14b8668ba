/* SPDX-License-Identifier: MIT */
/*
 * Attributes of kernels' nodes. A new node has those of a launch without any, a captured one those
 * of the launch and its stream (launch.c). That a value is valid, and that the node's kernel can be
 * launched with it, is looked at when it is set [M: facts/h200-edges.txt]; the latter once more
 * when the graph is made executable: the node may have other parameters then.
 */
#include "sim/api/graph/kernel_attributes.h"

#include <string.h>

#include "sim/api/graph/graph_parts.h"
#include "sim/api/kernel_table.h"
#include "sim/graph/condition.h"

/* ---- what they do ---- */

cudaError_t attributes_apply(struct call *said, const struct kernel_attributes *a,
                             struct call *node, struct effect *effect)
{
    const struct kernel_entry *kernel = kernel_entry(&effect->kernel);
    unsigned cluster[3];
    memcpy(cluster, a->cluster, sizeof cluster);
    cudaError_t status = launch_check_cluster(said, effect->grid, kernel, cluster);
    const struct cooperative how = {
        effect->grid, effect->block, effect->shared, cluster,
        node->dst_device > 0 ? node->dst_device - 1 : node->device
    };
    if (status == cudaSuccess && a->cooperative)
        status = launch_check_cooperative(said, &how, kernel);
    if (status != cudaSuccess)
        return status;
    node->cluster = cluster[0] * cluster[1] * cluster[2];
    memcpy(effect->kernel.cluster, cluster, sizeof cluster);
    effect->cooperative = a->cooperative;
    return status;
}

cudaError_t attributes_apply_all(struct api_call *e, cudaError_t status, const struct graph *g)
{
    for (size_t i = 0; status == cudaSuccess && i < g->count; i++) {
        struct graph_node *node = g->nodes[i];
        if (node->type == cudaGraphNodeTypeKernel)
            status = attributes_apply(&e->call, &node->attributes, &node->call, node->effect);
        if (node->child)
            status = attributes_apply_all(e, status, node->child);
        for (size_t k = 0; node->bodies && k < node->bodies->count; k++)
            status = attributes_apply_all(e, status, node->bodies->graphs[k]);
    }
    return status;
}

/* ---- the calls ---- */

static cudaError_t refuse_no_kernel(struct api_call *e, cudaError_t status,
                                    const struct graph_node *node, cudaGraphNode_t handle)
{
    status = graph_refuse_no_node(e, status, node, handle);
    return REFUSE(e, status, node->type != cudaGraphNodeTypeKernel, cudaErrorInvalidValue,
                  "the node is not a kernel's, and others have no attributes");
}

static cudaError_t open_node(struct api_call *e, const char *name, cudaGraphNode_t handle,
                             const void *value, struct graph_node **node)
{
    cudaError_t status = api_open(e, CALL_OTHER, name);
    *node = handle_find(&graph_nodes, handle);
    status = refuse_no_kernel(e, status, *node, handle);
    return refuse_null(e, status, value, "third argument, value"); /* a card's driver crashes [M] */
}

cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t handle, enum cudaLaunchAttributeID id,
                                            const cudaLaunchAttributeValue *value)
{
    struct api_call e;
    struct graph_node *node;
    struct reason why;
    cudaError_t status =
        open_node(&e, "cudaGraphKernelNodeSetAttribute", handle, value, &node);
    cudaError_t error =
        status == cudaSuccess ? attribute_check(id, value, OF_NODE, &why) : cudaSuccess;
    status = REFUSE(&e, status, error != cudaSuccess, error, "%s", why.text);
    if (status == cudaSuccess) {
        struct kernel_attributes a = node->attributes;
        attribute_put(&a, id, value);
        status = attributes_apply(&e.call, &a, &node->call, node->effect);
        node->attributes = status == cudaSuccess ? a : node->attributes;
    }
    return api_finish(&e, status);
}

cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t handle, enum cudaLaunchAttributeID id,
                                            cudaLaunchAttributeValue *value)
{
    struct api_call e;
    struct graph_node *node;
    cudaError_t status =
        open_node(&e, "cudaGraphKernelNodeGetAttribute", handle, value, &node);
    bool known = status == cudaSuccess && attribute_get(&node->attributes, id, value);
    status = REFUSE(&e, status, !known, cudaErrorInvalidValue,
                    "attribute %d is not one of a kernel's node here", (int)id);
    return api_finish(&e, status);
}

/* Both must be of the same device's context [H]. */
cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t to, cudaGraphNode_t from)
{
    struct api_call e;
    cudaError_t status = api_open(&e, CALL_OTHER, "cudaGraphKernelNodeCopyAttributes");
    struct graph_node *target = handle_find(&graph_nodes, to),
                      *source = handle_find(&graph_nodes, from);
    status = refuse_no_kernel(&e, status, target, to);
    status = refuse_no_kernel(&e, status, source, from);
    status = REFUSE(&e, status, target->call.device != source->call.device,
                    cudaErrorDeviceUninitialized,
                    "the nodes are of devices %u and %u, and attributes are copied between nodes of one",
                    target->call.device, source->call.device);
    if (status == cudaSuccess)
        target->attributes = source->attributes;
    return api_finish(&e, status);
}
