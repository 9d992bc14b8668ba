/* SPDX-License-Identifier: MIT */
/*
 * core.h - threads of the simulator's own, for as many cores of this machine as SIM_CORES=n in the
 * environment names, or as there are; with one there is no thread, nor before there is something to
 * do.
 *
 * They do what they are given at once, and sleep in between. To the rest of the simulator each is
 * the host thread that it works for, and rounds as that one does. Signals from outside are for host
 * threads.
 */
#ifndef SIM_HOST_CORE_H
#define SIM_HOST_CORE_H

#include <stdbool.h>
#include <stdint.h>

enum { CORES_MOST = 64 };

/* How many the environment names, and does it? 1 if it does not. */
unsigned cores(void);
bool cores_are_named(void);
/* How many this process may run on. */
unsigned cores_there(void);
/* Calls run(0) on the calling thread and run(1), run(2) … on others, for each core that is named or
 * there; all that have begun when run(0) has ended have ended when it returns, and no other begins.
 * Returns how many there are. Each of the others has called begin() first, once. */
unsigned cores_run(void (*run)(unsigned number), void (*begin)(void));
/* Real time, ns. The program's clock is the model's. */
int64_t cores_clock(void);

#endif
