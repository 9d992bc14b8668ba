/* SPDX-License-Identifier: MIT */
#include "sim/host/scheduler.h"

#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sim/call_log.h"
#include "sim/host/counters.h"
#include "sim/host/deadlock.h"
#include "sim/host/note.h"
#include "sim/host/turns.h"
#include "sim/memory/residency.h"
#include "sim/race/access.h"
#include "sim/real.h"

void (*scheduler_leaves)(int status);
void (*scheduler_gives)(const struct task *to), (*scheduler_called)(void);
static struct task *tasks;
static uint64_t sequence;
static int
    running; /* the kernel's number of the thread whose turn it is; 0: there has been one only */
static bool choosing;           /* the device is being stepped: what runs in it passes no turn */

struct task *scheduler_self(void)
{
    return thread_self()->task;
}

struct task *scheduler_all(void)
{
    return tasks;
}

int scheduler_running(void)
{
    return __atomic_load_n(&running, __ATOMIC_RELAXED);
}

bool scheduler_passes(const struct task *self)
{
    return self && !choosing && !sim.in_effect;
}

bool scheduler_is_alone(const struct task *self)
{
    return tasks == self && !self->next;
}

/* Passes no turn on: who calls does, when it is ready to. */
static void note_quietly(const struct call *c)
{
    thread_self()->locks++;
    note_for(c);
    thread_self()->locks--;
}

void scheduler_begins(struct task *task)
{
    task->tid = (int)real()->syscall(SYS_gettid);
    thread_becomes(task->number, task, task->process);
}

struct task *scheduler_first(void)
{
    static struct task first;
    first.number = thread_number();
    return tasks = &first;
}

struct task *scheduler_new(bool function)
{
    struct task *task = calloc(1, sizeof *task);
    if (!task)
        sim_trouble("no memory for another thread");
    *task = (struct task){
        .number = thread_number(), .process = function ? 0 : thread_self()->process,
        .function = function, .since = ++sequence, .next = tasks
    };
    tasks = task;
    note_quietly(&(struct call){ .kind = CALL_THREAD_BEGIN, .thread = task->number,
                             .name = call_string("pthread_create"), .src = thread_self()->number,
                             .node = thread_self()->in_function ? thread_self()->function : NO_NODE });
    access_thread_made(task->number, function);
    task->at = model_now(&sim.model, task->number);
    task->state = function ? TASK_PARKED : TASK_READY;
    return task;
}

void scheduler_remove(struct task *task)
{
    struct task **at = &tasks;
    while (*at != task)
        at = &(*at)->next;
    *at = task->next;
    if (task->number > 0)
        free(task);
}

/* ---- who is next ---- */

static bool before(const struct task *a, const struct task *b)
{
    if (a->at != b->at)
        return a->at < b->at;
    if (a->function != b->function)
        return a->function;
    return a->since < b->since;
}

void scheduler_ready(struct task *task, int64_t at)
{
    task->state = TASK_READY;
    task->at = at;
    task->since = ++sequence;
}

/* Some may have got what they waited for. */
static void look_at_waits(void)
{
    for (struct task *t = tasks; t; t = t->next)
        if (t->state == TASK_DEVICE && !model_waits(&sim.model, t->number))
            scheduler_ready(t, model_now(&sim.model, t->number));
}

void scheduler_step(void)
{
    choosing = true;
    model_step(&sim.model);
    choosing = false;
    look_at_waits();
}

static struct task *first(void)
{
    struct task *best = NULL;
    for (struct task *t = tasks; t; t = t->next) {
        bool can = t->state == TASK_READY || (t->state == TASK_BLOCKED && t->at != TIME_NEVER);
        if (can && (!best || before(t, best)))
            best = t;
    }
    return best;
}

struct task *scheduler_held_up(const void *mutex)
{
    for (struct task *t = tasks; t; t = t->next)
        if (t->state == TASK_HELD_UP && (!mutex || t->object == mutex))
            return t;
    return NULL;
}

/* NULL: nobody can ever go on. */
static struct task *choose(void)
{
    look_at_waits();                /* a call may have taken steps by itself */
    for (;;) {
        struct task *best = first();
        /* Who is blocked may be woken by a stream's function. */
        bool needed = model_waiting(&sim.model) || !best || best->state == TASK_BLOCKED;
        if (!needed || model_next(&sim.model) >= (best ? best->at : TIME_NEVER)) {
            sim_host_goes_on();
            return best ? best : scheduler_held_up(NULL);
        }
        scheduler_step();
    }
}

/* ---- deadlock ---- */

static void note_deadlock(const char *text)
{
    note(&(struct call){ .kind = CALL_DEADLOCK, .message = call_string(text) });
}

void scheduler_deadlock(void)
{
    choosing = true; /* no turn is passed on any more, and the caller's own wait is over: it has to
                        say that it ends */
    deadlock_tell(tasks, note_deadlock);
    scheduler_leaves(DEADLOCK_STATUS);
    __builtin_unreachable();
}

/* ---- handing over ---- */

struct errand {
    void (*run)(void *argument);
    void *argument;
    int done;                   /* a futex */
};

static void run_errand(struct errand *errand)
{
    errand->run(errand->argument);
    __atomic_store_n(&errand->done, 1, __ATOMIC_RELEASE);
    real_futex(&errand->done, FUTEX_WAKE_PRIVATE, 1);
}

void scheduler_take(struct task *self)
{
    for (;;) {
        int go = __atomic_exchange_n(&self->go, 0, __ATOMIC_ACQ_REL);
        if (go == 1) {
            /* Who gave it may have done so before this thread had a number. */
            __atomic_store_n(&running, self->tid, __ATOMIC_RELAXED);
            return;
        }
        if (go == 2)
            run_errand(self->errand);
        else
            real_futex(&self->go, FUTEX_WAIT_PRIVATE, 0);
    }
}

bool scheduler_run_on(uint32_t number, void (*run)(void *argument), void *argument)
{
    struct task *self = scheduler_self(), *task = tasks;
    if (self && self->number == number) {
        run(argument);
        return true;
    }
    while (task && task->number != number)
        task = task->next;
    if (!task || task->state == TASK_ENDED)
        return false;
    struct errand errand = { run, argument, 0 };
    int was_running = running;
    task->errand = &errand;
    __atomic_store_n(&running, task->tid, __ATOMIC_RELAXED);
    __atomic_store_n(&task->go, 2, __ATOMIC_RELEASE);
    real_futex(&task->go, FUTEX_WAKE_PRIVATE, 1);
    while (__atomic_load_n(&errand.done, __ATOMIC_ACQUIRE) == 0)
        real_futex(&errand.done, FUTEX_WAIT_PRIVATE, 0);
    __atomic_store_n(&running, was_running, __ATOMIC_RELAXED);
    return true;
}

static void give(struct task *to)
{
    if (scheduler_gives)
        scheduler_gives(to);
    __atomic_store_n(&running, to->tid, __ATOMIC_RELAXED);
    __atomic_store_n(&to->go, 1, __ATOMIC_RELEASE);
    real_futex(&to->go, FUTEX_WAKE_PRIVATE, 1);
}

/* Whoever is next goes on; returns when that is the caller. */
static void hand_over(struct task *self)
{
    access_up_to_now();
    struct task *next = choose();
    if (!next)
        scheduler_deadlock();
    if (next == self)
        return;
    give(next);
    scheduler_take(self);
}

void scheduler_pass(bool politely)
{
    struct task *self = scheduler_self();
    if (!scheduler_passes(self) || scheduler_is_alone(self))
        return;
    self->state = TASK_READY;
    self->at = model_now(&sim.model, self->number);
    self->since = politely ? ++sequence : 0;
    hand_over(self);
}

void scheduler_end(struct task *self)
{
    access_up_to_now();
    self->state = TASK_ENDED;
    scheduler_wake(self, UINT32_MAX);
    bool others = false;
    for (const struct task *t = tasks; t; t = t->next)
        others |= t->state != TASK_ENDED && t->state != TASK_PARKED;
    if (!others)
        exit(0);
    struct task *next = choose();
    if (!next)
        scheduler_deadlock();
    thread_self()->task = NULL;
    if (self->detached)
        scheduler_remove(self);
    give(next);
}

void scheduler_park(struct task *self)
{
    self->state = TASK_PARKED;
    hand_over(self);
}

/* ---- waiting and waking ---- */

bool scheduler_wakes_badly(void)
{
    static int wanted = -1;
    if (wanted < 0) {
        const char *text = getenv("SIM_WAKEUPS");
        wanted = text && strcmp(text, "worst") == 0;
    }
    return wanted;
}

void scheduler_hold_up(const void *mutex, const void *condition)
{
    struct task *self = scheduler_self();
    if (!scheduler_passes(self) || scheduler_is_alone(self) || !scheduler_wakes_badly())
        return;
    self->state = TASK_HELD_UP;
    self->object = mutex;
    self->awaits = condition;
    hand_over(self);
    self->state = TASK_READY;
    self->awaits = NULL;
}

/* A thread that is about to wait for this gets no wake-up that comes now; it goes on. */
static void tell_lost(const void *condition)
{
    const struct task *self = scheduler_self();
    for (struct task *t = tasks; t; t = t->next)
        if (t->state == TASK_HELD_UP && t->awaits == condition) {
            if (self && self->locked != t->object)
                access_report_lost(t->number);
            scheduler_ready(t, model_now(&sim.model, t->number));
        }
}

void sim_lock(void)
{
    if (scheduler_called)
        scheduler_called();
    if (thread_self()->locks++ == 0)
        residency_host_calls();
}

void sim_unlock(void)
{
    if (--thread_self()->locks > 0)
        return;
    scheduler_pass(false);
    scheduler_pause();
}

void scheduler_waits_here(void)
{
    struct task *self = scheduler_self();
    if (self)
        self->counters = counters_here(self->counter, BLOCK_COUNTERS);
}

bool scheduler_block(const void *object, const char *what, int holder, int64_t deadline)
{
    struct task *self = scheduler_self();
    /* No turn is passed on by it: what the caller has found out would be old, and who wakes it
     * would have been here already. */
    thread_self()->locks++;
    residency_host_calls();
    thread_self()->locks--;
    if (!self || deadline <= model_now(&sim.model, self->number)) {
        scheduler_yield(what);
        return false;
    }
    struct task *holds = scheduler_held_up(object);
    if (holds)
        scheduler_ready(holds, model_now(&sim.model, holds->number));
    if (self->queued == 0)
        self->queued = ++sequence;
    self->object = object;
    self->what = what;
    self->holder = holder;
    self->woken = false;
    self->state = TASK_BLOCKED;
    self->at = deadline;
    self->since = ++sequence;
    self->counters = deadline == TIME_NEVER ? counters_here(self->counter, BLOCK_COUNTERS) : 0;
    hand_over(self);
    self->state = TASK_READY;
    if (!self->woken)
        note(&(struct call){ .kind = self->function ? CALL_FUNCTION_WORK : CALL_HOST_WORK,
                             .name = call_string(what),
                             .cost = deadline - model_now(&sim.model, self->number) });
    return self->woken;
}

/* The first; in another order of turns, any. */
static struct task *one_blocked_on(const void *object)
{
    struct task *best = NULL, *drawn = NULL;
    unsigned count = 0;
    for (struct task *t = tasks; t; t = t->next) {
        if (t->state != TASK_BLOCKED || t->object != object)
            continue;
        if (!best || t->queued < best->queued)
            best = t;
        if (turns_draw(++count) == 0)
            drawn = t;
    }
    return turns_wanted() ? drawn : best;
}

unsigned scheduler_wake(const void *object, unsigned most)
{
    const struct task *self = scheduler_self();
    unsigned count = 0;
    tell_lost(object);
    for (struct task *t; count < most && (t = one_blocked_on(object)); count++) {
        note_quietly(&(struct call){ .kind = CALL_THREAD_WAKE,
                                     .thread = t->number, .name = call_string(t->what),
                                     .src = self ? self->number : t->number,
                                     .node = thread_self()->in_function ? thread_self()->function
                                                                        : NO_NODE });
        t->woken = true;
        scheduler_ready(t, model_now(&sim.model, t->number));
    }
    return count;
}

void scheduler_leave_queue(void)
{
    struct task *self = scheduler_self();
    if (self)
        self->queued = 0;
}

void scheduler_wait_for_device(void)
{
    struct task *self = scheduler_self();
    if (!scheduler_passes(self))
        return;
    while (model_waits(&sim.model, self->number)) {
        self->state = TASK_DEVICE;
        hand_over(self);
        self->state = TASK_READY;
    }
}
