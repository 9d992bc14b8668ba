/* SPDX-License-Identifier: MIT */
/*
 * crash.h - signals that end programs.
 *
 * A kernel that touches what it must not is the device's affair: guard_run
 * comes back and says where. Anything else that crashes, and being told to end
 * (SIGTERM: the grader's time limit), is written to the log as CALL_CRASH with
 * the place in the program; then the signal takes its course.
 */
#ifndef SIM_CRASH_H
#define SIM_CRASH_H

#include <stdbool.h>
#include <stdint.h>

struct guard;

/* Runs run(argument). False: it touched *address and was given up there. */
bool guard_run(void (*run)(void *argument), void *argument, uint64_t *address);
/* Takes another guard as the one in force (fibers do, when they stop and go on); returns the former. */
struct guard *guard_exchange(struct guard *guard);

void crash_begin(void);
/* Each host thread needs a stack for handlers of its own. */
void crash_watch_thread(void);

#endif
