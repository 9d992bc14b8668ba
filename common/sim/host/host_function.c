/* SPDX-License-Identifier: MIT */
#include "sim/host/host_function.h"

#include "sim/call_log.h"
#include "sim/host/host_thread.h"
#include "sim/host/note.h"
#include "sim/race/access.h"
#include "trace/record/memory.h"

static struct functions {
    struct task *task;          /* of the thread that runs the device's; NULL: none yet */
    /* Those that have started, in that order; the device starts the next when one has ended. */
    struct started { struct host_function function; uint32_t node; } *list;
    size_t first, count, capacity;
} functions[CARD_DEVICES];

static void run_next(struct functions *own)
{
    struct started next = own->list[own->first++];
    const struct host_function *f = &next.function;
    note(&(struct call){ .kind = CALL_FUNCTION_BEGIN, .node = next.node, .name = call_string("host function") });
    access_function_begins(next.node);
    thread_self()->in_function = true;
    thread_self()->function = next.node;
    own->task->locked = NULL;
    sim.function_now = next.node;
    sim.changes++;
    if (f->callback)
        f->callback(f->stream, sim.sticky, f->data);
    else
        f->function(f->data);
    sim.function_now = NO_NODE;
    sim.changes++;
    thread_self()->in_function = false;
    access_leave(next.node);
    access_function_ends();
    int64_t took = model_now(&sim.model, own->task->number) - sim.timeline.spans[next.node].start;
    note(&(struct call){ .kind = CALL_FUNCTION_END, .node = next.node, .name = call_string("host function"), .cost = took,
                          .dst = (uint64_t)(uintptr_t)own->task->locked });
}

static void *run_all(void *argument)
{
    struct functions *own = argument;
    for (;;) {
        while (own->first < own->count)
            run_next(own);
        own->first = own->count = 0;
        scheduler_park(own->task);
    }
    return argument;
}

void host_function_prepare(uint32_t device)
{
    struct functions *own = &functions[device];
    if (!own->task)
        own->task = host_thread_for_functions(run_all, own);
}

int64_t host_function_start(struct host_function function, uint32_t node)
{
    struct functions *own = &functions[sim.timeline.spans[node].device];
    own->list = memory_grow(own->list, own->count, &own->capacity, sizeof *own->list);
    own->list[own->count++] = (struct started){ function, node };
    if (own->task->state == TASK_PARKED)
        scheduler_ready(own->task, sim.timeline.spans[node].start);
    return COST_OPEN;
}
