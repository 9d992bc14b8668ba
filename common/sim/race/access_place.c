/* SPDX-License-Identifier: MIT */
#include "sim/race/access_place.h"

#include <stdlib.h>

#include "sim/memory/allocation.h"
#include "sim/memory/peer.h"
#include "sim/memory/symbol.h"
#include "sim/race/access.h"
#include "sim/race/seen/access_seen.h"
#include "trace/order/hazard_calls.h"
#include "trace/record/memory.h"

_Static_assert(VARIABLES_END == ALLOCATION_LOW, "variables lie below the runtime's memory");

/* Pageable memory that copies read, or will, with no guarantee of when. */
static struct read_later { uint64_t from, to; uint32_t node; } *later;
static size_t later_count, later_capacity;

void access_place_read(const struct call *c, uint32_t node)
{
    if (c->kind != CALL_COPY || c->src_kind != MEM_PAGEABLE || call_stages(c))
        return;
    later = memory_grow(later, later_count, &later_capacity, sizeof *later);
    uint32_t rows = call_rows(c);
    later[later_count++] =
        (struct read_later){ c->src, c->src + call_src_row(c, rows - 1) + c->bytes / rows, node };
}

/* Of a copy that a thread has waited for, and another one has not: is it one of the latest? */
static bool is_recent(size_t i)
{
    return later_count - i <= 256;
}

void access_place_watch(const struct vector_clocks *clocks)
{
    uintptr_t from, to;
    allocation_registered(&from, &to);
    from = to > 0 ? from : UINTPTR_MAX;
    size_t kept = 0;
    for (size_t i = 0; i < later_count; i++) {
        struct read_later w = later[i];
        if (vector_clocks_all_know(clocks, w.node)
            || (!is_recent(i) && vector_clocks_any_knows(clocks, w.node)))
            continue;
        later[kept++] = w;
        from = w.from < from ? w.from : from;
        to = w.to > to ? w.to : to;
    }
    later_count = kept;
    access_watch(to > 0 ? from : 0, to);
    access_watch_all(access_many());
}

bool access_place_is_read(uint64_t from, uint64_t to)
{
    for (size_t i = 0; i < later_count; i++)
        if (later[i].from < to && from < later[i].to)
            return true;
    return false;
}

static bool is_registered(uintptr_t from, uintptr_t to)
{
    const struct allocation *a = allocation_before((const void *)(to - 1));
    return a && a->registered && a->at + a->bytes > from;
}

bool access_place_queued(uintptr_t from, uintptr_t to)
{
    return is_registered(from, to) || access_place_is_read(from, to);
}

/* Kernels that set it may do so in any order. */
void access_condition_set(uint64_t handle, const void *pc)
{
    uintptr_t at = CONDITION_AT(handle);
    access_add(&(struct access_run){ .from = at, .to = at + CONDITION_BYTES, .pc = pc,
                                     .write = true, .atomic = true },
               1);
}

void access_condition_read(uint64_t handle)
{
    uintptr_t at = CONDITION_AT(handle);
    access_add(&(struct access_run){ .from = at, .to = at + CONDITION_BYTES }, 1);
}

/* Several threads may meet in any memory that the program has. A host function is a thread for
 * that, but what lies on the stack that it runs on belongs to whichever function is on it. */
static bool is_shared(const struct access_run *run)
{
    return access_many() && !(thread_self()->in_function && access_own_stack(run->from));
}

bool access_place(const struct access_run *run, uint32_t node, struct hazard_range *r)
{
    *r = (struct hazard_range){
        .from = run->from, .to = run->to, .write = run->write, .atomic = run->atomic
    };
    if (IS_CONDITION(run->from) || run->from - ALLOCATION_LOW < ALLOCATION_SPAN
        || access_place_queued(run->from, run->to))
        return true;
    if (run->from >= VARIABLES_END)
        return access_by_host(node) && is_shared(run);
    enum memory_kind kind = memory_kind_of((const void *)run->from, run->to - run->from);
    if (kind == MEM_DEVICE && !access_by_host(node)) {
        uint64_t device = (uint64_t)sim.timeline.spans[node].device << 56;
        r->from |= device;
        r->to |= device;
    }
    if (kind == MEM_PAGEABLE)
        return access_by_host(node) && is_shared(run);
    return kind == MEM_MANAGED || kind == MEM_PINNED
           || (kind == MEM_DEVICE && !access_by_host(node));
}

static int by_address(const void *a, const void *b)
{
    const struct hazard_range *left = a, *right = b;
    return (left->from > right->from) - (left->from < right->from);
}

size_t access_place_merge(struct hazard_range *ranges, size_t count)
{
    size_t kept = 0;
    qsort(ranges, count, sizeof *ranges, by_address);
    for (size_t i = 0; i < count; i++) {
        struct hazard_range *last = kept > 0 ? &ranges[kept - 1] : NULL;
        if (last && last->write == ranges[i].write && last->atomic == ranges[i].atomic
            && ranges[i].from <= last->to)
            last->to = ranges[i].to > last->to ? ranges[i].to : last->to;
        else
            ranges[kept++] = ranges[i];
    }
    return kept;
}

static bool is_launch(uint32_t node)
{
    return sim.timeline.calls[sim.timeline.spans[node].call].kind == CALL_LAUNCH;
}

static bool is_constant(uint64_t at)
{
    const struct symbol *s = symbol_writable(at);
    return s && s->constant;
}

bool access_place_strays(const struct access_run *run, uint32_t node)
{
    if (run->trespass)
        return true;
    if (IS_CONDITION(run->from))
        return false;
    if (run->from - ALLOCATION_LOW >= ALLOCATION_SPAN && symbol_past(run->from, run->to) != 0)
        return true;
    if (run->from - ALLOCATION_LOW >= ALLOCATION_SPAN)
        return access_by_host(node) ? symbol_writable(run->from) != NULL
                                    : run->write && is_launch(node) && is_constant(run->from);
    const struct allocation *a = allocation_find((const void *)run->from);
    if (!a || run->to - a->at > a->asked)
        return true;
    if (access_by_host(node))
        return a->kind == MEM_DEVICE;
    return is_launch(node) && !peer_allows(node, a, run->write);
}

void access_place_report_strays(const struct access_run *runs, size_t count, uint32_t node)
{
    for (size_t i = 0; i < count; i++)
        if (access_place_strays(&runs[i], node))
            access_report_stray(&runs[i], node);
    if (access_by_host(node))
        access_report_made_by_host(runs, count, node);
}
