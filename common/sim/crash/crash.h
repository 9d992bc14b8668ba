/* SPDX-License-Identifier: MIT */
/*
 * crash.h - signals that end programs, and checks that do (checks.c).
 *
 * A kernel that touches what it must not is the device's affair: guard_run
 * comes back and says where. Anything else that crashes, and being told to end
 * (SIGTERM: the grader's time limit), is written to the log as CALL_CRASH with
 * the place in the program; then the signal takes its course.
 *
 * Programs that are judged have g++'s check of indices and the C++ library's of what is asked of
 * its containers (simcc/compile.c, grader/run/build.c). An index outside an array ends such a
 * program there: what it would read or write is another thing on each machine. In a kernel it does
 * not: blocks often take a shared array of two dimensions for one.
 */
#ifndef SIM_CRASH_CRASH_H
#define SIM_CRASH_CRASH_H

#include <stdbool.h>
#include <stdint.h>

/* Runs run(argument), with the fibers that it starts. False: it touched *address and was given up
 * there, or it was left (0). Fibers that ran are the caller's to drop. */
bool guard_run(void (*run)(void *argument), void *argument, uint64_t *address);
/* Inside guard_run: gives up, there. */
_Noreturn void guard_leave(uint64_t address);

/* Ends the program as that signal does. */
void crash_die(int number);
/* From here on; each host thread that comes gets a stack for handlers of its own. */
void crash_begin(void);

#endif
