/* SPDX-License-Identifier: MIT */
/* note.h - calls that are none of the runtime's, which the simulator makes by itself: logged and
 * made, nothing else. */
#ifndef SIM_HOST_NOTE_H
#define SIM_HOST_NOTE_H

#include "sim/sim.h"

/* Fills in the thread; returns the number in the timeline. */
size_t note(struct call *c);
/* The same for the thread that the call names. */
size_t note_for(const struct call *c);
/* A message of program counters (counters.h), for those calls that say where the thread was; 0: of
 * none. */
uint32_t note_counters(const uint64_t *counter, int count);

#endif
