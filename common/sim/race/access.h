/* SPDX-License-Identifier: MIT */
/*
 * access.h - how accesses to memory are seen, and what is said of hazards.
 *
 * Copies and memsets touch what their calls say, and are told of when they
 * end; giving memory back counts as the host's writing to all of it. What
 * kernels, host functions and the host itself touch is seen by the program's
 * instrumented build (instrumented.h, access_seen.h): an operation's accesses are told of
 * when it ends, the host's at its next call. Two that meet with no guaranteed
 * order between them (trace/order/hazard.h) are a hazard: a line on stderr that
 * begins with `hazard:`, and a CALL_HAZARD in the log. Where cards wait though no reference
 * promises it, in cudaFree and in cudaMemset of managed memory, the line begins with `note:`,
 * unless the program is being judged.
 *
 * So are loads and stores that leave the memory they were meant for, and the
 * host's in memory of the device.
 *
 * SIM_HAZARDS=0 turns all of this off; with SIM_HAZARDS=log it is in the log
 * alone. On or off, results and virtual times are the same: nothing here makes
 * a call of the model.
 */
#ifndef SIM_RACE_ACCESS_H
#define SIM_RACE_ACCESS_H

#include "sim/sim.h"
#include "sim/source_line.h"
#include "trace/order/hazard.h"
#include "trace/order/hazard_text.h"

/* Does the environment leave hazards on? */
bool access_wanted(void);
void access_begin(void);

/* The caller, which runs a host function, has seen what stands there: it comes after the operation
 * that wrote it last. */
void access_hears_writer(const void *at);
/* The host makes a call, or has made one. */
void access_before_call(void);
void access_after_call(void);
/* Around what a kernel or host function does, each time that it runs. */
void access_enter(void);
void access_leave(uint32_t node);
/* The caller runs this node's host function; it does so no more. */
void access_function_begins(uint32_t node);
void access_function_ends(void);
/* What the caller has touched so far, it has touched before what comes now. */
void access_up_to_now(void);
/* The operation has ended. */
void access_ended(uint32_t node);
/* Call number `call` of the timeline, which is over, gives memory back. */
void access_given_back(size_t call);
/* Memory was given: nobody has written it. */
void access_new(const void *at, uint64_t bytes);
/* … but for these bytes of it, which nobody is to use. */
void access_padding(const void *at, uint64_t bytes);
/* A variable on the device makes itself known. */
void access_variables(uint64_t at, uint64_t bytes);
/* The calling thread begins: what others had on a stack that was here before is gone. */
void access_stack_begins(void);
/* The functions that the caller had called have returned: their variables were on its stack, below
 * `lowest`. */
void access_frames_gone(const void *lowest);
/* What happened to these bytes means nothing for those that will be there. */
void access_clear(uint64_t at, uint64_t bytes);
/* The program ends: what copies and memsets that are still queued would touch. */
void access_finish(void);

/* ---- access_threads.c ----
 * What host threads have done is ordered by what passes between them: locks, conditions,
 * semaphores, barriers, pthread_once and static variables, the futex, thread creation and joins,
 * and each atomic or volatile access of the instrumented build: whoever reads one comes after all
 * who wrote it, whatever memory order they named. All that an object was ever told it tells, so
 * that order is assumed rather than missed; who counts in a volatile is asked more (updates.h).
 * Threads that meet by no such means (plain variables, files, time alone) are not ordered: one of
 * them touches what another one waited for on its own.
 */
/* The clocks that hazards are found with, what tells of all that the caller has touched so far, and
 * update_met (updates.h). */
struct volatile_store;
void access_threads_begin(struct vector_clocks *clocks, void (*up_to_now)(void),
                          void (*stored)(struct vector_clocks *clocks,
                                         const struct volatile_store *store));
/* NULL: hazards are off. */
struct vector_clocks *access_clocks(void);
void access_thread_made(uint32_t thread, bool function);
void access_thread_ends(void);
void access_thread_joined(uint32_t thread);
/* The caller is about to give `object` free, or to change it; it has got it, or seen it. */
void access_tells(const volatile void *object);
void access_hears(const volatile void *object);
/* The caller has locked a mutex or the like, at `pc` (NULL: not known), or is about to unlock it:
 * then where it had locked it. */
void access_holds(const volatile void *lock, const void *pc);
const void *access_gives(const volatile void *lock);
/* The last that it has, and where it has locked it; NULL: none. */
struct held_lock { const volatile void *lock; const void *pc; };
struct held_lock access_held(void);
/* The host is about to change a flag that kernels may read; what the host has told there, NULL:
 * nothing. */
void access_tells_flag(const volatile void *at);
struct clock_news;
const struct clock_news *access_news(uintptr_t at);
/* Are there, or were there, host threads but the first (and those of host functions)? */
bool access_many_threads(void);
/* The same, with those of host functions: all memory of the program is looked at from then on. */
bool access_many(void);
/* The caller's stack, its thread-local variables included; false: it cannot be told. Is that a
 * place on it? */
bool access_stack(uintptr_t *from, uintptr_t *to);
bool access_own_stack(uintptr_t at);

/* ---- freed.c: memory that can be reached after it was freed ---- */

/* This call frees memory, by a node of its stream (NO_NODE: at once). */
void freed_add(size_t call, uint32_t node);
/* The memory has been allocated again, or returned to the device. */
void freed_forget(uint64_t from, uint64_t to);
/* A finished operation has touched these. */
void freed_meets(uint32_t node, const struct hazard_range *ranges, size_t count);

struct access_run;

/* ---- access_report_host.c ---- */

/* The device is to make what comes to these bytes; 0: none. */
void access_device_makes(uintptr_t at, uint64_t bytes);
/* Says so of each instruction of the host, or of this node's host function, that wrote there. */
void access_report_made_by_host(const struct access_run *runs, size_t count, uint32_t node);

/* At the end of a program that is judged: what it has allocated on the host and never freed. */
void access_report_lost_blocks(void);

/* ---- access_report.c ---- */

/* Who made the host's access, or a host function's (`pc`, `runs`). */
struct host_access {
    const char *what;           /* the host's verb: "reads", "gives them back" */
    const void *pc;             /* where, or NULL: */
    struct source_frames *frames;   /* where, or NULL; kept for good, as are these: */
    struct access_run *runs;        /* what a function touched, and where */
    size_t run_count;
    uint32_t file, line;        /* a string of the timeline, and a number */
    int64_t time;
    size_t calls;               /* that the log had by then */
    size_t made;                /* that the timeline had */
    struct held_lock held;
    uint32_t thread;
    bool frees;
    bool waits;                 /* … by cudaFree, which cards wait in */
    bool at_once;               /* … in a way that no card waits in */
    bool updates;               /* updates.h */
};

struct hazard_side;

/* What is told of the lock that the host had, NULL: no host did it (access_threads.c). */
void access_say_held(const struct host_access *host, struct hazard_side *side);
/* `first_host`, `then_host`: who stands behind the points; NULL for operations that no host
 * function is. */
void access_report(const struct hazard *h, uint32_t first_node, uint32_t then_node,
                   const struct host_access *first_host, const struct host_access *then_host);

/* A kernel's instruction read shared memory that no thread of its block had written. */
void access_report_shared(uint32_t node, const void *pc);
struct shared_past;

/* One touched what lies past the end of shared memory. */
void access_report_past(uint32_t node, const struct shared_past *past);
struct exchange;

/* Threads of a kernel's block, or its blocks, exchanged data with nothing that orders them. */
void access_report_exchange(uint32_t node, const struct exchange *e);
/* A kernel's instruction before this place divided an integer by zero. */
void access_report_division(uint32_t node, const void *pc);
/* … converted a floating-point number to an integer that has no room for it. */
void access_report_conversion(uint32_t node, const void *pc);
/* A kernel's shuffle read a lane which takes no part in it: it has ended, or the mask does not name
 * it. */
void access_report_lane(uint32_t node, const char *file, int line, const char *operation,
                        unsigned lane, unsigned source, bool ended);

/* Threads of one of a kernel's blocks came to a barrier in two places. */
void access_report_apart(uint32_t node, const char *file, int line, const char *other_file,
                         int other_line);

/* The record in the log, and the line on stderr: once for hazards whose lines, and those of the
 * memory, are the same; the others are counted, and access_show_more says how many they were.
 * `first`, `then`: nodes. A record with no place gets that of `then`. */
void access_show_more(void);
void access_tell(struct call record, uint32_t first, uint32_t then, const char *message);
/* "x.cu:7: kernel put in stream 1 (queued in line 30)", "x.cu:7: the host (at 1.250000 ms)" */
void access_say_who(struct hazard_line *l, const struct call *location, uint32_t node);

/* Where the words of a message about this program come from. */
struct hazard_scene access_scene(void);
/* Is the operation a host function (or NO_NODE: the host)? */
bool access_by_host(uint32_t node);
/* The caller frees memory of the program's heap past whose end something was written
 * (access_seen.h). */
void access_report_overrun(uintptr_t block, size_t bytes, size_t past, const void *made);
/* words_heap_maker (sim/memory/because.h). */
bool access_heap_maker(const void *at, struct call *maker);
/* The caller waits for a condition with a mutex that it does not hold. */
void access_report_unlocked(void);
/* The caller unlocks a mutex that it does not hold. */
void access_report_not_locked(void);
/* The caller posts to a semaphore, or waits for one, that sem_destroy() has ended. */
void access_report_ended(void);
/* The caller joins a thread that was joined before. */
void access_report_joined(void);
/* The caller frees this block of the host's, which may be registered. */
void access_report_registered(uintptr_t block, size_t bytes);
/* The caller wakes nobody: that thread has the mutex, has looked at what it waits for, and does not
 * sleep yet. */
void access_report_lost(uint32_t thread);
/* Somebody touched memory that is not his to touch: a kernel or host function (`node`), or the host
 * (NO_NODE). Says it once for each instruction. */
void access_report_stray(const struct access_run *run, uint32_t node);

#endif
