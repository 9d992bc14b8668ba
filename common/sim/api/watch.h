/* SPDX-License-Identifier: MIT */
/*
 * watch.h - reports what runs for long, while it runs: a kernel, a host function, a call that fails
 * again and again, a query whose answer nothing can change any more, a host that sleeps again and
 * again when nothing is queued, one that calls nothing while work is queued, if its loads do not
 * show whether it waits. A trial finds out (poll/trial.h); then the host polls as it would have
 * from the start, with the same virtual times.
 *
 * A line on stderr after 5 s of real time, 10, 20 and so on: what it is, how far it has got, and
 * how to end it. A timer of the process's own running time looks once a second, so that a program
 * that waits for its user is left alone. The grader has a time limit and says it itself: programs
 * that it judges have no such timer.
 */
#ifndef SIM_API_WATCH_H
#define SIM_API_WATCH_H

void watch_begin(void);

/* The caller's call has failed: is it the same again? */
struct call;
void watch_failed(const struct call *c);
/* The call was made: is it a query, or one that queues what may change the answer of one? */
void watch_made(const struct call *c);
/* The caller sleeps, for this many times with no call in between. */
void watch_slept(unsigned count);

#endif
