/* SPDX-License-Identifier: MIT */
/*
 * inside.h - the processes in a sandbox, seen from outside.
 *
 * bubblewrap says which process is the first in the sandbox's own count of
 * processes; all others there descend from it, since it inherits orphans, and
 * end when it does.
 */
#ifndef GRADER_SANDBOX_INSIDE_H
#define GRADER_SANDBOX_INSIDE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* What bubblewrap wrote to --info-fd; 0 as long as there is nothing. Does not wait where the pipe
 * does not. */
pid_t inside_first(int pipe);
/* To all but the first. */
void inside_signal(pid_t first, int signal_number);
/* Bytes that they have in memory together. */
uint64_t inside_memory(pid_t first);
/* Is one of them running, ready to run, or waiting for a disk? */
bool inside_is_busy(pid_t first);
/* ms that the first or a descendant of its was ready to run while others had the processors: of the
 * thread that waited longest. */
int64_t inside_waited_ms(pid_t first);

#endif
