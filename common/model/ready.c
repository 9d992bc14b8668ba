/* SPDX-License-Identifier: MIT */
/*
 * DESIGN
 * Copies that are ready, of cards whose engines do not take them in issue order. A heap has the oldest on top, and each
 * stream a list of its own, the oldest first: for the most part of one, since what a stream does it does in order. A copy
 * that went ahead with its stream stays in the heap until it comes up there, and is passed over: any number of streams
 * may wait.
 */
#include "model/state.h"

#include "trace/record/memory.h"

static void sift_up(struct heap *h, size_t i)
{
    uint32_t node = h->node[i];
    for (; i > 0 && h->node[(i - 1) / 2] > node; i = (i - 1) / 2)
        h->node[i] = h->node[(i - 1) / 2];
    h->node[i] = node;
}

static void drop_top(struct heap *h)
{
    uint32_t node = h->node[--h->count];
    size_t i = 0;
    for (size_t below; (below = 2 * i + 1) < h->count; i = below) {
        below += below + 1 < h->count && h->node[below + 1] < h->node[below];
        if (node <= h->node[below])
            break;
        h->node[i] = h->node[below];
    }
    h->node[i] = node;
}

static uint32_t *list_of(const struct model *m, uint32_t stream, unsigned lane)
{
    return &m->state->streams[stream].ready[lane];
}

void ready_add(struct model *m, struct device *d, unsigned lane, uint32_t node)
{
    struct heap *h = &d->ready[lane];
    MEMORY_GROW(h->node, h->count, h->capacity);
    h->node[h->count++] = node;
    sift_up(h, h->count - 1);
    uint32_t *at = list_of(m, m->timeline->spans[node].stream, lane);
    while (*at != NO_NODE && *at < node)
        at = &operation(m, *at)->next_ready;
    operation(m, node)->next_ready = *at;
    *at = node;
}

uint32_t ready_take(struct model *m, struct device *d, unsigned lane)
{
    struct heap *h = &d->ready[lane];
    while (h->count > 0 && operation(m, h->node[0])->state != READY)
        drop_top(h);
    if (h->count == 0)
        return NO_NODE;
    /* A stream may have copies on several devices. */
    uint32_t *at = list_of(m, d->last_stream[lane], lane);
    while (*at != NO_NODE && &m->state->devices[m->timeline->spans[*at].device] != d)
        at = &operation(m, *at)->next_ready;
    if (*at == NO_NODE) {
        at = list_of(m, m->timeline->spans[h->node[0]].stream, lane);
        while (*at != h->node[0])
            at = &operation(m, *at)->next_ready;
    }
    uint32_t node = *at;
    *at = operation(m, node)->next_ready;
    return node;
}
