/* SPDX-License-Identifier: MIT */
/* host_thread.h - threads of the program, and those that run its host functions. */
#ifndef SIM_HOST_HOST_THREAD_H
#define SIM_HOST_HOST_THREAD_H

#include "sim/host/scheduler.h"

/* A thread for host functions, parked until scheduler_ready. */
struct task *host_thread_for_functions(void *(*function)(void *), void *argument);

#endif
