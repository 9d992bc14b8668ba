/* SPDX-License-Identifier: MIT */
/*
 * Memory of a pool or of a graph that is used after it was freed, in an order that is guaranteed.
 *
 * Such memory is still mapped, on a card too, until the pool reuses it or returns it to the device.
 * Where no order is guaranteed, hazard.h reports the race, and this file stays silent.
 */
#include "sim/race/access.h"
#include "trace/record/memory.h"

static struct freed { uint64_t from, to; uint32_t node; size_t call; } *freed;
static size_t freed_count, freed_capacity;

void freed_forget(uint64_t from, uint64_t to)
{
    size_t kept = 0;
    for (size_t i = 0; i < freed_count; i++)
        if (freed[i].to <= from || freed[i].from >= to)
            freed[kept++] = freed[i];
    freed_count = kept;
}

void freed_add(size_t call, uint32_t node)
{
    const struct call *c = &sim.timeline.calls[call];
    freed_forget(c->dst, c->dst + c->bytes);
    freed = memory_grow(freed, freed_count, &freed_capacity, sizeof *freed);
    freed[freed_count++] = (struct freed){ c->dst, c->dst + c->bytes, node, call };
}

/* Was it freed before the operation began? One that the host freed in no stream is gone for all
 * that is queued later. */
static bool is_earlier(const struct freed *f, uint32_t node)
{
    return f->node != NO_NODE ? vector_clocks_before(access_clocks(), f->node, node)
                              : sim.timeline.spans[node].call > f->call;
}

static void tell_use(const struct freed *f, uint32_t node, const struct hazard_range *range)
{
    const struct call *free = &sim.timeline.calls[f->call],
                      *user = &sim.timeline.calls[sim.timeline.spans[node].call];
    struct hazard_scene scene = { .timeline = &sim.timeline,
                                  .order = &sim.order,
                                  .calls = f->call };
    uint64_t from = range->from > f->from ? range->from : f->from,
             to = range->to < f->to ? range->to : f->to;
    struct call c = { .dst = from, .bytes = to - from, .file = user->file, .line = user->line };
    struct hazard_line l = { .used = 0 };
    hazard_say_location(&l, timeline_string(&sim.timeline, user->file), user->line);
    hazard_say_operation(&l, &sim.timeline, user);
    hazard_say(&l, " in ");
    hazard_say_stream(&l, &sim.timeline, user->stream);
    hazard_say(&l, " %s ", range->write ? "writes" : "reads");
    hazard_say_bytes(&l, &scene, from, to);
    hazard_say(&l, ", after %s", timeline_string(&sim.timeline, free->name));
    hazard_say_line(&l, &sim.timeline, free);
    hazard_say(&l, " has freed them: others may have them by then. Free memory after its last use");
    access_tell(c, NO_NODE, node, l.text);
}

void freed_meets(uint32_t node, const struct hazard_range *ranges, size_t count)
{
    for (size_t k = 0; k < freed_count; k++)
        for (size_t i = 0; i < count; i++)
            if (ranges[i].from < freed[k].to && ranges[i].to > freed[k].from
                && is_earlier(&freed[k], node)) {
                tell_use(&freed[k], node, &ranges[i]);
                break;
            }
}
