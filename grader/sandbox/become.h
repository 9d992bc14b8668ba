/* SPDX-License-Identifier: MIT */
/* become.h - how a new process becomes the program that it was made for: descriptors, limits, user,
 * exec. */
#ifndef GRADER_SANDBOX_BECOME_H
#define GRADER_SANDBOX_BECOME_H

#include "grader/sandbox/child.h"
#include "grader/sandbox/control_group.h"

/* In the new process. Comes back only when it cannot be done; errno says why, to be told through
 * *report. */
void child_become(const struct child_plan *plan, const struct control_group *group, int output,
                  int log, int inside, int tail, int *report, pid_t parent);

#endif
