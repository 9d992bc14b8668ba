/* SPDX-License-Identifier: MIT */
/*
 * otherwise.h - the submission run once more, on the same inputs, as it might have gone as well.
 *
 * SLOWER: on a device that takes 64 times as long, where the program has asked whether work is
 * done. A wait that is none, and that luck made look like one, comes out. A program that would ask
 * so often that it is stopped there is not run. WIDER: on a device with a queue for each stream,
 * where the card has one for all and host functions tell the program what is done: that queue, and
 * no rule of streams, may have kept them in order. REORDERED: where the program has several host
 * threads, they take turns in another order (sim/host/turns.h), which depends on the seed. Outputs
 * and hazards have to be right in all of them, orders in the first two (judge.h), and the program
 * has to come to its end. A run whose log has other times than its calls when they are replayed
 * says nothing here, for or against the program: a function whose thread has lost the processor
 * lets the device get further than a replay does. The first run's log has no such excuse.
 *
 * otherwise_start, beside the first run, with the reference's log: most programs do what it does.
 * When the first run has come to its end, otherwise_settle with its own log, which alone decides;
 * wait for the children of those that `ran`; otherwise_take.
 */
#ifndef GRADER_GRADE_OTHERWISE_H
#define GRADER_GRADE_OTHERWISE_H

#include "grader/judge/judge.h"

enum other_way { SLOWER, WIDER, REORDERED, OTHER_WAYS };

struct otherwise {
    /* The caller's. */
    const char *program;
    struct exchange *exchange;
    int64_t time_limit_ms;
    const struct sandbox *sandbox;
    const struct timeline *reference;       /* the log of the reference solution's run */
    /* Owned by otherwise.c. */
    struct other_run {
        struct card card;       /* as the run was, for the replay; its title says how */
        struct run run;
        bool ran;
    } way[OTHER_WAYS];
};

/* Has the program asked whether work was done, been told so, and looked at the answer? Or has it
 * spun until something changed? */
bool depends_on_time(const struct timeline *log);
/* Replays that log, the reference's, on the cards of the ways that it starts, while others work. */
void otherwise_replay_ahead(struct otherwise *o, const struct timeline *log, struct verdict *v);
/* Starts the program in those ways that can make a difference to one with that log. */
void otherwise_start(struct otherwise *o, const struct timeline *log, const struct verdict *v);
/* Likewise, and ends its runs in all others. */
void otherwise_settle(struct otherwise *o, const struct timeline *log, const struct verdict *v);
/* Adds their views to the verdict. */
void otherwise_take(struct otherwise *o, struct verdict *v);
void otherwise_fini(struct otherwise *o);

#endif
