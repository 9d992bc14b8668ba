/* SPDX-License-Identifier: MIT */
/*
 * spin.h - threads that do nothing but poll a clock until it is late enough, each as many times as
 * the others.
 *
 * DESIGN. Times that a thread is told depend on how often it has polled, and on nothing else. So
 * where one that spins comes to the place at which an earlier thread of its block (the leader) has
 * spun, it is told the leader's last time but one and then the last, the polls between left out: it
 * ends where it would have ended. That a thread spins is seen in its registers and its stack: from
 * poll to poll nothing changes in them but by the time that has passed (`now`, `now - start`). A
 * loop that counts or computes has other changes, and each of its polls is made.
 *
 * A thread that was to end earlier than its leader would be told too late a time. So this is done
 * only where all threads of the grid's first block have made each poll, and have ended together;
 * and each block has a leader of its own. If one ends earlier for all that, its block leaves no
 * polls out any more. Kernels that have declared their cost have it turned off: their time does not
 * depend on it.
 *
 * What is done depends on the block and the grid's first one, not on which core has it.
 */
#ifndef SIM_KERNEL_SPIN_H
#define SIM_KERNEL_SPIN_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/kernel/block.h"

/* The words that a function's caller has in registers and on its stack, from here to the stack's
 * end. In a function that is not inlined. */
#if defined(__x86_64__)
enum { SPIN_SAVED = 5 };        /* registers lie below the frame's address */
#else
enum { SPIN_SAVED = 0 };
#endif
#define SPIN_STATE (__builtin_unwind_init(), (const uintptr_t *)__builtin_frame_address(0) - SPIN_SAVED)

/* A kernel begins; `leaves_out`: it may leave polls out. */
void spin_kernel(bool leaves_out);
void spin_block_begins(void);
void spin_block_ends(void);
/* `s`, of that number, of a kernel that began then, is about to poll: moves it on to its leader's
 * last poll but one, if that is what it comes to. Nothing is made of the first one: many threads
 * look at a clock once. */
enum { SPIN_FIRST_POLLS = 1 };
void spin_poll_late(struct device_thread *s, unsigned number, int64_t began,
                    const uintptr_t *state);
static inline void spin_poll(struct device_thread *s, unsigned number, int64_t began,
                             const uintptr_t *state)
{
    if (s->polls < SPIN_FIRST_POLLS)
        s->stopped = false;
    else
        spin_poll_late(s, number, began, state);
}

#endif
