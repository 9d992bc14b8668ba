/* SPDX-License-Identifier: MIT */
#include "trace/order/recorded_pages.h"

#include "trace/record/memory.h"

/* Managed arrays, in the order in which they were made. */
struct arrays { struct array { uint64_t begin, end; bool gone; } *at; size_t count, capacity; };

static void note_array(struct arrays *a, const struct call *c)
{
    bool ours = c->dst_kind == MEM_MANAGED && c->status == 0;
    if (ours && c->kind == CALL_MALLOC) {
        MEMORY_GROW(a->at, a->count, a->capacity);
        a->at[a->count++] = (struct array){ c->dst, c->dst + c->bytes, false };
    }
    for (size_t i = 0; ours && c->kind == CALL_FREE && i < a->count; i++)
        a->at[i].gone |= a->at[i].begin == c->dst;
}

static bool is_of_the_gone(const struct arrays *a, const struct call *c)
{
    bool gone = false;
    const uint64_t end = c->dst + (c->bytes > 0 ? c->bytes : 1);    /* a page may need no copy */
    for (size_t i = 0; i < a->count; i++)
        if (c->dst < a->at[i].end && end > a->at[i].begin) {
            if (!a->at[i].gone)
                return false;
            gone = true;
        }
    return gone;
}

/* The kernel of that device that ran then, if there was just one. */
static uint32_t kernel_at(const struct timeline *t, uint32_t device, int64_t time)
{
    uint32_t found = NO_NODE;
    for (uint32_t k = 0; k < t->span_count; k++) {
        const struct span *s = &t->spans[k];
        if (s->engine != ENGINE_KERNEL || s->device != device || s->start > time || s->end <= time)
            continue;
        if (found != NO_NODE)
            return NO_NODE;
        found = k;
    }
    return found;
}

static void record_migration(struct timeline *t, uint32_t call)
{
    struct call *c = &t->calls[call];
    struct migration m = { .call = call, .device = c->device, .to_host = c->dst_kind != MEM_DEVICE,
                           .fault = (c->flags & MIGRATE_FAULT) != 0,
                           .address = c->dst, .bytes = c->bytes, .start = c->begin, .end = c->end };
    m.node = c->node = m.to_host ? NO_NODE : kernel_at(t, c->device, c->begin);
    timeline_add_migration(t, &m);
}

void recorded_pages(struct timeline *t)
{
    struct arrays arrays = { 0 };
    for (uint32_t i = 0; i < t->call_count; i++) {
        const struct call *c = &t->calls[i];
        note_array(&arrays, c);
        if (c->kind == CALL_MIGRATE && !(c->flags & MIGRATE_PREFETCH)
            && !is_of_the_gone(&arrays, c))
            record_migration(t, i);
    }
    memory_resize(arrays.at, 0);
}
