/* SPDX-License-Identifier: MIT */
#include "recorder.h"

#include "trace/record/memory.h"

__thread bool record_busy;
__thread size_t call_current = NO_CALL;

static struct map correlations;
static struct prefetched { uint64_t at, end; bool home; int64_t begin; size_t number; } *prefetches;
static size_t prefetch_count, prefetch_capacity;

void call_queued(uint32_t correlation, size_t number, const struct call *c)
{
    map_put(&correlations, correlation, number);
    if (c->kind != CALL_PREFETCH)
        return;
    MEMORY_GROW(prefetches, prefetch_count, prefetch_capacity);
    prefetches[prefetch_count++] =
        (struct prefetched){ c->src, c->src + c->bytes, c->dst_kind != MEM_DEVICE, c->begin,
                             number };
}

size_t call_of_correlation(uint32_t id)
{
    uint64_t number = map_get(&correlations, id);
    return number == MAP_NONE ? NO_CALL : (size_t)number;
}

size_t call_of_prefetch(uint64_t address, uint64_t bytes, bool home, int64_t time)
{
    for (size_t i = prefetch_count; i-- > 0;) {
        const struct prefetched *p = &prefetches[i];
        if (address < p->end && address + bytes > p->at && p->home == home && p->begin <= time)
            return p->number;
    }
    return NO_CALL;
}
