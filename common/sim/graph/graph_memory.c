/* SPDX-License-Identifier: MIT */
#include "sim/graph/graph_memory.h"

#include "sim/memory/allocation.h"
#include "trace/record/memory.h"

static struct graph_memory *memories;

struct graph_memory *graph_memory_make(size_t bytes, int device)
{
    graph_memory_sweep();
    size_t total = (size_t)sim.card->memory_mib << 20;
    bool room = bytes <= total && allocation_total(MEM_DEVICE, device) <= total - bytes;
    char *at = room ? allocation_make(MEM_DEVICE, bytes, device) : NULL;
    if (!at)
        return NULL;
    struct graph_memory *m = memory_resize(NULL, sizeof *m);
    *m = (struct graph_memory){
        .at = at, .bytes = bytes, .device = device, .freed = NO_NODE, .next = memories
    };
    return memories = m;
}

struct graph_memory *graph_memory_find(const void *at)
{
    struct graph_memory *m = memories;
    while (m && (!m->at || m->at != (const char *)at))
        m = m->next;
    return m;
}

void graph_memory_hold(struct graph *g, uint32_t number, struct graph_memory *m)
{
    struct graph_node *node = g->nodes[number];
    node->memory = m;
    m->holders++;
    if (g->executable)
        m->execs += node->type == cudaGraphNodeTypeMemAlloc;
    else if (node->type == cudaGraphNodeTypeMemFree)
        m->freer = g;
}

void graph_memory_release(struct graph_node *node)
{
    struct graph_memory *m = node->memory;
    if (!m)
        return;
    m->holders--;
    if (node->graph->executable)
        m->execs -= node->type == cudaGraphNodeTypeMemAlloc;
    else if (node->type == cudaGraphNodeTypeMemFree)
        m->freer = NULL;
    node->memory = NULL;
}

static struct graph_memory_use uses[CARD_DEVICES];

struct graph_memory_use *graph_memory_use(int device)
{
    struct graph_memory_use *u = &uses[device];
    u->used = 0;
    for (const struct graph_memory *m = memories; m; m = m->next)
        if (m->device == device && m->live)
            u->used += m->bytes;
    return u;
}

static void raise_to(uint64_t *high, uint64_t value)
{
    *high = *high < value ? value : *high;
}

void graph_memory_taken(struct graph_memory *m)
{
    m->live = true;
    struct graph_memory_use *u = graph_memory_use(m->device);
    raise_to(&u->used_high, u->used);
    raise_to(&u->reserved, u->used);
    raise_to(&u->reserved_high, u->reserved);
}

void graph_memory_trim(int device)
{
    graph_memory_sweep();
    struct graph_memory_use *u = graph_memory_use(device);
    u->reserved = u->used;
}

void graph_memory_freed(struct graph_memory *m, uint32_t node)
{
    m->live = false;
    m->freed = node;
}

static bool is_over(const struct graph_memory *m)
{
    bool used = m->freed != NO_NODE && sim.timeline.spans[m->freed].end == TIME_NEVER;
    return m->holders == 0 && !m->live && !used;
}

void graph_memory_sweep(void)
{
    for (struct graph_memory **link = &memories; *link;) {
        struct graph_memory *m = *link;
        if (!is_over(m)) {
            link = &m->next;
            continue;
        }
        *link = m->next;
        if (m->at)
            allocation_drop(m->at);
        memory_resize(m, 0);
    }
}

void graph_memory_reset(int device)
{
    for (struct graph_memory *m = memories; m; m = m->next)
        if (m->device == device) {
            m->at = NULL;
            m->live = false;
        }
}

bool graph_has_memory(const struct graph *g)
{
    for (size_t i = 0; i < g->count; i++)
        if (g->nodes[i]->memory)
            return true;
    return false;
}
