/* SPDX-License-Identifier: MIT */
/*
 * filter.h - the system calls that strangers' programs do without.
 *
 * What the namespaces leave open is refused (EPERM, or ENOSYS where the C library
 * then takes another way): sockets of any family, keys, io_uring, locks on
 * files that two sandboxes both see, tracing, namespaces, shared memory that
 * nobody counts. A program, other than the compiler, starts nothing of its own
 * but as posix_spawn does (the simulator asks addr2line for lines).
 */
#ifndef GRADER_BATCH_FILTER_H
#define GRADER_BATCH_FILTER_H

#include <stdbool.h>

/* The filter as a file in memory, the caller's; -1: errno says why. `forks`: it may. */
int filter_new(bool forks);

#endif
