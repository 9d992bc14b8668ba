/* SPDX-License-Identifier: MIT */
/*
 * poll.h - programs that read one place again and again until it changes.
 *
 * Host code takes no virtual time, and a kernel runs whole when it starts: who polls an atomic or
 * volatile variable would wait for ever. The instrumented build of a program (instrumented.h) sees
 * it. A host thread that polls lets time pass, as with a query, and so the kernel, the function or
 * the thread that it waits for gets its turn. Where nothing can ever change the variable any more,
 * that is a deadlock (scheduler.h), or ends the kernel with cudaErrorLaunchTimeout.
 *
 * What goes on for seconds of real time and is not seen by this is told of on stderr (watch.h); a
 * host that polls is found out by trial (trial.h).
 */
#ifndef SIM_POLL_POLL_H
#define SIM_POLL_POLL_H

#include <stdbool.h>
#include <stdint.h>

/* The host polls: others go first, and time passes. False: nothing can change but by the caller. */
bool poll_once(void);
/* What access_seen.h calls access_polled. */
uint64_t poll_seen(const volatile void *at, const void *pc, uint64_t count);

#endif
