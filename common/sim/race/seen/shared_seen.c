/* SPDX-License-Identifier: MIT */
#include "sim/race/seen/shared_seen.h"

#include "sim/device_variables.h"
#include "sim/race/seen/exchange_seen.h"
#include "sim/race/seen/reach.h"
#include "trace/record/memory.h"

/* So far past its end an access is believed to be meant for a variable. */
enum { PAST_BYTES = 4096 };

__thread bool shared_seen_wanted;

static struct {
    struct shared_part {
        uintptr_t at, mark;         /* the mark says whether it has been reached */
        size_t bytes, first;        /* of `initialised` */
    } *list;
    size_t count, capacity;
    bool initialised[SHARED_MOST];  /* by byte, variable after variable */
    size_t used, dynamic;           /* bytes; of the launch's */
    const void *kernel, *uninitialised;
    struct shared_past past, unsure; /* the mark of a variable still to come may lie at `unsure` */
    uintptr_t unsure_at;
} parts;

void shared_seen_begin(const void *kernel, size_t dynamic)
{
    shared_seen_wanted = kernel != NULL;
    if (!kernel)
        return;
    parts.count = parts.used = 0;
    parts.kernel = kernel;
    parts.dynamic = dynamic;
    parts.unsure.pc = NULL;
}

void shared_seen_returns(const void *kernel)
{
    shared_seen_wanted = kernel && kernel == parts.kernel;
}

void shared_seen_variable(const void *at, size_t bytes, const void *mark)
{
    if (shared_seen_wanted && parts.unsure_at == (uintptr_t)mark)
        parts.unsure.pc = NULL;
    if (!shared_seen_wanted || bytes > SHARED_MOST - parts.used)
        return;
    parts.list = memory_grow(parts.list, parts.count, &parts.capacity, sizeof *parts.list);
    parts.list[parts.count++] =
        (struct shared_part){ (uintptr_t)at, (uintptr_t)mark, bytes, parts.used };
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

/* ---- past the end ---- */

static bool is_in(uintptr_t address, const void *at, size_t bytes)
{
    return address - (uintptr_t)at < bytes;
}

/* What every thread reads by itself lies next to the program's variables. */
static bool is_the_threads(uintptr_t address)
{
    return is_in(address, &threadIdx, sizeof threadIdx)
           || is_in(address, &blockIdx, sizeof blockIdx)
           || is_in(address, &sim_block_row, sizeof sim_block_row)
           || is_in(address, &sim_shared_dynamic, sizeof sim_shared_dynamic);
}

static bool is_mark(uintptr_t address)
{
    for (size_t i = 0; i < parts.count; i++)
        if (parts.list[i].mark == address)
            return true;
    return false;
}

static void tell_unsure(void)
{
    if (parts.unsure.pc && !parts.past.pc)
        parts.past = parts.unsure;
    parts.unsure.pc = NULL;
}

/* A store there would be one to what the runtime has. A load may be one of a mark, and then its
 * variable is the next that is reached. What has a constructor has a byte of g++'s beside it. */
static bool past_variable(uintptr_t address, const struct shared_past *past)
{
    if (past->bytes == 1)
        return false;
    *(past->write ? &parts.past : &parts.unsure) = *past;
    parts.unsure_at = address;
    return past->write;
}

static bool look_past(uintptr_t address, size_t bytes, bool write, const void *pc)
{
    const struct shared_part *before = NULL;
    if (parts.unsure_at != address)
        tell_unsure();
    if (is_in(address, sim_shared_dynamic, SHARED_MOST)) {
        if (!parts.past.pc)
            parts.past = (struct shared_past){ pc, address - (uintptr_t)sim_shared_dynamic,
                                               bytes, parts.dynamic, write, true };
        return false;
    }
    for (const struct shared_part *v = parts.list; v < parts.list + parts.count; v++)
        if (address - v->at - v->bytes < PAST_BYTES && (!before || v->at > before->at))
            before = v;
    return before && reach_thread_variable(address) && !is_the_threads(address) && !is_mark(address)
           && past_variable(address, &(struct shared_past){ pc, address - before->at, bytes,
                                                            before->bytes, write, false });
}

bool shared_seen_access(uintptr_t address, size_t bytes, bool write, const void *pc)
{
    const struct shared_part *v = parts.list;
    while (v < parts.list + parts.count && address - v->at >= v->bytes)
        v++;
    if (v == parts.list + parts.count)
        return pc && look_past(address, bytes, write, pc);
    if (v->at + v->bytes - address < bytes)
        return false;
    if (exchange_seen_wanted && pc)
        exchange_seen_access(address, bytes, write, pc);
    bool *initialised = parts.initialised + v->first + (address - v->at);
    if (write)
        for (size_t i = 0; i < bytes; i++)
            initialised[i] = true;
    else if (!parts.uninitialised && !any_initialised(initialised, bytes))
        parts.uninitialised = pc;
    return false;
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
    tell_unsure();
    struct shared_past past = parts.past;
    parts.past.pc = NULL;
    return past;
}
