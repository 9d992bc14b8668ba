/* SPDX-License-Identifier: MIT */
/*
 * fiber.h - a function that can stop in the middle and go on later.
 *
 * One runs at a time, and only from its start or resume (fiber_resume.h) to its stop or end.
 */
#ifndef SIM_FIBER_FIBER_H
#define SIM_FIBER_FIBER_H

#include <stdbool.h>
#include <stddef.h>

/* Where the stacks of kernels lie. */
#define STACKS_LOW UINT64_C(0x260000000000)
#define STACKS_SPAN (UINT64_C(1) << 40)

struct fiber;

/* Host threads share their stacks, as one of them runs at a time. The calling thread is none of
 * them: it gets its own. */
void fibers_apart(void);
/* Writes which kernel runs in fibers, for the message when no further stack fits. It may also log
 * the launch of that kernel. */
extern void (*fibers_user)(char *text, size_t size);
/* Does the address sanitizer watch the program? */
bool fibers_are_watched(void);
/* May a stopped fiber's stack be copied away, and back before it goes on? */
bool fibers_can_move(void);
/* Runs run() to its first stop or its end. NULL: it has ended. `number` 0: it has a stack of its
 * own. Otherwise it shares the stack of that number, one fiber at a time: the caller saves what the
 * others have there. */
struct fiber *fiber_start(void (*run)(void), unsigned number);
/* No stack is shared any more: all are for others now. */
void fibers_unshare(void);
/* The one that runs; NULL when the program itself does. */
struct fiber *fiber_current(void);
/* The upper end of its stack. */
const void *fiber_end(void);
/* Stops the one that runs. */
void fiber_stop(void);
/* It will not go on: what lies on its stack is forgotten. NULL is fine; so is
 * the one that ran when guard_leave or a fault left it. */
void fiber_drop(struct fiber *fiber);

#endif
