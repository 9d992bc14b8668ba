/* SPDX-License-Identifier: MIT */
/* both.h - what the judges of (c) share: the driver's plan, which copy is for which total, and the
 * second call, in which the totals are exchanged. */
#ifndef BOTH_H
#define BOTH_H

#include "grader/check.h"

#include <string.h>

#include "slots.h"

static inline const struct plan *plan_for(const struct evidence *e)
{
    return exchange_input(e->exchange, SLOT_PLAN, NULL);
}

static inline const struct places *places_for(const struct evidence *e)
{
    return exchange_output(e->exchange, SLOT_PLACES, NULL);
}

static inline uint64_t slot_bytes(const struct evidence *e)
{
    return (uint64_t)plan_for(e)->n * sizeof(uint32_t);
}

static inline bool touches(uint64_t from, uint64_t bytes, uint64_t other, uint64_t other_bytes)
{
    return from < other + other_bytes && other < from + bytes;
}

/* For which total is batch k in that part: in "c", or in MORE_BOTH? */
static inline int total_of_batch(const struct evidence *e, const char *part, int64_t k)
{
    return (int)plan_for(e)->to[k] ^ (strcmp(part, MORE_BOTH) == 0);
}

/* Does `judge`, which has found nothing in (c), find nothing in the second call, if that came to
 * its end? Says that it is the second. True where (c) has faults that repeat themselves there. */
bool holds_again(const struct evidence *e, struct finding *f,
                 bool (*judge)(const struct evidence *, struct finding *, const char *));

/* For which total is this copy? -1: for none. */
int total_of_copy(const struct evidence *e, const struct view *v, uint32_t node);

#endif
