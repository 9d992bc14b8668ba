/* SPDX-License-Identifier: MIT */
/*
 * DESIGN
 * When a graph is made executable, its nodes are written down, those of graphs
 * inside it too, each after those that it waits for. A launch copies them into
 * the log. CUPTI names the nodes of what ran by ids; the halves of an id are a
 * graph's and the node's own in it, and the second is the same in the copy that
 * is executed; the ids of a graph inside it follow all that came before, the
 * graphs inside that one's next [measured, driver 580.159].
 */
#include "recorder.h"

#include <stdlib.h>

#include "trace/record/call.h"
#include "trace/record/memory.h"

#define NODES_MAX 65536u
#define CONDITIONAL 13u         /* CU_GRAPH_NODE_TYPE_CONDITIONAL, which cuda.h has since 12.3 */

struct node {
    CUgraphNode handle;
    CUgraphNodeType type;
    uint64_t id;                /* in the executable graph */
    struct call call;           /* kind and what belongs to it */
    CUDA_HOST_NODE_PARAMS host;
    uint32_t *after;            /* indices */
    size_t after_count, after_capacity;
};

struct plan { struct node *nodes; size_t count, capacity; };

/* A launch: which calls its nodes became. */
struct launched { size_t first; const struct plan *plan; size_t *number; };

static struct map plans;        /* of executable graphs, by handle: index in `plan` */
static struct plan **plan;
static size_t plan_count, plan_capacity;
static struct map launches;     /* by the call of the launch */
static struct launched *launch;
static size_t launch_count, launch_capacity;

static uint32_t kind_of(CUmemorytype type, CUdeviceptr device, const void *host, uint32_t *where)
{
    return memory_at(type == CU_MEMORYTYPE_HOST ? host : (const void *)(uintptr_t)device, where);
}

static void describe_copy(struct node *n)
{
    CUDA_MEMCPY3D p;
    struct call *c = &n->call;
    c->kind = CALL_COPY;
    c->flags |= CALL_ASYNC;
    c->name = record_string("cudaMemcpyAsync");
    if (cu.copy_params(n->handle, &p) != CUDA_SUCCESS)
        return;
    c->bytes = p.WidthInBytes * (p.Height ? p.Height : 1) * (p.Depth ? p.Depth : 1);
    c->dst = p.dstMemoryType == CU_MEMORYTYPE_HOST ? (uint64_t)(uintptr_t)p.dstHost : p.dstDevice;
    c->src = p.srcMemoryType == CU_MEMORYTYPE_HOST ? (uint64_t)(uintptr_t)p.srcHost : p.srcDevice;
    c->dst_kind = kind_of(p.dstMemoryType, p.dstDevice, p.dstHost, &c->dst_device);
    c->src_kind = kind_of(p.srcMemoryType, p.srcDevice, p.srcHost, &c->src_device);
}

static void describe_kernel(struct node *n)
{
    CUDA_KERNEL_NODE_PARAMS_v1 p = { 0 };
    struct call *c = &n->call;
    const char *name = NULL;
    c->kind = CALL_LAUNCH;
    if (cu.kernel_params(n->handle, &p) != CUDA_SUCCESS)
        return;
    const uint32_t grid[3] = { p.gridDimX, p.gridDimY, p.gridDimZ };
    const uint32_t block[3] = { p.blockDimX, p.blockDimY, p.blockDimZ };
    memory_copy(c->grid, grid, sizeof grid);
    memory_copy(c->block, block, sizeof block);
    c->shared = p.sharedMemBytes;
    if (cu.function_name && p.func && cu.function_name(&name, p.func) == CUDA_SUCCESS)
        c->name = call_kernel_name(name);
}

static void describe_set(struct node *n)
{
    CUDA_MEMSET_NODE_PARAMS p;
    struct call *c = &n->call;
    c->kind = CALL_SET;
    c->flags |= CALL_ASYNC;
    c->name = record_string("cudaMemsetAsync");
    if (cu.set_params(n->handle, &p) != CUDA_SUCCESS)
        return;
    c->dst = p.dst;
    c->bytes = p.width * p.elementSize * (p.height ? p.height : 1);
    c->dst_kind = memory_at((const void *)(uintptr_t)p.dst, &c->dst_device);
}

static void describe(struct node *n)
{
    n->call = (struct call){
        .kind = CALL_GRAPH_EMPTY, .flags = GRAPH_NODE, .cost = COST_UNKNOWN, .node = NO_NODE
    };
    switch (n->type) {
    case CU_GRAPH_NODE_TYPE_KERNEL: describe_kernel(n); break;
    case CU_GRAPH_NODE_TYPE_MEMCPY: describe_copy(n); break;
    case CU_GRAPH_NODE_TYPE_MEMSET: describe_set(n); break;
    case CU_GRAPH_NODE_TYPE_HOST:
        n->call.kind = CALL_HOST_FUNC;
        n->call.name = record_string("cudaLaunchHostFunc");
        cu.host_params(n->handle, &n->host);
        break;
    default: break;
    }
}

static void wait_for(struct node *n, size_t index)
{
    MEMORY_GROW(n->after, n->after_count, n->after_capacity);
    n->after[n->after_count++] = (uint32_t)index;
}

/* Nodes in an order in which each comes after those that it waits for. */
static bool sort(const struct node *nodes, size_t count, size_t *order)
{
    size_t done = 0;
    bool *placed = memory_resize(NULL, count + 1);
    memory_zero(placed, count + 1);
    for (bool moved = true; moved && done < count;) {
        moved = false;
        for (size_t i = 0; i < count; i++) {
            bool ready = !placed[i];
            for (size_t k = 0; k < nodes[i].after_count && ready; k++)
                ready = placed[nodes[i].after[k]];
            if (ready) {
                order[done++] = i;
                placed[i] = moved = true;
            }
        }
    }
    memory_resize(placed, 0);
    return done == count;
}

/* The call without edge data fails for a graph that has programmatic edges [measured, driver
 * 580.159]. */
static bool read_edges(CUgraph graph, CUgraphNode *from, CUgraphNode *to, size_t *count)
{
    if (!cu.graph_edges_of_kinds)
        return cu.graph_edges(graph, from, to, count) == CUDA_SUCCESS;
    struct edge_kind *kinds = from ? memory_resize(NULL, (*count + 1) * sizeof *kinds) : NULL;
    bool good = cu.graph_edges_of_kinds(graph, from, to, kinds, count) == CUDA_SUCCESS;
    memory_resize(kinds, 0);
    return good;
}

/* Adds a graph's own nodes, and their edges. Its ids begin at `ids`: those of an executable graph's
 * parts follow one another. */
static bool read_nodes(struct plan *p, CUgraph graph, uint64_t ids)
{
    size_t count = 0, edges = 0, first = p->count;
    if (cu.graph_nodes(graph, NULL, &count) != CUDA_SUCCESS || count > NODES_MAX - first
        || !read_edges(graph, NULL, NULL, &edges))
        return false;
    CUgraphNode *handles = memory_resize(NULL, (count + 1) * sizeof *handles);
    CUgraphNode *ends = memory_resize(NULL, (2 * edges + 1) * sizeof *ends);
    struct map indices = { 0 };
    cu.graph_nodes(graph, handles, &count);
    read_edges(graph, ends, ends + edges, &edges);
    for (size_t i = 0; i < count; i++) {
        MEMORY_GROW(p->nodes, p->count, p->capacity);
        struct node *n = &p->nodes[p->count];
        *n = (struct node){ .handle = handles[i], .type = CU_GRAPH_NODE_TYPE_EMPTY };
        map_put(&indices, (uint64_t)(uintptr_t)handles[i], p->count++);
        cu.node_type(handles[i], &n->type);
        cu.cuptiGetGraphNodeId(handles[i], &n->id);
        n->id = ids + (uint32_t)n->id;
        describe(n);
    }
    for (size_t i = 0; i < edges; i++) {
        uint64_t from = map_get(&indices, (uint64_t)(uintptr_t)ends[i]);
        uint64_t to = map_get(&indices, (uint64_t)(uintptr_t)ends[edges + i]);
        if (from != MAP_NONE && to != MAP_NONE)
            wait_for(&p->nodes[to], from);
    }
    memory_resize(handles, 0), memory_resize(ends, 0), memory_resize(indices.entries, 0);
    return true;
}

/* One more than the greatest id. */
static uint64_t ids_end(const struct plan *p)
{
    uint64_t end = 0;
    for (size_t i = 0; i < p->count; i++)
        end = p->nodes[i].id >= end ? p->nodes[i].id + 1 : end;
    return end;
}

/* The node's own graph runs where the node is: what waits for nothing in it waits for what the node
 * waits for, and the node for all of it. */
static bool read_inside(struct plan *p, size_t outer, bool *any)
{
    CUgraph graph;
    size_t first = p->count, before = p->nodes[outer].after_count;
    *any = true;
    if (cu.child_graph(p->nodes[outer].handle, &graph) != CUDA_SUCCESS
        || !read_nodes(p, graph, ids_end(p)))
        return false;
    size_t end = p->count;
    for (size_t i = first; i < end; i++) {
        bool waits = p->nodes[i].after_count > 0;
        for (size_t k = 0; !waits && k < before; k++)
            wait_for(&p->nodes[i], p->nodes[outer].after[k]);
        wait_for(&p->nodes[outer], i);
    }
    for (size_t i = first; i < end; i++)
        if (p->nodes[i].type == CU_GRAPH_NODE_TYPE_GRAPH && !read_inside(p, i, any))
            return false;
    return true;
}

/* The nodes in their order. False: there is none. */
static bool put_in_order(struct plan *p)
{
    size_t *order = memory_resize(NULL, 2 * (p->count + 1) * sizeof *order),
           *index = order + p->count + 1;
    struct node *sorted = memory_resize(NULL, (p->count + 1) * sizeof *sorted);
    bool good = sort(p->nodes, p->count, order);
    for (size_t i = 0; good && i < p->count; i++) {
        sorted[i] = p->nodes[order[i]];
        index[order[i]] = i;
    }
    for (size_t i = 0; good && i < p->count; i++)
        for (size_t k = 0; k < sorted[i].after_count; k++)
            sorted[i].after[k] = (uint32_t)index[sorted[i].after[k]];
    memory_resize(p->nodes, 0), memory_resize(order, 0);
    p->nodes = sorted;
    return good;
}

static struct plan *read_graph(CUgraph graph)
{
    struct plan *p = memory_resize(NULL, sizeof *p);
    *p = (struct plan){ .nodes = NULL };
    bool good = read_nodes(p, graph, 0), inside = false, conditional = false;
    for (size_t i = 0, own = p->count; good && i < own; i++)
        good = p->nodes[i].type != CU_GRAPH_NODE_TYPE_GRAPH || read_inside(p, i, &inside);
    for (size_t i = 0; i < p->count; i++)
        conditional |= (unsigned)p->nodes[i].type == CONDITIONAL;
    if (inside && conditional)
        record_lost(
            "a graph with a conditional node and a graph in it was launched: the recorder cannot tell their nodes apart");
    if (good && put_in_order(p))
        return p;
    memory_resize(p->nodes, 0), memory_resize(p, 0);
    return NULL;
}

void graph_instantiated(cudaGraphExec_t exec, cudaGraph_t graph)
{
    struct plan *p = read_graph((CUgraph)graph);
    if (!p)
        return;
    MEMORY_GROW(plan, plan_count, plan_capacity);
    plan[plan_count] = p;
    map_put(&plans, (uint64_t)(uintptr_t)exec, plan_count++);
}

/* The nodes stay, and do from now on what those of the other graph do: of the same kinds, in the
 * same order. */
void graph_updated(cudaGraphExec_t exec, cudaGraph_t graph)
{
    uint64_t index = map_get(&plans, (uint64_t)(uintptr_t)exec);
    struct plan *newer = index == MAP_NONE ? NULL : read_graph((CUgraph)graph);
    for (size_t i = 0; newer && i < newer->count && i < plan[index]->count; i++) {
        plan[index]->nodes[i].call = newer->nodes[i].call;
        plan[index]->nodes[i].host = newer->nodes[i].host;
    }
}

/* What it was is still told of launches before. */
void graph_destroyed(cudaGraphExec_t exec)
{
    map_remove(&plans, (uint64_t)(uintptr_t)exec);
}

uint64_t graph_number(cudaGraphExec_t exec)
{
    uint64_t index = map_get(&plans, (uint64_t)(uintptr_t)exec);
    return index == MAP_NONE ? 0 : index + 1;
}

void graph_launched(cudaGraphExec_t exec, size_t number, const struct call *c)
{
    uint64_t index = map_get(&plans, (uint64_t)(uintptr_t)exec);
    struct call end = *c;
    end.kind = CALL_GRAPH_END;
    if (index == MAP_NONE) {
        record_lost("a graph was launched whose making the recorder has not seen");
        record_add(&end);
        return;
    }
    struct plan *p = plan[index];
    MEMORY_GROW(launch, launch_count, launch_capacity);
    size_t *numbers = memory_resize(NULL, (p->count + 1) * sizeof *numbers);
    for (size_t i = 0; i < p->count; i++) {
        struct node *n = &p->nodes[i];
        for (size_t k = 0; k < n->after_count; k++)
            record_add(&(struct call){ .kind = CALL_GRAPH_EDGE, .stream = c->stream,
                                       .src = n->after[k], .thread = c->thread, .begin = c->end,
                                       .end = c->end, .node = NO_NODE });
        struct call node = n->call;
        node.thread = c->thread;
        node.device = stream_device(c->stream);
        node.stream = c->stream;
        node.file = c->file;
        node.line = c->line;
        node.begin = c->begin;      /* some run before the launch returns */
        node.end = c->end;
        numbers[i] = record_add(&node);
        if (node.kind == CALL_HOST_FUNC)
            function_expect(n->host.userData, n->host.fn, numbers[i]);
    }
    end.begin = end.end = c->end;
    record_add(&end);
    launch[launch_count] = (struct launched){ number, p, numbers };
    map_put(&launches, number, launch_count++);
}

size_t graph_node_call(size_t number, uint64_t node_id)
{
    uint64_t index = map_get(&launches, number);
    if (index == MAP_NONE)
        return NO_CALL;
    const struct plan *p = launch[index].plan;
    for (size_t i = 0; i < p->count; i++)
        if ((uint32_t)p->nodes[i].id == (uint32_t)node_id
            && p->nodes[i].call.kind != CALL_GRAPH_EMPTY)
            return launch[index].number[i];
    return NO_CALL; /* one of a conditional node's body: that node has no time of its own here */
}
