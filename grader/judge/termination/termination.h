/* SPDX-License-Identifier: MIT */
/*
 * termination.h - how a run came to its end, and where it was then.
 *
 * A run is whole when the program left with status 0 after it had told the end
 * of its last part. Everything else ended in a part (the last one that began),
 * after a call (the last one in the log) and, where a crash or a time-out told
 * a program counter, at a line of the learner's file.
 */
#ifndef GRADER_JUDGE_TERMINATION_TERMINATION_H
#define GRADER_JUDGE_TERMINATION_TERMINATION_H

#include "grader/run/run.h"
#include "grader/run/submission.h"

enum termination_how {
    ENDED_WHOLE,
    ENDED_EARLY,                /* the program left by itself */
    ENDED_BY_CHECK,             /* CHECK saw an error and ended it */
    ENDED_TIMED_OUT,
    ENDED_DEADLOCKED,           /* it would have stood still for ever */
    ENDED_FLOODED,              /* more calls than anybody needs */
    ENDED_DAMAGED,              /* what it told of its calls is no log */
    ENDED_CRASHED,
};

struct termination {
    enum termination_how how;
    int code;                   /* exit status, or signal where it crashed */
    char part[32];              /* "" : before the first part or after the last */
    bool began;                 /* some part began */
    char ended[32];             /* the part that had ended last, when it was in none */
    char file[256];             /* where it was; line 0: not known */
    unsigned line;
    unsigned called_from; /* the line in the same file where the function was called in which the
                             call stands; 0: not known */
    bool exact;                 /* it was at that line; else somewhere after that line's call */
    const char *card; /* its title, where the program is run on others too; NULL: not said */
    char call[128];             /* the call of that line, or the last one; "" none */
    char message[1280];          /* one sentence or two, with a full stop */
    char hint[1200];             /* why, where the simulator has said so, or what to do about it */
};

/* `yours` may be NULL (the reference solution). `card`: see above. */
void termination_find(struct termination *e, const struct run *r, const struct submission *yours,
                      const char *card, int64_t time_limit_ms);

/* Where CHECK in the learner's file met the error of a launch or a kernel and ended the program, in
 * a part that is to go on after such an error: CHECK is at fault, and `instead` says what to do. */
void termination_blame_check(struct termination *e, const struct run *r,
                             const struct submission *yours, const char *instead);

#endif
