/* SPDX-License-Identifier: MIT */
/*
 * handover.h - the parent's side of exchange.h: what the child gets and what it leaves.
 *
 * 1. exchange_init; the lesson's prepare adds slots. 2. exchange_seal: the
 * inputs become memory that nobody can change. 3. exchange_poison, once for
 * each child: a block for outputs, filled with random bytes that are wild as
 * floats. 4. exchange_take, when the child is gone: the private copy that
 * judges see, one for each run that they look at. Nothing in the child's block
 * but the bytes of the slots is used: their places are our own.
 */
#ifndef GRADER_HANDOVER_H
#define GRADER_HANDOVER_H

#include "exchange.h"
#include "grader/check.h"

struct slot { unsigned char *bytes; size_t count; };

struct exchange {
    struct slot input[EXCHANGE_SLOTS], output[EXCHANGE_SLOTS];
    uint32_t input_count, output_count;
    unsigned char *taken[CARDS_RUN];    /* copies of whole blocks, NULL before */
    int sealed;                 /* descriptor of the sealed inputs, -1 before */
};

void exchange_init(struct exchange *x);
void exchange_fini(struct exchange *x);

/* False: no memory for it; errno says why. */
bool exchange_seal(struct exchange *x);
/* The descriptor of a fresh block for outputs, the caller's; -1: errno says why. */
int exchange_poison(struct exchange *x, uint64_t seed);
/* Copies the block: run number `run` left it. */
bool exchange_take(struct exchange *x, size_t run, int output);

#endif
