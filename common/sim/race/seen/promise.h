/* SPDX-License-Identifier: MIT */
/*
 * promise.h - stores into memory of the device that nothing has written.
 *
 * DESIGN. Each would have to be looked at, to mark its bytes as written. Instead its run is
 * promised that they will be: it goes on up to its known_to, as if they were, and what it has
 * written is marked when somebody reads bytes that seem never to have been, or when the run is no
 * more. Until then only the thread itself knows. The promise goes with the run from its instruction
 * to the ring and back.
 */
#ifndef SIM_RACE_SEEN_PROMISE_H
#define SIM_RACE_SEEN_PROMISE_H

#include "sim/race/seen/open_run.h"

/* To a run that stores, and has touched what lies up to its end; nothing has written what comes
 * then. None is made where threads of several cores may meet. */
void promise_make(struct open_run *run);
/* Marks what was written so far. False: nothing was to be. */
bool promises_keep(void);
/* The run with this end is no more, or goes on by itself: its promise, if it has one, is kept. */
void promise_ends(const uintptr_t *to);
/* The run with this end is in the ring now. */
void promise_moves(const uintptr_t *to, struct left_run *left);
/* What comes_back leaves to be done while there are promises: the run changes places with that of
 * the ring which its instruction has come back to, at `at`. */
void promises_change(struct stride *s, struct open_run *own, uintptr_t at);

#endif
