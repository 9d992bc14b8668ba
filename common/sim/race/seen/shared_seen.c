/* SPDX-License-Identifier: MIT */
#include "sim/race/seen/shared_seen.h"

#include "sim/device_variables.h"
#include "sim/race/seen/exchange_seen.h"
#include "trace/record/memory.h"

__thread bool shared_seen_wanted;

static struct {
    struct shared_part {
        uintptr_t at;
        size_t bytes, first;        /* of `initialised` */
    } *list;
    size_t count, capacity;
    bool initialised[SHARED_MOST];  /* by byte, variable after variable */
    size_t used, dynamic;           /* bytes; of the launch's */
    const void *kernel, *uninitialised;
    struct shared_past past;
} parts;

void shared_seen_begin(const void *kernel, size_t dynamic)
{
    shared_seen_wanted = kernel != NULL;
    if (!kernel)
        return;
    parts.count = parts.used = 0;
    parts.kernel = kernel;
    parts.dynamic = dynamic;
}

void shared_seen_returns(const void *kernel)
{
    shared_seen_wanted = kernel && kernel == parts.kernel;
}

void shared_seen_variable(const void *at, size_t bytes)
{
    if (!shared_seen_wanted || bytes > SHARED_MOST - parts.used)
        return;
    parts.list = memory_grow(parts.list, parts.count, &parts.capacity, sizeof *parts.list);
    parts.list[parts.count++] = (struct shared_part){ (uintptr_t)at, bytes, parts.used };
    memory_zero(parts.initialised + parts.used, bytes);
    parts.used += bytes;
}

static bool any_initialised(const bool *initialised, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        if (initialised[i])
            return true;
    return false;
}

/* Only dynamic memory has an end that is known: past a variable's there may be another one. */
static void look_past(uintptr_t address, size_t bytes, bool write, const void *pc)
{
    size_t at = address - (uintptr_t)sim_shared_dynamic;
    if (at < SHARED_MOST && !parts.past.pc)
        parts.past = (struct shared_past){ pc, at, bytes, parts.dynamic, write };
}

void shared_seen_access(uintptr_t address, size_t bytes, bool write, const void *pc)
{
    const struct shared_part *v = parts.list;
    while (v < parts.list + parts.count && address - v->at >= v->bytes)
        v++;
    if (v == parts.list + parts.count && pc)
        look_past(address, bytes, write, pc);
    if (v == parts.list + parts.count || v->at + v->bytes - address < bytes)
        return;
    if (exchange_seen_wanted && pc)
        exchange_seen_access(address, bytes, write, pc);
    bool *initialised = parts.initialised + v->first + (address - v->at);
    if (write)
        for (size_t i = 0; i < bytes; i++)
            initialised[i] = true;
    else if (!parts.uninitialised && !any_initialised(initialised, bytes))
        parts.uninitialised = pc;
}

void shared_seen_written(const void *at, size_t bytes)
{
    shared_seen_access((uintptr_t)at, bytes, true, NULL);
}

const void *shared_seen_take(void)
{
    const void *pc = parts.uninitialised;
    parts.uninitialised = NULL;
    return pc;
}

struct shared_past shared_seen_take_past(void)
{
    struct shared_past past = parts.past;
    parts.past.pc = NULL;
    return past;
}
