/* SPDX-License-Identifier: MIT */
/*
 * filter.h - the system calls that strangers' programs do without.
 *
 * What the namespaces leave open is refused (EPERM, or ENOSYS where the C library
 * then takes another way): sockets of any family, keys, io_uring, locks on
 * files that two sandboxes both see, tracing, namespaces, shared memory that
 * nobody counts. A program, other than the compiler, starts nothing of its own
 * but as posix_spawn does (the simulator asks addr2line for lines).
 *
 * On a card the driver needs some of it itself: files in memory (CUDA does not begin without
 * memfd_create), memory that is shared and anonymous (which is what it pins), sockets of the local
 * family, a policy for memory. The sandbox has a network of its own, in which nobody else is, and
 * no other's socket lies in its folders. ioctl is open in every sandbox but for what it could do to
 * a terminal.
 */
#ifndef GRADER_BATCH_JOBS_FILTER_H
#define GRADER_BATCH_JOBS_FILTER_H

#include <stdbool.h>

/* FILTER_ON_CARD: a program's, with what a driver needs. */
enum filter_for { FILTER_PROGRAM, FILTER_COMPILER, FILTER_ON_CARD };
/* The filter as a file in memory, the caller's; -1: errno says why. */
int filter_new(enum filter_for who);

#endif
