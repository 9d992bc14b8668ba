/* SPDX-License-Identifier: MIT */
/* Threads that ask again and again instead of waiting: they let others go first, and time passes
 * for them. */
#include "sim/host/scheduler.h"

#include "sim/call_log.h"
#include "sim/host/counters.h"
#include "sim/host/note.h"
#include "sim/host/turns.h"
#include "sim/race/access.h"

enum { YIELD_DOUBLINGS = 20 };

/* Has the device taken any steps? */
static bool poll_device(void)
{
    struct task *self = scheduler_self();
    bool any = false;
    if (!scheduler_passes(self))
        return false;
    int64_t now = model_now(&sim.model, self->number);
    access_up_to_now();
    self->state = TASK_READY;
    self->at = now;
    while (model_next(&sim.model) <= now && model_next(&sim.model) != TIME_NEVER) {
        scheduler_step();
        any = true;
        for (const struct task *t = scheduler_all(); t; t = t->next)
            if (t->function && t->state == TASK_READY && t != self) {
                scheduler_pass(false);
                break;
            }
    }
    sim_host_goes_on();
    return any;
}

void scheduler_poll(void)
{
    poll_device();
}

/* When something happens next that this thread does not do itself. */
static int64_t next_thing(const struct task *self)
{
    int64_t next = model_next(&sim.model);
    for (const struct task *t = scheduler_all(); t; t = t->next)
        if (t != self && (t->state == TASK_READY || t->state == TASK_BLOCKED) && t->at < next)
            next = t->at;
    return next;
}

bool scheduler_is_last(void)
{
    const struct task *self = scheduler_self();
    return model_next(&sim.model) == TIME_NEVER && next_thing(self) == TIME_NEVER
           && !scheduler_held_up(NULL);
}

void scheduler_give_up(const char *what)
{
    struct task *self = scheduler_self();
    self->what = what;
    self->object = NULL;
    self->holder = 0;
    self->state = TASK_BLOCKED;
    self->counters = counters_here(self->counter, BLOCK_COUNTERS);
    scheduler_deadlock();
}

static void spend(struct task *self, int64_t ns, const char *name)
{
    note(&(struct call){ .kind = self->function ? CALL_FUNCTION_WORK : CALL_HOST_WORK,
                         .flags = CALL_POLLS, .name = call_string(name), .cost = ns });
    self->acts_polled = self->acts;
}

/* The steps that the device takes are noted: a replay of the log takes the same. */
static void poll_and_note(const struct task *self)
{
    if (poll_device())
        note_for(&(struct call){ .kind = CALL_POLL, .thread = self->number, .node = NO_NODE });
}

void scheduler_yield(const char *name)
{
    struct task *self = scheduler_self();
    if (!scheduler_passes(self)
        || (scheduler_is_alone(self) && model_next(&sim.model) == TIME_NEVER))
        return;
    poll_and_note(self);
    scheduler_pass(true);
    if (self->acts != self->acts_polled) {
        self->acts_polled = self->acts;
        self->yields = 0;
    }
    if (++self->yields <= FREE_YIELDS)
        return;
    unsigned doublings = self->yields - FREE_YIELDS - 1;
    int64_t now = model_now(&sim.model, self->number), next = next_thing(self);
    int64_t cost = POLL_NS << (doublings < YIELD_DOUBLINGS ? doublings : YIELD_DOUBLINGS);
    if (next > now && next != TIME_NEVER && next - now < cost)
        cost = next - now;
    spend(self, cost, name);
    poll_and_note(self);
    scheduler_pass(true);
}

/* What the device does in that time, functions included, is done when the thread goes on: the
 * second record tells a replay of the log so. */
static void pause_for(struct task *self, int64_t pause)
{
    if (pause == 0)
        return;
    self->pauses = true;        /* to spend time is a call, too */
    scheduler_pass(false);
    note(&(struct call){ .kind = self->function ? CALL_FUNCTION_WORK : CALL_HOST_WORK,
                         .name = call_string(LOST_TURN),
                         .cost = pause });
    scheduler_poll();
    scheduler_pass(true);
    spend(self, 0, LOST_TURN);
    self->pauses = false;
}

void scheduler_pause(void)
{
    struct task *self = scheduler_self();
    if (scheduler_passes(self) && !self->pauses && !scheduler_is_alone(self))
        pause_for(self, turns_pause());
}

void scheduler_begins_late(void)
{
    struct task *self = scheduler_self();
    if (scheduler_passes(self) && !scheduler_is_alone(self))
        pause_for(self, turns_late());
}

void scheduler_act(const struct thread *thread)
{
    if (thread->task)
        thread->task->acts++;
}

void scheduler_touch(const char *name)
{
    struct task *self = scheduler_self();
    if (!scheduler_passes(self) || scheduler_is_alone(self))
        return;
    if (self->acts != self->acts_polled) {
        self->acts_polled = self->acts;
        self->polls = 0;
    }
    if (++self->polls <= FREE_POLLS)
        return;
    scheduler_poll();
    spend(self, POLL_NS, name);
}
