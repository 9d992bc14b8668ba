/* SPDX-License-Identifier: MIT */
/*
 * scheduler.h - a cooperative scheduler of host threads, in virtual time: one task runs at a time.
 *
 * The turn goes to the thread with the lowest virtual time, at every call that
 * takes time or waits: for the device, a lock, a condition, a semaphore, a
 * futex, another thread's end. So a program with many threads does the same
 * things at the same times in every run, whatever the machine is doing. Among
 * equals the one that runs goes on; then a thread that runs host functions;
 * then whoever has been ready for longest.
 *
 * While a thread waits for the device, or for another thread, the device is carried forward, but
 * never beyond the present of a thread that can go on.
 *
 * Host code between two such calls takes no time and is not interrupted. So a
 * thread that spins on a plain variable and calls nothing spins for ever: nobody else
 * gets to change it. A spin that looks at a clock, queries a stream or an
 * event, tries a lock, yields or sleeps lets time pass, and ends; so does one on a volatile or
 * atomic variable, where hazards are on (poll.h). Waits that the kernel
 * alone sees (pipes, sockets, signals) keep the turn.
 *
 * When nobody can ever go on, a line on stderr says who waits for what and who
 * holds it, and the program ends with status DEADLOCK_STATUS; its log is whole. In
 * the log each thread that waits has a record of its own, with where it waits.
 */
#ifndef SIM_HOST_SCHEDULER_H
#define SIM_HOST_SCHEDULER_H

#include <pthread.h>

#include "sim/sim.h"

enum { DEADLOCK_STATUS = 3, BLOCK_COUNTERS = 12 };

enum task_state {
    TASK_READY,
    TASK_BLOCKED,               /* until scheduler_wake, or until `at` */
    TASK_DEVICE,                /* in a wait of the model's */
    TASK_HELD_UP,               /* about to wait: everybody else goes first (scheduler_hold_up) */
    TASK_PARKED,                /* has nothing to do: nobody waits for it */
    TASK_ENDED,
};

/* A host thread's place in the order of turns. */
struct task {
    uint32_t number;            /* of the thread, as in the log */
    uint32_t process;           /* that of the thread which made it */
    enum task_state state;
    int64_t at;                 /* when it can go on; TIME_NEVER: when it is woken */
    uint64_t since;             /* order among equals */
    bool function;              /* it runs host functions */
    int tid;                   /* the kernel's number for it: owner of a mutex */
    int go;                  /* a futex: 1 when it is its turn, 2 when it has an errand */
    struct errand *errand;
    /* What it is blocked on, and since when; 0: not in a queue. */
    const void *object;
    const char *what;           /* "a mutex" */
    int holder;                 /* the kernel's number of who has it; 0: nobody in particular */
    uint64_t queued;
    uint64_t counter[BLOCK_COUNTERS];   /* where it was blocked: counters_here (counters.h) */
    int counters;
    bool woken;
    const void *woken_badly; /* the condition of its latest wait that returned without a signal,
                                until it waits for that again; NULL: none */
    const void *locked; /* the mutex that it locked last, in this host function if it runs one */
    uint64_t locked_at;         /* the program counter of that call; 0: not known */
    const void *holds;          /* the same, until it is unlocked; NULL: none */
    const void *awaits; /* TASK_HELD_UP: what it is about to wait for; `object` is the mutex that it
                           holds */
    /* Spins: calls of its own that had been made at the last look, looks since. */
    uint64_t acts, acts_polled;
    unsigned polls, yields;
    bool pauses;                /* in scheduler_pause */
    /* Owned by host_thread.c. */
    pthread_t handle;
    bool detached;
    unsigned rounds;            /* of its destructors */
    struct task *next;
};

/* Ends the program and its log; set by report.c. */
extern void (*scheduler_leaves)(int status);

/* In a copy of the process (poll/trial.h): called before a thread goes on, which the copy may not
 * have, and at the next call of the runtime. NULL: nobody asks. */
extern void (*scheduler_gives)(const struct task *to), (*scheduler_called)(void);

/* The caller's; NULL for a thread that the simulator has not begun. */
struct task *scheduler_self(void);
/* Everybody who has not been joined, newest first. */
struct task *scheduler_all(void);

/* The thread that this one makes now; it begins at the maker's present, when it
 * is its turn: the new thread calls scheduler_take first. */
struct task *scheduler_new(bool function);
/* Runs run(argument) on the thread of this number, which waits for its turn or is the caller: some
 * work goes with a thread's own variables and stacks. False: it has ended. */
bool scheduler_run_on(uint32_t number, void (*run)(void *argument), void *argument);
/* What a thread that has a turn calls first. */
void scheduler_begins(struct task *task);
/* That of the first thread, which runs already. */
struct task *scheduler_first(void);
void scheduler_take(struct task *self);
/* The caller waits, and is woken at once: keeps where. */
void scheduler_waits_here(void);
/* The kernel's number of the thread whose turn it is; 0: it is the first one's, as it has been all
 * the time. */
int scheduler_running(void);
void scheduler_remove(struct task *task);
/* The caller has ended; somebody else goes on. */
void scheduler_end(struct task *self);
/* The caller has nothing to do until somebody sets its state to TASK_READY. */
void scheduler_park(struct task *self);
void scheduler_ready(struct task *task, int64_t at);

/* Lets those go first whose time is lower; `politely`: equal too. */
void scheduler_pass(bool politely);
/* Blocks the caller until `object` is given free or `deadline` has come (TIME_NEVER: no such).
 * False: it has come. */
bool scheduler_block(const void *object, const char *what, int holder, int64_t deadline);
/* Wakes the first `most` of those that are blocked on the object, at the caller's present; returns
 * how many. */
unsigned scheduler_wake(const void *object, unsigned most);
/* It has got what it waited for: next time it queues at the end. */
void scheduler_leave_queue(void);
/* Until the caller's wait in the model is over. */
void scheduler_wait_for_device(void);

/* The caller holds the mutex and is about to wait for the condition: it is held up until another
 * thread wants the mutex or signals the condition, or until no other thread can go on. A wake-up
 * that comes now, from a thread that has not locked the mutex, is lost, and told of. No time
 * passes. With SIM_WAKEUPS=worst alone. */
void scheduler_hold_up(const void *mutex, const void *condition);
/* SIM_WAKEUPS=worst: conditions wake without cause, and as late as they may. */
bool scheduler_wakes_badly(void);

/* For all that passes turns. May the caller pass its turn on? Not while the device is being
 * stepped, nor in a kernel. */
bool scheduler_passes(const struct task *self);
/* Is it the only thread? */
bool scheduler_is_alone(const struct task *self);
/* Carries the device one step forward; threads whose wait is over are ready. */
void scheduler_step(void);
/* The first that is held up (scheduler_hold_up) with the mutex, or, for NULL, at all; NULL: none.
 */
struct task *scheduler_held_up(const void *mutex);
/* Says who waits for what, and ends the program. */
_Noreturn void scheduler_deadlock(void);

/* ---- spins: scheduler_spin.c ---- */

/* So many polls of a clock or a lock with nothing done in between are free; each later one takes
 * POLL_NS. */
enum { FREE_POLLS = 1000, POLL_NS = 100 };
/* Pieces of work or sleeps in a row after which a thread is taken for one that waits for something.
 */
enum { FREE_WORKS = 8 };
/* So many yields in a row take no time: the C++ library yields a few times before it sleeps. */
enum { FREE_YIELDS = 4 };

/* The thread makes a call: what it does is no spin. */
void scheduler_act(const struct thread *thread);

/* Carries the device forward to the caller's present. */
void scheduler_poll(void);
/* Can nothing happen any more but what the caller does? */
bool scheduler_is_last(void);
/* Then that is the end: it waits for this. */
_Noreturn void scheduler_give_up(const char *what);
/* The thread may lose the processor here, for some time (turns.h): before or after whatever others
 * can notice. */
void scheduler_pause(void);
/* Likewise at the beginning of a new thread. */
void scheduler_begins_late(void);
/* A spin: polls, lets others go first, and some time pass, the more the longer it has lasted. */
void scheduler_yield(const char *name);
/* A lock was taken or given back: a thread that does nothing else spins, and time passes for it. */
void scheduler_touch(const char *name);

#endif
