/* SPDX-License-Identifier: MIT */
/*
 * trial.h - does the host wait for memory that something queued will change?
 *
 * A build that does not look at loads cannot see that. So it is tried out in copies of the process,
 * whose output leads nowhere: in one the host polls (poll.h), as often as anything can come of it,
 * and then goes on where it is; in another it goes on at once. When it gets to its next call in the
 * first and not in the second, with eight times as much processor time, it waits for that. A host
 * that computes gets there in both or in neither, unless it has a race.
 *
 * A copy has the thread that makes it, and the threads of host functions. A trial that would need
 * another thread, or a function that is under way, says nothing.
 */
#ifndef SIM_POLL_TRIAL_H
#define SIM_POLL_TRIAL_H

#include <stdint.h>

/* The caller is in a copy, and returns to what the host was doing. */
#define TRIAL_IN_COPY UINT32_MAX

/* After how many polls, the fewest, does the host's thread, the caller, get to its next call? 0: it
 * does not wait for these, or that is not known. A trial takes up to half of `seconds`. */
uint32_t trial_polls(int64_t seconds);

#endif
