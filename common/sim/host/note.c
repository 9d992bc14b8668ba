/* SPDX-License-Identifier: MIT */
#include "sim/host/note.h"

#include <stdio.h>

#include "sim/call_log.h"
#include "sim/host/scheduler.h"

size_t note_for(const struct call *c)
{
    sim_lock();
    call_log_write(c);
    size_t index = model_call(&sim.model, c);
    sim_host_goes_on();
    scheduler_wait_for_device();
    sim_unlock();
    return index;
}

static bool names_node(uint32_t kind)
{
    return kind == CALL_COST || kind == CALL_FAULT || kind == CALL_MIGRATE
           || (kind >= CALL_FUNCTION_BEGIN && kind <= CALL_FUNCTION_END);
}

size_t note(struct call *c)
{
    struct thread *thread = thread_self();
    c->thread = thread->number;
    if (!names_node(c->kind))
        c->node = NO_NODE;
    scheduler_act(thread);
    return note_for(c);
}

uint32_t note_counters(const uint64_t *counter, int count)
{
    char text[BLOCK_COUNTERS * 20] = "";
    size_t used = 0;
    for (int i = 0; i < count && used < sizeof text; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%#llx ",
                                 (unsigned long long)counter[i]);
    return used > 0 ? call_string(text) : 0;
}
