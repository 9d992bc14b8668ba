/* SPDX-License-Identifier: MIT */
/* judges.h - what lesson 03's judges share: of the timed kernel (a), of the diamond (b), of the
 * slices (c). */
#ifndef JUDGES_H
#define JUDGES_H

#include "grader/check.h"
#include "slots.h"

static inline const struct task *task_of(const struct evidence *e)
{
    return exchange_input(e->exchange, 0, NULL);
}

static inline const struct answer *answer_of(const struct evidence *e)
{
    return exchange_output(e->exchange, 0, NULL);
}

/* Of a function that is right the first time it is called, and not the second time. */
#define SECOND_CALL \
    "The first call was right. Does anything of it remain, in a static or global variable, that a second call should " \
    "make anew?"

/* Has each kernel of a second call as many blocks as its elements need? (timing.c) */
bool grids_again(const struct view *v, struct finding *f, const char *part, int64_t n);

/* What scramble() makes of an element. */
static inline uint32_t scrambled(uint32_t x)
{
    return 1664525u * x + 1013904223u;
}

#endif
