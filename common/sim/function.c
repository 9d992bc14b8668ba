/* SPDX-License-Identifier: MIT */
#include "function.h"

#include "access.h"
#include "entry.h"
#include "host_thread.h"
#include "trace/memory.h"

static struct {
    struct turn *turn;          /* of the thread that runs them; NULL: none yet */
    /* Those that have started, in that order; the device starts the next when one has ended. */
    struct started { struct effect *effect; uint32_t node; } *list;
    size_t first, count, capacity;
} functions;

static void run_next(void)
{
    struct started next = functions.list[functions.first++];
    struct effect effect = *next.effect;
    entry_note(&(struct call){ .kind = CALL_FUNCTION_BEGIN, .node = next.node, .name = entry_string("host function") });
    access_enter();
    thread_self()->in_function = true;
    thread_self()->function = next.node;
    if (effect.callback)
        effect.callback(effect.stream, sim.sticky, effect.data);
    else
        effect.function(effect.data);
    thread_self()->in_function = false;
    access_leave(next.node);
    entry_note(&(struct call){ .kind = CALL_FUNCTION_END, .node = next.node, .name = entry_string("host function") });
}

static void *run_all(void *unused)
{
    for (;;) {
        while (functions.first < functions.count)
            run_next();
        functions.first = functions.count = 0;
        baton_park(functions.turn);
    }
    return unused;
}

void function_prepare(void)
{
    if (!functions.turn)
        functions.turn = host_thread_for_functions(run_all);
}

int64_t function_start(struct effect *effect, uint32_t node)
{
    functions.list = memory_grow(functions.list, functions.count, &functions.capacity, sizeof *functions.list);
    functions.list[functions.count++] = (struct started){ effect, node };
    if (functions.turn->state == TURN_PARKED)
        baton_ready(functions.turn, sim.timeline.spans[node].start);
    return COST_OPEN;
}
