/* SPDX-License-Identifier: MIT */
#include "model/state.h"

#include "trace/record/memory.h"

void fifo_push(struct fifo *f, uint32_t node)
{
    if (f->head > 64 && f->head > f->count / 2) {       /* drop what is gone */
        for (size_t i = f->head; i < f->count; i++)
            f->node[i - f->head] = f->node[i];
        f->count -= f->head;
        f->head = 0;
    }
    MEMORY_GROW(f->node, f->count, f->capacity);
    f->node[f->count++] = node;
}

void fifo_push_in_order(struct fifo *f, uint32_t node)
{
    fifo_push(f, node);
    for (size_t i = f->count - 1; i > f->head && f->node[i - 1] > node; i--) {
        f->node[i] = f->node[i - 1];
        f->node[i - 1] = node;
    }
}

void fifo_fini(struct fifo *f)
{
    memory_resize(f->node, 0);
}
