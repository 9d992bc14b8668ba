/* SPDX-License-Identifier: MIT */
/*
 * judges.h - what lesson 08's judges share: are the numbers the device's, and does a request go
 * before the bulk?
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

/* The driver's own launches before the parts: a wave of crunch(), one of grind(), and a reply(). */
uint32_t own_launch(const struct view *v, const char *kernel);
/* That launch; one block that takes a nanosecond where a record has none. */
const struct span *own_span(const struct view *v, const char *kernel);
/* The calls of request k; none if it never came. */
struct selection request_calls(const struct view *v, int k, uint32_t engines);
/* Blocks that fit on the card at once, and how long they take. */
int64_t wave_blocks(const struct view *v);
int64_t wave_ns(const struct view *v);

/* What a request takes on an idle device, in (b), with the program's own answer(); no more than
 * twice the reference's. */
int64_t request_alone(const struct view *v, const struct view *reference);

#endif
