/* SPDX-License-Identifier: MIT */
/*
 * deadlock.h - what is said when no thread can ever go on: which waits for what, where, and who
 * holds it.
 *
 * It reads the scheduler's tasks and the timeline, and changes neither.
 */
#ifndef SIM_HOST_DEADLOCK_H
#define SIM_HOST_DEADLOCK_H

#include "sim/host/scheduler.h"

/* One line on stderr for all threads that wait, in the order of their numbers. For each of them
 * `record` is called with what the log is to have: that text, and in a second line the program
 * counters of where the thread was blocked, the outermost last, and after a bar that of the call
 * which locked what it waits for. The text is gone when `record` returns. */
void deadlock_tell(const struct task *tasks, void (*record)(const char *text));

#endif
