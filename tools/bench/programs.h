/* SPDX-License-Identifier: MIT */
/*
 * programs.h - made-up programs for the engine, as calls: each shape leans on
 * another rule. A shape makes as many operations as it is asked for and hands
 * each call to `give`; the same shape and number give the same calls.
 */
#ifndef BENCH_PROGRAMS_H
#define BENCH_PROGRAMS_H

#include <stdbool.h>

#include "trace/record/call.h"

struct program {
    void (*give)(void *context, const struct call *c);
    void *context;
    /* Owned by programs.c. */
    uint32_t streams, events;
};

struct shape {
    const char *name;
    void (*make)(struct program *p, uint32_t operations);
};
extern const struct shape shapes[];
extern const unsigned shape_count;

void program_make(struct program *p, const struct shape *shape, uint32_t operations);

#endif
