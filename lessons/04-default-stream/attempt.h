/* SPDX-License-Identifier: MIT */
/*
 * attempt.h - (a): how the driver and how the program tried a pair of streams.
 */
#ifndef ATTEMPT_H
#define ATTEMPT_H

#include "grader/check.h"

#include "slots.h"

enum { LEGACY, BLOCKING, ANOTHER, NON_BLOCKING, PER_THREAD, GIVEN };       /* as in lesson.h */

/* What the driver did with a pair: its kernel and its event, spans of `v`. */
struct trial { uint32_t kernel, event; };
struct trial driver_trial(const struct view *v, int first, int second);

/* A pair as the program tries it: calls [launch, end) of the log; its streams. */
struct attempt { const struct view *v; size_t first, launch, end; uint32_t busy, asked; };
/* The program's try of number `pair`, where it launches long_one() once for each; false: it does
 * not. */
bool find_attempt(const struct view *v, const char *part, int pair, struct attempt *a);
/* The first call of that kind in [from, to); ANY for none. */
uint32_t find_call(const struct attempt *a, uint32_t kind, size_t from, size_t to);

/* Is the answer right by luck? Says why in *f, all but what is expected. */
bool is_luck(const struct attempt *a, struct finding *f);
/* A launch into another stream than the launch before it, with no event recorded between the two;
 * ANY: there is none. */
uint32_t launched_too_much(const struct view *v, const char *part);

#endif
