/* SPDX-License-Identifier: MIT */
#include "graph.h"

#include "trace/memory.h"

struct handles graphs = { .first = 2 }, graph_nodes = { .first = 4 }, graph_execs = { .first = 6 };

struct graph *graph_new(bool executable)
{
    struct graph *g = memory_resize(NULL, sizeof *g);
    *g = (struct graph){ .executable = executable };
    return g;
}

void graph_free(struct graph *g)
{
    for (size_t i = 0; i < g->count; i++) {
        struct graph_node *node = g->nodes[i];
        handle_take_back(&graph_nodes, node->handle);
        effect_drop(node->effect);
        memory_resize(node->after, 0);
        memory_resize(node, 0);
    }
    memory_resize(g->nodes, 0);
    memory_resize(g, 0);
}

uint32_t graph_add(struct graph *g, enum cudaGraphNodeType type, const struct call *call, struct effect *effect)
{
    struct graph_node *node = memory_resize(NULL, sizeof *node);
    *node = (struct graph_node){ .graph = g, .type = type, .call = *call, .effect = effect };
    if (!g->executable)
        node->handle = handle_give(&graph_nodes, node);
    g->nodes = memory_grow(g->nodes, g->count, &g->capacity, sizeof *g->nodes);
    g->nodes[g->count] = node;
    return (uint32_t)g->count++;
}

uint32_t graph_number(const struct graph_node *node)
{
    uint32_t number = 0;
    while (node->graph->nodes[number] != node)
        number++;
    return number;
}

bool graph_depend(struct graph *g, uint32_t first, uint32_t then)
{
    struct graph_node *node = g->nodes[then];
    for (size_t i = 0; i < node->after_count; i++)
        if (node->after[i] == first)
            return false;
    node->after = memory_grow(node->after, node->after_count, &node->after_capacity, sizeof *node->after);
    node->after[node->after_count++] = first;
    return true;
}

/* The nodes' numbers, each after all that it waits for; those that wait for
 * nothing in their own order. False: there is a circle. `place` gets the inverse. */
static bool sort(const struct graph *g, uint32_t *order, uint32_t *place)
{
    size_t done = 0, before = 1;
    for (size_t i = 0; i < g->count; i++)
        place[i] = UINT32_MAX;
    while (done < g->count && done != before) {
        before = done;
        for (uint32_t i = 0; i < g->count; i++) {
            const struct graph_node *node = g->nodes[i];
            size_t ready = 0;
            while (ready < node->after_count && place[node->after[ready]] != UINT32_MAX)
                ready++;
            if (place[i] != UINT32_MAX || ready < node->after_count)
                continue;
            place[i] = (uint32_t)done;
            order[done++] = i;
        }
    }
    return done == g->count;
}

struct graph *graph_copy(const struct graph *g, bool executable)
{
    uint32_t *order = memory_resize(NULL, 2 * (g->count + 1) * sizeof *order), *place = order + g->count + 1;
    struct graph *copy = NULL;
    bool sorted = sort(g, order, place);
    for (uint32_t i = 0; i < g->count && !executable; i++)
        order[i] = place[i] = i;
    if (sorted || !executable)
        copy = graph_new(executable);
    for (uint32_t i = 0; copy && i < g->count; i++) {
        const struct graph_node *node = g->nodes[order[i]];
        graph_add(copy, node->type, &node->call, node->effect ? effect_share(node->effect) : NULL);
        copy->nodes[i]->origin = node->handle;
        for (size_t k = 0; k < node->after_count; k++)
            graph_depend(copy, place[node->after[k]], i);
    }
    memory_resize(order, 0);
    return copy;
}

void graph_node_set(struct graph_node *node, const struct call *call, struct effect *effect)
{
    effect_drop(node->effect);
    node->call = *call;
    node->effect = effect;
}
