/* SPDX-License-Identifier: MIT */
#include "baton.h"

#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "access.h"
#include "call_log.h"
#include "crash.h"
#include "note.h"
#include "residency.h"
#include "real.h"

enum { YIELD_DOUBLINGS = 20 };

void (*baton_leaves)(int status);
static struct turn *turns;
static uint64_t sequence;
static bool choosing;           /* the device is being stepped: what runs in it passes no turn */

struct turn *baton_self(void)
{
    return thread_self()->turn;
}

struct turn *baton_all(void)
{
    return turns;
}

static bool alone(const struct turn *self)
{
    return turns == self && !self->next;
}

/* Passes no turn on: who calls does, when it is ready to. */
static void note_quietly(const struct call *c)
{
    thread_self()->locks++;
    note_for(c);
    thread_self()->locks--;
}

void baton_begins(struct turn *turn)
{
    turn->task = (int)real()->syscall(SYS_gettid);
    thread_becomes(turn->number, turn);
}

struct turn *baton_first(void)
{
    static struct turn first;
    first.number = thread_number();
    return turns = &first;
}

struct turn *baton_new(bool function)
{
    struct turn *turn = calloc(1, sizeof *turn);
    if (!turn)
        sim_trouble("no memory for another thread");
    *turn = (struct turn){ .number = thread_number(), .function = function, .since = ++sequence, .next = turns };
    turns = turn;
    note_quietly(&(struct call){ .kind = CALL_THREAD_BEGIN, .thread = turn->number,
                             .name = call_string("pthread_create"), .src = thread_self()->number,
                             .node = thread_self()->in_function ? thread_self()->function : NO_NODE });
    access_thread_made(turn->number, function);
    turn->at = model_now(&sim.model, turn->number);
    turn->state = function ? TURN_PARKED : TURN_READY;
    return turn;
}

void baton_forget(struct turn *turn)
{
    struct turn **at = &turns;
    while (*at != turn)
        at = &(*at)->next;
    *at = turn->next;
    if (turn->number > 0)
        free(turn);
}

/* ---- who is next ---- */

static bool before(const struct turn *a, const struct turn *b)
{
    if (a->at != b->at)
        return a->at < b->at;
    if (a->function != b->function)
        return a->function;
    return a->since < b->since;
}

void baton_ready(struct turn *turn, int64_t at)
{
    turn->state = TURN_READY;
    turn->at = at;
    turn->since = ++sequence;
}

/* Some may have got what they waited for. */
static void look_at_waits(void)
{
    for (struct turn *t = turns; t; t = t->next)
        if (t->state == TURN_DEVICE && !model_waits(&sim.model, t->number))
            baton_ready(t, model_now(&sim.model, t->number));
}

static void step(void)
{
    choosing = true;
    model_step(&sim.model);
    choosing = false;
    look_at_waits();
}

static struct turn *first(void)
{
    struct turn *best = NULL;
    for (struct turn *t = turns; t; t = t->next) {
        bool can = t->state == TURN_READY || (t->state == TURN_BLOCKED && t->at != TIME_NEVER);
        if (can && (!best || before(t, best)))
            best = t;
    }
    return best;
}

static struct turn *held_up(const void *mutex)
{
    for (struct turn *t = turns; t; t = t->next)
        if (t->state == TURN_HELD_UP && (!mutex || t->object == mutex))
            return t;
    return NULL;
}

/* NULL: nobody can ever go on. */
static struct turn *choose(void)
{
    look_at_waits();                /* a call may have taken steps by itself */
    for (;;) {
        struct turn *best = first();
        /* Who is blocked may be woken by a stream's function. */
        bool needed = model_waiting(&sim.model) || !best || best->state == TURN_BLOCKED;
        if (!needed || model_next(&sim.model) >= (best ? best->at : TIME_NEVER))
            return best ? best : held_up(NULL);
        step();
    }
}

/* ---- deadlock ---- */

static const struct turn *holder_of(const struct turn *blocked)
{
    for (const struct turn *t = turns; t; t = t->next)
        if (t == blocked->object || (blocked->holder != 0 && t->task == blocked->holder))
            return t;
    return NULL;
}

static void name_thread(char *text, size_t size, const struct turn *t)
{
    if (t->function)
        snprintf(text, size, "the host functions' thread");
    else
        snprintf(text, size, t->number == 0 ? "the main thread" : "thread %u", t->number);
}

static const char *name_of_file(const struct call *c)
{
    const char *file = timeline_string(&sim.timeline, c->file), *slash = strrchr(file, '/');
    return slash ? slash + 1 : file;
}

/* A wait for the device is a call of the program. Other waits are none: they come after its latest call, or are in a
 * stream's function. */
static void tell_where(FILE *to, const struct turn *t)
{
    for (size_t i = sim.timeline.call_count; i-- > 0;) {
        const struct call *c = &sim.timeline.calls[i];
        if (c->thread == t->number && c->kind == CALL_FUNCTION_BEGIN) {
            const struct call *queued = &sim.timeline.calls[sim.timeline.spans[c->node].call];
            if (queued->line != 0)
                fprintf(to, " (in the function queued at %s:%u)", name_of_file(queued), queued->line);
            return;
        }
        if (c->thread != t->number || c->line == 0 || c->kind == CALL_LABEL || c->kind == CALL_PART)
            continue;
        fprintf(to, " (%s%s at %s:%u)", t->state == TURN_DEVICE ? "in " : "after its ", timeline_string(&sim.timeline, c->name),
                name_of_file(c), c->line);
        return;
    }
}

static void tell_what_it_waits_for(FILE *to, const struct turn *t)
{
    char name[40], other[40];
    const struct turn *holder = t->state == TURN_BLOCKED ? holder_of(t) : NULL;
    name_thread(name, sizeof name, t);
    if (holder)
        name_thread(other, sizeof other, holder);
    fprintf(to, "%s waits for ", name);
    if (holder && t->object == holder)
        fprintf(to, "%s to end", other);
    else if (holder)
        fprintf(to, "%s, which %s holds", t->what, holder == t ? "it already" : other);
    else
        fputs(t->state == TURN_BLOCKED ? t->what : "the device", to);
    tell_where(to, t);
}

/* A record for the thread: what it waits for; in a second line, where: program counters. */
static void tell_thread(const struct turn *t, const char *between)
{
    char text[600] = "";
    FILE *to = fmemopen(text, sizeof text, "w");
    tell_what_it_waits_for(to, t);
    fflush(to);
    fprintf(stderr, "%s%s", between, text);
    for (int i = 0; t->state == TURN_BLOCKED && i < t->counters; i++)
        fprintf(to, "%s%#llx", i == 0 ? "\n" : " ", (unsigned long long)t->counter[i]);
    fclose(to);
    note(&(struct call){ .kind = CALL_DEADLOCK, .message = call_string(text) });
}

static _Noreturn void deadlock(void)
{
    uint32_t count = 0;
    for (const struct turn *t = turns; t; t = t->next)
        count = t->number >= count ? t->number + 1 : count;
    const char *between = "deadlock: ";
    fflush(stdout);
    choosing = true;            /* no turn is passed on any more, and the caller's own wait is over: it has to say that it ends */
    for (uint32_t number = 0; number < count; number++)
        for (const struct turn *t = turns; t; t = t->next)
            if (t->number == number && (t->state == TURN_BLOCKED || t->state == TURN_DEVICE)) {
                tell_thread(t, between);
                between = "; ";
            }
    fputc('\n', stderr);
    baton_leaves(DEADLOCK_STATUS);
    __builtin_unreachable();
}

/* ---- handing over ---- */

void baton_take(struct turn *self)
{
    while (__atomic_exchange_n(&self->baton, 0, __ATOMIC_ACQ_REL) == 0)
        real_futex(&self->baton, FUTEX_WAIT_PRIVATE, 0);
}

static void give(struct turn *to)
{
    __atomic_store_n(&to->baton, 1, __ATOMIC_RELEASE);
    real_futex(&to->baton, FUTEX_WAKE_PRIVATE, 1);
}

/* Whoever is next goes on; returns when that is the caller. */
static void hand_over(struct turn *self)
{
    access_up_to_now();
    struct turn *next = choose();
    if (!next)
        deadlock();
    if (next == self)
        return;
    give(next);
    baton_take(self);
}

void baton_pass(bool politely)
{
    struct turn *self = baton_self();
    if (!self || choosing || sim.in_effect || alone(self))
        return;
    self->state = TURN_READY;
    self->at = model_now(&sim.model, self->number);
    self->since = politely ? ++sequence : 0;
    hand_over(self);
}

void baton_end(struct turn *self)
{
    access_up_to_now();
    self->state = TURN_ENDED;
    baton_wake(self, UINT32_MAX);
    bool others = false;
    for (const struct turn *t = turns; t; t = t->next)
        others |= t->state != TURN_ENDED && t->state != TURN_PARKED;
    if (!others)
        exit(0);
    struct turn *next = choose();
    if (!next)
        deadlock();
    thread_self()->turn = NULL;
    if (self->detached)
        baton_forget(self);
    give(next);
}

void baton_park(struct turn *self)
{
    self->state = TURN_PARKED;
    hand_over(self);
}

/* ---- waiting and waking ---- */

bool baton_wakes_badly(void)
{
    static int wanted = -1;
    if (wanted < 0) {
        const char *text = getenv("SIM_WAKEUPS");
        wanted = text && strcmp(text, "worst") == 0;
    }
    return wanted;
}

void baton_hold_up(const void *mutex, const void *condition)
{
    struct turn *self = baton_self();
    if (!self || choosing || sim.in_effect || alone(self) || !baton_wakes_badly())
        return;
    self->state = TURN_HELD_UP;
    self->object = mutex;
    self->awaits = condition;
    hand_over(self);
    self->state = TURN_READY;
    self->awaits = NULL;
}

/* A thread that is about to wait for this gets no wake-up that comes now; it goes on. */
static void tell_lost(const void *condition)
{
    const struct turn *self = baton_self();
    for (struct turn *t = turns; t; t = t->next)
        if (t->state == TURN_HELD_UP && t->awaits == condition) {
            if (self && self->locked != t->object)
                access_report_lost(t->number);
            baton_ready(t, model_now(&sim.model, t->number));
        }
}

void sim_lock(void)
{
    if (thread_self()->locks++ == 0)
        residency_host_calls();
}

void sim_unlock(void)
{
    if (--thread_self()->locks == 0)
        baton_pass(false);
}

bool baton_block(const void *object, const char *what, int holder, int64_t deadline)
{
    struct turn *self = baton_self();
    residency_host_calls();
    if (!self || deadline <= model_now(&sim.model, self->number)) {
        baton_yield(what);
        return false;
    }
    struct turn *holds = held_up(object);
    if (holds)
        baton_ready(holds, model_now(&sim.model, holds->number));
    if (self->queued == 0)
        self->queued = ++sequence;
    self->object = object;
    self->what = what;
    self->holder = holder;
    self->woken = false;
    self->state = TURN_BLOCKED;
    self->at = deadline;
    self->since = ++sequence;
    self->counters = deadline == TIME_NEVER ? counters_here(self->counter, BLOCK_COUNTERS) : 0;
    hand_over(self);
    self->state = TURN_READY;
    if (!self->woken)
        note(&(struct call){ .kind = self->function ? CALL_FUNCTION_WORK : CALL_HOST_WORK,
                                   .name = call_string(what),
                                   .cost = deadline - model_now(&sim.model, self->number) });
    return self->woken;
}

static struct turn *first_blocked_on(const void *object)
{
    struct turn *best = NULL;
    for (struct turn *t = turns; t; t = t->next)
        if (t->state == TURN_BLOCKED && t->object == object && (!best || t->queued < best->queued))
            best = t;
    return best;
}

unsigned baton_wake(const void *object, unsigned most)
{
    const struct turn *self = baton_self();
    unsigned count = 0;
    tell_lost(object);
    for (struct turn *t; count < most && (t = first_blocked_on(object)) != NULL; count++) {
        note_quietly(&(struct call){ .kind = CALL_THREAD_WAKE, .thread = t->number, .name = call_string(t->what),
                                 .src = self ? self->number : t->number,
                                 .node = thread_self()->in_function ? thread_self()->function : NO_NODE });
        t->woken = true;
        baton_ready(t, model_now(&sim.model, t->number));
    }
    return count;
}

void baton_leave_queue(void)
{
    struct turn *self = baton_self();
    if (self)
        self->queued = 0;
}

void baton_wait_for_device(void)
{
    struct turn *self = baton_self();
    if (!self || choosing || sim.in_effect)
        return;
    while (model_waits(&sim.model, self->number)) {
        self->state = TURN_DEVICE;
        hand_over(self);
        self->state = TURN_READY;
    }
}

/* ---- spins ---- */

void baton_look(void)
{
    struct turn *self = baton_self();
    if (!self || choosing || sim.in_effect)
        return;
    int64_t now = model_now(&sim.model, self->number);
    access_up_to_now();
    self->state = TURN_READY;
    self->at = now;
    while (model_next(&sim.model) <= now && model_next(&sim.model) != TIME_NEVER) {
        step();
        for (const struct turn *t = turns; t; t = t->next)
            if (t->function && t->state == TURN_READY && t != self) {
                baton_pass(false);
                break;
            }
    }
}

/* When something else happens than this thread's spinning. */
static int64_t next_thing(const struct turn *self)
{
    int64_t next = model_next(&sim.model);
    for (const struct turn *t = turns; t; t = t->next)
        if (t != self && (t->state == TURN_READY || t->state == TURN_BLOCKED) && t->at < next)
            next = t->at;
    return next;
}

bool baton_is_last(void)
{
    const struct turn *self = baton_self();
    return model_next(&sim.model) == TIME_NEVER && next_thing(self) == TIME_NEVER && !held_up(NULL);
}

void baton_give_up(const char *what)
{
    struct turn *self = baton_self();
    self->what = what;
    self->object = NULL;
    self->holder = 0;
    self->state = TURN_BLOCKED;
    self->counters = counters_here(self->counter, BLOCK_COUNTERS);
    deadlock();
}

static void spend(struct turn *self, int64_t ns, const char *name)
{
    note(&(struct call){ .kind = self->function ? CALL_FUNCTION_WORK : CALL_HOST_WORK,
                               .flags = CALL_LOOKS, .name = call_string(name), .cost = ns });
    self->acts_seen = self->acts;
}

void baton_yield(const char *name)
{
    struct turn *self = baton_self();
    if (!self || choosing || sim.in_effect || (alone(self) && model_next(&sim.model) == TIME_NEVER))
        return;
    baton_look();
    baton_pass(true);
    if (self->acts != self->acts_seen) {
        self->acts_seen = self->acts;
        self->yields = 0;
    }
    if (++self->yields <= FREE_YIELDS)
        return;
    unsigned doublings = self->yields - FREE_YIELDS - 1;
    int64_t now = model_now(&sim.model, self->number), next = next_thing(self);
    int64_t cost = LOOK_NS << (doublings < YIELD_DOUBLINGS ? doublings : YIELD_DOUBLINGS);
    if (next > now && next != TIME_NEVER && next - now < cost)
        cost = next - now;
    spend(self, cost, name);
    baton_look();
    baton_pass(true);
}

void baton_act(const struct thread *thread)
{
    if (thread->turn)
        thread->turn->acts++;
}

void baton_touch(const char *name)
{
    struct turn *self = baton_self();
    if (!self || choosing || sim.in_effect || alone(self))
        return;
    if (self->acts != self->acts_seen) {
        self->acts_seen = self->acts;
        self->looks = 0;
    }
    if (++self->looks <= FREE_LOOKS)
        return;
    baton_look();
    spend(self, LOOK_NS, name);
}
