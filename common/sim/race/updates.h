/* SPDX-License-Identifier: MIT */
/*
 * updates.h - volatile variables that host threads count in.
 *
 * A volatile that a host thread or a host function stores, and others read, is a flag, and orders
 * them (access.h): no standard says so, but such programs do what they are to do. v++ is another
 * thing: it reads v, adds, and stores, and what another thread has stored in between is lost. That
 * is a race, however v is declared, by this rule:
 *
 * An *update* is a volatile store right after a read of the same bytes, by the same thread, in the
 * same line of the program: v++, v -= 2, v = v + 1. An update and another host thread's store to
 * those bytes, whatever its value, have to be ordered by something besides looks at volatiles: a
 * lock, a semaphore, a join, a stream or event that was waited for, an atomic, the queueing of a
 * host function. To have waited counts, too: a loop that looks at a volatile until it changes comes
 * after who changed it, so that threads may take turns. A look alone (if (v > 0) v--) does not.
 * Where the store is the later of the two and no update itself, any look counts: while (v < n); v
 * = 0.
 *
 * Host functions count as threads of their own, as everywhere (vector_clocks.h). No rule is made
 * for stores that are no updates: two threads that both set a flag, to whatever, may mean to.
 * Atomic operations are none of this, nor are kernels.
 *
 * The line stands for what the compiler does not tell, whether what is stored comes from what was
 * read. So int n = v; in one line and v = n + 1; in the next are missed; and while (!done); done =
 * 0; in one line is taken for an update where it finds the flag set at once. A loop that finds at
 * once what it would have waited for is a look alone, too, and so is one that looks at several
 * volatiles: threads that take turns by v++ are told of a race in the runs in which they need not
 * wait.
 */
#ifndef SIM_RACE_UPDATES_H
#define SIM_RACE_UPDATES_H

#include "sim/race/seen/access_seen.h"
#include "trace/order/vector_clocks.h"

/* The caller, host code whose accesses so far have been told of, is about to store. */
void update_met(struct vector_clocks *clocks, const struct volatile_store *store);
/* What happened to these bytes means nothing for those that will be there. */
void updates_clear(uintptr_t from, uintptr_t to);

#endif
