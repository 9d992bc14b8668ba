/* SPDX-License-Identifier: MIT */
/*
 * left_threads.h - threads that a program has begun and does not wait for, however soon they are
 * over.
 */
#ifndef SIM_RACE_LEFT_THREADS_H
#define SIM_RACE_LEFT_THREADS_H

#include <stdint.h>

/* The caller is about to work: a call of the runtime's, or host_work(). */
void left_thread_works(void);
/* The caller detaches that thread. */
void left_thread_detached(uint32_t thread);
/* The driver goes on to something else: tells of each thread whose work the caller does not know to
 * be over. */
void left_threads_tell(void);

#endif
