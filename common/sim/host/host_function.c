/* SPDX-License-Identifier: MIT */
#include "sim/host/host_function.h"

#include "sim/call_log.h"
#include "sim/host/host_thread.h"
#include "sim/host/note.h"
#include "sim/race/access.h"
#include "sim/real.h"
#include "trace/record/memory.h"

struct functions {
    struct task *task;          /* of the thread that runs the device's; NULL: none yet */
    /* Those that have started, in that order; the device starts the next when one has ended. */
    struct started { struct host_function function; uint32_t node; int64_t due; } *list;
    size_t first, count, capacity;
    struct functions *next;     /* of those that are for no device, but for values in memory */
};

/* Each does what it does at once, so that a few are enough. */
enum { APART = 16 };

static struct functions functions[CARD_DEVICES], *apart;
/* Operations that need one of those, and are not over; how many there are. */
static size_t queued_apart, made_apart;

static void run_next(struct functions *own)
{
    struct started next = own->list[own->first++];
    const struct host_function *f = &next.function;
    note(&(struct call){
        .kind = CALL_FUNCTION_BEGIN, .node = next.node, .name = call_string("host function") });
    access_function_begins(next.node);
    int64_t waited = next.due - model_now(&sim.model, own->task->number);
    if (f->value.how != VALUE_NONE && waited > 0)
        note(&(struct call){
            .kind = CALL_FUNCTION_WORK, .name = call_string("a value in memory"), .cost = waited });
    thread_self()->in_function = true;
    thread_self()->function = next.node;
    own->task->locked = NULL;
    sim.function_now = next.node;
    sim.changes++;
    if (f->value.how != VALUE_NONE)
        value_passes(&f->value);
    else if (f->callback)
        f->callback(f->stream, sim.sticky, f->data);
    else
        f->function(f->data);
    sim.function_now = NO_NODE;
    sim.changes++;
    thread_self()->in_function = false;
    access_leave(next.node);
    access_function_ends();
    int64_t took = model_now(&sim.model, own->task->number) - sim.timeline.spans[next.node].start;
    note(&(struct call){ .kind = CALL_FUNCTION_END, .node = next.node,
                         .name = call_string("host function"), .cost = took,
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

static void prepare_apart(void)
{
    if (++queued_apart <= made_apart || made_apart == APART)
        return;
    struct functions *own = memory_resize(NULL, sizeof *own);
    *own = (struct functions){ .next = apart };
    own->task = host_thread_for_functions(run_all, own);
    apart = own;
    made_apart++;
}

void host_function_prepare(const struct host_function *function, uint32_t device)
{
    struct functions *own = &functions[device];
    if (function->value.how != VALUE_NONE)
        prepare_apart();
    else if (!own->task)
        own->task = host_thread_for_functions(run_all, own);
}

static void *run_in_copy(void *argument)
{
    struct functions *own = argument;
    scheduler_begins(own->task);
    scheduler_take(own->task);
    return run_all(own);
}

static bool make_in_copy(struct functions *own)
{
    pthread_t thread;
    return !own->task
           || (own->first == 0 && real()->pthread_create(&thread, NULL, run_in_copy, own) == 0);
}

bool host_functions_in_copy(void)
{
    bool all = true;
    for (unsigned device = 0; device < CARD_DEVICES; device++)
        all &= make_in_copy(&functions[device]);
    for (struct functions *own = apart; own; own = own->next)
        all &= make_in_copy(own);
    return all;
}

static void add(struct functions *own, struct started started)
{
    own->list = memory_grow(own->list, own->count, &own->capacity, sizeof *own->list);
    own->list[own->count++] = started;
    if (own->task->state == TASK_PARKED)
        scheduler_ready(own->task, started.due);
}

/* The device's present is what it was waiting for. */
static void goes_on(struct host_function function, uint32_t node, int64_t due)
{
    struct functions *idle = apart;
    while (idle->task->state != TASK_PARKED && idle->next)
        idle = idle->next;
    queued_apart--;
    add(idle, (struct started){ function, node, due });
}

void host_function_look(int64_t now, bool by_host)
{
    if (by_host && queued_apart > 0)
        value_by_host();
    for (size_t i = 0; i < awaited_count(); i++) {
        const struct awaited *a = awaited_at(i);
        if (sim.sticky == cudaSuccess && !value_is_due(&a->value))
            continue;
        struct awaited due = *a;
        int64_t start = sim.timeline.spans[due.node].start;
        awaited_remove(i--);
        goes_on((struct host_function){ .value = due.value }, due.node, now > start ? now : start);
    }
}

int64_t host_function_start(struct host_function function, uint32_t node)
{
    int64_t start = sim.timeline.spans[node].start;
    if (function.value.how == VALUE_NONE)
        add(&functions[sim.timeline.spans[node].device], (struct started){ function, node, start });
    else if (value_is_due(&function.value))
        goes_on(function, node, start);
    else
        awaited_add(function.value, node);
    return COST_OPEN;
}
