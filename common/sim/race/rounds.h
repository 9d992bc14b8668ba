/* SPDX-License-Identifier: MIT */
/*
 * rounds.h - races between the steps of a conditional node's round.
 *
 * To the order of operations (happens_before.h) such a node is one. Its steps, the nodes of a body,
 * run one after the other; what each touches is kept for the round, and compared where the body's
 * edges do not make one wait for the other. A kernel with a programmatic edge is two, as a
 * dependent launch is: what it touches before cudaGridDependencySynchronize comes after nothing
 * that is ahead of it but what was over when the kernel before it began. The next round begins when
 * all steps of this one have ended [measured: facts/h100-body.txt].
 */
#ifndef SIM_RACE_ROUNDS_H
#define SIM_RACE_ROUNDS_H

#include "sim/sim.h"
#include "trace/order/hazard.h"

/* Accesses, by address. */
struct round_ranges { struct hazard_range *list; size_t count, capacity; };

struct round_step {
    struct call call;           /* as it was put into the body */
    bool early;                 /* it begins with the trigger of a step before it */
    uint64_t *before,
        *rest_before; /* sets of steps that have ended when it begins, and when it has waited */
    uint64_t *told;             /* a set of steps: that they race has been said */
    struct round_ranges touched, rest_touched; /* in this round, before it has waited and later */
};

/* The steps in an order in which none comes before what it waits for. All zeros: there are none. */
struct round_steps {
    struct round_step *list;
    size_t count, capacity;
    bool races;                 /* some have no order: all are looked at */
};

/* One more. */
void round_steps_add(struct round_steps *steps, const struct call *call);
/* It waits for step number `after`; with a port (cudaGraphKernelNodePort...) a kernel for the
 * trigger of a kernel, or for its beginning. */
void round_step_waits(struct round_steps *steps, uint32_t after, unsigned port);
/* All are there, and what they wait for. */
void round_steps_end(struct round_steps *steps);
void round_steps_free(struct round_steps *steps);

/* A conditional node begins to run. */
void rounds_begin(void);
/* Step number `at` of a round begins, and ends. Steps of a node inside of the body come in between.
 */
void round_step_begins(struct round_steps *steps, size_t at);
void round_step_ends(struct round_steps *steps, size_t at);
/* Of the step that runs: what was touched since the last time came before it waited, or later. */
void round_step_took(bool waited);
/* The conditional node has ended: what was touched is all its own. */
void rounds_end(void);

#endif
