/* SPDX-License-Identifier: MIT */
/* judges.h - what lesson 05's judges share: of the calls (a), of the frames and of the lanes that
 * they are in (b). */
#ifndef JUDGES_H
#define JUDGES_H

#include "grader/check.h"
#include "slots.h"

static inline const struct sizes *sizes_of(const struct evidence *e)
{
    return exchange_input(e->exchange, IN_SIZES, NULL);
}

/* Device memory that an operation fills, reads (frames.c); 0: none. */
uint64_t filled(const struct view *v, uint32_t node);
uint64_t emptied(const struct view *v, uint32_t node);

/* Why an answer about a call that was tried is wrong, f->word says about what: does the call wait,
 * and does it hold the host up? */
bool why_tried(const struct view *v, struct finding *f, const char *part, uint32_t call, bool waits,
               bool host);

#endif
