/* SPDX-License-Identifier: MIT */
/*
 * access_seen.h - the loads and stores of an instrumented build (instrumented.h), as they are made.
 *
 * Accesses that one instruction makes one after the other become a run. The
 * memory that is looked at: all that the runtime gives, and what
 * access_watch names besides.
 */
#ifndef SIM_RACE_SEEN_ACCESS_SEEN_H
#define SIM_RACE_SEEN_ACCESS_SEEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct access_run {
    uintptr_t from, to;
    const void *pc;             /* after the instruction that made it */
    bool write, atomic;
    bool uninitialised;         /* a read of device memory of which no byte was ever written */
    bool trespass;              /* by a kernel, in the host's memory */
};

/* Does this program say what it loads and stores? */
extern bool access_is_instrumented;

/* The thread's runs go on no more. */
void access_close_all(void);
/* Looks at [from, to) too, in place of what was named before. */
void access_watch(uintptr_t from, uintptr_t to);
/* Looks at all of the program's memory as well, or no longer. */
void access_watch_all(bool all);
bool access_watches(void);
/* And at these, always: the program's own variables on the device lie there, and others between
 * them. */
void access_watch_variables(uintptr_t from, uintptr_t to);

/* The runs of this thread since the last time, by pc and address, those of one pc that touch or
 * overlap made one. Valid until the thread's next access. */
const struct access_run *access_take(size_t *count);

/* Memory that was written is so no more, or a kernel begins or ends: what the thread has touched
 * says nothing of what it touches now. Other threads have no runs then: who passes the turn on has
 * had them taken. */
void access_check_anew(void);

/* A store in a volatile variable (updates.h). `read`: the thread's access before it, a read of the
 * same bytes; NULL: that was another. */
struct volatile_store {
    const volatile void *at;
    size_t bytes;
    const void *read, *pc;
};

/* Called before an atomic or volatile object is written, and after it was read; NULL: nobody asks.
 * `looks`: after a volatile was read that the thread has not waited at. `stores`: before one is
 * written, and before `tells`. */
extern struct access_meetings {
    void (*tells)(const volatile void *object), (*hears)(const volatile void *object);
    void (*looks)(const volatile void *object), (*stores)(const struct volatile_store *store);
} access_meets;
/* The same of flags that the host and kernels have in common, when the host is not in a kernel;
 * NULL: nobody asks. */
extern struct access_meetings access_flags;

/* The caller has read the same value there for the `count`-th time in a row, POLLS_UNASKED or more,
 * and has read no other such variable meanwhile. Returns the count from here on. NULL: nobody asks.
 */
enum { POLLS_UNASKED = 1000 };
extern uint64_t (*access_polled)(const volatile void *at, const void *pc, uint64_t count);
/* Set by access_polled: nothing but the host thread that polls is left, so that it need not be
 * asked with each of its next POLLS_UNASKED polls. */
extern bool access_polls_vain;
/* A kernel touches what it must not (reach.h): ends the kernel, there. Does not come back. */
extern void (*access_trespassed)(uintptr_t address);

/* Runs of another thread, which it has taken. */
void access_add(const struct access_run *runs, size_t count);

/* Sees an access that no instrumentation does. */
void access_see(const void *at, size_t bytes, bool write, const void *pc);

/* ---- access_library.c ---- */

/* Called before the program's own memory at `block` is freed, and after it was allocated; NULL:
 * nobody asks. */
extern bool (*access_freeing)(uintptr_t block,
                              size_t bytes); /* true: it is not to be given away again at once */
extern void (*access_allocated)(uintptr_t block, size_t bytes);
/* A block of that many bytes, which was asked for before `made`, is freed, and something was
 * written past its end: up to `past` bytes. */
extern void (*access_overran)(uintptr_t block, size_t bytes, size_t past, const void *made);
/* Where the block of the program's heap was made that this address is in; NULL: in none that is
 * known. */
const void *access_made(const void *at);
/* At the program's end: of each block that was not freed and that no variable leads to, its bytes,
 * how many calls the log had when it was made, and where that was. None, where not all blocks are
 * known. */
void access_each_lost(void (*lost)(size_t bytes, size_t calls, const void *made));

#endif
