/* SPDX-License-Identifier: MIT */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sim/fiber/fiber.h"
#include "sim/include/detail/sim_block.h"
#include "sim/kernel/block.h"
#include "sim/memory/symbol.h"
#include "sim/race/seen/shared_seen.h"
#include "trace/record/memory.h"

/* That many bytes of this host thread's dynamic shared memory have been filled. They still are until a kernel asks where it is:
 * launches that ask for it only to have few blocks run at once need not fill it for each. */
static __thread size_t untouched;

void shared_apart(void)
{
    sim_shared_dynamic = aligned_alloc(SHARED_ALIGNMENT, SHARED_MOST);
    if (!sim_shared_dynamic)
        sim_trouble("no memory for another block");
}

/* ---- the block's window, in which addresses have 32 bits ---- */

/* As on a card 0 is no address. Variables come in the order in which they were reached, each with its low bits, which programs that
 * permute rows rely on; then dynamic memory. */
enum { WINDOW_BEGIN = 1024, WINDOW_DYNAMIC = 1 << 18, WINDOW_NOWHERE = 1 << 30 };

static unsigned next_window(const char *at)
{
    const struct reached *last = block->reached_count > 0 ? &block->reached[block->reached_count - 1] : NULL;
    unsigned from = last ? last->window + (unsigned)last->bytes : WINDOW_BEGIN;
    return from + (((unsigned)(uintptr_t)at - from) & (SHARED_ALIGNMENT - 1));
}

static const struct reached *reached_at(const char *at)
{
    for (size_t i = 0; i < block->reached_count; i++)
        if ((uintptr_t)at - (uintptr_t)block->reached[i].at < block->reached[i].bytes)
            return &block->reached[i];
    return NULL;
}

static bool is_dynamic(const char *at)
{
    return (uintptr_t)at - (uintptr_t)sim_shared_dynamic < SHARED_MOST;
}

unsigned sim_shared_window(const void *at)
{
    const char *byte = at;
    if (is_dynamic(byte))
        return WINDOW_DYNAMIC + (unsigned)(byte - sim_shared_dynamic);
    const struct reached *r = reached_at(byte);
    return r ? r->window + (unsigned)(byte - r->at) : WINDOW_NOWHERE + ((unsigned)(uintptr_t)at & (WINDOW_NOWHERE - 1));
}

void *sim_shared_at(unsigned long long window)
{
    if (window - WINDOW_DYNAMIC < SHARED_MOST)
        return sim_shared_dynamic + (window - WINDOW_DYNAMIC);
    for (size_t i = 0; i < block->reached_count; i++)
        if (window - block->reached[i].window < block->reached[i].bytes)
            return block->reached[i].at + (window - block->reached[i].window);
    return (void *)(uintptr_t)(window & UINT32_MAX);    /* nothing is mapped there */
}

enum sim_space sim_space(const void *at)
{
    const struct symbol *s = symbol_find(at);
    if (s && s->constant)
        return SIM_SPACE_CONSTANT;
    if (is_dynamic(at) || reached_at(at))
        return SIM_SPACE_SHARED;
    return (uintptr_t)at - STACKS_LOW < STACKS_SPAN ? SIM_SPACE_LOCAL : SIM_SPACE_GLOBAL;
}

/* ---- block after block ---- */

void sim_shared_reach(struct sim_shared *variable, void *at, size_t bytes)
{
    unsigned window = next_window(at);
    variable->reached = 1;
    MEMORY_GROW(block->reached, block->reached_count, block->reached_capacity);
    block->reached[block->reached_count++] = (struct reached){ variable, at, bytes, window };
    shared_seen_variable(at, bytes);
    memset(at, 0xff, bytes);
}

void shared_end(void)
{
    for (size_t i = 0; i < block->reached_count; i++)
        block->reached[i].variable->reached = 0;
    block->reached_count = 0;
    shared_seen_begin(false);
}

void shared_begin(size_t dynamic)
{
    shared_end();
    shared_seen_begin(block->number == 0);
    if (dynamic > 0) {
        if (sim_shared_is_used || dynamic > untouched)
            memset(sim_shared_dynamic, 0xff, untouched = dynamic);
        shared_seen_variable(sim_shared_dynamic, dynamic);
    }
}

/* ---- while another block of a cooperative grid runs ---- */

static size_t bytes_of_block(void)
{
    size_t bytes = block->effect->shared;
    for (size_t i = 0; i < block->reached_count; i++)
        bytes += block->reached[i].bytes;
    return bytes;
}

void shared_leave(void)
{
    char *to = block->put_by = memory_resize(block->put_by, bytes_of_block());
    memory_copy(to, sim_shared_dynamic, block->effect->shared);
    to += block->effect->shared;
    for (size_t i = 0; i < block->reached_count; i++) {
        const struct reached *r = &block->reached[i];
        memory_copy(to, r->at, r->bytes);
        to += r->bytes;
        r->variable->reached = 0;
    }
}

void shared_return(void)
{
    const char *from = block->put_by;
    memory_copy(sim_shared_dynamic, from, block->effect->shared);
    from += block->effect->shared;
    for (size_t i = 0; i < block->reached_count; i++) {
        const struct reached *r = &block->reached[i];
        memory_copy(r->at, from, r->bytes);
        from += r->bytes;
        r->variable->reached = 1;
    }
    shared_seen_wanted = block->number == 0;
}
