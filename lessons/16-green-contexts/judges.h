/* SPDX-License-Identifier: MIT */
/*
 * judges.h - what lesson 16's judges share: how a card splits, and how long blocks take on some of
 * its SMs.
 *
 * DESIGN
 * A timeline does not say on which SM a block ran, and a recorder on a real card knows it neither.
 * But each kernel's blocks take a known time and fill their places, so that its length in waves
 * tells how many SMs it had.
 */
#ifndef JUDGES_H
#define JUDGES_H

#include "grader/check.h"
#include "slots.h"

static inline const struct sizes *sizes_of(const struct evidence *e)
{
    return exchange_input(e->exchange, IN_SIZES, NULL);
}
static inline const struct answers *answers_of(const struct evidence *e, size_t view)
{
    return exchange_output_of(e->exchange, view, OUT_ANSWERS, NULL);
}

/* Of a stream that was never given back: was its context destroyed before it? */
void explain_lost(const struct evidence *e, const struct check *c, struct finding *f);

struct split card_split(const struct card *card);
/* How many blocks of the launch an SM of the card takes. */
int64_t blocks_an_sm(const struct view *v, uint32_t node);
/* The kernel's length in blocks that declare block_ns, rounded. */
int64_t waves_of(const struct view *v, uint32_t node, int64_t block_ns);
/* How many waves that many blocks take on that many SMs. */
int64_t waves_on(int64_t blocks, int64_t sms, int64_t per_sm);
/* The calls of request k; none if it never came. */
struct selection side_request(const struct view *v, int k, uint32_t engines);

#endif
