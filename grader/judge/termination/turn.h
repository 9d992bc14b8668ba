/* SPDX-License-Identifier: MIT */
/*
 * turn.h - what is said of an address that a loop gives to each function that it queues
 * (submission_turn_variable()), wherever that shows: in a wrong order, or in a standstill.
 */
#ifndef GRADER_JUDGE_TERMINATION_TURN_H
#define GRADER_JUDGE_TERMINATION_TURN_H

#include <string.h>

#include "trace/record/timeline.h"

#define TURN_CALLS "cudaLaunchHostFunc cudaStreamAddCallback"
/* The line, and the variable's name. */
#define TURN_SAYS \
    "In line %u each function is given the address of `%s`, which every turn of that loop sets anew. A function that runs in a later turn " \
    "finds there what that turn has set, not its own. Give each one a place that stays as it is until the function has run."

/* The calls from first to end of a log, and the learner's file. */
struct turn_calls { const struct timeline *log; size_t first, end; const char *path; };
/* Does that line of the file queue a host function there? For submission_turn_variable(). */
static inline bool turn_is_queued(const void *calls, unsigned line)
{
    const struct turn_calls *s = calls;
    for (size_t i = s->first; i < s->end; i++) {
        const struct call *c = &s->log->calls[i];
        if (c->kind == CALL_HOST_FUNC && c->line == line
            && strcmp(timeline_string(s->log, c->file), s->path) == 0)
            return true;
    }
    return false;
}

#endif
