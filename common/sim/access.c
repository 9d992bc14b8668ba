/* SPDX-License-Identifier: MIT */
#include "access.h"

#include <stdlib.h>
#include <string.h>

#include "effect.h"
#include "entry.h"
#include "trace/memory.h"

/* The older guide promises that pageable memory up to here has been read when the call returns. */
enum { SURELY_STAGED = 64 << 10 };

static struct {
    bool on;
    struct clocks clocks;
    struct hazards hazards;
    struct host_access *hosts;      /* by point; operations have none */
    size_t host_count, host_capacity;
    bool *ended;                    /* by node */
    size_t node_count, node_capacity;
    size_t pending;                 /* operations that have not ended */
} seen;

static const struct host_access *host_of(uint32_t point)
{
    return hazards_node(&seen.hazards, point) == NO_NODE ? &seen.hosts[point] : NULL;
}

static void report(void *context, const struct hazard *h)
{
    (void)context;
    access_report(h, hazards_node(&seen.hazards, h->first), hazards_node(&seen.hazards, h->then),
                  host_of(h->first), host_of(h->then));
}

void access_begin(void)
{
    const char *text = getenv("SIM_HAZARDS");
    seen.on = !text || strcmp(text, "0") != 0;
    if (!seen.on)
        return;
    clocks_init(&seen.clocks);
    hazards_init(&seen.hazards, &seen.clocks, report, NULL);
}

/* Takes in what the order has made since the last time. */
static void follow(void)
{
    clocks_follow(&seen.clocks, &sim.order);
    while (seen.node_count < sim.order.node_count) {
        bool wait = order_is_wait(&sim.order, (uint32_t)seen.node_count);
        seen.ended = memory_grow(seen.ended, seen.node_count, &seen.node_capacity, sizeof *seen.ended);
        seen.ended[seen.node_count++] = wait;
        seen.pending += !wait;
    }
}

static void remember(uint32_t point, struct host_access host)
{
    while (seen.host_count <= point) {
        seen.hosts = memory_grow(seen.hosts, seen.host_count, &seen.host_capacity, sizeof *seen.hosts);
        seen.hosts[seen.host_count++] = (struct host_access){ 0 };
    }
    seen.hosts[point] = host;
}

static struct hazard_range range(uint64_t at, uint64_t bytes, bool write)
{
    return (struct hazard_range){ at, at + bytes, write };
}

/* What an operation touches by its call, row by row; returns how many. There is room for two a row. */
static size_t touched(const struct call *c, const struct effect *effect, size_t rows, struct hazard_range *ranges)
{
    size_t count = 0;
    bool staged = c->src_kind == MEM_PAGEABLE && c->bytes <= SURELY_STAGED;
    for (size_t row = 0; row < rows; row++) {
        uint64_t src = row > 0 ? row * effect->src_pitch : 0, dst = row > 0 ? row * effect->dst_pitch : 0;
        if (c->kind == CALL_COPY && !staged)
            ranges[count++] = range(c->src + src, c->bytes / rows, false);
        if (c->kind == CALL_COPY || c->kind == CALL_SET)
            ranges[count++] = range(c->dst + dst, c->bytes / rows, true);
    }
    return count;
}

static void tell(uint32_t node)
{
    const struct effect *effect = effect_of(node);
    size_t rows = effect && effect->rows > 1 ? effect->rows : 1;
    struct hazard_range few[2], *ranges = rows == 1 ? few : memory_resize(NULL, 2 * rows * sizeof *ranges);
    size_t count = touched(&sim.timeline.calls[sim.timeline.spans[node].call], effect, rows, ranges);
    if (count > 0)
        hazards_touch(&seen.hazards, hazards_operation(&seen.hazards, node), ranges, count);
    if (rows > 1)
        memory_resize(ranges, 0);
}

void access_ended(uint32_t node)
{
    if (!seen.on)
        return;
    follow();
    seen.ended[node] = true;
    seen.pending--;
    if (sim.sticky == cudaSuccess)
        tell(node);
}

void access_given_back(size_t call)
{
    if (!seen.on)
        return;
    const struct call *c = &sim.timeline.calls[call];
    follow();
    uint32_t point = hazards_host(&seen.hazards, (uint32_t)sim.order.node_count, false);
    remember(point, (struct host_access){ c->kind == CALL_FREE ? "gives them back" : "unregisters them", c->file,
                                          c->line, c->begin, true });
    hazards_touch(&seen.hazards, point, &(struct hazard_range){ c->dst, c->dst + c->bytes, true }, 1);
    hazards_forget(&seen.hazards, c->dst, c->dst + c->bytes);
}

void access_finish(void)
{
    if (!seen.on || sim.sticky != cudaSuccess)
        return;
    follow();
    for (uint32_t node = 0; node < seen.node_count; node++)
        if (!seen.ended[node])
            tell(node);
}
