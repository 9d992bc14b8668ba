/* SPDX-License-Identifier: MIT */
/*
 * runs.h - what lesson 11's judges share.
 *
 * DESIGN
 * No time is judged but that the neighbour's kernel still runs. Memory is known by the
 * calls that took it and gave it back, which stand in a stream like any work; a
 * run of the pipeline by the driver's label, inside which calls are counted and the four
 * kernels are put in order.
 */
#ifndef RUNS_H
#define RUNS_H

#include "grader/check.h"
#include "slots.h"

static inline const struct settings *settings_of(const struct evidence *e)
{
    return exchange_input(e->exchange, IN_SETTINGS, NULL);
}

/* ---- memory.c, contents.c: (a), (b) ---- */

/* ---- graph.c, results.c: (c), (d) ---- */

/* How many runs the part has, of all pipelines. */
static inline int64_t runs_of(const struct evidence *e, const char *part)
{
    return settings_of(e)->runs * PIPELINES * (part[0] == 'd' ? GAINS : 1);
}

/* Calls of a run, or of a gain; none if it never came. */
static inline struct selection labelled(const struct view *v, const char *part, const char *what,
                                        int64_t k)
{
    return label_calls(v, in_part(v, part, ENGINES_DEVICE), what, k);
}

#endif
