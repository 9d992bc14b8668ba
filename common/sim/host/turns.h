/* SPDX-License-Identifier: MIT */
/*
 * turns.h - the threads of a program in another order, with SIM_TURNS=seed.
 *
 * Where it locks, wakes, makes a call or a thread, a thread then loses the processor now and then,
 * for some time; a new thread starts late; a wake-up reaches one of those that wait, not always
 * the first; a wait for a condition ends without cause. All this may happen in any run, on any
 * machine. The same seed gives the same run. Without SIM_TURNS nothing of it happens.
 */
#ifndef SIM_HOST_TURNS_H
#define SIM_HOST_TURNS_H

#include <stdbool.h>
#include <stdint.h>

/* Are other orders wanted? */
bool turns_wanted(void);
/* One of `count` numbers from 0; 0 where no other order is wanted. */
unsigned turns_draw(unsigned count);
/* How long the thread loses the processor here, ns; 0: it does not. */
int64_t turns_pause(void);
/* How long a new thread waits for the processor, ns: longer than a call takes; 0: not at all. */
int64_t turns_late(void);

#endif
