/* SPDX-License-Identifier: MIT */
#include "sim/memory/disjoint.h"

#include "sim/memory/allocation.h"

/* No index is larger, whatever type of integers the kernel has it in. */
static const long long MOST = 1ll << 31;

/* Numbers along an axis: blocks, and threads of a block; below which number all are (`all`), or
 * those that touch something (`end`). */
struct axis { long long blocks, threads, size, all, end; };

static bool along(struct axis *a, long long blocks, long long threads, long long size,
                  long long end)
{
    *a = (struct axis){ .blocks = blocks, .threads = threads,
                        .size = size == 0 ? threads : size };
    if (a->size < threads || a->size > MOST)
        return false;
    a->all = (blocks - 1) * a->size + threads;
    a->end = end >= 0 && end < a->all ? end : a->all;
    return a->all <= MOST;
}

/* Elements from the first on, one of which is the last that is touched; false: two blocks may touch
 * the same. */
static bool elements(const struct disjoint_grid *e, const struct sim_touch *t, long long *count)
{
    struct axis x, y;
    bool flat = e->grid.z == 1 && (t->index == 2 || e->grid.y == 1);
    if (!flat || !along(&x, e->grid.x, e->block.x, t->x, t->x_end))
        return false;
    if (t->loops) {
        *count = t->x_end;
        return t->index == 1 && t->x == 0 && t->x_end >= 0 && t->x_end <= MOST - x.all;
    }
    *count = x.end;
    if (t->index == 1)
        return true;
    if (t->index != 2 || !along(&y, e->grid.y, e->block.y, t->y, t->y_end))
        return false;
    *count = x.end == 0 || y.end == 0 ? 0 : (y.end - 1) * t->width + x.end;
    return t->width > 0 && t->width <= MOST && x.end <= t->width
           && y.all * t->width + x.all <= MOST;
}

static bool stays(const struct sim_touch *t, const struct allocation *a, long long count)
{
    size_t left = a->at + a->asked - (uintptr_t)t->at;
    return (uintptr_t)t->at < a->at + a->asked && (size_t)count <= left / t->size;
}

/* Do the threads of a block touch elements of their own? */
static bool threads_apart(const struct disjoint_grid *e, const struct sim_touch *t)
{
    return e->block.z == 1 && (t->index == 2 || e->block.y == 1);
}

static bool is_known(const struct disjoint_grid *e, const struct sim_touch *t)
{
    const struct allocation *a = allocation_find((const void *)t->at);
    long long count;
    return a && a->kind == MEM_DEVICE && a->device == e->device && elements(e, t, &count)
           && stays(t, a, count) && (!e->seen || threads_apart(e, t));
}

static long long size_of(long long size, unsigned threads)
{
    return size == 0 ? threads : size;
}

/* Has each element the same block in both? */
static bool are_same(const struct disjoint_grid *e, const struct sim_touch *a,
                     const struct sim_touch *b)
{
    return a->at == b->at && a->size == b->size && a->index == b->index
           && size_of(a->x, e->block.x) == size_of(b->x, e->block.x) && a->width == b->width
           && size_of(a->y, e->block.y) == size_of(b->y, e->block.y);
}

/* No block stores what another one touches by `t`. */
static bool are_apart(const struct disjoint_grid *e, const struct sim_touch *store,
                      const struct sim_touch *t)
{
    const struct allocation *a = allocation_find((const void *)store->at);
    return allocation_find((const void *)t->at) != a || are_same(e, store, t);
}

bool disjoint_is(const struct sim_kernel *kernel, const struct disjoint_grid *e)
{
    struct sim_touches all = { .count = 0 };
    if (!kernel->touches || sim.two_processes)
        return false;
    kernel->touches(kernel->closure, &all);
    for (unsigned i = 0; i < all.count; i++) {
        const struct sim_touch *t = &all.list[i];
        bool has_to = t->stores || t->index != 0 || e->seen;
        if (has_to && !is_known(e, t))
            return false;
        for (unsigned k = 0; t->stores && k < all.count; k++)
            if (!are_apart(e, t, &all.list[k]))
                return false;
    }
    return true;
}
