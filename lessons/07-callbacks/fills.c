/* SPDX-License-Identifier: MIT */
/* Slots of (b) and of (c): what is filled, what is copied, and in which order a thread does that.
 */
#include "functions.h"
#include "slots.h"

bool slot_is_filled(const struct view *v, struct selection s, long slot, size_t call)
{
    for (size_t i = s.first_call; i < s.end_call; i++)
        if (label_number(v, i, FILL) == slot && (i < call || function_of_call(v, i) != ANY))
            return true;
    return false;
}

static int slot_at(const uint64_t *slots, int count, uint64_t bytes, const struct call *copy)
{
    for (int slot = 0; slot < count; slot++)
        if (copy->src < slots[slot] + bytes && slots[slot] < copy->src + copy->bytes)
            return slot;
    return -1;
}

bool copies_other_slot(const struct view *v, struct finding *f, const char *part,
                       const uint64_t *slots, int count, uint64_t bytes)
{
    const struct call *calls = v->timeline->calls;
    struct selection s = in_part(v, part, 0);
    for (size_t fill = s.first_call; fill < s.end_call; fill++) {
        long slot = label_number(v, fill, FILL);
        if (slot < 0 || slot >= count)
            continue;
        for (size_t i = fill + 1; i < s.end_call; i++) {
            if (calls[i].thread != calls[fill].thread)
                continue;
            if (label_number(v, i, FILL) >= 0)
                break;
            int read = calls[i].kind == CALL_COPY ? slot_at(slots, count, bytes, &calls[i]) : -1;
            if (read < 0)
                continue;
            if (read == slot)
                break;
            f->call = (uint32_t)i;
            f->instead = 0;
            why(f,
                "This copy reads slot %d, and what was filled before it is slot %ld: the function after it says that a slot is back which "
                "it has not read. Name the same slot in fill() and in the copy.",
                read, slot);
            return true;
        }
    }
    return false;
}

/* Has the thread of that call filled any slot before it? */
static bool has_filled(const struct view *v, struct selection s, uint32_t call)
{
    for (size_t i = s.first_call; i < call; i++)
        if (v->timeline->calls[i].thread == v->timeline->calls[call].thread
            && label_number(v, i, FILL) >= 0)
            return true;
    return false;
}

bool copy_before_fill(const struct view *v, struct finding *f, const char *part,
                      const uint64_t *slots, int count, uint64_t bytes)
{
    struct selection s = in_part(v, part, ENGINE_BIT(ENGINE_H2D));
    EACH_SPAN(node, v, s)
    {
        int slot = slot_at(slots, count, bytes, call_of_node(v, node));
        if (slot < 0 || slot_is_filled(v, s, slot, v->timeline->spans[node].call)
            || has_filled(v, s, v->timeline->spans[node].call))
            continue;
        f->call = v->timeline->spans[node].call;
        f->instead = 0;
        seen(f, "when this copy was queued, nothing had been filled into slot %d, which it reads",
             slot);
        why(f, "Call fill() first, and queue the copy of the same slot after it.");
        return true;
    }
    return false;
}

uint32_t wait_behind_fill(const struct view *v, struct selection s)
{
    const struct timeline *t = v->timeline;
    for (size_t wake = s.first_call; wake < s.end_call; wake++) {
        const struct call *c = &t->calls[wake];
        if (c->kind != CALL_THREAD_WAKE || c->node >= t->span_count
            || t->spans[c->node].engine != ENGINE_HOST_FUNC || !has_filled(v, s, (uint32_t)wake))
            continue;
        size_t next = wake + 1;
        while (next < s.end_call
               && (t->calls[next].thread != c->thread
                   || (t->calls[next].kind != CALL_COPY && label_number(v, next, FILL) < 0)))
            next++;
        return next < s.end_call && t->calls[next].kind == CALL_COPY ? (uint32_t)wake : ANY;
    }
    return ANY;
}
