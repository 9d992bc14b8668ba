/* SPDX-License-Identifier: MIT */
/*
 * judges.h - what lesson 01's judges share: of a launch and what came of it (a, b), of the moments
 * (a), of the work meanwhile (b), of the jobs (c), of the day (d).
 */
#ifndef JUDGES_H
#define JUDGES_H

#include "grader/check.h"
#include "slots.h"

#define BAD_THREADS 2048        /* a block: more than any card takes */
#define ILLEGAL_ADDRESS 700     /* cudaErrorIllegalAddress */

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

/* What scramble() makes of an element. */
static inline uint32_t scrambled(uint32_t x)
{
    return 1664525u * x + 1013904223u;
}

/* Everything in ns of the timeline. A part with no finished kernel has kernel_busy 0. */
struct scene {
    const struct timeline *t;
    size_t first, end;          /* the part's calls */
    uint32_t launch;            /* its first launch that succeeded, ANY for none */
    struct interval kernel;     /* first start to last end */
    int64_t kernel_busy;
    int64_t device_end;         /* of the last kernel or copy */
};

struct scene launch_scene(const struct view *v, const char *part);
/* The call among [first, end) that held the host up longest; ANY when none did. *ns is how long. */
uint32_t scene_wait(const struct scene *s, size_t first, size_t end, int64_t *ns);
const char *scene_name(const struct scene *s, uint32_t call);
int scene_percent(int64_t part, int64_t whole);
const char *launch_error(int32_t error);

#endif
