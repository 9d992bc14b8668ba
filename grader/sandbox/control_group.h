/* SPDX-License-Identifier: MIT */
/*
 * control_group.h - a control group (version 2) for one confined child: the kernel's own limits
 * of memory and processes.
 *
 * Groups are made beside our own, or at the top of the hierarchy: where the
 * machine lets us make one there and has given memory and pids to what is there.
 * Where it does not, a sandbox's memory is looked at instead (child.h), and
 * processes are counted by the limits of its user.
 */
#ifndef GRADER_SANDBOX_CONTROL_GROUP_H
#define GRADER_SANDBOX_CONTROL_GROUP_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#define GROUP_PROCESSES 1200    /* with threads; beyond what bubblewrap and prlimit allow inside */

struct control_group { char path[PATH_MAX]; };  /* "": none */

/* Where groups can be made; NULL: nowhere here. Found out once, by making one. */
const char *control_group_parent(void);

/* False: there is none (g->path ""). */
bool control_group_make(struct control_group *g, uint64_t memory);
/* For the new process, to be in it with all that it starts. False: errno says why. */
bool control_group_enter(const struct control_group *g);
/* Has the kernel ended something in it for want of memory? */
bool control_group_was_full(const struct control_group *g);
/* When all in it are gone. */
void control_group_remove(struct control_group *g);

#endif
