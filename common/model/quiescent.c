/* SPDX-License-Identifier: MIT */
#include "model/quiescent.h"

#include "trace/record/memory.h"

void quiescent_init(struct quiescent *s)
{
    memory_zero(s, sizeof *s);
    hb_init(&s->order);
}

void quiescent_fini(struct quiescent *s)
{
    hb_fini(&s->order);
    memory_resize(s->node, 0);
    memory_resize(s->wait, 0);
    memory_resize(s->stack, 0);
    quiescent_init(s);
}

static void push(struct quiescent *s, uint32_t node)
{
    if (s->node[node])
        return;
    s->node[node] = true;
    s->open -= !hb_is_wait(&s->order, node);
    MEMORY_GROW(s->stack, s->stack_count, s->stack_capacity);
    s->stack[s->stack_count++] = node;
}

/* The wait is over, and so is all that comes before it. */
static void complete_wait(struct quiescent *s, uint32_t wait)
{
    push(s, wait);
    while (s->stack_count > 0) {
        size_t count;
        const struct edge *edges = hb_edges(&s->order, s->stack[--s->stack_count], &count);
        for (size_t i = 0; i < count; i++)
            push(s, edges[i].from);
    }
}

static uint32_t *wait_of(struct quiescent *s, uint32_t thread)
{
    if (thread > s->thread_count)
        thread = 0;
    if (thread == s->thread_count) {
        MEMORY_GROW(s->wait, s->thread_count, s->thread_capacity);
        s->wait[s->thread_count++] = NO_NODE;
    }
    return &s->wait[thread];
}

/* Is it said of a node, in the middle of somebody's wait? */
static bool by_device(const struct call *c)
{
    return c->kind == CALL_COST || c->kind == CALL_FAULT || c->kind == CALL_HAZARD
           || (c->kind == CALL_MIGRATE && c->node != NO_NODE);
}

bool quiescent_before(struct quiescent *s, const struct call *c)
{
    if (by_device(c))
        return false;
    uint32_t *wait = wait_of(s, c->thread);
    if (*wait != NO_NODE)
        complete_wait(s, *wait);
    *wait = NO_NODE;
    return s->open == 0 && s->order.graph_stream == NO_NODE;
}

void quiescent_call(struct quiescent *s, const struct call *given)
{
    struct call c = *given;
    if (c.kind == CALL_LAUNCH)
        c.flags &= ~(uint32_t)LAUNCH_LOADS;
    struct step step = hb_call(&s->order, &c);
    for (; s->node_count < s->order.node_count; s->node_count++) {
        MEMORY_GROW(s->node, s->node_count, s->node_capacity);
        s->node[s->node_count] = false;
        s->open += !hb_is_wait(&s->order, (uint32_t)s->node_count);
    }
    if (step.wait != NO_NODE)
        *wait_of(s, c.thread) = step.wait;
}

void quiescent_prune(struct quiescent *s)
{
    uint32_t *number = (uint32_t *)memory_resize(NULL, (s->order.node_count + 1) * sizeof *number);
    s->node_count = hb_prune(&s->order, number);
    for (size_t i = 0; i < s->node_count; i++)
        s->node[i] = true;
    for (size_t i = 0; i < s->thread_count; i++)
        if (s->wait[i] != NO_NODE)
            s->wait[i] = number[s->wait[i]];
    memory_resize(number, 0);
}
