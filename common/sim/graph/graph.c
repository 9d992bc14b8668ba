/* SPDX-License-Identifier: MIT */
#include "sim/graph/graph.h"

#include "sim/graph/condition.h"
#include "sim/graph/graph_memory.h"
#include "trace/record/memory.h"

struct handles graphs = { .first = 2 }, graph_nodes = { .first = 4 }, graph_execs = { .first = 6 };

struct graph *graph_new(bool executable)
{
    struct graph *g = memory_resize(NULL, sizeof *g);
    *g = (struct graph){ .executable = executable };
    return g;
}

void given_drop(struct node_params *given)
{
    if (given && --given->shares == 0)
        memory_resize(given, 0);
}

static struct node_params *given_share(struct node_params *given)
{
    if (given)
        given->shares++;
    return given;
}

static void drop_child(struct graph_node *node)
{
    if (node->child_handle)
        handle_take_back(&graphs, node->child_handle);
    if (node->child)
        graph_free(node->child);
    node->child_handle = NULL;
}

static void node_free(struct graph_node *node)
{
    handle_take_back(&graph_nodes, node->handle);
    effect_drop(node->effect);
    given_drop(node->given);
    graph_memory_release(node);
    drop_child(node);
    bodies_free(node->bodies);
    memory_resize(node->after, 0);
    memory_resize(node, 0);
}

void graph_free(struct graph *g)
{
    for (size_t i = 0; i < g->count; i++)
        node_free(g->nodes[i]);
    user_list_drop(&g->user);
    memory_resize(g->nodes, 0);
    memory_resize(g, 0);
    graph_memory_sweep();
}

uint32_t graph_add(struct graph *g, enum cudaGraphNodeType type, const struct call *call,
                   struct effect *effect)
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

bool graph_depend(struct graph *g, struct graph_edge first, uint32_t then)
{
    struct graph_node *node = g->nodes[then];
    for (size_t i = 0; i < node->after_count; i++)
        if (node->after[i].node == first.node)
            return false;
    node->after =
        memory_grow(node->after, node->after_count, &node->after_capacity, sizeof *node->after);
    node->after[node->after_count++] = first;
    return true;
}

bool graph_part(struct graph *g, uint32_t first, uint32_t then)
{
    struct graph_node *node = g->nodes[then];
    size_t kept = 0, before = node->after_count;
    for (size_t i = 0; i < before; i++)
        if (node->after[i].node != first)
            node->after[kept++] = node->after[i];
    node->after_count = kept;
    return kept < before;
}

void graph_remove(struct graph *g, uint32_t number)
{
    node_free(g->nodes[number]);
    g->count--;
    for (size_t i = number; i < g->count; i++)
        g->nodes[i] = g->nodes[i + 1];
    for (uint32_t i = 0; i < g->count; i++) {
        graph_part(g, number, i);
        for (size_t k = 0; k < g->nodes[i]->after_count; k++)
            g->nodes[i]->after[k].node -= g->nodes[i]->after[k].node > number;
    }
}

/* The nodes' numbers, each after all that it waits for; those that wait for
 * nothing in their own order. In a conditional node's body they run one after the other, and the
 * last added first: where an edge is missing the result shows it. False: there is a circle.
 * `position` gets the inverse. */
static bool sort(const struct graph *g, uint32_t *order, uint32_t *position)
{
    size_t done = 0, before = 1;
    for (size_t i = 0; i < g->count; i++)
        position[i] = UINT32_MAX;
    while (done < g->count && done != before) {
        before = done;
        for (uint32_t k = 0; k < g->count; k++) {
            const uint32_t i = g->is_body ? (uint32_t)g->count - 1 - k : k;
            const struct graph_node *node = g->nodes[i];
            size_t ready = 0;
            while (ready < node->after_count && position[node->after[ready].node] != UINT32_MAX)
                ready++;
            if (position[i] != UINT32_MAX || ready < node->after_count)
                continue;
            position[i] = (uint32_t)done;
            order[done++] = i;
        }
    }
    return done == g->count;
}

/* As it is: numbers stay. */
static struct graph *clone_of(const struct graph *g)
{
    struct graph *copy = graph_new(false);
    for (uint32_t i = 0; i < g->count; i++) {
        const struct graph_node *node = g->nodes[i];
        graph_add(copy, node->type, &node->call, node->effect ? effect_share(node->effect) : NULL);
        copy->nodes[i]->origin = node->handle;
        copy->nodes[i]->given = given_share(node->given);
        copy->nodes[i]->attributes = node->attributes;
        copy->nodes[i]->child = node->child ? clone_of(node->child) : NULL;
        for (size_t k = 0; k < node->after_count; k++)
            graph_depend(copy, node->after[k], i);
    }
    user_list_copy(&copy->user, &g->user);
    return copy;
}

/* Adds the nodes in an order in which they can run, those of child graphs before the node that
 * stands for the child; those that wait for nothing wait for what node `for_whom` of `outer` waits
 * for (NULL: nothing). False: there is a circle. `outer_position`: where the outer nodes are in the
 * copy. */
static bool flatten(struct graph *copy, const struct graph *g, const struct graph_node *for_whom,
                    const uint32_t *outer_position)
{
    uint32_t *order = memory_resize(NULL, 2 * (g->count + 1) * sizeof *order),
             *position = order + g->count + 1;
    bool sorted = sort(g, order, position);
    for (uint32_t i = 0; sorted && i < g->count; i++) {
        const struct graph_node *node = g->nodes[order[i]];
        uint32_t first = (uint32_t)copy->count;
        sorted = !node->child || flatten(copy, node->child, node, position);
        struct effect *effect = node->bodies   ? bodies_effect(node->bodies)
                                : node->effect ? effect_share(node->effect)
                                               : NULL;
        sorted = sorted && (effect || !node->bodies);
        uint32_t number = graph_add(copy, node->type, &node->call, effect);
        copy->nodes[number]->origin = node->handle;
        copy->nodes[number]->attributes = node->attributes;
        copy->nodes[number]->inner = number - first;
        if (node->memory)
            graph_memory_hold(copy, number, node->memory);
        for (size_t k = 0; k < node->after_count; k++)
            graph_depend(
                copy,
                (struct graph_edge){ position[node->after[k].node], node->after[k].port },
                number);
        for (size_t k = 0; for_whom && node->after_count == 0 && k < for_whom->after_count; k++)
            graph_depend(copy,
                         (struct graph_edge){ outer_position[for_whom->after[k].node], 0 },
                         number);
        for (uint32_t inner = first; inner < number; inner++)
            graph_depend(copy, (struct graph_edge){ inner, 0 }, number);
        position[order[i]] = number;
    }
    memory_resize(order, 0);
    return sorted;
}

struct graph *graph_copy(const struct graph *g, bool executable)
{
    if (!executable)
        return clone_of(g);
    static uint32_t executables;
    struct graph *copy = graph_new(true);
    copy->number = ++executables;
    user_list_copy(&copy->user, &g->user);
    if (flatten(copy, g, NULL, NULL))
        return copy;
    graph_free(copy);
    return NULL;
}

void graph_child_set(struct graph_node *node, struct graph *child)
{
    drop_child(node);
    node->child = child;
}

void graph_node_set(struct graph_node *node, const struct call *call, struct effect *effect,
                    struct node_params *given)
{
    effect_drop(node->effect);
    given_drop(node->given);
    node->given = given;
    node->call = *call;
    node->effect = effect;
}
