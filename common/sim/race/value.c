/* SPDX-License-Identifier: MIT */
#include "sim/race/value.h"

#include <string.h>

#include "sim/memory/allocation.h"
#include "sim/memory/peer.h"
#include "sim/race/access.h"
#include "sim/race/seen/initialised.h"
#include "trace/record/memory.h"

static struct { struct awaited *list; size_t count, capacity; } waiting;

size_t awaited_count(void)
{
    return waiting.count;
}

const struct awaited *awaited_at(size_t i)
{
    return &waiting.list[i];
}

void awaited_add(struct value value, uint32_t node)
{
    MEMORY_GROW(waiting.list, waiting.count, waiting.capacity);
    waiting.list[waiting.count++] = (struct awaited){ value, node };
}

void awaited_remove(size_t i)
{
    waiting.count--;
    memmove(&waiting.list[i], &waiting.list[i + 1], (waiting.count - i) * sizeof *waiting.list);
}

/* Of 4 bytes or 8. The kernel that ran last may not reach them (peer_protect). */
static uint64_t now_there(const struct value *v)
{
    uint32_t four;
    uint64_t eight = 0;
    peer_unprotect();
    memcpy(v->bytes == sizeof four ? (void *)&four : &eight, v->at, v->bytes);
    return v->bytes == sizeof four ? four : eight;
}

/* Numbers go round: what is less than half of them ahead is larger. */
static bool is_at_least(const struct value *v, uint64_t now)
{
    return v->bytes == sizeof(uint32_t) ? (int32_t)((uint32_t)now - (uint32_t)v->value) >= 0
                                        : (int64_t)(now - v->value) >= 0;
}

bool value_is_due(const struct value *v)
{
    if (v->how == VALUE_WRITE)
        return true;
    if (memory_kind_of(v->at, v->bytes) == MEM_NONE)
        return false;
    uint64_t now = now_there(v), all = v->bytes == sizeof(uint32_t) ? UINT32_MAX : UINT64_MAX;
    switch (v->how) {
    case VALUE_EQUAL: return now == (v->value & all);
    case VALUE_AND: return (now & v->value & all) != 0;
    case VALUE_NOR: return (~(now | v->value) & all) != 0;
    default: return is_at_least(v, now);
    }
}

/* Which variable the host wrote is not known where it is a plain one: all that it did is ordered
 * rather than too little. */
static const char by_host;

void value_by_host(void)
{
    access_tells_flag(&by_host);
}

void value_passes(const struct value *v)
{
    if (v->how != VALUE_WRITE) {
        access_hears(v->at);
        access_hears_writer(v->at);
        if (allocation_is_common((uintptr_t)v->at))
            access_hears(&by_host);
        return;
    }
    if (memory_kind_of(v->at, v->bytes) == MEM_NONE)
        return;
    uint32_t four = (uint32_t)v->value;
    access_tells_flag(v->at);
    memcpy(v->at, v->bytes == sizeof four ? (const void *)&four : &v->value, v->bytes);
    initialised_mark((uintptr_t)v->at, v->bytes);
}
