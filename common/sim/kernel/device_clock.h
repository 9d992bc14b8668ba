/* SPDX-License-Identifier: MIT */
/*
 * device_clock.h - time as the threads of a kernel see it.
 *
 * A thread's time goes on when it polls a clock or sleeps, and when a
 * barrier makes it wait for one that did. All begin when the kernel began:
 * which block runs when is decided only when it is known what they took.
 *
 * The first polls of a thread take DEVICE_POLL_NS each; when it does nothing but poll,
 * each later one takes a share of the time since the first, so that even long
 * loops end soon and overshoot by less than half a per cent. Where many threads do so, most polls
 * are left out (spin.h).
 */
#ifndef SIM_KERNEL_DEVICE_CLOCK_H
#define SIM_KERNEL_DEVICE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/sim.h"

/* The device's, in that many ns. */
static inline int64_t cycles_of(int64_t ns)
{
    return ns * sim.card->clock_mhz / 1000;
}

/* A kernel (or what was left of one) begins to run at this virtual time. */
void device_clock_begin(int64_t now);
/* What the slowest of its threads took, ns. */
int64_t device_clock_spent(void);
/* Has a thread called kernel_busy since this was asked last? Then its kernel takes what it spends,
 * and no more. */
bool device_clock_take_said(void);
/* A block begins. */
void device_clock_block(void);
/* The threads of the block have met: none is earlier than the latest. */
void device_clock_meet(void);
/* The thread that runs has waited for another of its block: likewise. */
void device_clock_catch_up(void);
/* What the thread that runs has taken so far. */
int64_t device_clock_elapsed(void);
/* The threads of the block go on at what the kernel has begun with now. */
void device_clock_part(void);
/* clock() in a kernel. */
int64_t device_clock_cycles(void);

#endif
