/* SPDX-License-Identifier: MIT */
/*
 * handover.h - the parent's side of exchange.h: what the child gets and what it leaves.
 *
 * 1. exchange_init; the lesson's prepare adds slots. 2. exchange_seal: the
 * inputs become memory that nobody can change. 3. exchange_poison, once for
 * each child: a block for outputs, filled with random bytes that are wild as
 * floats. 4. exchange_take, when the child is gone: what judges see, one for
 * each run that they look at; nobody can change it any more. Nothing in the
 * child's block but the bytes of the slots is used: their places are our own.
 */
#ifndef GRADER_RUN_HANDOVER_H
#define GRADER_RUN_HANDOVER_H

#include "exchange.h"
#include "grader/check.h"

/* Runs of the same program on the same card, besides those of CARDS_RUN. */
enum { OTHER_RUNS = 3 };

/* at: NULL when there is none. */
struct mapping { unsigned char *at; size_t size; };

struct exchange {
    struct exchange_block input, output;    /* heads: what is where */
    struct mapping inputs;
    struct mapping taken[CARDS_RUN + OTHER_RUNS];       /* whole blocks that runs left */
    int open;                   /* descriptor of the inputs while they are made, -1 else */
    int authenticated;                 /* the same once they are authenticated, -1 before */
    struct poisoned { uint64_t seed; int output; } ready[CARDS_RUN];    /* made ahead */
    size_t ready_count;
};

void exchange_init(struct exchange *x);
void exchange_fini(struct exchange *x);

/* False: no memory for it; errno says why. */
bool exchange_seal(struct exchange *x);
/* The descriptor of a fresh block for outputs, the caller's; -1: errno says why. `seed`: of the
 * poison; NULL: zeros, for a run whose outputs nobody looks at. */
int exchange_poison(struct exchange *x, const uint64_t *seed);
/* Makes the block now that exchange_poison() gives for this seed later: while others work. */
void exchange_poison_ahead(struct exchange *x, uint64_t seed);
/* Takes the block that run number `run` left. */
bool exchange_take(struct exchange *x, size_t run, int output);
/* The seed of the poison that run number `run` of a submission gets. */
static inline uint64_t exchange_poison_seed(uint64_t seed, size_t run)
{
    return seed ^ (uint64_t)run << 32;
}
/* A copy of the first `runs` outputs for exchange_respoil_free(), in which other poison stands
 * wherever that of exchange_poison_seed(seed, from + run) still does: where nobody wrote. */
struct exchange exchange_respoil(const struct exchange *x, size_t runs, uint64_t seed, size_t from);
void exchange_respoil_free(struct exchange *x, size_t runs);
/* The same exchange to judges for whom that run is the only one. It points into `x`. */
struct exchange exchange_of_run(const struct exchange *x, size_t run);

#endif
