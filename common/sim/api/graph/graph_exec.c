/* SPDX-License-Identifier: MIT */
/* Graphs that can be run: instantiating, launching, destroying. */
#include "sim/api/api_call.h"
#include "sim/api/event.h"
#include "sim/api/graph/graph_parts.h"
#include "sim/api/graph/kernel_attributes.h"
#include "sim/api/stream.h"
#include "sim/graph/graph_memory.h"
#include "sim/host/note.h"
#include "sim/memory/because.h"

/* The call does this with the graph (GRAPH_MADE, …): it costs by what the graph has. */
static void does(struct call *c, const struct graph *g, uint32_t what)
{
    c->flags |= what;
    c->graph = (struct call_graph){ .nodes = (uint32_t)g->count };
    c->graph_roots = 0;
    for (size_t i = 0; i < g->count; i++) {
        c->graph.kernels += g->nodes[i]->call.kind == CALL_LAUNCH;
        c->graph.copies += g->nodes[i]->call.kind == CALL_COPY;
        c->graph_roots += g->nodes[i]->after_count == 0;
    }
}

/* Memory has one address: one executable graph at a time can allocate it [M]. */
static cudaError_t refuse_second(struct api_call *e, cudaError_t status, const struct graph *g)
{
    for (size_t i = 0; status == cudaSuccess && i < g->count; i++) {
        const struct graph_node *node = g->nodes[i];
        status = REFUSE(
            e, status,
            node->memory && node->type == cudaGraphNodeTypeMemAlloc && node->memory->execs > 0,
            cudaErrorNotSupported,
            "the graph allocates memory, and an executable graph that was made of it is still there");
    }
    return status;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags)
{
    struct api_call e;
    cudaError_t status = api_open(&e, CALL_OTHER, "cudaGraphInstantiate");
    const unsigned long long known = cudaGraphInstantiateFlagAutoFreeOnLaunch
                                     | cudaGraphInstantiateFlagUpload
                                     | cudaGraphInstantiateFlagUseNodePriority;
    struct graph *g = handle_find(&graphs, graph);
    status = refuse_null(&e, status, exec, "first argument, pGraphExec");
    status = REFUSE(&e, status, !g, cudaErrorInvalidValue,
                    "the second argument, graph, is not valid: %s",
                    words_of_handle(&graphs, graph, "cudaGraphDestroy").text);
    status = REFUSE(&e, status, flags & ~known, cudaErrorInvalidValue,
                    "the third argument, flags, is %#llx, which has a bit that is not known here",
                    flags);
    status = status == cudaSuccess ? conditional_refuse_others(&e, refuse_second(&e, status, g), g)
                                   : status;
    if (status == cudaSuccess)
        status = attributes_apply_all(&e, status, g);
    struct graph *copy = status == cudaSuccess ? graph_copy(g, true) : NULL;
    if (copy) {
        copy->flags = flags & ~(unsigned long long)cudaGraphInstantiateFlagUpload;      /* [H] */
        copy->own_priorities = flags & cudaGraphInstantiateFlagUseNodePriority;
        copy->frees_first = flags & cudaGraphInstantiateFlagAutoFreeOnLaunch;
        e.call.dst = (uintptr_t)(*exec = handle_give(&graph_execs, copy));
        copy->loaded = (flags & cudaGraphInstantiateFlagUpload) != 0;
        does(&e.call, copy, GRAPH_MADE | (copy->loaded ? GRAPH_LOADED : 0));
    }
    status = REFUSE(&e, status, !copy, cudaErrorInvalidValue,
                    "some nodes of the graph wait for each other in a circle");
    return api_finish(&e, status);
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph,
                                          unsigned long long flags)
{
    return cudaGraphInstantiate(exec, graph, flags);
}

static cudaError_t refuse_no_exec(struct api_call *e, cudaError_t status, const struct graph *g,
                                  cudaGraphExec_t exec)
{
    return REFUSE(e, status, !g, cudaErrorInvalidValue, "the executable graph is not valid: %s",
                  words_of_handle(&graph_execs, exec, "cudaGraphExecDestroy").text);
}

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t exec, unsigned long long *flags)
{
    struct api_call e;
    cudaError_t status = api_open(&e, CALL_OTHER, "cudaGraphExecGetFlags");
    const struct graph *g = handle_find(&graph_execs, exec);
    status = refuse_null(&e, refuse_no_exec(&e, status, g, exec), flags, "second argument, flags");
    if (status == cudaSuccess)
        *flags = g->flags;
    return api_finish(&e, status);
}

/* Launches that are under way have their own shares of what the nodes do. */
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec)
{
    struct api_call e;
    cudaError_t status = api_open(&e, CALL_OTHER, "cudaGraphExecDestroy");
    struct graph *g = handle_find(&graph_execs, exec);
    status = refuse_no_exec(&e, status, g, exec);
    if (status == cudaSuccess) {
        e.call.dst = (uintptr_t)exec;
        does(&e.call, g, GRAPH_DROPPED);
        handle_take_back(&graph_execs, exec);
        graph_free(g);
    }
    return api_finish(&e, status);
}

static cudaError_t open_exec(struct api_call *e, enum call_kind kind, const char *name,
                             cudaGraphExec_t exec, cudaStream_t stream, struct graph **g)
{
    cudaError_t status = api_open(e, kind, name);
    *g = handle_find(&graph_execs, exec);
    status = refuse_no_exec(e, status, *g, exec);
    return status != cudaSuccess ? status : stream_find(e, stream);
}

cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream)
{
    struct api_call e;
    struct graph *g;
    cudaError_t status = open_exec(&e, CALL_OTHER, "cudaGraphUpload", exec, stream, &g);
    if (status == cudaSuccess && !g->loaded) {
        does(&e.call, g, GRAPH_LOADED);
        g->loaded = true;
    }
    return api_finish(&e, status);
}

/* Kernels have the priority of the stream that the graph is launched in, or with
 * cudaGraphInstantiateFlagUseNodePriority their nodes' [H]. */
static void set_priority(struct call *c, const struct graph *g, const struct graph_node *node)
{
    const struct stream *stream = stream_numbered(c->stream);
    bool own = g->own_priorities && node->type == cudaGraphNodeTypeKernel;
    if (c->kind != CALL_LAUNCH || (!own && !stream->priority_changed))
        return;
    c->flags |= LAUNCH_PRIORITY;
    c->priority = own ? node->attributes.priority : stream->priority;
}

static void add_nodes(struct api_call *e, const struct graph *g)
{
    uint32_t first = (uint32_t)sim.timeline.span_count;
    for (size_t i = 0; i < g->count; i++) {
        const struct graph_node *node = g->nodes[i];
        struct call call = node->call;
        for (size_t k = 0; k < node->after_count; k++) {
            uint32_t before = node->after[k].node, flags = 0;
            if (node->after[k].port && !node->disabled && !g->nodes[before]->disabled)
                flags = LAUNCH_DEPENDENT;
            call.flags |= flags;
            if (flags && node->after[k].port == cudaGraphKernelNodePortLaunchCompletion)
                flags |= EDGE_AT_LAUNCH;
            api_add(e,
                    &(struct call){ .kind = CALL_GRAPH_EDGE, .stream = e->call.stream,
                                    .src = before, .flags = flags },
                    NULL);
        }
        if (node->disabled)
            call.kind = CALL_GRAPH_EMPTY;
        call.flags |= GRAPH_NODE;
        call.stream = e->call.stream;
        set_priority(&call, g, node);
        uint32_t made =
            api_add(e, &call, node->effect && !node->disabled ? effect_share(node->effect) : NULL);
        if (node->type == cudaGraphNodeTypeEventRecord)
            event_recorded(call.event, made);
        if (node->type == cudaGraphNodeTypeMemAlloc)
            graph_memory_taken(node->memory);
        if (node->type == cudaGraphNodeTypeMemFree)
            graph_memory_freed(node->memory, made);
    }
    api_add(e,
            &(struct call){ .kind = CALL_GRAPH_END, .name = e->call.name, .device = e->call.device,
                            .stream = e->call.stream },
            NULL);
    user_list_used(&g->user, first, (uint32_t)sim.timeline.span_count);
}

/* Does a node before this one allocate the memory? */
static bool allocates(const struct graph *g, size_t before, const struct graph_memory *m)
{
    for (size_t i = 0; i < before; i++)
        if (g->nodes[i]->type == cudaGraphNodeTypeMemAlloc && g->nodes[i]->memory == m)
            return true;
    return false;
}

/* What a launch allocates must have been freed before, and what it frees must be there [M]. */
static cudaError_t refuse_unfreed(struct api_call *e, cudaError_t status, const struct graph *g)
{
    for (size_t i = 0; status == cudaSuccess && i < g->count; i++) {
        const struct graph_memory *m = g->nodes[i]->memory;
        bool makes = m && g->nodes[i]->type == cudaGraphNodeTypeMemAlloc;
        status = REFUSE(
            e, status, makes && m->live && !g->frees_first, cudaErrorInvalidValue,
            "memory that the graph allocates (%s) was not freed since the graph's last launch",
            words_of_location(&g->nodes[i]->call).text);
        status = REFUSE(
            e, status, m && !makes && !m->live && !allocates(g, i, m), cudaErrorInvalidValue,
            "memory that the graph frees is not allocated: no launch did so, or it was freed since");
    }
    return status;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream)
{
    struct api_call e;
    struct graph *g;
    cudaError_t status = open_exec(&e, CALL_GRAPH_LAUNCH, "cudaGraphLaunch", exec, stream, &g);
    e.call.src = g ? g->number : 0;
    status = status == cudaSuccess ? refuse_unfreed(&e, status, g) : status;
    if (status == cudaSuccess)
        does(&e.call, g, g->loaded ? 0 : GRAPH_LOADED);
    status = api_make(&e, status, NULL);
    bool launched = e.call.kind == CALL_GRAPH_LAUNCH && e.call.status == 0 && !sim.in_effect;
    if (launched) {
        g->loaded = true;
        add_nodes(&e, g);
    }
    if (launched && sim.launch_blocking) {
        struct call wait = { .kind = CALL_STREAM_SYNC, .name = e.call.name, .file = e.call.file,
                             .line = e.call.line, .device = e.call.device,
                             .stream = e.call.stream };
        note(&wait);
        status = sim.sticky;
    }
    return api_close(&e, status);
}
