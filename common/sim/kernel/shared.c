/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "sim/kernel/block.h"
#include "sim/race/shared_seen.h"
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

void sim_shared_reach(struct sim_shared *variable, void *at, size_t bytes)
{
    variable->reached = 1;
    MEMORY_GROW(block->reached, block->reached_count, block->reached_capacity);
    block->reached[block->reached_count++] = (struct reached){ variable, at, bytes };
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
