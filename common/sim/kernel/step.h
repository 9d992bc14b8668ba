/* SPDX-License-Identifier: MIT */
/*
 * step.h - lanes in step, and threads that wait for what others store.
 *
 * Where functions name something volatile, the lanes of a warp go in step, as programs from before
 * Volta rely on (simcc/rewrite/steps.c): of those that have come to a step, the ones in the most
 * branches and turns of loops go first, and those that are about to store before those that have.
 *
 * A thread that polls comes back to one place again and again. When all that it has on its stack is
 * as it was, and it has stored nothing since then, it only waits for others. It runs again, to
 * poll, when no other thread can run.
 */
#ifndef SIM_KERNEL_STEP_H
#define SIM_KERNEL_STEP_H

#include <stdbool.h>
#include <stdint.h>

enum {
    STEPS_OF_A_TURN = 256,              /* by one warp, while others of the block could go on */
    POLLS_WITHOUT_HOPE = 1 << 27, /* a value that has not changed in that many polls never will */
};

struct block;
struct device_thread;

/* It is about to stop where it may be polling; `state`: SPIN_STATE of spin.h. `polls`: as many as
 * that count. */
void step_stops(struct device_thread *s, const uintptr_t *state, uint32_t polls, const void *pc);
/* It has stopped, or ended. */
void step_stopped(struct device_thread *s);
/* When no other thread of the warp can go on: those whose step it is. False: none. */
bool step_release(unsigned warp);
/* Those that only wait for others are to poll again. Returns how many polls it may take until each
 * has seen what it looks at; 0: there are none. */
uint32_t step_poll_again(void);
/* Has the block a thread that only seems to wait? It polls again and again and is never as it was:
 * it may count to an end. */
bool step_may_end(const struct block *b);

#endif
