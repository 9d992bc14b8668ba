/* SPDX-License-Identifier: MIT */
#include "function.h"

#include "access.h"
#include "call_log.h"
#include "host_thread.h"
#include "note.h"
#include "trace/memory.h"

static struct functions {
    struct turn *turn;          /* of the thread that runs the device's; NULL: none yet */
    /* Those that have started, in that order; the device starts the next when one has ended. */
    struct started { struct effect *effect; uint32_t node; } *list;
    size_t first, count, capacity;
} functions[CARD_DEVICES];

static void run_next(struct functions *own)
{
    struct started next = own->list[own->first++];
    struct effect effect = *next.effect;
    note(&(struct call){ .kind = CALL_FUNCTION_BEGIN, .node = next.node, .name = call_string("host function") });
    access_function_begins(next.node);
    thread_self()->in_function = true;
    thread_self()->function = next.node;
    own->turn->locked = NULL;
    sim.function_now = next.node;
    sim.changes++;
    if (effect.callback)
        effect.callback(effect.stream, sim.sticky, effect.data);
    else
        effect.function(effect.data);
    sim.function_now = NO_NODE;
    sim.changes++;
    thread_self()->in_function = false;
    access_leave(next.node);
    access_function_ends();
    int64_t took = model_now(&sim.model, own->turn->number) - sim.timeline.spans[next.node].start;
    note(&(struct call){ .kind = CALL_FUNCTION_END, .node = next.node, .name = call_string("host function"), .cost = took });
}

static void *run_all(void *argument)
{
    struct functions *own = argument;
    for (;;) {
        while (own->first < own->count)
            run_next(own);
        own->first = own->count = 0;
        baton_park(own->turn);
    }
    return argument;
}

void function_prepare(uint32_t device)
{
    struct functions *own = &functions[device];
    if (!own->turn)
        own->turn = host_thread_for_functions(run_all, own);
}

int64_t function_start(struct effect *effect, uint32_t node)
{
    struct functions *own = &functions[sim.timeline.spans[node].device];
    own->list = memory_grow(own->list, own->count, &own->capacity, sizeof *own->list);
    own->list[own->count++] = (struct started){ effect, node };
    if (own->turn->state == TURN_PARKED)
        baton_ready(own->turn, sim.timeline.spans[node].start);
    return COST_OPEN;
}
