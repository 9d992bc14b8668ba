/* SPDX-License-Identifier: MIT */
/*
 * core.h - threads of the simulator's own, for as many cores of this machine as SIM_CORES=n in the
 * environment names: 1 if it names none, and then there is no thread.
 *
 * They do what they are given at once, and sleep in between. To the rest of the simulator each is
 * the host thread that it works for. Signals from outside are for host threads.
 */
#ifndef SIM_HOST_CORE_H
#define SIM_HOST_CORE_H

enum { CORES_MOST = 64 };

/* How many the environment names. */
unsigned cores(void);
/* Calls run(0) on the calling thread and run(1) to run(cores() - 1) on others; all have ended when
 * it returns. Each of the others has called begin() first, once. */
void cores_run(void (*run)(unsigned number), void (*begin)(void));

#endif
