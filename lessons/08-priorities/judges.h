/* SPDX-License-Identifier: MIT */
/*
 * judges.h - lesson 08's judges: are the numbers the device's, and does a request go before the bulk?
 *
 * DESIGN
 * What a program asks a device for its range, and does with the answer, shows
 * only where it runs: the lesson is run on cards with the ranges [0, -5],
 * [0, -1] and [0, 0], and each judge looks at every one of them. Lengths are
 * taken from the same timeline: a wave is the kernel that the driver runs
 * before part (b), a request's own time that of request 0, made while the
 * device is idle.
 */
#ifndef JUDGES_H
#define JUDGES_H

#include "grader/check.h"
#include "slots.h"

static inline const struct sizes *sizes_of(const struct evidence *e)
{
    return exchange_input(e->exchange, IN_SIZES, NULL);
}

/* What reply() makes of an element. */
static inline uint32_t replied(uint32_t x)
{
    return 5 * x + 1;
}

/* The calls of request k; none if it never came. */
struct selection request_calls(const struct view *v, int k, uint32_t engines);
/* Blocks that fit on the card at once, and how long they take. */
int64_t wave_blocks(const struct view *v);
int64_t wave_ns(const struct view *v);

/* What a request takes on an idle device, in (b), with the program's own answer(); no more than twice the reference's. */
int64_t request_alone(const struct view *v, const struct view *reference);

/* levels.c: (a), and the numbers of (b) */
bool judge_levels(const struct evidence *e, struct finding *f, const char *part);
bool judge_granted(const struct evidence *e, struct finding *f, const char *part);
bool judge_numbers(const struct evidence *e, struct finding *f, const char *part);

/* service.c: what (b) queued */
bool judge_work(const struct evidence *e, struct finding *f, const char *part);
bool judge_order(const struct evidence *e, struct finding *f, const char *part);
bool judge_wait(const struct evidence *e, struct finding *f, const char *part);
bool judge_output(const struct evidence *e, struct finding *f, const char *part);

/* pace.c: when it happened */
bool judge_begin(const struct evidence *e, struct finding *f, const char *part);
bool judge_latency(const struct evidence *e, struct finding *f, const char *part);
bool judge_bulk(const struct evidence *e, struct finding *f, const char *part);

/* batch.c: (c) */
bool judge_grinds(const struct evidence *e, struct finding *f, const char *part);
bool judge_handed(const struct evidence *e, struct finding *f, const char *part);
bool judge_results(const struct evidence *e, struct finding *f, const char *part);
bool judge_patience(const struct evidence *e, struct finding *f, const char *part);
bool judge_price(const struct evidence *e, struct finding *f, const char *part);

#endif
